"""The aggregated Mondrian tree in the plainest Python: nodes keep their examples, and every prediction tries all prunings.

Nothing is updated: boxes, counts and losses are worked out anew from the examples of a node whenever they are needed.
"""

import math

__all__ = ["Generator", "MondrianTree"]


class Generator:
    """MRG32k3a as its inventor writes it down."""

    def __init__(self, state):
        self.first, self.second = [int(x) for x in state[:3]], [int(x) for x in state[3:]]

    def random(self):
        self.first.append((1403580 * self.first[-2] - 810728 * self.first[-3]) % (2**32 - 209))
        self.second.append((527612 * self.second[-1] - 1370589 * self.second[-3]) % (2**32 - 22853))
        z = (self.first[-1] - self.second[-1]) % (2**32 - 209)
        return (z or 2**32 - 209) / (2**32 - 208)


class Node:
    """A cell: its examples (values, class, weight), and once it is cut, an attribute, a cut, a time and two children."""

    def __init__(self, examples=()):
        self.examples, self.children = list(examples), None


class MondrianTree:
    """nominal: for each attribute whether it is nominal, numeric attributes come last; a missing value is None."""

    def __init__(
        self, nominal, n_classes, state, dirichlet=0.5, step=1.0, split_pure=False, relative=True, most=10_000
    ):
        self.nominal, self.n_classes, self.generator = nominal, n_classes, Generator(state)
        self.dirichlet, self.step, self.split_pure = dirichlet, step, split_pure
        self.relative, self.most = relative, most
        self.root, self.size, self.all_values = None, 0, []

    def learn(self, values, label, weight):
        wait, place = -math.log(self.generator.random()), self.generator.random()
        self.all_values.append(values)
        if self.root is None:
            self.root, self.size = Node(), 1
        self.root = self.updated(self.root, 0.0, wait, place, (values, label, weight), self.size + 2 <= self.most)

    def updated(self, node, born, wait, place, example, may_grow):
        """Return what stands in the place of a node that is shown an example: itself, or a new node above it."""
        values, label, _ = example
        distances = [self.distance(node, j, value) for j, value in enumerate(values)] if may_grow else [0.0]
        if not self.split_pure and all(c == label for _, c, _ in node.examples):
            distances = [0.0]
        total = sum(distances)
        if total > 0:
            if node.children is None or born + wait / total < node.time:
                return self.cut(node, born + wait / total, distances, place * total, example)
            wait -= total * (node.time - born)
        if node.children is not None:
            side = self.side(node, values)
            node.children[side] = self.updated(node.children[side], node.time, wait, place, example, may_grow)
        node.examples.append(example)
        return node

    def cut(self, node, time, distances, place, example):
        branch, values = Node([*node.examples, example]), example[0]
        branch.time = time
        self.size += 2
        known = [x for x, distance in enumerate(distances) if distance > 0]
        for j in known:
            branch.attribute = j
            if place < distances[j] or j == known[-1]:
                break
            place -= distances[j]
        leaf = Node([example])
        if self.nominal[j]:
            branch.cut, branch.children = values[j], [node, leaf]
            return branch
        low, high = self.box(node, j)
        share = place / distances[j]
        if values[j] > high:
            branch.cut, branch.children = (1 - share) * high + share * values[j], [node, leaf]
        else:
            branch.cut, branch.children = (1 - share) * values[j] + share * low, [leaf, node]
        return branch

    def box(self, node, j):
        numbers = [values[j] for values, _, _ in node.examples if values[j] is not None]
        return (min(numbers), max(numbers)) if numbers else None

    def distance(self, node, j, value):
        if self.nominal[j]:
            return 0.0 if value in [values[j] for values, _, _ in node.examples] else 1.0
        box = self.box(node, j)
        if value is None or box is None:
            return 0.0
        numbers = [values[j] for values in self.all_values if values[j] is not None]
        unit = max(numbers) - min(numbers) if self.relative else 1.0
        return max(box[0] - value, value - box[1], 0.0) / unit if unit > 0 else 0.0

    def side(self, node, values):
        value = values[node.attribute]
        if self.nominal[node.attribute]:
            return int(value == node.cut)
        if value is None:
            left, right = (sum(weight for _, _, weight in child.examples) for child in node.children)
            return int(right > left)
        return int(value > node.cut)

    def frequencies(self, examples):
        counts = [self.dirichlet] * self.n_classes
        for _, label, weight in examples:
            counts[label] += weight
        return [count / sum(counts) for count in counts]

    def loss(self, node):
        """Return the sum of the losses of all examples but the first, each by what was predicted from those before it."""
        total = 0.0
        for i, (_, label, weight) in enumerate(node.examples[1:], 1):
            own = self.dirichlet + sum(w for _, c, w in node.examples[:i] if c == label)
            whole = self.n_classes * self.dirichlet + sum(w for _, _, w in node.examples[:i])
            total += math.lgamma(whole + weight) - math.lgamma(whole) - math.lgamma(own + weight) + math.lgamma(own)
        return total

    def prunings(self, node, values):
        """Return all prunings below a node: prior, loss of all their leaves, and prediction of the leaf of an example."""
        here = [(1.0 if node.children is None else 0.5, self.loss(node), self.frequencies(node.examples))]
        if node.children is None:
            return here
        side, sides = self.side(node, values), [self.prunings(child, values) for child in node.children]
        return here + [(0.5 * a[0] * b[0], a[1] + b[1], (a, b)[side][2]) for a in sides[0] for b in sides[1]]

    def predict(self, values):
        """Return the class probabilities, each pruning weighed by its prior and exp(-step times its loss)."""
        prunings = self.prunings(self.root, values)
        least = min(loss for _, loss, _ in prunings)
        weights = [prior * math.exp(-self.step * (loss - least)) for prior, loss, _ in prunings]
        return [
            sum(w * told[c] for w, (_, _, told) in zip(weights, prunings, strict=True)) / sum(weights)
            for c in range(self.n_classes)
        ]
