"""The command line: `fa-jax COMMAND …`, or `python -m fa_jax COMMAND …`."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import tyro

from fa_jax.benchmarks import BENCHMARKS
from fa_jax.config import Config, DataConfig, DecodingConfig, ModelConfig, TrainingConfig
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import LARGEST_LOSS, THRESHOLDS
from fa_jax.presets import PRESETS_HELP

BENCHMARKS_HELP = "; ".join(f"{name}: {question}" for name, question in BENCHMARKS.items())
RUN_HELP = "A run's folder, such as runs/en-ja-small, or en-ja: a run that comes with fa_jax."
LINES_AT_ONCE = 1024
"""Lines that `translate` reads before it writes."""
EXAMPLES = 5
"""Test translations shown after training."""

Languages = Annotated[
    str, tyro.conf.Positional, tyro.conf.arg(help="Source and target, such as en-ja or de-en.")
]
Preset = Annotated[str, tyro.conf.arg(help=PRESETS_HELP)]
RunFolder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(help=RUN_HELP)]


@dataclass(frozen=True)
class Data:
    """Prepare a corpus: vocabularies and token numbers, kept in the user's cache folder."""

    languages: Languages
    preset: Preset = "small"
    corpus: str = ""
    """Name of a corpus, several joined by '+', or a folder; default: the languages' own."""
    data: DataConfig = field(default_factory=DataConfig)


@dataclass(frozen=True)
class Train:
    """Train a translator, keep its best checkpoint and score the test set with it.

    The same command again continues a run that was stopped.
    """

    languages: Languages
    preset: Preset = "small"
    corpus: str = ""
    """Name of a corpus, several joined by '+', or a folder; default: the languages' own."""
    run: Path | None = None
    """The run's folder; default: runs/LANGUAGES-PRESET."""
    steps: int = 0
    """Stop after so many steps; 0: after training.epochs."""
    coordinator: str = ""
    """Several hosts that share the run's folder: address:port of the first, the same on all."""
    processes: int = 1
    """Several hosts: how many processes take part."""
    process: int = 0
    """Several hosts: this one's number, from 0."""
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


@dataclass(frozen=True)
class Finetune:
    """Train on from a run's best checkpoint, rewarding strong penalties (Eq. 9), in a new run."""

    source: RunFolder
    run: Path | None = None
    """The new run's folder; default: the old one's name with -finetuned."""
    steps: int = 0
    """Stop after so many steps; 0: after training.epochs."""
    sigma: float | None = None
    """Flexible span: the new run's width of the penalty (Eq. 6), in source tokens; strengths far
    below 1 go on penalising as they did. Default: the old one's; 10 for characters of a small
    size."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


@dataclass(frozen=True)
class Translate:
    """Translate lines from stdin to stdout, one for one."""

    run: RunFolder
    ensemble: tuple[Path, ...] = ()
    """Further runs of the same target vocabulary: all translate together."""
    n_best: int = 1
    """Translations a line, best first, tab-separated with their scores when more than one."""
    details: bool = False
    """Write a JSON object a line: translations, log probabilities, alignment, g(t), window."""
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


@dataclass(frozen=True)
class Evaluate:
    """Score a run's translations of a split of its corpus."""

    run: RunFolder
    ensemble: tuple[Path, ...] = ()
    """Further runs of the same target vocabulary: all translate together."""
    split: Literal["validation", "test"] = "test"
    json: bool = False
    """Print one JSON object."""
    output: Path | None = None
    """Also write the translations to this file, one a line."""
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


@dataclass(frozen=True)
class Select:
    """Choose the threshold with the smallest window that loses little development BLEU (VS 5.2).

    The choice is written into the run: `translate` and `evaluate` decode with it from then on.
    """

    run: RunFolder
    others: tuple[Path, ...] = ()
    """Further runs to choose between, such as ones with another sigma or beta; their BLEU is
    compared with that of the first at tau = inf."""
    thresholds: tuple[float, ...] = THRESHOLDS
    """Thresholds to choose between (tau)."""
    largest_loss: float = LARGEST_LOSS
    """BLEU that a smaller window may cost."""

    def __post_init__(self):
        if not self.largest_loss >= 0:
            raise UserError(f"--largest-loss must be at least 0, got {self.largest_loss}")
        if wrong := [t for t in self.thresholds if not t > 0]:
            raise UserError(f"--thresholds must be greater than 0, got {wrong[0]}")


@dataclass(frozen=True)
class Show:
    """Draw what each output word looked at: window, weights, focus and strength of each step."""

    run: RunFolder
    sentence: Annotated[str, tyro.conf.Positional, tyro.conf.arg(help="Source text.")] = ""
    output: Path = Path("spans.html")
    """A picture (.png, .svg) or a page with details where one points (.html)."""
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


