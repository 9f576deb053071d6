"""The one tree of errors.

EnsembleLabError
├── InvalidInput (also a ValueError)     what a user gave cannot be used; the text is one sentence for people
│   ├── InvalidParameter                 a setting of a learner or a protocol
│   ├── InvalidData                      a file, a data set, an attribute, a class column
│   │   └── InvalidCell (also a TypeError)   a value that is neither a text nor a number
│   └── InvalidConfig                    an experiment file
├── NotInstalled                         a learner needs a library that is not there
├── NotFound (also a LookupError)        a name, key or id that does not exist
├── Forbidden                            who asks may not do this
├── LabUnreachable (also a ConnectionError)   the application on the network does not answer, or not now
└── StorageError                         the database cannot be reached or refuses
    └── Conflict                         the state of what is there forbids it

EnsembleLabWarning (a UserWarning)
├── LeftOut                              columns of a file are no attributes, though nobody asked for it
├── LightWeights                         weights that count examples sum to far less than there are
├── OneClass                             examples that members are trained on first show one class of several
└── StoppedEarly                         training ended before all members were trained
"""

__all__ = [
    "Conflict",
    "EnsembleLabError",
    "EnsembleLabWarning",
    "Forbidden",
    "InvalidCell",
    "InvalidConfig",
    "InvalidData",
    "InvalidInput",
    "InvalidParameter",
    "LabUnreachable",
    "LeftOut",
    "LightWeights",
    "NotFound",
    "NotInstalled",
    "OneClass",
    "StoppedEarly",
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


class InvalidCell(InvalidData, TypeError):
    """A value in a table is neither a text, a truth value nor a number."""


class InvalidConfig(InvalidInput):
    """An experiment file cannot be used; the message names the field."""


class NotFound(EnsembleLabError, LookupError):
    """A key, name or id that does not exist."""


class Forbidden(EnsembleLabError):
    """Who asks may not do this; the message says who may. What one may not even see is `NotFound`."""


class NotInstalled(EnsembleLabError):
    """A learner needs a library that is not installed; the message says how to install it."""


class StorageError(EnsembleLabError):
    """The database cannot be reached or refuses an operation.

    Its text is fit for everybody's eyes. Host, user and folder stand only in `detail`, for logs and for whoever runs the
    program; a password in neither.
    """

    def __init__(self, sentence: str, *, detail: str | None = None) -> None:
        super().__init__(sentence)
        self.detail = detail or sentence


class Conflict(StorageError):
    """The database is well, but the state of what is there forbids the operation; the message says what to do first."""


class LabUnreachable(EnsembleLabError, ConnectionError):
    """The application does not answer over the network, or says that it cannot for now."""


class EnsembleLabWarning(UserWarning):
    """Base of every warning of this product: something was done, but not what was likely meant."""


class LeftOut(EnsembleLabWarning):
    """Columns of a file, such as dates, are no attributes though nobody asked to ignore them; the message names them."""


class LightWeights(EnsembleLabWarning):
    """Weights of examples, which count examples here, sum to far less than there are."""


class OneClass(EnsembleLabWarning):
    """The first examples, which are all that members are trained on, show one class, and the others more."""


class StoppedEarly(EnsembleLabWarning):
    """Training ended before all members were trained; the message says why."""
