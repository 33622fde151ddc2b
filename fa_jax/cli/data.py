"""`fa-jax data`."""

from dataclasses import dataclass

from fa_jax.cli.arguments import OfPreset
from fa_jax.counted import counted


@dataclass(frozen=True)
class Command(OfPreset):
    """Prepare a corpus: learn vocabularies, turn text into numbers, keep both in the cache
    folder."""

    beam: tuple[str, ...] = ()
    """Options of Apache Beam without their dashes, such as `runner=FlinkRunner
    flink_master=host:8081`: its machines then share the work. All must see the same cache folder
    (FA_JAX_CACHE) and text."""

    def __call__(self):
        from fa_jax.data.corpora import repeated
        from fa_jax.data.learnt_from import left_out
        from fa_jax.data.prepared import prepare
        from fa_jax.processes import by_beam, on_all_cores

        data = prepare(self.data, share=by_beam(self.beam) if self.beam else on_all_cores)
        lengths = data.train.lengths
        print(
            f"{data.corpus.name}: {len(data.corpus.train):,} training, "
            f"{len(data.corpus.validation):,} validation, "
            f"{counted(len(data.corpus.test), 'test pair')}\n"
            f"vocabularies of {len(data.source.vocabulary):,} {data.corpus.source_language} and "
            f"{len(data.target.vocabulary):,} {data.corpus.target_language} tokens; sentences have "
            f"{lengths[0].mean():.1f} and {lengths[1].mean():.1f} tokens"
        )
        source, target = data.corpus.train[0]
        print(f"first pair, {data.corpus.source_language}: {source}")
        print(f"            {data.corpus.target_language}: {target}")
        for remark in (left_out(lengths, data.max_length), *repeated(data.corpus)):
            if remark:
                print(remark)
