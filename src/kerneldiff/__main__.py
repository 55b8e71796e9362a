"""``python -m kerneldiff``."""

from kerneldiff.cli import main

if __name__ == "__main__":
    main()
