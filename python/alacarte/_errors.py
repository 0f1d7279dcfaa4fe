"""Exceptions of the package: those of the library, with the same one-line texts."""


class Error(Exception):
    """Base of the errors that users can cause."""

    # The public module, so that a traceback names what can be imported.
    __module__ = "alacarte"


class ConfigError(Error, ValueError):
    """A recipe or a parameter is wrong."""

    __module__ = "alacarte"


class DataError(Error, ValueError):
    """Rows are wrong; the text names argument, row and column, which count from 1."""

    __module__ = "alacarte"


class IoError(Error, OSError):
    """A file cannot be read or written, or is no model."""

    __module__ = "alacarte"


class NumericalError(Error, ArithmeticError):
    """A factorisation or an evaluation failed although every fallback was tried."""

    __module__ = "alacarte"


class TrainingWarning(UserWarning):
    """A message of the training that is worth a person's attention."""

    __module__ = "alacarte"