@dataclass(frozen=True)
class Benchmark:
    """Measure speed on this machine; all benchmarks, or those that are named."""

    names: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(help=BENCHMARKS_HELP)
    ] = ()
    rounds: int = 0
    """Times that each side is timed; 0: the benchmark's own number."""
    output: Path = Path("experiments/results")
    """Folder of NAME.json, NAME.md and benchmarks.md, the summary."""


COMMANDS = {
    "data": Data,
    "train": Train,
    "finetune": Finetune,
    "translate": Translate,
    "evaluate": Evaluate,
    "select": Select,
    "show": Show,
    "benchmark": Benchmark,
}
SHORT = {"--threshold": "--decoding.threshold", "--beam-size": "--decoding.beam-size"}
"""Options used so often that they have a short name."""


def main(arguments: list[str] | None = None):
    """Runs a command; a user's mistake ends with its message and status 2."""
    arguments = [_long_name(a) for a in (sys.argv[1:] if arguments is None else arguments)]
    try:
        command = _parse(arguments)
        _set_up_jax(command)
        ACTIONS[type(command)](command)
    except UserError as error:
        print(f"fa-jax: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except BrokenPipeError:  # the reader of our output has left
        sys.stderr.close()
        raise SystemExit(141) from None
    except OSError as error:  # a full disk, a folder that may not be written
        print(f"fa-jax: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _long_name(argument: str) -> str:
    name, *value = argument.split("=", 1)
    return "=".join([SHORT.get(name, name), *value])


def _parse(arguments: list[str]):
    """Options over the preset's or the run's own settings."""
    if not arguments or arguments[0] not in COMMANDS:
        return tyro.extras.subcommand_cli_from_dict(
            COMMANDS, prog="fa-jax", description=__doc__, args=arguments
        )
    name, rest = arguments[0], arguments[1:]
    plain = name == "benchmark" or {"-h", "--help"} & {*rest}
    default = None if plain else _defaults(name, rest)
    return tyro.cli(COMMANDS[name], prog=f"fa-jax {name}", args=rest, default=default)


def _defaults(name: str, arguments: list[str]):
    """What the positional argument and `--preset` say, before the other options are read."""
    known = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    known.add_argument("--preset", default="small")
    known.add_argument("--corpus", default="")
    found, _ = known.parse_known_args(arguments)
    # The positional arguments come first, or follow all options and their values.
    last = arguments[-2:-1] if name == "show" else arguments[-1:]
    place = arguments[0] if arguments and not arguments[0].startswith("-") else last
    if not place or (not isinstance(place, str) and place[0].startswith("-")):
        return None  # the parser says what is missing
    place = place if isinstance(place, str) else place[0]
    if name in ("data", "train"):
        from fa_jax.presets import preset

        config = preset(found.preset, place, found.corpus)
        sections = {"data": config.data}
        if name == "train":
            sections |= {
                "model": config.model,
                "training": config.training,
                "decoding": config.decoding,
            }
        return COMMANDS[name](place, found.preset, found.corpus, **sections)
    from fa_jax.run import read_config

    config = read_config(Path(place))
    if name == "select":
        return Select(Path(place))
    sections = {"decoding": config.decoding}
    if name == "show":
        return Show(Path(place), **sections)
    if name == "finetune":
        from fa_jax.presets import finetuning

        tuned = finetuning(config)
        return Finetune(Path(place), sigma=tuned.model.sigma, training=tuned.training, **sections)
    return COMMANDS[name](Path(place), **sections)


def _set_up_jax(command):
    """Compiled programs are kept between runs; freed memory is kept within one."""
    import jax

    from fa_jax.cache import cache_folder
    from fa_jax.host_memory import keep_freed_memory

    keep_freed_memory()
    jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "compiled"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    if isinstance(command, Train) and command.coordinator:
        jax.distributed.initialize(command.coordinator, command.processes, command.process)


def _data(command: Data):
    from fa_jax.data.encoded import prepare

    data = prepare(_with_corpus(command).data)
    lengths = data.train.source.lengths, data.train.target.lengths
    print(
        f"{data.corpus.name}: {len(data.corpus.train):,} training, "
        f"{len(data.corpus.validation):,} validation, {len(data.corpus.test):,} test pairs\n"
        f"{len(data.source.vocabulary):,} {data.corpus.source_language} and "
        f"{len(data.target.vocabulary):,} {data.corpus.target_language} tokens; "
        f"{lengths[0].mean():.1f} and {lengths[1].mean():.1f} a sentence"
    )


def _train(command: Train):
    from fa_jax.data.encoded import prepare
    from fa_jax.run import begin_run

    command = _with_corpus(command)
    training = replace(command.training, steps=command.steps or command.training.steps)
    config = Config(command.data, command.model, training, command.decoding, command.preset)
    folder = command.run or Path("runs") / f"{command.languages}-{command.preset}"
    data = prepare(config.data)
    if _is_first_process():
        begin_run(folder, config, data.source, data.target)
    _train_and_score(folder, config, data, None)


def _finetune(command: Finetune):
    from fa_jax.data.encoded import prepare
    from fa_jax.run import begin_run, load_run

    source = load_run(command.source)
    training = replace(command.training, steps=command.steps or command.training.steps)
    config = replace(source.config, training=training, decoding=command.decoding)
    start = source.params
    if command.sigma not in (None, config.model.sigma):
        config, start = _at_sigma(config, start, command.sigma)
    folder = command.run or command.source.with_name(command.source.name + "-finetuned")
    data = prepare(config.data, codecs=(source.source, source.target))
    begin_run(folder, config, data.source, data.target)
    _train_and_score(folder, config, data, start)


def _at_sigma(config: Config, params, sigma: float):
    """A run of the flexible span with another σ, to train on from."""
    from fa_jax.attention.spans.flexible import with_sigma

    if config.model.span != "flexible":
        raise UserError(f"--sigma is the flexible span's; this run's span is {config.model.span}")
    model = replace(config.model, sigma=sigma)
    attention = params["decoder"]["attention"]
    strength = with_sigma(attention["strength"], config.model.sigma, sigma)
    decoder = params["decoder"] | {"attention": attention | {"strength": strength}}
    return replace(config, model=model), params | {"decoder": decoder}


def _train_and_score(folder: Path, config: Config, data, start):
    """Trains to the end, then scores the test set at τ = ∞ and at the paper's threshold."""
    from functools import partial

    from fa_jax.evaluation.evaluate import evaluate
    from fa_jax.evaluation.validation import validate
    from fa_jax.run import load_run, write_json
    from fa_jax.training.loop import Interrupted, train

    try:
        train(folder, config, data, partial(validate, config=config, data=data), start)
    except Interrupted as interruption:
        number, step = interruption.args
        print(f"stopped and saved at step {step}; the same command continues", file=sys.stderr)
        raise SystemExit(128 + number) from None
    run = load_run(folder)
    pairs = list(data.corpus.test)
    found = {}
    # Every host evaluates: one that leaves early is taken for dead by the others.
    for threshold in dict.fromkeys((float("inf"), 1.2, config.decoding.threshold)):
        decoding = replace(config.decoding, threshold=threshold)
        evaluation = evaluate(run, pairs, decoding)
        found[f"{threshold:g}"] = evaluation.scores
        if _is_first_process():
            print(_summary(evaluation.scores))
    if not _is_first_process():
        return
    write_json(folder / "test.json", found)
    print(f"\n{EXAMPLES} test sentences (source, translation, reference):")
    for (source, reference), translation in islice(
        zip(pairs, evaluation.translations, strict=True), EXAMPLES
    ):
        print(f"\n  {source}\n  {translation}\n  {reference}")


def _translate(command: Translate):
    from fa_jax.run import as_json, ensemble, load_run

    runs = ensemble([load_run(folder) for folder in (command.run, *command.ensemble)])
    lines = _stdin_lines()
    number = 0
    while chunk := list(islice(lines, LINES_AT_ONCE)):
        for line, record in zip(chunk, _translations(runs, command, chunk, number), strict=True):
            if command.details:
                print(as_json({"source": line, **record}))
            elif command.n_best > 1:
                print("\t".join(f"{t['text']}\t{t['score']:.4f}" for t in record["translations"]))
            else:
                print(record["translations"][0]["text"])
        number += len(chunk)
        sys.stdout.flush()


def _translations(runs, command: Translate, lines: list[str], first: int) -> list[dict]:
    from fa_jax.translation import translate

    longest = command.decoding.max_source_length
    for number, line in enumerate(lines, start=first + 1):
        # A token has at least one letter, so most lines need no tokenizing here.
        if len(line) > longest and (length := len(runs[0].source.encode(line))) > longest:
            print(
                f"fa-jax: line {number} has {length:,} tokens; its first {longest:,} are "
                "translated (--decoding.max-source-length)",
                file=sys.stderr,
            )
    return translate(runs, lines, command.decoding, command.n_best, details=command.details)


def _evaluate(command: Evaluate):
    from fa_jax.data.corpora import load_corpus
    from fa_jax.evaluation.evaluate import evaluate
    from fa_jax.run import as_json, load_run

    runs = [load_run(folder) for folder in (command.run, *command.ensemble)]
    data = runs[0].config.data
    corpus = load_corpus(data.corpus, data.languages)
    evaluation = evaluate(runs, list(getattr(corpus, command.split)), command.decoding)
    if command.output is not None:
        text = "".join(line + "\n" for line in evaluation.translations)
        command.output.write_text(text, encoding="utf-8")
    scores = {"split": command.split, **evaluation.scores}
    print(as_json(scores) if command.json else _summary(scores))


def _select(command: Select):
    from fa_jax.data.corpora import load_corpus
    from fa_jax.evaluation.evaluate import evaluate
    from fa_jax.evaluation.selection import Candidate, choose, table
    from fa_jax.run import check_own, load_run, set_threshold

    runs = [load_run(folder) for folder in (command.run, *command.others)]
    for run in runs:  # before the work, not behind it
        check_own(run.folder)
        _check_comparable(runs[0], run)
    data = runs[0].config.data
    pairs = list(load_corpus(data.corpus, data.languages).validation)

    def measured(run, threshold: float) -> Candidate:
        scores = evaluate(run, pairs, replace(run.config.decoding, threshold=threshold)).scores
        return Candidate(str(run.folder), threshold, scores["bleu"], scores["window"])

    reference = measured(runs[0], float("inf"))
    thresholds = [t for t in command.thresholds if t != reference.threshold]
    candidates = [reference, *(measured(run, t) for run in runs for t in thresholds)]
    chosen = choose(candidates, reference.bleu, command.largest_loss)
    print(table(candidates, chosen, reference.bleu))
    set_threshold(Path(chosen.run), chosen.threshold)
    print(
        f"{chosen.run} decodes at threshold {chosen.threshold:g} from now on "
        "(--threshold inf: as before)"
    )


def _check_comparable(one, other):
    """Raises UserError if their BLEU and windows are of different texts or tokens."""
    for setting in ("corpus", "languages", "tokenizer"):
        wanted, found = (getattr(run.config.data, setting) for run in (one, other))
        if wanted != found:
            raise UserError(
                f"{other.folder} was trained with {setting} {found!r}, {one.folder} with "
                f"{wanted!r}: choose among runs of the same text and tokens"
            )


def _show(command: Show):
    from fa_jax.pages import write_span_page
    from fa_jax.plots import plot_spans
    from fa_jax.run import load_run
    from fa_jax.translation import trace

    kinds = {".html": write_span_page, ".png": plot_spans, ".svg": plot_spans}
    kind = command.output.suffix.lower()
    if kind not in kinds:
        raise UserError(f"{command.output}: name a file that ends with {', '.join(kinds)}")
    found = trace(load_run(command.run), command.sentence, decoding=command.decoding)
    kinds[kind](found, command.output, title=found.translation)
    print(f"{found.translation}\n{command.output}")


def _benchmark(command: Benchmark):
    from importlib import import_module

    from fa_jax.benchmarks.report import write_summary

    if unknown := {*command.names} - {*BENCHMARKS}:
        raise UserError(f"unknown benchmark {min(unknown)!r}: choose {', '.join(BENCHMARKS)}")
    for name in command.names or BENCHMARKS:
        measure = import_module(f"fa_jax.benchmarks.{name}").measure
        report = measure(**({"rounds": command.rounds} if command.rounds else {}))
        report.write(command.output)
        print(report.table(), flush=True)
    print(write_summary(command.output, BENCHMARKS))


def _summary(scores: dict) -> str:
    """A split's scores for a reader."""
    saved = 1 - scores["window"] / max(scores["source_length"], 1e-9)
    lines = [
        f"\nthreshold {scores['threshold']:g}, beam {scores['beam_size']}, "
        f"{scores['sentences']:,} sentences in {scores['seconds']:.1f} s",
        *(
            f"  {name.replace('_', ' '):10} {scores[name]:6.2f}   {scores[f'{name}_signature']}"
            for name in ("bleu", "bleu_char", "bleu_word")
            if name in scores
        ),
        f"  ribes      {scores['ribes']:6.3f}",
        f"  window     {scores['window']:6.2f}   of {scores['source_length']:.2f} source tokens "
        f"({saved:.0%} not scored)",
    ]
    return "\n".join(lines)


def _with_corpus(command: Data | Train) -> Data | Train:
    data = replace(
        command.data,
        languages=command.languages,
        corpus=command.corpus or command.data.corpus,
    )
    return replace(command, data=data)


def _is_first_process() -> bool:
    import jax

    return jax.process_index() == 0


def _stdin_lines() -> Iterator[str]:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise UserError(f"stdin, line {number}: not UTF-8 (byte {error.start + 1})") from None


ACTIONS = {
    Data: _data,
    Train: _train,
    Finetune: _finetune,
    Translate: _translate,
    Evaluate: _evaluate,
    Select: _select,
    Show: _show,
    Benchmark: _benchmark,
}
