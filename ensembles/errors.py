"""The one tree of errors.

EnsembleLabError
├── InvalidInput (also a ValueError)     what a user gave cannot be used; the text is one sentence for people
│   ├── InvalidParameter                 a setting of a learner or a protocol
│   ├── InvalidData                      a file, a data set, an attribute, a class column
│   └── InvalidConfig                    an experiment file
├── NotFound (also a LookupError)        a name, key or id that does not exist
└── StorageError                         the database cannot be reached or refuses
"""

__all__ = [
    "EnsembleLabError",
    "InvalidConfig",
    "InvalidData",
    "InvalidInput",
    "InvalidParameter",
    "NotFound",
    "StorageError",
]


class EnsembleLabError(Exception):
    """Base of every error this product raises on purpose."""


class InvalidInput(EnsembleLabError, ValueError):
    """What a user gave cannot be used; the message says who, what is allowed and what came."""


class InvalidParameter(InvalidInput):
    """A setting of a learner, a method or a protocol is out of range."""


class InvalidData(InvalidInput):
    """A file or a data set cannot be used."""


class InvalidConfig(InvalidInput):
    """An experiment file cannot be used; the message names the field."""


class NotFound(EnsembleLabError, LookupError):
    """A key, name or id that does not exist."""


class StorageError(EnsembleLabError):
    """The database cannot be reached or refuses an operation."""
