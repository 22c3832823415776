"""``python -m safeaug`` is ``safeaug``: for environments whose scripts are not on the path."""

from safeaug.cli import main

if __name__ == "__main__":
    main()
