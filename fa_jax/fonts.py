"""The font that comes with fa_jax's packages, for Japanese where the system has none."""

from importlib.util import find_spec
from pathlib import Path


def packaged_font() -> Path:
    """The file of IPAexGothic, from the package matplotlib-fontja."""
    # Found, not imported: importing it changes matplotlib's settings for the whole program.
    (folder,) = find_spec("matplotlib_fontja").submodule_search_locations
    return Path(folder) / "fonts" / "ipaexg.ttf"
