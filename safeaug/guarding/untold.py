"""A draw of which nobody can tell what it does."""

from safeaug.errors import SafeAugError


class UntoldError(SafeAugError):
    """What a draw did to the picture cannot be told, so it can be neither measured nor guarded.

    Met with transforms of volumes, and with those of others that handle masks in a way of their own.
    """


class RefusedError(UntoldError):
    """The host itself will refuse to apply this draw, so there is nothing to tell."""
