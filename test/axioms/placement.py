"""Where the threads of a program are: which share a block, a cluster, a GPU."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools

from ptx_text import SCOPES
from relations import every, no, some, unknown

WIDTHS = SCOPES[:-1]  # all threads share the system


class Placement:
    def __init__(self, pairs, constraints=()):
        self._pairs = pairs  # {(thread, thread, width): condition}
        self.constraints = list(constraints)

    def near(self, a, b, width):
        return True if a == b or width == "sys" else self._pairs[min(a, b), max(a, b), width]

    def includes(self, event, thread):
        """Whether the scope of this event includes the thread."""
        return some(*(every(is_this, self.near(event.thread, thread, width)) for width, is_this in event.scope.items()))


def placed(places):
    """places: (gpu, cluster, block) of each thread."""
    pairs = {}
    for (a, first), (b, second) in itertools.combinations(enumerate(places), 2):
        for length, width in enumerate(reversed(WIDTHS), 1):
            pairs[a, b, width] = first[:length] == second[:length]
    return Placement(pairs)


def anywhere(threads):
    """All placements: the solver chooses."""
    pairs = {(a, b, width): unknown() for a, b in itertools.combinations(range(threads), 2) for width in WIDTHS}
    result = Placement(pairs)
    for a, b in itertools.combinations(range(threads), 2):
        for narrow, wide in itertools.pairwise(WIDTHS):
            result.constraints.append(some(no(result.near(a, b, narrow)), result.near(a, b, wide)))
    for a, b, c in itertools.permutations(range(threads), 3):
        for width in WIDTHS:
            both = every(result.near(a, b, width), result.near(b, c, width))
            result.constraints.append(some(no(both), result.near(a, c, width)))
    return result


# Each names how near all threads of a program are to one another.
TOGETHER = {
    "cta": lambda thread: (0, 0, 0),
    "cluster": lambda thread: (0, 0, thread),
    "gpu": lambda thread: (0, thread, thread),
    "sys": lambda thread: (thread, thread, thread),
}


def together(threads, width):
    return placed([TOGETHER[width](thread) for thread in range(threads)])
