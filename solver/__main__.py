"""``python -m keepwise`` is the command line."""

from keepwise.cli import main

main()
