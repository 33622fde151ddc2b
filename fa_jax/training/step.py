"""One step of training on all devices. The only module that knows of `pmap`."""

from collections.abc import Callable, Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from jaxtyping import Array, Int, PyTree

from fa_jax.compiler import CompiledForShapes, compiler_options
from fa_jax.config import Config
from fa_jax.data.batches import Batch
from fa_jax.errors import UserError
from fa_jax.model.encoder_decoder import Params, init_encoder_decoder
from fa_jax.training.loss import BatchSums, translation_loss
from fa_jax.training.precision import training_precision
from fa_jax.training.schedule import StepSettings, threshold_of_sentences

AXIS = "devices"


@struct.dataclass
class TrainState:
    """All that a step changes. Together with the config it determines the rest of the run.

    key: raw data of the random key that all noise is drawn from, folded with step and sentence.
    """

    step: Int[Array, ""]
    params: Params
    optimizer: PyTree
    key: Array


# One program: each of its operations alone would have to be compiled, too.
@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def init_state(
    config: Config,
    optimizer: optax.GradientTransformation,
    source_vocabulary: int,
    target_vocabulary: int,
) -> TrainState:
    """The state before the first step, from the config's seed."""
    params_key, dropout_key = jax.random.split(jax.random.key(config.training.seed))
    params = init_encoder_decoder(params_key, config.model, source_vocabulary, target_vocabulary)
    return TrainState(
        step=jnp.zeros((), jnp.int32),
        params=params,
        optimizer=optimizer.init(params),
        key=jax.random.key_data(dropout_key),
    )


def make_train_step(
    config: Config,
    optimizer: optax.GradientTransformation,
    devices: Sequence[jax.Device] | None = None,
) -> Callable[[TrainState, Batch, StepSettings], tuple[TrainState, BatchSums]]:
    """The step, compiled for these devices, or for all: of replicated state and sharded batch.
    Raises UserError where they cannot share a batch."""
    count, rows = len(devices or jax.devices()), config.training.batch_size
    if rows % count:
        raise UserError(
            f"training.batch_size = {rows} cannot be shared evenly by {count} devices: choose a "
            f"multiple of {count}"
        )
    platform = (devices or jax.devices())[0].platform
    precision, options = training_precision(platform), compiler_options(platform)

    @partial(jax.pmap, axis_name=AXIS, in_axes=(0, 0, None), donate_argnums=0, devices=devices)
    def step(
        state: TrainState, batch: Batch, settings: StepSettings
    ) -> tuple[TrainState, BatchSums]:
        sentences = jax.lax.psum(batch.sentences.sum().astype(jnp.float32), AXIS)
        # Folded with a sentence's number: the same on however many devices.
        key = jax.random.fold_in(jax.random.wrap_key_data(state.key), state.step)
        keys = jax.vmap(partial(jax.random.fold_in, key))(batch.ids)
        with jax.default_matmul_precision(precision):
            gradient, sums = jax.grad(translation_loss, has_aux=True)(
                state.params,
                config,
                batch,
                sentences=sentences,
                beta=settings.beta,
                threshold=threshold_of_sentences(config.training, settings.threshold, keys),
                training_keys=keys,
            )
        gradient, sums = jax.lax.psum((gradient, sums), AXIS)
        sums = sums.replace(gradient_norm=optax.tree.norm(gradient))
        with jax.numpy_dtype_promotion("standard"):  # optax raises floats to counts
            updates, optimizer_state = optimizer.update(gradient, state.optimizer, state.params)
        params = optax.apply_updates(state.params, optax.tree.scale(settings.rate, updates))
        return TrainState(state.step + 1, params, optimizer_state, state.key), sums

    # What `pmap` lowers has the shapes of all processes, and they call it with their own.
    return CompiledForShapes(step, options) if options and jax.process_count() == 1 else step


def connect_devices():
    """Lets all hosts' devices find each other. All hosts must call it at about the same time.

    They wait half a minute for that, as was seen on processors. At their first step some hosts may
    still compile for longer. Once they are connected, they wait for each other.
    """
    jax.pmap(lambda one: jax.lax.psum(one, AXIS), axis_name=AXIS)(np.ones(jax.local_device_count()))


def replicate(tree: PyTree) -> PyTree:
    """A copy on each local device."""
    devices = jnp.arange(jax.local_device_count())
    return jax.pmap(lambda _, leaf: leaf, in_axes=(0, None))(devices, tree)


def unreplicate(tree: PyTree) -> PyTree:
    """The first device's copy, in host memory."""
    return jax.tree.map(
        lambda leaf: np.asarray(leaf.addressable_shards[0].data).reshape(leaf.shape[1:]), tree
    )


def shard(batch: Batch) -> Batch:
    """This process's rows of a batch, cut evenly over its devices."""
    devices, local = jax.device_count(), jax.local_device_count()
    own = slice(jax.process_index() * local, (jax.process_index() + 1) * local)
    return jax.tree.map(lambda leaf: leaf.reshape(devices, -1, *leaf.shape[1:])[own], batch)
