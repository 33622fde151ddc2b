"""`python -m fa_jax`."""

from fa_jax.cli import main

main()
