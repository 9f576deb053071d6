"""Streaming gradient boosting in the plainest Python: leaves keep their examples, and every split is worked out anew."""

import math

__all__ = ["Boosting"]


def first_best(merits):
    """Return the first of the best: nothing is better than another by a rounding error, or than no test at all."""
    best = (0.0, None, 0.0)
    for one in merits:
        if one[0] > best[0] + 1e-12 * max(1.0, best[0]):
            best = one
    return best


class Leaf:
    def __init__(self, watches=True):
        self.watches, self.examples, self.tried = watches, [], 0.0
        self.weight = self.total = self.errors = 0.0
        self.cuts = {}  # by attribute, the numbers that may be cuts, as they came


class Branch:
    def __init__(self, leaf, attribute, cut):
        self.watches, self.weight, self.errors = leaf.watches, leaf.weight, leaf.errors
        self.attribute, self.cut = attribute, cut
        self.children = [Leaf(leaf.watches), Leaf(leaf.watches)]
        self.alternate, self.sum, self.lowest = None, 0.0, math.inf


def below(node):
    yield node
    if isinstance(node, Branch):
        for child in node.children:
            yield from below(child)


def watch(node, watches):
    for each in below(node):
        each.watches = watches
        if watches and isinstance(each, Branch):
            each.sum, each.lowest = 0.0, math.inf


