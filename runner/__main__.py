"""`python -m runner`: the command line."""

import sys

from runner.command_line import main

if __name__ == "__main__":  # worker processes import this module too
    sys.exit(main(sys.argv[1:]))
