"""What one does with a run: train, fine-tune, translate, trace, evaluate, select, show."""
