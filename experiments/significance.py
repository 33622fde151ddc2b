"""Is a difference in BLEU more than the choice of sentences? Paired bootstrap (Koehn 2004)."""

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from trained import Trained, translations

from fa_jax.data.corpora import load_corpus
from fa_jax.evaluation.scores import BLEU_TOKENIZERS

SAMPLES = 1000


def p_value(reference: tuple[Trained, float], other: tuple[Trained, float]) -> float:
    """Of two runs' kept translations of one test set, each at a threshold; sacrebleu's, with a
    fixed seed. It says nothing of the noise of training."""
    corpus = reference[0].corpus
    languages = reference[0].languages
    wanted = [target for _, target in load_corpus(corpus, languages).test]
    texts = [translations(*of) for of in (reference, other)]
    if texts[0] == texts[1]:  # sacrebleu would call it significant
        return 1.0
    metric = {"BLEU": BLEU(references=[wanted], tokenize=_tokenizer(languages))}
    named = list(zip(("reference", "other"), texts, strict=True))
    _, scores = PairedTest(named, metric, None, test_type="bs", n_samples=SAMPLES)()
    return float(scores["BLEU"][1].p_value)


def bleu_with_unknown_as_one(trained: Trained, threshold: float) -> float:
    """Of the kept translations, with one symbol for each `<unk>`, which MeCab reads as three
    words."""
    wanted = [target for _, target in load_corpus(trained.corpus, trained.languages).test]
    texts = [text.replace("<unk>", "〓") for text in translations(trained, threshold)]
    return BLEU(tokenize=_tokenizer(trained.languages)).corpus_score(texts, [wanted]).score


def _tokenizer(languages: str) -> str:
    return BLEU_TOKENIZERS.get(languages.split("-")[1], "13a")
