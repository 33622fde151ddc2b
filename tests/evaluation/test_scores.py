"""Scores against facts that do not come from the code."""

import math
from collections import Counter

import pytest
from sacrebleu.metrics import BLEU

from fa_jax.data.tokenizers import Words
from fa_jax.errors import UserError
from fa_jax.evaluation import scores as scores_module
from fa_jax.evaluation.metrics import Metric, Score, sacrebleu
from fa_jax.evaluation.scores import score_translations, shown_scores
from fa_jax.evaluation.smoothed_bleu import mean_smoothed_bleu, smoothed_sentence_bleu

JAPANESE = ["彼の勇気にはびっくりした。", "私、ジーンズって似合わないんだよね。"]
GERMAN = ["Die Männer von Israel waren sehr angestrengt.", "Und das ganze Volk kostete keine."]


@pytest.mark.parametrize(("texts", "language"), [(JAPANESE, "ja"), (GERMAN, "de")])
def test_a_perfect_translation(texts, language):
    scores = score_translations(texts, texts, language)
    assert scores["bleu"] == pytest.approx(100)
    assert scores["bleu_word"] == pytest.approx(100)
    assert scores["ribes"] == pytest.approx(1)
    assert ("bleu_char" in scores) == (language == "ja")


def test_signatures_name_the_tokenizer():
    scores = score_translations(JAPANESE, JAPANESE, "ja")
    assert "tok:ja-mecab" in scores["bleu_signature"]
    assert "tok:char" in scores["bleu_char_signature"]
    scores = score_translations(GERMAN, GERMAN, "de")
    assert "tok:13a" in scores["bleu_signature"]


def test_ribes_sees_order_where_words_are_the_same():
    texts = [text.removesuffix(".") for text in GERMAN]
    reversed_words = [" ".join(reversed(text.split())) for text in texts]
    scores = score_translations(reversed_words, texts, "de")
    assert scores["ribes"] == pytest.approx(0)


def test_an_empty_translation_scores_nothing():
    scores = score_translations(["", JAPANESE[1]], JAPANESE, "ja")
    assert scores["ribes"] == pytest.approx(0.5)
    assert 0 < scores["bleu"] < 100


@pytest.mark.parametrize(
    ("language", "reference", "known"),
    [
        ("ja", "彼の勇気にはびっくりした。", "彼の{}にはびっくりした。"),
        ("zh", "他的猫真的很大。", "他的{}真的很大。"),
        ("ko", "그의 말은 정말 크다.", "그의 {} 정말 크다."),
        ("de", GERMAN[0], "Die Männer von {} waren sehr angestrengt."),
    ],
)
def test_an_unknown_word_counts_as_one_wrong_word(language, reference, known):
    def scored(word):
        return score_translations([known.format(word)], [reference], language)

    wrong = {"ja": "犬", "zh": "犬", "ko": "개", "de": "Gomorra"}[language]
    found, wanted = scored("<unk>"), scored(wrong)
    # chrF counts letters: it is the score of a wrong word of one letter.
    assert found.pop("chrf") == pytest.approx(scored("Ж")["chrf"]) != pytest.approx(100)
    assert wanted.pop("chrf") and found == pytest.approx(wanted)
    assert 0 < scored("<unk>")["bleu"] < 100


GLUED = ("a<unk>b", "<unk>.", "<unk><unk>", "彼<unk>の<unk>。", "(<unk>)", "カ<unk>っ", "3<unk>'s")


@pytest.mark.parametrize("text", GLUED)
def test_no_tokenizer_takes_an_unknown_word_apart_or_glues_it(text, monkeypatch):
    seen = []
    monkeypatch.setattr(scores_module, "METRICS", {"seen": Metric("seen", seen.append)})
    split = {
        f"sacrebleu's {name}": BLEU(tokenize=name, force=True).tokenizer
        for name in ("ja-mecab", "zh", "char", "13a", "none")
    }
    for language in ("ja", "zh", "ko", "en", "de"):
        assert score_translations([text], ["a"], language) == {}
        split[f"words of {language}"] = Words(language).tokenize
    for name, tokenize in split.items():
        tokens = tokenize(seen[0].hypotheses[0])
        tokens = tokens.split() if isinstance(tokens, str) else tokens
        count = tokens.count(scores_module.UNKNOWN_SYMBOL)
        assert count == text.count("<unk>"), (name, tokens)


def test_a_metric_is_a_row(monkeypatch):
    def longest(texts):
        return Score(max(map(len, texts.hypothesis_words)))

    rows = {**scores_module.METRICS, "longest": Metric("longest word", longest, digits=0)}
    before = score_translations(GERMAN, GERMAN, "de")
    monkeypatch.setattr(scores_module, "METRICS", rows)
    after = score_translations(GERMAN, GERMAN, "de")
    assert after == {**before, "longest": 8}
    assert shown_scores(after)["longest word"] == ("8", "")
    signed = [name for name in before if f"{name}_signature" in before]
    assert signed == ["bleu", "bleu_word", "chrf", "ter"] and "ribes" in before
    assert score_translations(GERMAN, GERMAN, "de", ["longest"]) == {"longest": 8}


