"""Builds a release, checks it and tags it: `make release`. It uploads nothing.

It refuses where the working tree has changes, where CHANGELOG.md has no dated entry of the version,
where CITATION.cff has another version, and where the tag exists.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from pathlib import Path

REPOSITORY = Path(__file__).parent
LARGEST_WHEEL = 25e6
"""Bytes."""
SENTENCE, TRANSLATION = "I like cats.", "私は猫が好きです。"
"""What the run in the wheel must translate, and how."""


class Refused(Exception):
    """What must be mended before a release."""


def main():
    try:
        version = ready(REPOSITORY)
        wheel, *others = build(REPOSITORY)
        print(f"{wheel.name}: {check_size(wheel) / 1e6:.1f} MB")
        run(sys.executable, "-m", "twine", "check", "--strict", wheel, *others)
        print(f"first translation in an empty environment: {try_wheel(wheel):.1f} s")
        run("git", "tag", "-a", f"v{version}", "-m", f"fa_jax {version}", cwd=REPOSITORY)
    except Refused as reason:
        sys.exit(f"no release: {reason}")
    print(f"tagged v{version}; dist holds what to upload")


def ready(repository: Path) -> str:
    """The version to release.

    Raises:
      Refused: something is not as a release needs it.
    """
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    version = project["project"]["version"]
    if output("git", "status", "--porcelain", cwd=repository):
        raise Refused("the working tree has changes: commit or stash them")
    if output("git", "tag", "--list", f"v{version}", cwd=repository):
        raise Refused(f"v{version} is tagged: set another version in pyproject.toml")
    changes = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changes, re.M):
        raise Refused(f"CHANGELOG.md has no entry that begins ## {version} (YEAR-MONTH-DAY)")
    citation = (repository / "CITATION.cff").read_text(encoding="utf-8")
    if not re.search(rf"^version: {re.escape(version)}$", citation, re.M):
        raise Refused(f"CITATION.cff does not say version: {version}")
    return version


def build(repository: Path) -> list[Path]:
    """Builds a wheel from an sdist, both into an empty `dist`; the wheel is first."""
    folder = repository / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", folder, repository)
    return sorted(folder.iterdir(), key=lambda path: path.suffix != ".whl")


def check_size(wheel: Path) -> int:
    """The wheel's bytes.

    Raises:
      Refused: it is too large.
    """
    size = wheel.stat().st_size
    if size >= LARGEST_WHEEL:
        raise Refused(f"{wheel.name} has {size / 1e6:.1f} MB, more than {LARGEST_WHEEL / 1e6:.0f}")
    return size


def try_wheel(wheel: Path) -> float:
    """Seconds of a first translation, with the wheel and nothing else, and nothing kept before.

    Raises:
      Refused: it translates otherwise.
    """
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder) / "bin"
        run(programs / "python", "-m", "pip", "install", "-q", wheel)
        began = time.perf_counter()
        written = subprocess.run(
            [programs / "fa-jax", "translate", "en-ja"],
            input=SENTENCE,
            env={"PATH": "/usr/bin:/bin", "FA_JAX_CACHE": f"{folder}/cache"},
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        seconds = time.perf_counter() - began
    if written.stdout.strip() != TRANSLATION:
        raise Refused(f"the wheel writes {written.stdout!r} for {SENTENCE!r}\n{written.stderr}")
    return seconds


def run(*command: str | Path, cwd: Path | None = None):
    """Runs a program.

    Raises:
      Refused: it failed.
    """
    if subprocess.run(command, cwd=cwd).returncode:
        raise Refused(f"{' '.join(map(str, command))} failed")


def output(*command: str, cwd: Path) -> str:
    """What a program prints."""
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
