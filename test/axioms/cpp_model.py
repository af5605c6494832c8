"""The memory model of C++20 with the thread scopes of libcu++, as conditions on one execution of a small program."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# [intro.races] and [atomics.order] of the standard. With libcu++'s scopes, two operations synchronize, and are atomic with
# respect to each other, only if the scope of each includes the thread of the other. Neither text says what scopes mean for the
# single order of sequentially consistent operations. Here each block, each cluster, each GPU and the system has an order of its
# own: of the operations that its threads execute with this scope or a wider one. In such a set, each includes each.

from dataclasses import dataclass, field

from ptx_text import SCOPES
from relations import Relation, every, identity, no, some


@dataclass(eq=False)
class Event:
    text: str
    thread: int | None  # None: the initial write of a location
    reads: bool = False
    writes: bool = False
    location: str | None = None
    is_fence: bool = False
    is_atomic: object = False
    acquires: object = False
    releases: object = False
    is_sc: object = False
    scope: dict = field(default_factory=dict)

    @property
    def is_initial(self):
        return self.thread is None


def inclusive(placement):
    def condition(a, b):
        if a.is_initial or b.is_initial:
            return False
        return a.thread == b.thread or every(placement.includes(a, b.thread), placement.includes(b, a.thread))

    return condition


def synchronizes_with(events, program_order, reads_from, includes):
    """[atomics.order]/2 and [atomics.fences]/2 to 4."""
    link = reads_from.restricted(lambda a, b: every(a.is_atomic, b.is_atomic, includes(a, b)))
    modifications = identity(events, lambda event: event.reads and event.writes)
    from_sequence = link | (link >> modifications).transitive() >> link  # a release sequence: [intro.races]/5
    releases = identity([event for event in events if event.writes], lambda event: every(event.is_atomic, event.releases))
    releases |= Relation({(a, b): every(a.releases, b.is_atomic) for a, b in program_order.pairs if a.is_fence and b.writes})
    acquires = identity([event for event in events if event.reads], lambda event: every(event.is_atomic, event.acquires))
    acquires |= Relation({(a, b): every(b.acquires, a.is_atomic) for a, b in program_order.pairs if b.is_fence and a.reads})
    return (releases >> from_sequence >> acquires).restricted(lambda a, b: a.thread != b.thread and includes(a, b))


def instances(events, placement):
    """For each block, cluster, GPU, and for the system: the condition that two operations belong to its order."""
    threads = sorted({event.thread for event in events} - {None})
    for number, width in enumerate(SCOPES):
        for thread in threads[:1] if width == SCOPES[-1] else threads:

            def belongs(event, number=number, width=width, thread=thread):
                if event.is_initial:
                    return False
                wide_enough = some(*(event.scope[scope] for scope in SCOPES[number:]))
                return every(wide_enough, placement.near(event.thread, thread, width))

            member = {event: belongs(event) for event in events}
            yield lambda a, b, member=member: every(member[a], member[b])


class Execution:
    def __init__(self, events, program_order, reads_from, modification_order, placement):
        self._events, self._placement = events, placement
        self._includes = inclusive(placement)
        synchronizes = synchronizes_with(events, program_order, reads_from, self._includes)
        self._happens_before = (program_order | synchronizes).transitive()
        from_read = Relation(
            {(a, b): condition for (a, b), condition in (~reads_from >> modification_order).pairs.items() if a is not b}
        )
        # [atomics.order]/3, for each location
        directly = reads_from | modification_order | from_read
        coherence_ordered = directly | modification_order >> reads_from | from_read >> reads_from
        self._is_coherent = every(
            self._happens_before.is_irreflexive(),
            # [intro.races]/11 to 19
            (self._happens_before >> coherence_ordered).is_irreflexive(),
            # A read-modify-write reads the value before its own: [atomics.order]/10.
            (from_read >> modification_order).is_irreflexive(),
        )
        # [atomics.order]/4
        sc = identity(events, lambda event: event.is_sc)
        fences = identity(events, lambda event: event.is_fence and event.is_sc)
        before = sc | fences >> self._happens_before
        after = sc | self._happens_before >> fences
        strongly = (
            program_order | synchronizes.restricted(both_sc) | program_order >> self._happens_before >> program_order
        ).transitive()
        self._sc_edges = (before >> coherence_ordered >> after) | strongly.restricted(both_sc)

    def is_consistent(self):
        return every(self._is_coherent, *(edges.transitive().is_irreflexive() for edges in self._orders()))

    def is_inconsistent(self):
        return some(no(self._is_coherent), *(edges.has_cycle() for edges in self._orders()))

    def _orders(self):
        return (self._sc_edges.restricted(belong) for belong in instances(self._events, self._placement))

    def has_race(self):
        accesses = [event for event in self._events if event.location is not None]
        return some(*(self._is_race(a, b) for index, a in enumerate(accesses) for b in accesses[:index]))

    def _is_race(self, a, b):
        if a.thread == b.thread or a.is_initial or b.is_initial or a.location != b.location or not (a.writes or b.writes):
            return False
        is_atomic = every(a.is_atomic, b.is_atomic, self._includes(a, b))
        return every(no(is_atomic), no(self._happens_before[a, b]), no(self._happens_before[b, a]))


def both_sc(a, b):
    return every(a.is_sc, b.is_sc)