def chrf2(hypothesis, reference):
    """Popović's: precision and recall of n-grams without spaces, each the mean over n."""
    sides = [side.replace(" ", "") for side in (hypothesis, reference)]
    shares = []
    for n in range(1, 7):
        grams = [Counter(side[i : i + n] for i in range(len(side) - n + 1)) for side in sides]
        both = (grams[0] & grams[1]).total()
        shares.append([both / max(1, side.total()) for side in grams])
    precision, recall = (sum(column) / 6 for column in zip(*shares, strict=True))
    return 100 * 5 * precision * recall / (4 * precision + recall)


def test_chrf_is_that_of_popovic():
    for wrong in ("Die Frauen von Israel waren angestrengt.", "Israel war sehr angestrengt, sehr."):
        found = score_translations([wrong], GERMAN[:1], "de")
        assert found["chrf"] == pytest.approx(chrf2(wrong, GERMAN[0]))
    assert score_translations(GERMAN, GERMAN, "de")["chrf"] == pytest.approx(100)


@pytest.mark.parametrize(
    ("language", "hypothesis", "reference", "edits", "words"),
    [
        ("en", "the cat sat on a mat", "the cat sat on the mat", 1, 6),  # one word for another
        ("en", "on the mat the cat sat", "the cat sat on the mat", 1, 6),  # three words move
        ("en", "a b c d e", "f", 5, 1),  # more edits than words
        ("ja", "私は犬。", "私は猫。", 1, 4),  # Chinese characters are words
    ],
)
def test_ter_counts_edits(language, hypothesis, reference, edits, words):
    found = score_translations([hypothesis], [reference], language)
    assert found["ter"] == pytest.approx(100 * edits / words)
    assert f"asian:{'yes' if language == 'ja' else 'no'}" in found["ter_signature"]


@pytest.mark.parametrize(("texts", "language"), [(JAPANESE, "ja"), (GERMAN, "de")])
def test_ter_is_the_same_by_several_processes(texts, language, monkeypatch):
    hypotheses, references = [*texts, *texts[::-1], "", "a"], [*texts, *texts, "b", *texts[:1]]
    one = score_translations(hypotheses, references, language, ["ter"])
    monkeypatch.setattr(sacrebleu, "WORTH_PROCESSES", 1)
    monkeypatch.setattr(sacrebleu, "PART", 2)
    assert score_translations(hypotheses, references, language, ["ter"]) == one
    assert one["ter"] > 0 and "nrefs:1" in one["ter_signature"]


def test_a_metric_that_there_is_not_is_named():
    assert list(score_translations(["a"], ["a"], "en", "ribes")) == ["ribes"]
    with pytest.raises(UserError, match="unknown metric 'BLEU': choose bleu,"):
        score_translations(["a"], ["a"], "en", ["BLEU"])


def test_wrong_numbers_of_sentences():
    with pytest.raises(UserError, match="no sentence"):
        score_translations([], [], "de")
    with pytest.raises(ValueError, match="1 hypotheses for 2 references"):
        score_translations(GERMAN[:1], GERMAN, "de")


def lin_and_och(hypothesis, reference):
    """BLEU+1 from the paper: one is added to matches and totals of n-grams longer than one."""
    logs = []
    for n in range(1, 5):
        grams = [
            Counter(tuple(side[i : i + n]) for i in range(len(side) - n + 1))
            for side in (hypothesis, reference)
        ]
        matches, total = (grams[0] & grams[1]).total(), grams[0].total()
        add = 1 if n > 1 else 0
        if matches + add == 0:
            return 0.0
        logs.append(math.log((matches + add) / (total + add)))
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return 100 * math.exp(sum(logs) / 4 + brevity)


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("a b c d e", "a b c d e"),
        ("a b c d", "a b x d e f"),
        ("a b c d e f g", "c d e a b"),
        ("x y", "a b c"),
        ("a x b y c", "a b c d e"),
    ],
)
def test_smoothed_bleu_is_that_of_lin_and_och(hypothesis, reference):
    pair = hypothesis.split(), reference.split()
    assert smoothed_sentence_bleu(*pair) == pytest.approx(lin_and_och(*pair))


def test_mean_is_over_sentences():
    pairs = [(["a", "b", "c", "d"], ["a", "b", "c", "d"]), (["a", "b"], ["a", "c", "d"])]
    expected = (100 + lin_and_och(*pairs[1])) / 2
    assert mean_smoothed_bleu(*zip(*pairs, strict=True)) == pytest.approx(expected)
