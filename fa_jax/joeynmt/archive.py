"""Arrays out of a file of PyTorch's, without PyTorch. Nothing of the file is executed.

`torch.save` writes a zip: `data.pkl`, a pickle of what was saved, and a file of bytes for each
storage. A pickle names functions to call. Here only those that make tensors and ordered dicts are
known; whatever else is named becomes an `Unknown`, which does nothing.
"""

import collections
import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from fa_jax.errors import UserError

STORAGES = {
    "DoubleStorage": np.float64, "FloatStorage": np.float32, "HalfStorage": np.float16,
    "LongStorage": np.int64, "IntStorage": np.int32, "ShortStorage": np.int16,
    "CharStorage": np.int8, "ByteStorage": np.uint8, "BoolStorage": np.bool_,
}  # fmt: skip


class Unknown:
    """Stands for an object whose class is not known. It takes everything and does nothing."""

    def __init__(self, *arguments: Any, **named: Any): ...
    def __call__(self, *arguments: Any, **named: Any) -> "Unknown":
        return self

    def __setstate__(self, state: Any): ...
    def __setitem__(self, key: Any, value: Any): ...
    def append(self, value: Any): ...
    def extend(self, values: Any): ...


def read_archive(path: Path) -> dict[str, Any]:
    """What was saved, with arrays for tensors.

    Raises:
      UserError: the file is not there, is no such archive, or is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            (name,) = (one for one in archive.namelist() if one.endswith("/data.pkl"))
            content = _Reader(archive, name.removesuffix("data.pkl")).load()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    except Exception as error:  # damaged bytes end in errors of any type
        raise UserError(
            f"{path} is no checkpoint of PyTorch 1.6 or newer, or is damaged: {error}"
        ) from error
    if not isinstance(content, dict):
        raise UserError(f"{path} is no checkpoint of JoeyNMT: it holds no dict")
    return content


class _Reader(pickle.Unpickler):
    def __init__(self, archive: zipfile.ZipFile, folder: str):
        super().__init__(io.BytesIO(archive.read(f"{folder}data.pkl")))
        self._archive, self._folder = archive, folder

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return _parameter
        if module == "torch" and name in STORAGES:
            return STORAGES[name]
        return Unknown

    def persistent_load(self, pid: Any) -> Any:
        _, kind, key, _, size = pid
        content = self._archive.read(f"{self._folder}data/{key}")
        if kind is Unknown:
            return Unknown()
        return np.frombuffer(content, np.dtype(kind).newbyteorder("<"), size)


def _tensor(storage: Any, offset: int, shape: tuple, strides: tuple, *rest: Any) -> Any:
    if isinstance(storage, Unknown):
        return storage
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if min(offset, *shape, *strides, 0) < 0 or (0 not in shape and last >= len(storage)):
        raise ValueError("a tensor is larger than its bytes")
    steps = [step * storage.itemsize for step in strides]
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, steps, writeable=False).copy()


def _parameter(tensor: Any, *rest: Any) -> Any:
    return tensor
