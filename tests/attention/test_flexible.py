"""The public function against a float64 reference written from the equations."""

import ast
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

import fa_jax
from tests.attention.reference import attend_all

H, D, E, A = 5, 6, 4, 8
SIZES = {"query_size": H, "memory_size": D, "feedback_size": E, "attention_size": A}
FIELDS = ("context", "weights", "focus", "strength", "window")
IMPLEMENTATIONS = ("dense", "windowed")


def case(length=37, seed=0, bias=0.0, sentences=8, dtype=np.float32):
    """Parameters and a batch with ragged lengths (0 and 1 among them) and focuses all over."""
    random = np.random.default_rng(seed)
    params = fa_jax.init_flexible_attention(jax.random.key(seed), **SIZES)
    params = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64) * 2, params)
    params["strength"]["bias"] = np.float64(bias)
    lengths = random.integers(1, length + 1, sentences)
    lengths[:3] = 0, 1, length
    arrays = {
        "query": random.normal(size=(sentences, H)),
        "feedback": random.normal(size=(sentences, E)),
        "focus": random.uniform(-3, length + 5, sentences),
        "annotations": random.normal(size=(sentences, length, D)),
    }
    return params, {k: v.astype(dtype) for k, v in arrays.items()}, lengths


def run(params, arrays, lengths, **options):
    params = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), params)
    memory = fa_jax.prepare_memory(params, jnp.asarray(arrays["annotations"]), jnp.asarray(lengths))
    steps = [jnp.asarray(arrays[name]) for name in ("query", "feedback", "focus")]
    return fa_jax.flexible_attention(params, *steps, memory, **options)


jitted = jax.jit(run, static_argnames=("implementation", "details"))


def attended(*case, sigma=1.5, threshold=np.inf, **options):
    """By one program, whatever σ and τ are."""
    return jitted(*case, sigma=jnp.float32(sigma), threshold=jnp.float32(threshold), **options)


def reference(params, arrays, lengths, sigma=1.5, threshold=np.inf):
    doubles = {name: array.astype(np.float64) for name, array in arrays.items()}
    order = ("query", "feedback", "focus", "annotations")
    return attend_all(params, *(doubles[name] for name in order), lengths, sigma, threshold)


def assert_equal(output, expected, tolerance=1e-5):
    for name, wanted in zip(FIELDS, expected, strict=True):
        found = np.asarray(getattr(output, name), np.float64)
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("length", [1, 8, 37, 130])
@pytest.mark.parametrize("bias", [-4.0, 0.0, 3.0])
def test_agrees_with_the_equations(length, bias):
    params, arrays, lengths = case(length, seed=length, bias=bias)
    for sigma in (0.5, 1.5, 10.0):
        for threshold in (0.01, 0.3, 1.2, 8.0, np.inf):
            expected = reference(params, arrays, lengths, sigma, threshold)
            options = {"sigma": sigma, "threshold": threshold}
            for implementation in IMPLEMENTATIONS:
                found = attended(params, arrays, lengths, implementation=implementation, **options)
                assert_equal(found, expected)


def test_strength_zero_is_global_attention_with_finite_gradients():
    """Windows are the sentences, and the implementation that is picked is the windowed one."""
    params, arrays, lengths = case(length=130, bias=-np.inf)
    output = jitted(params, arrays, lengths, threshold=0.01)
    assert_equal(output, reference(params, arrays, lengths))
    np.testing.assert_array_equal(output.window, lengths)
    np.testing.assert_array_equal(output.strength, 0)

    def total(params):
        return sum(jnp.sum(getattr(run(params, arrays, lengths), name)) for name in FIELDS[:3])

    gradients = jax.jit(jax.grad(total))(jax.tree.map(jnp.float32, params))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradients))


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_weights_are_a_distribution_over_the_window_alone(implementation):
    params, arrays, lengths = case(seed=1)
    options = {"threshold": 0.5, "implementation": implementation}
    output = attended(params, arrays, lengths, **options)
    wanted = reference(params, arrays, lengths, threshold=0.5)
    np.testing.assert_array_equal(np.asarray(output.weights) > 0, wanted[1] > 0)
    np.testing.assert_allclose(output.weights.sum(1), lengths > 0, atol=1e-6)
    np.testing.assert_array_equal(output.window, wanted[4])
    bare = attended(params, arrays, lengths, **options, details=False)
    assert bare.weights is None
    for name in ("context", "focus", "strength", "window"):
        np.testing.assert_allclose(getattr(bare, name), getattr(output, name), rtol=1e-6)


