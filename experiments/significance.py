"""Is a difference in BLEU more than chance? Paired bootstrap resampling (Koehn 2004)."""

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from trained import LANGUAGES, Trained, translations

from fa_jax.data.corpora import load_corpus
from fa_jax.evaluation.scores import BLEU_TOKENIZERS

SAMPLES = 1000


def p_value(reference: tuple[Trained, float], other: tuple[Trained, float]) -> float:
    """Of two runs' kept translations of one test set, each at a threshold; sacrebleu's, with a
    fixed seed."""
    corpus = reference[0].corpus
    languages = LANGUAGES[corpus]
    wanted = [target for _, target in load_corpus(corpus, languages).test]
    named = [(name, translations(*of)) for name, of in (("reference", reference), ("other", other))]
    tokenizer = BLEU_TOKENIZERS.get(languages.split("-")[1], "13a")
    metric = {"BLEU": BLEU(references=[wanted], tokenize=tokenizer)}
    _, scores = PairedTest(named, metric, None, test_type="bs", n_samples=SAMPLES)()
    return float(scores["BLEU"][1].p_value)
