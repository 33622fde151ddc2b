"""fa_jax as an agent of SimulEval 1.1.4, which measures simultaneous translation.

simuleval --agent examples/simuleval_agent.py --run en-ja --policy focus --behind 2 \
  --source test.en --target test.ja --eval-latency-unit char --sacrebleu-tokenizer ja-mecab \
  --quality-metrics BLEU --latency-metrics AL LAAL
"""

from argparse import ArgumentParser, Namespace

from simuleval.agents import TextToTextAgent
from simuleval.agents.actions import Action, ReadAction, WriteAction
from simuleval.utils import entrypoint

import fa_jax


@entrypoint
class Agent(TextToTextAgent):
    """Writes what can be written after each word of a line."""

    def __init__(self, args: Namespace):
        fa_jax.set_up_process()
        self._run = fa_jax.load_run(args.run)
        super().__init__(args)

    @staticmethod
    def add_args(parser: ArgumentParser):
        parser.add_argument("--run", default="en-ja", help="a run's folder, or en-ja")
        parser.add_argument("--policy", default="focus")
        parser.add_argument("--behind", type=float, default=2.0)

    def reset(self):
        """Before each line."""
        super().reset()
        self._interpreter = fa_jax.Interpreter(self._run, self.args.policy, self.args.behind)

    def policy(self) -> Action:
        """Called after each word."""
        last = self.states.source_finished
        word = self.states.source[-1] if self.states.source else ""
        written = self._interpreter.hear(word, last=last)
        return WriteAction(written, finished=last) if written or last else ReadAction()
