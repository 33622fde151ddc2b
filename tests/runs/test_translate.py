"""Text in, text out, with a run made by hand: characters, six target words."""

from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest

from fa_jax.attention import AttentionConfig
from fa_jax.config import Config, DataConfig, DecodingConfig, ModelConfig
from fa_jax.data.codec import TextCodec
from fa_jax.data.tokenizers import Characters, Words
from fa_jax.data.vocabulary import SPECIAL, Vocabulary
from fa_jax.decoding.forced import trace_translations
from fa_jax.errors import UserError
from fa_jax.model.encoder_decoder import init_encoder_decoder
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines
from fa_jax.runs.trace import trace
from fa_jax.runs.translate import translate
from tests.command import write_corpus

LINES = ["abba", "", "cab", "zab", "bacabacabacabacabac"]
DECODING = DecodingConfig(beam_size=4, threshold=1.2, replace_unknown=True)


class Counted(Characters):
    """Notes what it is given."""

    def tokenize(self, text):
        given.append(text)
        return super().tokenize(text)


given = []


def make_run(**model):
    sizes = dict.fromkeys(("embedding", "encoder", "decoder", "attention", "bottleneck"), 8)
    config = ModelConfig(**{f"{name}_size": size for name, size in sizes.items()}, **model)
    params = init_encoder_decoder(jax.random.key(3), config, 7, 6)
    params = jax.tree.map(lambda x: np.array(x * 3), params)
    params["decoder"]["output"]["bias"][3] += 1  # unknown words are often written
    source = TextCodec("en", Counted(), Vocabulary((*SPECIAL, *"abc")))
    target = TextCodec("ja", Characters(), Vocabulary((*SPECIAL, *"xy")))
    return Run(
        Path("tiny"), Config(model=config, decoding=DECODING), source, target, params, 1, 0.0
    )


@pytest.fixture(scope="module")
def run():
    return make_run()


@pytest.fixture(scope="module")
def records(run):
    given.clear()
    return translate(run, LINES, n_best=3, details=True)


def test_each_line_is_tokenized_once(run, records):
    assert given == LINES
    given.clear()
    trace(run, LINES[0])
    assert given == LINES[:1]


def test_what_is_copied_is_written_as_the_user_wrote_it(run, records):
    found = translate(run, [line.upper() for line in LINES], n_best=3)
    small, large = ([[x["text"] for x in r["translations"]] for r in of] for of in (records, found))
    capitals = str.maketrans("abcz", "ABCZ")
    assert large == [[text.translate(capitals) for text in texts] for texts in small] != small


def test_details_are_those_of_each_translation_alone(run, records):
    unknown = 0
    for line, record in zip(LINES, records, strict=True):
        source = run.source.encode(line)
        shown = ["<unk>" if letter == "z" else letter for letter in line]
        assert record["source_tokens"] == shown
        for found in record["translations"] if line else ():
            words = run.target.vocabulary.ids(found["tokens"][:-1])
            (alone,) = trace_translations(run.model, DECODING, [source], [words])
            for name, of_trace in (("alignment", "weights"), ("log_probs", "log_probs")):
                wanted = getattr(alone, of_trace)
                np.testing.assert_allclose(found[name], wanted, rtol=1e-4, atol=1e-6)
            assert found["window"] == alone.windows.sum(1).tolist()
            assert found["confidence"] == pytest.approx(
                np.exp(alone.log_probs).prod() ** (1 / len(alone.log_probs)), rel=1e-4
            )
            assert [word for word, _ in found["words"]] == found["tokens"][:-1]
            looked_at = [line[place] for place in alone.weights.argmax(1)]
            tokens = zip(found["tokens"][:-1], looked_at[: len(words)], strict=True)
            assert found["text"] == "".join(s if t == "<unk>" else t for t, s in tokens)
            unknown += "<unk>" in found["tokens"]
    assert unknown > 1
    assert records[1] == {"source_tokens": [], "translations": [{"text": "", "score": 0.0}]}


def test_translations_without_details_are_the_same(run, records):
    plain = translate(run, LINES, n_best=3)
    assert [record.keys() for record in plain] == [{"translations"}] * len(LINES)
    for a, b in zip(plain, records, strict=True):
        for one, other in zip(a["translations"], b["translations"], strict=True):
            assert one == {name: other[name] for name in ("text", "score")}


