"""Detectors of change in the plainest Python: each keeps all outcomes since its last alarm and works out everything anew."""

import itertools
import math

from scipy.stats import hypergeom, ks_2samp

__all__ = ["Ddm", "Kswin", "PageHinkley"]


class Ddm:
    """Outcomes since the last alarm; the error is compared with its least."""

    def __init__(self, level=3.0, first=30):
        self.level, self.first, self.outcomes, self.told = level, first, [], "steady"

    def add(self, mistake, uniform):  # noqa: ARG002
        if self.told != "steady":
            self.outcomes = []
        self.outcomes.append(mistake)
        self.told = "risen" if self.lies_above(self.level) else "steady"
        return self.told

    def rate(self):
        return sum(self.outcomes) / len(self.outcomes) if self.outcomes else 0.0

    def lies_above(self, level):
        least, of_least = math.inf, (0, 0)
        for n, mistakes in enumerate(itertools.accumulate(self.outcomes), 1):
            if n <= self.first:
                continue
            rate = mistakes / n
            spread = math.sqrt(rate * (1 - rate) / n)
            if rate + spread <= least + 1e-12:
                least, of_least = rate + spread, (rate, spread)
        return len(self.outcomes) > self.first and rate + spread > of_least[0] + level * of_least[1] + 1e-12


class PageHinkley(Ddm):
    """Outcomes since the last alarm; sums of what they lie beyond their mean at that time."""

    def add(self, mistake, uniform):  # noqa: ARG002
        if self.told != "steady":
            self.outcomes = []
        self.outcomes.append(mistake)
        ups, downs, up, down = [], [], 0.0, 0.0
        for n in range(1, len(self.outcomes) + 1):
            beyond = self.outcomes[n - 1] - sum(self.outcomes[:n]) / n
            up, down = 0.9999 * up + beyond - 0.005, 0.9999 * down + beyond + 0.005
            ups.append(up)
            downs.append(down)
        enough = len(self.outcomes) >= 30
        risen, fallen = ups[-1] - min(ups) > self.level, max(-1.0, *downs) - downs[-1] > self.level
        self.told = "risen" if enough and risen else "fallen" if enough and fallen else "steady"
        return self.told


class Kswin(Ddm):
    """Outcomes since the last alarm; the last 30 against 30 of the 70 before them."""

    def __init__(self, p_value=0.005):
        super().__init__(p_value)

    def rate(self):
        window = self.outcomes[-100:]
        return sum(window) / len(window) if window else 0.0

    def add(self, mistake, uniform):
        if self.told != "steady":
            self.outcomes = []
        self.outcomes.append(mistake)
        self.told = "steady"
        if len(self.outcomes) >= 100:
            older, recent = self.outcomes[-100:-30], self.outcomes[-30:]
            drawn = int(hypergeom.ppf(uniform, 70, sum(older), 30)) if uniform > 0 else 0
            gap = sum(recent) - drawn
            if abs(gap) > 3 and ks_2samp([0] * (30 - drawn) + [1] * drawn, recent).pvalue <= self.level:
                self.told = "risen" if gap > 0 else "fallen"
        return self.told
