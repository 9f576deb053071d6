"""An extremely fast decision tree in the plainest Python: every node keeps the examples that came by."""

import math

from tests.learners.naive_hoeffding import HoeffdingTree, Leaf

__all__ = ["ExtremelyFastTree"]


class ExtremelyFastTree(HoeffdingTree):
    def __init__(self, *settings, reevaluation_period, **more):
        super().__init__(*settings, **more)
        self.period, self.n_revised, self.n_pruned = reevaluation_period, 0, 0

    def learn(self, values, label, weight):
        node = self.root
        while node.attribute is not None:
            if node.since >= self.period:
                self.come_back(node)
                if node.attribute is None:
                    break
            node.weights[label] += weight
            node.since += weight
            node.examples.append((values, label, weight))
            node = node.children[self.branch(node.attribute, node.cut, values)]
        super().learn(values, label, weight)

    def come_back(self, node):
        node.since = 0.0
        merits = self.merits(node)
        merit, cut, a = self.best(merits)
        gain = merit - next(m for m, _, b in merits if b == node.attribute)
        bound = self.bound(node)
        if a != node.attribute and (gain > bound or (bound < self.tau and gain > self.tau / 2)):
            self.n_nodes -= count(node) - 1
            node.attribute = node.cut = None
            node.children, node.active = [], True
            node.right = {"majority": 0.0, "naive_bayes": 0.0}
            self.n_revised += 1
            if a is None:
                self.n_pruned += 1
            else:
                self.split(node, a, cut)

    def try_split(self, leaf):
        leaf.since = 0.0
        merit, cut, a = self.best(self.merits(leaf))
        bound = self.bound(leaf)
        if a is not None and (merit > bound or bound < self.tau):
            self.split(leaf, a, cut)

    def merits(self, node):
        return [(0.0, None, None)] + [(*self.best_of(node, a), a) for a in sorted(node.chosen)]

    def best(self, merits):
        top = max(merit for merit, _, _ in merits)
        return next(found for found in merits if found[0] >= top - 1e-11)

    def bound(self, node):
        classes = sum(total > 0 for total in self.totals)
        reach = 1.0 if self.criterion == "gini" else math.log2(max(2, classes))
        return math.sqrt(reach**2 * math.log(1 / self.delta) / (2 * sum(node.weights)))

    def split(self, node, a, cut):
        branches = self.branches(node, a, cut)
        if self.n_nodes + len(branches) <= self.max_nodes:
            node.attribute, node.cut, node.active = a, cut, False
            node.children = [Leaf(weights) for weights in branches]
            self.n_nodes += len(branches)


def count(node):
    return 1 + sum(map(count, node.children if node.attribute is not None else []))