def test_documents_have_as_many_lines_as_their_sources(run):
    """A run that does not know documents translates line by line; one that does, on from line to
    line."""
    texts = ["abba\ncab\nzab", "bacab", "\nabba"]
    decoding = replace(DECODING, replace_unknown=False)
    lines = [line for text in texts for line in text.split("\n")]
    alone = [r["translations"][0]["text"] for r in translate(run, lines, decoding)]
    done = []
    records = translate(run, texts, decoding, documents=True, progress=done.append)
    found = [record["translations"][0]["text"] for record in records]
    assert found == ["\n".join(alone[:3]), alone[3], "\n".join(alone[4:])]
    assert sum(done) == 5  # an empty line is no work
    knows = replace(run, config=replace(run.config, data=DataConfig(documents=True)))
    found = translate(knows, texts, decoding, documents=True)
    found = [record["translations"][0]["text"].split("\n") for record in found]
    assert [len(lines) for lines in found] == [3, 1, 2]
    assert found[1] == [alone[3]] and found[2][0] == ""
    with pytest.raises(UserError, match="one translation each"):
        translate(knows, texts, decoding, 2, documents=True)


def test_unknown_words_stay_where_nobody_asks(run):
    decoding = replace(DECODING, replace_unknown=False)
    found = search_lines([run], LINES, decoding)
    texts = found.texts()
    assert texts == [[run.target.decode(r.hypotheses[0].words)] for r in found.results]
    assert any("<unk>" in text for (text,) in texts)


@pytest.mark.parametrize(("n_best", "mend"), [(0, "got 0$"), (5, "got 5: raise decoding.beam")])
def test_more_translations_than_the_beam_has(run, n_best, mend):
    with pytest.raises(UserError, match=f"n_best must be 1 to the beam size, 4, {mend}"):
        translate(run, LINES, n_best=n_best)


def test_lines_fit_lines_whatever_a_run_learnt(run):
    odd = Vocabulary((*SPECIAL, "x\ry", "x\u2028y"))
    learnt = replace(run, target=replace(run.target, vocabulary=odd))
    texts = [one["text"] for r in translate(learnt, LINES, n_best=3) for one in r["translations"]]
    assert {*map(len, map(str.splitlines, texts))} == {0, 1}
    assert any("x y" in text for text in texts)


def test_lines_in_capitals_are_translated_into_capitals(run):
    (small,), (large,) = (
        [one["text"] for one in record["translations"]]
        for record in translate(run, ["abba cab", "ABBA\xa0CAB"])
    )
    assert large == small.upper() != small


def test_unknown_words_need_an_alignment():
    with pytest.raises(UserError, match="an alignment, and the attention of tiny has none"):
        translate(make_run(attention=AttentionConfig(span="none")), LINES)


def test_a_trace_is_of_the_best_translation(run, records):
    found, best = trace(run, LINES[0]), records[0]["translations"][0]
    assert (found.translation, found.target_tokens) == (best["text"], best["tokens"])
    assert found.source_tokens == [*LINES[0]] and found.threshold == DECODING.threshold
    np.testing.assert_allclose(found.weights, best["alignment"], rtol=1e-5, atol=1e-6)
    for token, log_prob, step in zip(
        found.target_tokens, found.log_probs, found.alternatives, strict=True
    ):
        assert dict(step).get(token, log_prob) == pytest.approx(log_prob, rel=1e-4)
    assert trace(run, LINES[0], threshold=np.inf).windows.all()
    with pytest.raises(UserError, match="line without a word"):
        trace(run, "")


def test_unknown_words_are_translated_by_the_runs_own_dictionary(run, tmp_path):
    """A run of words learns it when it is first asked for, and keeps it."""
    corpus = write_corpus(tmp_path / "text", train=40)
    settings = {"corpus": str(corpus), "languages": "en-ja", "tokenizer": "word"}
    data = replace(run.config.data, **settings)
    tokenizers = (Words("en"), Words("ja"))
    source, target = (
        replace(c, tokenizer=t) for c, t in zip((run.source, run.target), tokenizers, strict=True)
    )
    of_words = replace(
        run, folder=tmp_path, config=replace(run.config, data=data), source=source, target=target
    )
    with pytest.raises(UserError, match=r"cannot be written, .* copy the run's folder"):
        _ = replace(of_words, folder=tmp_path / "gone").dictionary
    found = of_words.dictionary
    assert len(found) > 20 and not {*found} & {*found.values()}
    again = replace(of_words, config=replace(run.config, data=replace(data, corpus="gone")))
    assert again.dictionary == found
    assert run.dictionary == {}
    for damaged in (b"a\tb\nc d\n", b"\xff"):
        (tmp_path / "dictionary.tsv").write_bytes(damaged)
        with pytest.raises(UserError, match=r"dictionary\.tsv cannot be read: .* learnt again"):
            _ = replace(again).dictionary
