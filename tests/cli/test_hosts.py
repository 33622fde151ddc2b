"""Several processes do a command together, as one would."""

import json
import re
import signal
import subprocess
import time
from dataclasses import replace

import jax
import numpy as np
import pytest

import fa_jax
from fa_jax import hosts
from fa_jax.cli.hosts import AGAIN, AS_FOUND, LOST
from fa_jax.errors import UserError
from fa_jax.runs.run import load_run
from tests.command import Hosts, command, environment
from tests.tiny import STEPS
from tests.training.test_resume import train_options


class SoonMissed(Hosts):
    """Hosts that notice after five seconds that one is gone, which takes others half a minute."""

    program = ("-c", "from fa_jax.cli import hosts, main\nhosts.DEAD_AFTER = 5\nmain()")


def assert_learnt_the_same(folder, other):
    """But for rounding: sums over devices have another order."""
    both = load_run(folder).params, load_run(other).params
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-5), *both)


def test_two_hosts_of_four_devices_do_what_one_device_does(corpus, trained, tmp_path):
    folder = tmp_path / "two"
    with Hosts(tmp_path, 2, *train_options(corpus, folder), devices=4) as together:
        statuses, (first, second) = together.ended()
    assert statuses == [0, 0], first + second
    assert "5 test sentences" in first and "compiling" in first
    assert not [word for word in ("step", "compiling", "threshold") if word in second]  # one speaks
    assert_learnt_the_same(folder, trained)
    shared = json.loads((folder / "test.json").read_text())["1.2"]
    run = load_run(folder)
    alone = fa_jax.evaluate(run, decoding=replace(run.config.decoding, threshold=1.2)).scores
    assert shared | {"seconds": 0} == alone | {"seconds": 0}


def test_tasks_of_slurm_with_other_settings_end_before_the_first_step(corpus, tmp_path):
    folder, others = tmp_path / "two", ("--training.seed", 7)
    options = train_options(corpus, folder)
    with Hosts(tmp_path, 2, *options, others=others, slurm=True) as together:
        statuses, said = together.ended()
    assert 2 in statuses and {*statuses} <= {2, AGAIN}, said
    assert "on host 1 --training.seed is 7, on host 0 0" in "".join(said)
    assert not (folder / "checkpoints").exists()


@pytest.mark.parametrize("items", [[], [1], [1, 2], [1, 2, 3, 4, 5]])
def test_results_of_shared_work_are_in_order(items, monkeypatch):
    shares = []
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    monkeypatch.setattr(hosts, "gathered", lambda own: shares.append(own) or shares)
    for host in (0, 1):  # the second one has both shares
        monkeypatch.setattr(jax, "process_index", lambda host=host: host)
        found = hosts.parted(lambda share: [2 * item for item in share], items)
    assert found == [2 * item for item in items]


def test_where_one_is_killed_the_other_ends_and_one_alone_goes_on(
    corpus, tmp_path, cli_call, unscored
):
    folder = tmp_path / "two"
    options = (*train_options(corpus, folder), "--steps", 3 * STEPS)
    with SoonMissed(tmp_path, 2, *options, devices=2) as together:
        while not any(path.name.isdigit() for path in folder.glob("checkpoints/latest/*")):
            assert together.processes[0].poll() is None, together.files[0].read_text()
            time.sleep(0.02)
        together.processes[1].kill()
        statuses, (said, _) = together.ended(timeout=60)
    assert statuses == [AGAIN, -signal.SIGKILL], said
    assert LOST in said and "Traceback" not in said
    status, _, said = cli_call(*options)
    assert status == 0, said
    assert re.search(rf"resuming .* at step (20|40) of {3 * STEPS}", said)


def test_who_gives_half_an_address_is_told_the_rest():
    for options in (["--processes", "2"], ["--coordinator", "localhost:1", "--processes", "2"]):
        found = subprocess.run(
            command("select", "en-ja", *options), env=environment(), capture_output=True, text=True
        )
        assert found.returncode == 2 and "each its own --process" in found.stderr


def test_where_nobody_can_be_asked_one_works_alone_and_says_so(monkeypatch, capsys):
    """As on a TPU of a notebook, whose metadata cannot be reached."""

    def initialize(*arguments, **options):
        raise ConnectionError("no route")

    monkeypatch.setattr(jax.distributed, "initialize", initialize)
    monkeypatch.setattr(jax.config, "update", lambda *setting: None)
    AS_FOUND.meet()
    assert "works alone (no route)" in capsys.readouterr().err
    with pytest.raises(UserError, match="do not find each other: no route"):
        replace(AS_FOUND, processes=2).meet()
