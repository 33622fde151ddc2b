"""What a run's validations have shown so far, and what follows from it.

The learning rate is halved when the score stops rising, and training ends when halving no longer
helps: its length comes from the text, not from a number of epochs.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Progress:
    """best_bleu, best_step: of the best validation; higher is better. fruitless: validations since
    it, or since the rate was halved. halvings: of the learning rate, by patience."""

    best_bleu: float = -1.0
    best_step: int = 0
    fruitless: int = 0
    halvings: int = 0

    def after(self, step: int, bleu: float, patience: int) -> "Progress":
        """With one more validation. patience: fruitless ones that halve the rate; 0: none do."""
        if bleu > self.best_bleu:
            return replace(self, best_bleu=bleu, best_step=step, fruitless=0)
        if self.fruitless + 1 == patience:
            return replace(self, fruitless=0, halvings=self.halvings + 1)
        return replace(self, fruitless=self.fruitless + 1)