@pytest.mark.parametrize(("implementation", "found"), [("dense", True), ("windowed", False)])
def test_a_windowed_step_without_weights_makes_nothing_as_long_as_the_sentence(
    implementation, found
):
    params, arrays, lengths = case()
    attend = partial(run, params, threshold=1.2, implementation=implementation, details=False)
    program = jax.jit(attend).lower(arrays, lengths).compile().as_text()
    shapes = f"f32[{len(lengths)},37]", f"f32[{len(lengths)},1,37]"
    assert any(shape in program for shape in shapes) == found


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_neither_padding_nor_neighbours_matter(implementation):
    params, arrays, lengths = case(seed=2)
    attend = partial(attended, params, threshold=1.2, implementation=implementation)
    output = attend(arrays, lengths)
    padding = np.arange(37) >= lengths[:, None]
    filled = arrays | {"annotations": np.where(padding[..., None], np.nan, arrays["annotations"])}
    again = attend(filled, lengths)
    for name in FIELDS:
        np.testing.assert_allclose(
            getattr(again, name), getattr(output, name), rtol=1e-6, atol=1e-6
        )
    wider = np.pad(filled["annotations"], ((0, 0), (0, 20), (0, 0))).astype(np.float32)
    wider = filled | {"annotations": wider}
    for row in range(len(lengths)):
        alone = attend({k: v[row : row + 1] for k, v in wider.items()}, lengths[row : row + 1])
        for name in FIELDS:
            wanted, found = (np.asarray(getattr(o, name)) for o in (output, alone))
            found = found[:, :37] if name == "weights" else found
            np.testing.assert_allclose(found[0], wanted[row], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_hypotheses_share_their_sentence(implementation):
    params, arrays, lengths = case(seed=4)
    others = [case(seed=seed)[1] for seed in (5, 6)]
    beams = {
        name: np.stack([arrays[name], *(other[name] for other in others)], axis=1)
        for name in ("query", "feedback", "focus")
    } | {"annotations": arrays["annotations"]}
    together = attended(params, beams, lengths, threshold=1.2, implementation=implementation)
    for place, other in enumerate([arrays, *others]):
        own = other | {"annotations": arrays["annotations"]}
        assert_equal(
            jax.tree.map(lambda leaf, place=place: leaf[:, place], together),
            reference(params, own, lengths, threshold=1.2),
        )


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_works_under_every_transformation(implementation):
    params, arrays, lengths = case()
    attend = partial(run, params, threshold=1.2, implementation=implementation)
    expected = reference(params, arrays, lengths, threshold=1.2)

    singles = jax.tree.map(lambda leaf: leaf[:, None], (arrays, lengths))
    mapped = jax.jit(jax.vmap(attend))(*singles)
    assert_equal(jax.tree.map(lambda leaf: leaf[:, 0], mapped), expected)

    devices = min(jax.device_count(), len(lengths))
    of_devices = partial(jax.tree.map, lambda leaf: leaf[:devices])
    parallel = jax.pmap(attend)(*of_devices(singles))
    assert_equal(jax.tree.map(lambda leaf: leaf[:, 0], parallel), of_devices(expected))

    mesh = Mesh(np.array(jax.devices()), ("sentences",))
    spec = PartitionSpec("sentences")
    # jax 0.7 could not check the types of a loop over windows, and says so.
    checks = {"check_vma": tuple(map(int, jax.__version__.split(".")[:2])) >= (0, 10)}
    sharded = jax.shard_map(attend, mesh=mesh, in_specs=spec, out_specs=spec, **checks)
    assert_equal(jax.jit(sharded)(arrays, lengths), expected)

    def step(focus, _):
        output = attend(arrays | {"focus": focus}, lengths)
        return output.focus, output.window

    _, windows = jax.lax.scan(step, arrays["focus"], None, length=3)
    focus = arrays["focus"]
    for found in windows:
        wanted = reference(params, arrays | {"focus": focus}, lengths, threshold=1.2)
        np.testing.assert_array_equal(found, wanted[4])
        focus = wanted[2]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_derivatives_forwards_are_those_backwards(implementation):
    """u · (J v) is (u J) · v, and a Hessian is symmetric."""
    params, arrays, lengths = case(length=9, sentences=4, seed=7)
    params, arrays = jax.tree.map(jnp.float32, (params, arrays))

    def attend(of):
        output = run(*of, lengths, threshold=1.2, implementation=implementation)
        return output.context, output.focus, output.strength

    def curved(of):
        return sum(jnp.sin(x).sum() for x in attend(of))

    random = np.random.default_rng(0)
    along, across = (
        jax.tree.map(lambda x: jnp.float32(random.normal(size=x.shape)), (params, arrays))
        for _ in range(2)
    )

    @jax.jit
    def both(of, along, across):
        output, forwards = jax.jvp(attend, (of,), (along,))
        (backwards,) = jax.vjp(attend, of)[1](output)
        _, hessian_along = jax.jvp(jax.grad(curved), (of,), (along,))
        _, hessian_across = jax.jvp(jax.grad(curved), (of,), (across,))
        pairs = (
            (forwards, output),
            (along, backwards),
            (hessian_along, across),
            (hessian_across, along),
        )
        return [optax.tree.vdot(*pair) for pair in pairs]

    products = both((params, arrays), along, across)
    np.testing.assert_allclose(products[0], products[1], rtol=1e-4)
    np.testing.assert_allclose(products[2], products[3], rtol=1e-4)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_types_of_arrays_may_say_how_they_are_sharded(implementation):
    params, arrays, lengths = case()
    expected = reference(params, arrays, lengths, threshold=1.2)
    devices = jax.devices()[:2]
    explicit = {"axis_types": (AxisType.Explicit,), "devices": devices}
    mesh = jax.make_mesh((len(devices),), ("sentences",), **explicit)
    sharding = NamedSharding(mesh, PartitionSpec("sentences"))
    kernel = np.float32(params["score"]["memory_kernel"])  # over the sentences' axis, too
    by_column = NamedSharding(mesh, PartitionSpec(None, "sentences"))
    params["score"]["memory_kernel"] = jax.device_put(kernel, by_column)
    sharded = jax.device_put((arrays, lengths), sharding)
    output = attended(params, *sharded, threshold=1.2, implementation=implementation)
    assert_equal(output, expected)

    @jax.jit
    def start_and_bias(arrays, lengths):
        memory = fa_jax.prepare_memory(params, arrays["annotations"], lengths)
        focus = arrays["focus"]
        bias = fa_jax.flexible_bias(jnp.ones_like(focus), focus, lengths, 37, threshold=1.2)
        return fa_jax.initial_attention_state(memory), bias

    for leaf in jax.tree.leaves((output, start_and_bias(*sharded))):
        assert jax.typeof(leaf).sharding.spec[0] == "sentences"


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_bfloat16_stays_near(implementation):
    params, arrays, lengths = case(length=300, seed=7)
    low = {k: v if k == "focus" else v.astype(jnp.bfloat16) for k, v in arrays.items()}
    exact = {k: np.asarray(v, np.float32) for k, v in low.items()}
    params = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.bfloat16), params)

    @jax.jit
    def step(params, annotations, *inputs):
        memory = fa_jax.prepare_memory(params, annotations, jnp.asarray(lengths))
        return fa_jax.flexible_attention(params, *inputs, memory, implementation=implementation)

    names = ("annotations", "query", "feedback", "focus")
    output = step(params, *(jnp.asarray(low[name]) for name in names))
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    wanted = reference(doubles, exact, lengths)
    assert output.context.dtype == jnp.bfloat16
    assert output.focus.dtype == jnp.float32
    np.testing.assert_allclose(np.asarray(output.context, np.float64), wanted[0], atol=0.05)
    np.testing.assert_allclose(output.weights, wanted[1], atol=0.02)


def test_parameters_are_those_documented():
    params = fa_jax.init_flexible_attention(jax.random.key(0), **SIZES)
    assert jax.tree.map(jnp.shape, params) == {
        "score": {"query_kernel": (H, A), "memory_kernel": (D, A), "vector": (A,)},
        "strength": {"kernel": (H + E, A), "vector": (A,), "bias": ()},
    }
    assert params["strength"]["bias"] == -4


def test_attention_can_be_lifted_out():
    for path in (Path(fa_jax.__file__).parent / "attention").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("fa_jax"):
                assert node.module.startswith("fa_jax.attention"), path
