"""The code that an export needs of fa_jax: files that import each other, under another name."""

import re
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
IMPORTED = re.compile(r"^from (fa_jax\.\S+) import", re.MULTILINE)


def sources(script: Path, name: str) -> dict[Path, str]:
    """A script of fa_jax, and all of fa_jax that it imports, as a program that needs no fa_jax.

    Args:
      script: a file of the package; it lies at the top.
      name: of the folder that the modules lie in, and of the package that they are then.

    Returns:
      Each file's text by its place. An installed fa_jax is neither found nor hidden by them.
    """
    paths = [script]
    for path in paths:  # grows meanwhile
        modules = map(find_spec, IMPORTED.findall(path.read_text(encoding="utf-8")))
        paths += {Path(module.origin) for module in modules} - {*paths}
    return {
        Path(path.name if path == script else name / path.relative_to(PACKAGE)): IMPORTED.sub(
            lambda found: found[0].replace("fa_jax", name, 1), path.read_text(encoding="utf-8")
        )
        for path in paths
    }
