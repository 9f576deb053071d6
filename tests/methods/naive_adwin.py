"""ADWIN in the plainest Python: the whole window is kept, and how it is divided into buckets."""

import math

__all__ = ["Adwin"]


class Adwin:
    """The window of one member: outcomes, oldest first, and the sizes of the buckets they lie in."""

    def __init__(self, delta):
        self.delta, self.seen = delta, 0
        self.outcomes, self.sizes = [], []

    def add(self, mistake):
        """Return whether the window was cut."""
        self.seen += 1
        self.outcomes.append(mistake)
        self.sizes.append(1)
        size = 1
        while self.sizes.count(size) > 5:
            oldest = self.sizes.index(size)
            self.sizes[oldest : oldest + 2] = [2 * size]
            size *= 2
        cut = False
        while self.seen % 32 == 0 and len(self.outcomes) > 10 and self.has_changed():
            del self.outcomes[: self.sizes.pop(0)]
            cut = True
        return cut

    def rate(self):
        return sum(self.outcomes) / len(self.outcomes) if self.outcomes else 0.0

    def has_changed(self):
        n, place = len(self.outcomes), 0
        variance = self.rate() * (1 - self.rate())
        for size in self.sizes:
            place += size
            if place < 5 or n - place < 5:
                continue
            older, younger = self.outcomes[:place], self.outcomes[place:]
            gap = abs(sum(older) / place - sum(younger) / (n - place))
            share = 1 / (place - 4) + 1 / (n - place - 4)
            doubt = math.log(2 * math.log(n) / self.delta)
            if gap > math.sqrt(2 * share * variance * doubt) + 2 / 3 * share * doubt:
                return True
        return False
