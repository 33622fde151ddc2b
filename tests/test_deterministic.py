"""--deterministic reaches XLA, which reads its flags when the first device starts."""

import os
import subprocess
import sys

from fa_jax.compiler import SAME_BITS, ask_in_all_programs
from tests.command import environment

FLAG = "--xla_gpu_deterministic_ops=true"
COMMANDS = """
import os
import fa_jax
from fa_jax import cli
from jax._src import xla_bridge

def asked(*of):
    print(os.environ["XLA_FLAGS"], xla_bridge.backends_are_initialized())
    raise fa_jax.UserError("enough")

fa_jax.train = fa_jax.load_run = asked
for command in ["train", "en-ja"], ["finetune", "en-ja"]:
    for options in [], ["--deterministic"]:
        os.environ["XLA_FLAGS"] = "--xla_cpu_enable_fast_math=false"
        try:
            cli.main([*command, *options])
        except SystemExit:
            pass
import jax.numpy as jnp
print(jnp.ones(2).sum())  # XLA ends a process whose flags it does not know
"""


def test_the_flag_is_set_before_a_device_starts():
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS], env=environment(), capture_output=True, text=True
    )
    own = "--xla_cpu_enable_fast_math=false"
    asked = [f"{own} False", f"{own} {FLAG} False"]
    assert done.stdout.splitlines() == [*asked, *asked, "2.0"], done.stderr


def test_the_flag_is_set_once_and_others_stay(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--a=1 --b")
    for _ in range(2):
        ask_in_all_programs(SAME_BITS)
    assert os.environ["XLA_FLAGS"] == f"--a=1 --b {FLAG}"
    monkeypatch.delenv("XLA_FLAGS")
    ask_in_all_programs(SAME_BITS)
    assert os.environ["XLA_FLAGS"] == FLAG
