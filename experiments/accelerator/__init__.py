"""What `experiments.accelerator_check` asks of a device: a module for each part, and the page.

A part's module has `cases(conditions)`: by name, functions that measure and return a row. Each part
runs in a process of its own, because only one process can hold a TPU, and because a part may crash.
"""
