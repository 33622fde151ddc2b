"""What is measured of preparing much text: such text, and the memory of a command's processes."""

import os
import resource
from pathlib import Path

import pytest

from experiments import preparation
from fa_jax.data.corpora import load_corpus


def test_text_is_made_large_of_whole_pairs(tmp_path):
    corpus = load_corpus("tatoeba_en_ja", "en-ja")
    preparation.write_large(corpus, 500, tmp_path / "text")
    large, known = load_corpus(str(tmp_path / "text"), "en-ja"), {*corpus.train}
    assert len(large.train) == 500
    assert 150 < sum(pair in known for pair in large.train) < 350
    assert [*large.test] == [*corpus.test]


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
def test_memory_is_a_process_and_its_children():
    assert os.getpid() in preparation._family(os.getppid())
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert 0.1 * most < preparation._kilobytes(os.getpid()) <= most
