"""A Hoeffding tree in the plainest Python: leaves keep their examples, everything is computed from them when needed."""

import math

__all__ = ["HoeffdingTree"]


class Leaf:
    def __init__(self, weights):
        self.weights = list(weights)  # with what the parent estimated
        self.examples = []  # (values, label, weight)
        self.since = 0.0  # weight since the last try
        self.right = {"majority": 0.0, "naive_bayes": 0.0}
        self.active = True
        self.attribute = None
        self.chosen = None  # the attributes that it counts, once an example has come


class HoeffdingTree:
    """`categories`: for each attribute its values, or None if it is numeric; missing values are None.

    `draw`: returns the attributes that a leaf counts, called once a leaf.
    """

    def __init__(
        self,
        categories,
        n_classes,
        grace_period,
        delta,
        tau,
        criterion,
        leaf_prediction,
        bins,
        min_branch_fraction,
        max_nodes,
        draw=None,
    ):
        self.draw = draw or (lambda: range(len(categories)))
        self.categories, self.n_classes, self.mode = categories, n_classes, leaf_prediction
        self.grace_period, self.delta, self.tau, self.criterion = grace_period, delta, tau, criterion
        self.bins, self.min_branch_fraction, self.max_nodes = bins, min_branch_fraction, max_nodes
        self.root, self.n_nodes = Leaf([0.0] * n_classes), 1
        self.totals = [0.0] * n_classes

    def learn(self, values, label, weight):
        self.totals[label] += weight
        leaf = self.path(values)[-1]
        if leaf.active and leaf.chosen is None:
            leaf.chosen = self.draw()
        if leaf.active and sum(leaf.weights) > 0:
            if self.winner(leaf.weights) == label:
                leaf.right["majority"] += weight
            if self.winner(self.bayes(leaf, values)) == label:
                leaf.right["naive_bayes"] += weight
        leaf.weights[label] += weight
        if leaf.active:
            leaf.since += weight
            leaf.examples.append((values, label, weight))
            impure = len({c for _, c, _ in leaf.examples}) > 1
            room = self.n_nodes + 2 <= self.max_nodes
            if leaf.since >= self.grace_period and impure and room:
                self.try_split(leaf)

    def path(self, values):
        node, path = self.root, [self.root]
        while node.attribute is not None:
            branch = self.branch(node.attribute, node.cut, values)
            if branch is None:
                break
            node = node.children[branch]
            path.append(node)
        return path

    def branch(self, a, cut, values):
        x = values[a]
        if self.categories[a] is None:
            return 2 if x is None else 0 if x <= cut else 1
        known = self.categories[a]
        return len(known) if x is None else known.index(x) if x in known else None

    def winner(self, scores):
        top = max(scores)
        tied = [c for c in range(self.n_classes) if scores[c] >= top - 1e-12 * max(1.0, top)]
        return max(tied, key=lambda c: (self.totals[c], -c))

    def shares(self, values):
        path = self.path(values)
        node = path[-1]
        bayes = self.mode == "naive_bayes" or (
            self.mode == "adaptive" and node.right["naive_bayes"] >= node.right["majority"]
        )
        if node.attribute is None and node.active and node.examples and bayes:
            return self.bayes(node, values)
        if sum(node.weights) == 0 and len(path) > 1:
            node = path[-2]
        return [w / sum(node.weights) for w in node.weights]

    def bayes(self, leaf, values):
        logs = [math.log(w) if w > 0 else -math.inf for w in leaf.weights]
        for a, x in enumerate(values):
            if x is None or a not in leaf.chosen:
                continue
            known = [(v[a], c, w) for v, c, w in leaf.examples if v[a] is not None]
            if self.categories[a] is None and len({v for v, _, _ in known}) < 2:
                continue
            for c in range(self.n_classes):
                own = [(v, w) for v, label, w in known if label == c]
                if self.categories[a] is not None:
                    n_values = len(self.categories[a]) + (x not in self.categories[a])
                    logs[c] += math.log((sum(w for v, w in own if v == x) + 1) / (sum(w for _, w in own) + n_values))
                else:
                    logs[c] += self.log_density(x, own, [v for v, _, _ in known])
        top = max(logs)
        scores = [math.exp(log - top) for log in logs]
        return [score / sum(scores) for score in scores]

    def log_density(self, x, own, everything):
        low, high = min(everything), max(everything)
        mean, variance = moments(own) if own else ((low + high) / 2, (high - low) ** 2 / 12)
        variance = max(variance, 1e-9 * (high - low) ** 2 / 12 + 1e-12)
        return -((x - mean) ** 2) / (2 * variance) - 0.5 * math.log(variance)

    def try_split(self, leaf):
        leaf.since = 0.0
        found = [(0.0, None, None)]
        found += [(*self.best_of(leaf, a), a) for a in sorted(leaf.chosen)]
        top = max(merit for merit, _, _ in found)
        merit, cut, a = next(f for f in found if f[0] >= top - 1e-11)  # ties: no test, then the first attribute
        others = [m for m, _, b in found if b != a or (b is None) != (a is None)]
        classes = sum(total > 0 for total in self.totals)
        reach = 1.0 if self.criterion == "gini" else math.log2(max(2, classes))
        bound = math.sqrt(reach**2 * math.log(1 / self.delta) / (2 * sum(leaf.weights)))
        if not (merit - max(others) > bound or bound < self.tau):
            return
        if a is None:
            leaf.active = max(others) == -math.inf
            return
        branches = self.branches(leaf, a, cut)
        if self.n_nodes + len(branches) <= self.max_nodes:
            leaf.attribute, leaf.cut = a, cut
            leaf.children = [Leaf(weights) for weights in branches]
            leaf.examples, leaf.active = [], False
            self.n_nodes += len(branches)

    def best_of(self, leaf, a):
        if self.categories[a] is not None:
            return self.merit(self.branches(leaf, a, None)), None
        numbers = [v[a] for v, _, _ in leaf.examples if v[a] is not None]
        best, chosen = -math.inf, 0.0
        for j in range(1, self.bins + 1) if numbers else ():
            low, high = min(numbers), max(numbers)
            cut = low + (high - low) * (j / (self.bins + 1))
            if low < cut < high:
                merit = self.merit(self.branches(leaf, a, cut))
                if merit > best + 1e-12:
                    best, chosen = merit, cut
        return best, chosen

    def branches(self, leaf, a, cut):
        if self.categories[a] is not None:
            table = [[0.0] * self.n_classes for _ in range(len(self.categories[a]) + 1)]
            for values, label, weight in leaf.examples:
                table[self.branch(a, None, values)][label] += weight
            return table
        low, high, missing = ([0.0] * self.n_classes for _ in range(3))
        for c in range(self.n_classes):
            own = [(v[a], w) for v, label, w in leaf.examples if label == c and v[a] is not None]
            missing[c] = sum(w for v, label, w in leaf.examples if label == c and v[a] is None)
            if own:
                total = sum(w for _, w in own)
                low[c] = total * share_below(cut, own)
                high[c] = total - low[c]
        return [low, high, missing]

    def merit(self, branches):
        total = sum(map(sum, branches))
        if sum(sum(b) > self.min_branch_fraction * total for b in branches) < 2:
            return -math.inf
        whole = [sum(b[c] for b in branches) for c in range(self.n_classes)]
        inside = sum(sum(b) / total * self.impurity(b) for b in branches if sum(b) > 0)
        return self.impurity(whole) - inside

    def impurity(self, weights):
        shares = [w / sum(weights) for w in weights if w > 0]
        if self.criterion == "gini":
            return 1 - sum(p * p for p in shares)
        return -sum(p * math.log2(p) for p in shares)


def moments(own):
    total = sum(w for _, w in own)
    mean = sum(w * x for x, w in own) / total
    return mean, sum(w * (x - mean) ** 2 for x, w in own) / total


def share_below(cut, own):
    values = [x for x, _ in own]
    if cut < min(values):
        return 0.0
    if cut >= max(values):
        return 1.0
    mean, variance = moments(own)
    if variance == 0:
        return float(cut >= mean)
    return 0.5 * (1 + math.erf((cut - mean) / math.sqrt(2 * variance)))
