"""Programs that the next process finds again without tracing what they compute.

JAX keeps what it compiled. To find it, a process must still trace and lower the program: for a beam
search that takes longer than to load it. Here the lowered program is kept, too (`jax.export`). It
is found by what goes into it: the function and its options, the shapes of its arguments, this
package's source, JAX's version and settings.
"""

import functools
import hashlib
import importlib.metadata
import pickle
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import jax
from jax.sharding import Sharding
from jaxtyping import PyTree

from fa_jax.whole_files import write_bytes

DIGEST_BYTES = 32
"""Before what is kept, its digest: a damaged file is not read."""
PACKAGES = ("jax", "jaxlib", "flax", "optax")
WITHOUT_EFFECT = ("jax_compilation_cache", "jax_persistent_cache", "jax_log", "jax_dump")
"""How the names of JAX's settings begin that change no program."""


class KeptProgram:
    """A function of arrays, compiled. Where JAX keeps what it compiles, so does this, beside it."""

    def __init__(
        self,
        function: Callable,
        shardings: PyTree[Sharding],
        compiler_options: Mapping[str, bool],
        /,
        **options: Any,
    ):
        """shardings: of each argument. compiler_options: of XLA. options: together with this
        package's source, they say all that the function computes."""
        self._jit = functools.partial(jax.jit, compiler_options=dict(compiler_options))
        self._function, self._shardings, self._options = function, shardings, options
        self._jitted = self._jit(function)
        self.lower = self._jitted.lower
        self._found: dict[str, Callable] = {}

    def __call__(self, *arguments: PyTree) -> PyTree:
        folder = jax.config.jax_compilation_cache_dir
        if not folder or not all(map(_says_all, self._options.values())):
            return self._jitted(*arguments)
        arguments = jax.device_put(arguments, self._shardings)
        name = _digest(self._options, arguments)
        if name not in self._found:
            self._found[name] = self._program(Path(folder, f"{name}.program"), arguments)
        return self._found[name](*arguments)

    def _program(self, path: Path, arguments: tuple) -> Callable:
        from jax import export  # it needs some time, too

        kept = _read(path)
        if kept is None:
            leaves, structure = jax.tree.flatten(arguments)
            traced = jax.jit(self._function)  # once for both; no inner jit may have options
            flat = jax.jit(lambda *x: jax.tree.leaves(traced(*structure.unflatten(x))))
            result = jax.tree.structure(jax.eval_shape(traced, *arguments))
            kept = bytes(export.export(flat)(*leaves).serialize()), result
            _write(path, kept)
        lowered, result = kept
        program = self._jit(export.deserialize(bytearray(lowered)).call)
        return lambda *arguments: result.unflatten(program(*jax.tree.leaves(arguments)))


def _read(path: Path) -> tuple[bytes, jax.tree_util.PyTreeDef] | None:
    """A lowered program and the structure of its result."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    digest, content = whole[:DIGEST_BYTES], whole[DIGEST_BYTES:]
    return pickle.loads(content) if hashlib.sha256(content).digest() == digest else None


def _write(path: Path, kept: tuple[bytes, jax.tree_util.PyTreeDef]):
    content = pickle.dumps(kept)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, hashlib.sha256(content).digest() + content)
    except OSError as error:  # as JAX does where it cannot keep what it compiled
        warnings.warn(f"the next start will not find this program: {error}", stacklevel=2)


def _says_all(value: Any) -> bool:
    """Whether its `repr` does: a score of a user's own may change and keep its name."""
    if isinstance(value, tuple | list):
        return all(map(_says_all, value))
    if is_dataclass(value):
        return type(value).__module__.startswith("fa_jax.") and all(
            _says_all(getattr(value, field.name)) for field in fields(value)
        )
    return value is None or isinstance(value, bool | int | float | str)


def _digest(options: dict[str, Any], arguments: tuple) -> str:
    leaves, structure = jax.tree.flatten(arguments)
    shapes = [(leaf.shape, str(leaf.dtype), repr(leaf.sharding)) for leaf in leaves]
    settings = sorted(
        one for one in jax.config.values.items() if not one[0].startswith(WITHOUT_EFFECT)
    )
    parts = sorted(options.items()), str(structure), shapes, settings, _package()
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@functools.cache
def _package() -> tuple[str, ...]:
    """The versions that it meets, and a digest of its source."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    versions = (importlib.metadata.version(package) for package in PACKAGES)
    return *versions, jax.default_backend(), digest.hexdigest()
