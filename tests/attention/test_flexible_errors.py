"""What the public function refuses names the argument."""

import json
import subprocess
import sys
from pathlib import Path

import fa_jax

ERRORS = """
import jax, jax.numpy as jnp, json, numpy as np, sys
import fa_jax
key = jax.random.key(0)
sizes = dict(query_size=5, memory_size=6, feedback_size=4, attention_size=7)
params = fa_jax.init_flexible_attention(key, **sizes)
f = jnp.ones
good = dict(query=f((2, 5)), feedback=f((2, 4)), focus=f(2))
memory = fa_jax.prepare_memory(params, f((2, 9, 6)), jnp.array([9, 3]))
for implementation in ("dense", "windowed"):  # NumPy's arrays are as good as JAX's
    ours, numpys = (
        fa_jax.flexible_attention(
            params, *given.values(), memory, threshold=1.2, implementation=implementation)
        for given in (good, {name: np.asarray(x) for name, x in good.items()}))
    jax.tree.map(np.testing.assert_array_equal, ours, numpys)
others = good["feedback"], good["focus"], memory
def attend(**changes):
    options = {k: changes.pop(k) for k in ("sigma", "threshold", "implementation") if k in changes}
    a = good | changes
    step = lambda q, fb, fo: fa_jax.flexible_attention(params, q, fb, fo, memory, **options)
    return jax.jit(step)(a["query"], a["feedback"], a["focus"])
cases = {
    "query shape": lambda: attend(query=f((2, 6))),
    "query rank": lambda: attend(query=f(5)),
    "query rows": lambda: attend(query=f((3, 5))),
    "query dtype": lambda: attend(query=f((2, 5), jnp.int32)),
    "query without rows": lambda: fa_jax.flexible_attention(
        params, f((0, 5)), f((0, 4)), f(0),
        fa_jax.prepare_memory(params, f((0, 9, 6)), jnp.zeros(0, int))),
    "feedback shape": lambda: attend(feedback=f((2, 5))),
    "feedback dtype": lambda: attend(feedback=f((2, 4), bool)),
    "focus shape": lambda: attend(focus=f((2, 1))),
    "focus dtype": lambda: attend(focus=f(2, jnp.int32)),
    "annotations shape": lambda: fa_jax.prepare_memory(params, f((2, 9, 5)), jnp.array([9, 3])),
    "annotations dtype": lambda: fa_jax.prepare_memory(
        params, f((2, 9, 6), jnp.int32), jnp.array([9, 3])),
    "lengths shape": lambda: fa_jax.prepare_memory(params, f((2, 9, 6)), jnp.array([9, 3, 1])),
    "lengths dtype": lambda: fa_jax.prepare_memory(params, f((2, 9, 6)), f(2)),
    "query_size": lambda: fa_jax.init_flexible_attention(key, **sizes | dict(query_size=0)),
    "implementation": lambda: attend(implementation="fast"),
    "strength dtype": lambda: fa_jax.flexible_bias(0.5, f(2), jnp.ones(2, int), 9),
    "query dtype, a list": lambda: fa_jax.flexible_attention(params, [[1.0] * 5] * 2, *others),
    "memory dtype": lambda: fa_jax.flexible_attention(params, *good.values(), f((2, 9, 6))),
    "threshold of each row, traced": lambda: jax.jit(lambda x: attend(threshold=x))(f((2, 1))),
    "threshold dtype, traced": lambda: jax.jit(lambda x: attend(threshold=x))(True),
    "sigma of shape 1, traced": lambda: jax.jit(lambda x: attend(sigma=x))(f(1)),
    "threshold dtype, nothing": lambda: attend(threshold=None),
    "threshold dtype, text": lambda: attend(threshold="inf"),
    "params dtype, nothing": lambda: fa_jax.flexible_attention(None, *good.values(), memory),
    "state dtype, a focus": lambda: fa_jax.attend(
        params, fa_jax.AttentionConfig(), *good.values(), memory),
    "memory_size dtype": lambda: fa_jax.init_flexible_attention(
        key, **sizes | dict(memory_size=6.0)),
    "params of a span": lambda: fa_jax.flexible_attention(
        {"score": params["score"]}, *good.values(), memory),
    "params one level deeper": lambda: fa_jax.prepare_memory(
        {"params": params}, f((2, 9, 6)), jnp.array([9, 3])),
}
for name in ("sigma", "threshold"):
    for value in (0, -1, float("nan")):
        cases[f"{name} {value}"] = lambda name=name, value=value: attend(**{name: value})
found = {}
for name, case in cases.items():
    try:
        case()
        found[name] = None
    except Exception as error:
        found[name] = [type(error).__name__, str(error)]
json.dump(found, sys.stdout)
"""


def test_errors_name_the_argument():
    # A process of its own: here the type checker would answer before the function does.
    output = subprocess.run(
        [sys.executable, "-c", ERRORS],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(fa_jax.__file__).parents[1],
    )
    for name, found in json.loads(output.stdout).items():
        assert found is not None, f"{name}: no error"
        kind, message = found
        assert kind == ("TypeError" if "dtype" in name else "ValueError"), (name, found)
        assert message.startswith(name.split()[0]), (name, message)
