"""What XGBoost, LightGBM and CatBoost share: each is a library that may be installed or not, imported when it is used."""

from __future__ import annotations

from typing import Any

from ensembles.libraries import library_of
from ensembles.methods.core.ready import N_JOBS, ReadyEnsemble

__all__ = ["LibraryEnsemble"]


class LibraryEnsemble(ReadyEnsemble):
    """Gradient boosting by another library, `library`, without which it cannot be trained."""

    family = "gradient_boosting"
    n_jobs: Any = N_JOBS

    def _library(self) -> Any:
        """Return the module of the library; raise `NotInstalled` if it is not there."""
        return library_of(self.key, str(self.library))

    def _checked_parameters(self, first: bool) -> dict[str, Any]:
        changed = super()._checked_parameters(first)
        self._library()
        return changed
