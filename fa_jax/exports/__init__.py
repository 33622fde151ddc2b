"""What leaves the house: a run as files that others read without fa_jax."""