class Tree:
    """chosen: positions of the attributes, nominal ones first; categories: by attribute, None for a numeric one."""

    def __init__(self, categories, chosen, rules):
        self.categories, self.chosen, self.rules = categories, chosen, rules
        self.root, self.weight, self.total, self.squares = Leaf(), 0.0, 0.0, 0.0

    def size(self):
        alternates = [n.alternate for n in below(self.root) if isinstance(n, Branch) and n.alternate]
        return sum(len(list(below(top))) for top in (self.root, *alternates))

    def side(self, node, values):
        value = values[node.attribute]
        if self.categories[node.attribute] is not None:
            return int(value == node.cut)
        return int(value is None or value > node.cut)

    def value(self, values, node=None):
        node = node or self.root
        while isinstance(node, Branch):
            node = node.children[self.side(node, values)]
        return node.total / node.weight if node.weight > 0 else 0.0

    def learn(self, values, target, weight):
        gap = target - self.value(values)
        mean = self.total / self.weight if self.weight > 1 else 0.0
        variance = self.squares / self.weight - mean**2 if self.weight > 1 else 0.0
        error = abs(gap) / math.sqrt(variance) if variance > 1e-12 * mean**2 else 0.0
        self.root = self.descend(self.root, (values, target, weight), gap, error, True)
        self.weight += weight
        self.total += weight * target
        self.squares += weight * target * target

    def descend(self, node, example, gap, error, grows):
        """Show a node of the tree itself an example; return what stands in its place."""
        values, target, weight = example
        if isinstance(node, Leaf):
            return self.learned(node, example, error, grows)
        node.weight += weight
        node.errors += weight * error
        if node.alternate:
            other = target - self.value(values, node.alternate)
            node.old = gap * gap + 0.995 * node.old
            node.new = other * other + 0.995 * node.new
            node.compared += 1
            if node.compared % 150 == 0 and node.old > node.new:
                node = self.replaced(node)
                watch(node, True)
                if isinstance(node, Leaf):
                    return self.learned(node, example, error, grows)
                side = self.side(node, values)
                node.children[side] = self.descend(node.children[side], example, gap, error, grows)
                return node
            if node.compared == 1500:
                node.alternate = None
                watch(node, True)
            else:
                grows = False
                node.alternate = self.alternate_learned(node.alternate, example, error)
        if node.watches:
            node.sum += error - node.errors / node.weight - 0.005
            node.lowest = min(node.lowest, node.sum)
            if node.sum - node.lowest > self.rules["drift_threshold"]:
                grows = not self.begin_alternate(node) and grows
        side = self.side(node, values)
        node.children[side] = self.descend(node.children[side], example, gap, error, grows)
        return node

    def replaced(self, node):
        """Put the alternate tree of a node in its place."""
        if self.root is node:
            self.root = node.alternate
        for each in below(self.root):
            if isinstance(each, Branch) and node in each.children:
                each.children[each.children.index(node)] = node.alternate
        return node.alternate

    def begin_alternate(self, node):
        for each in below(node):
            if isinstance(each, Branch):
                each.alternate = None
        full = self.size() + 1 > self.rules["max_nodes"]
        watch(node, full)
        if not full:
            node.alternate, node.old, node.new, node.compared = Leaf(), 0.0, 0.0, 0
        return not full

    def alternate_learned(self, node, example, error):
        if isinstance(node, Leaf):
            return self.learned(node, example, error, True)
        node.weight += example[2]
        node.errors += example[2] * error
        side = self.side(node, example[0])
        node.children[side] = self.alternate_learned(node.children[side], example, error)
        return node

    def learned(self, leaf, example, error, grows):
        values, target, weight = example
        leaf.weight += weight
        leaf.total += weight * target
        leaf.errors += weight * error
        leaf.examples.append(example)
        for a in self.chosen:
            cuts = leaf.cuts.setdefault(a, [])
            known = self.categories[a] is not None or values[a] is None or values[a] in cuts
            if not known and len(cuts) < self.rules["bins"]:
                cuts.append(values[a])
        if grows and leaf.weight - leaf.tried >= self.rules["grace_period"]:
            leaf.tried = leaf.weight
            if self.size() + 2 <= self.rules["max_nodes"]:
                return self.tried(leaf)
        return leaf

    def tried(self, leaf):
        merits = []  # of each value and of the best cut of each number: merit, attribute, cut
        for a in self.chosen:
            if self.categories[a] is None:
                merits.append(first_best([self.test(leaf, a, c) for c in sorted(leaf.cuts[a])]))
            else:
                values = [*self.categories[a], None]
                merits += [self.test(leaf, a, v) for v in (values[1:] if len(values) <= 3 else values)]
        best = first_best(merits)
        second = sorted([0.0, *(one[0] for one in merits)])[-2]
        bound = math.sqrt(math.log(1 / self.rules["delta"]) / (2 * leaf.weight))
        if best[0] > 0 and (second < best[0] * (1 - bound) or bound < self.rules["tau"]):
            return Branch(leaf, best[1], best[2])
        return leaf

    def test(self, leaf, a, cut):
        """Return merit, attribute and cut of a test: of one value against all others, or of what is at most a cut."""
        if self.categories[a] is None:
            return self.merit(leaf, lambda x: x[a] is not None and x[a] <= cut), a, cut
        return self.merit(leaf, lambda x: x[a] == cut), a, cut

    def merit(self, leaf, left):
        def variance(some):
            weight = sum(w for _, _, w in some)
            mean = sum(w * target for _, target, w in some) / weight
            return weight, sum(w * (target - mean) ** 2 for _, target, w in some) / weight

        sides = [[one for one in leaf.examples if left(one[0]) == side] for side in (True, False)]
        if min(sum(w for _, _, w in some) for some in sides) < 5:
            return 0.0
        whole, before = variance(leaf.examples)
        return before - sum(weight / whole * after for weight, after in map(variance, sides))


class Boosting:
    """subsets: for each chain and tree the positions of its attributes."""

    def __init__(self, categories, subsets, n_classes, rules):
        self.rules, self.n_classes = rules, n_classes
        self.chains = [[Tree(categories, chosen, rules) for chosen in chain] for chain in subsets]

    def scores(self, values):
        return [self.rules["learning_rate"] * sum(tree.value(values) for tree in chain) for chain in self.chains]

    def probabilities(self, values):
        own = [1 / (1 + math.exp(-score)) for score in self.scores(values)]
        return [1 - own[0], own[0]] if self.n_classes == 2 else [each / sum(own) for each in own]

    def learn(self, values, label, weight, left_out):
        for c, chain in enumerate(self.chains):
            if left_out[c]:
                continue
            own, score = label == (1 if len(self.chains) == 1 else c), 0.0
            for tree in chain:
                chance = 1 / (1 + math.exp(-score))
                tree.learn(values, (own - chance) / (chance * (1 - chance)), weight)
                score += self.rules["learning_rate"] * tree.value(values)
