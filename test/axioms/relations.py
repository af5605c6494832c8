"""Relations between a few events, whose pairs are conditions for z3: what the axioms of a memory model are written in."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A condition is True, False or a Boolean term of z3. In a small program most pairs are known. So a relation has no entry for a
# pair that is False, and most of an axiom is decided before z3 sees it.

import itertools

import z3

_names = itertools.count()


def unknown():
    """A condition that the solver chooses."""
    return z3.Bool(f"c{next(_names)}")


def every(*conditions):
    rest = []
    for condition in conditions:
        if condition is False:
            return False
        if condition is not True:
            rest.append(condition)
    return z3.And(rest) if len(rest) > 1 else rest[0] if rest else True


def some(*conditions):
    rest = []
    for condition in conditions:
        if condition is True:
            return True
        if condition is not False:
            rest.append(condition)
    return z3.Or(rest) if len(rest) > 1 else rest[0] if rest else False


def no(condition):
    return not condition if isinstance(condition, bool) else z3.Not(condition)


def choice(count):
    """(conditions of which the solver makes exactly one true, the constraints)"""
    if count == 1:
        return [True], []
    conditions = [unknown() for _ in range(count)]
    return conditions, [z3.Or(conditions), z3.AtMost(*conditions, 1)]


class Relation:
    """Operators: | & - of pairs, >> one after the other, ~ the inverse."""

    def __init__(self, pairs=()):
        self.pairs = {pair: condition for pair, condition in dict(pairs).items() if condition is not False}

    @classmethod
    def where(cls, firsts, seconds, condition):
        """condition(first, second) for each two different events."""
        return cls({(a, b): condition(a, b) for a in firsts for b in seconds if a is not b})

    def __getitem__(self, pair):
        return self.pairs.get(pair, False)

    def __or__(self, other):
        both = {pair: some(condition, other[pair]) for pair, condition in self.pairs.items()}
        return Relation({**other.pairs, **both})

    def __and__(self, other):
        return Relation(
            {pair: every(condition, other[pair]) for pair, condition in self.pairs.items() if other[pair] is not False}
        )

    def __rshift__(self, other):
        following = {}
        for (a, b), condition in other.pairs.items():
            following.setdefault(a, []).append((b, condition))
        ways = {}
        for (a, b), first in self.pairs.items():
            for c, second in following.get(b, ()):
                ways.setdefault((a, c), []).append(every(first, second))
        return Relation({pair: some(*conditions) for pair, conditions in ways.items()})

    def __invert__(self):
        return Relation({(b, a): condition for (a, b), condition in self.pairs.items()})

    def restricted(self, condition):
        """Only pairs for which condition(first, second)."""
        return Relation({(a, b): every(given, condition(a, b)) for (a, b), given in self.pairs.items()})

    def transitive(self):
        """The smallest transitive relation that contains this one."""
        closed = self
        length = 1
        events = {event for pair in self.pairs for event in pair}
        while length < len(events):
            closed = closed | closed >> closed
            length *= 2
        return closed

    def some_transitive(self):
        """(a transitive relation that contains this one, and perhaps more pairs; the constraints). Only for uses in which more
        pairs forbid more: then the solver gains nothing from them. The terms are far smaller than those of transitive()."""
        reachable = {}
        for pair in Relation(dict.fromkeys(self.pairs, True)).transitive().pairs:
            condition = self[pair]
            reachable[pair] = True if condition is True else unknown()
        found = Relation(reachable)
        constraints = [some(no(condition), found[pair]) for pair, condition in self.pairs.items() if condition is not True]
        constraints += [some(no(condition), found[pair]) for pair, condition in (found >> found).pairs.items()]
        return found, [constraint for constraint in constraints if constraint is not True]

    def has_cycle(self):
        """That the solver finds a set of events in which each has a successor. Only where a cycle is wanted: the negation of
        this condition means nothing."""
        chosen = {event: unknown() for pair in self.pairs for event in pair}
        successors = {event: [] for event in chosen}
        for (a, b), condition in self.pairs.items():
            successors[a].append(every(chosen[b], condition))
        continues = (some(no(chosen[event]), *conditions) for event, conditions in successors.items())
        return every(some(*chosen.values()), *continues)

    def is_irreflexive(self):
        return every(*(no(condition) for (a, b), condition in self.pairs.items() if a is b))


def identity(events, condition):
    """The events for which condition(event), each related to itself."""
    return Relation({(event, event): condition(event) for event in events})


def order_of(events, is_known):
    """(a total order of the events that contains the pairs for which is_known(a, b), the constraints)."""
    pairs, constraints = {}, []
    for a, b in itertools.combinations(events, 2):
        if is_known(a, b) or is_known(b, a):
            pairs[a, b], pairs[b, a] = is_known(a, b), is_known(b, a)
        else:
            pairs[a, b] = unknown()
            pairs[b, a] = no(pairs[a, b])
    order = Relation(pairs)
    for a, b, c in itertools.permutations(events, 3):
        constraints.append(some(no(order[a, b]), no(order[b, c]), order[a, c]))
    return order, [constraint for constraint in constraints if constraint is not True]
