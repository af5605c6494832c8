"""The chapter "Memory Consistency Model" of the PTX ISA manual, as constraints on one execution of a small program."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Each function is a section of the chapter and has its name. The numbers are those of PTX ISA 8.5 and later.

from dataclasses import dataclass, field

from relations import Relation, every, identity, no, some, unknown


@dataclass(eq=False)
class Event:
    """An operation in the sense of the chapter. Conditions may be unknown: then the solver chooses the instruction."""

    text: str
    thread: int | None  # None: the initial write of a location
    reads: bool = False
    writes: bool = False
    location: str | None = None
    space: str = "global"
    is_strong: object = False
    acquires: object = False
    releases: object = False
    is_fence: bool = False
    is_sc: object = False
    is_reduction: object = False  # red: its read makes no acquire pattern
    scope: dict = field(default_factory=dict)  # {cta, cluster, gpu, sys: whether it is this}
    barrier: str | None = None  # bar.sync, barrier.cluster: executions that meet have the same
    arrives: object = False
    waits: object = False
    home: int | None = None  # of an access to shared memory: a thread of the block that has it; none: that of all threads
    fenced_spaces: tuple = ()  # of fence.proxy.async
    fences_own_block: bool = False  # .shared::cta
    is_there: object = True  # that fence, or the wait for the end of a copy
    issue: object = None  # of an access by the copy engine: the instruction that began the copy
    completion: object = None  # and the event that reports its end
    proxy: str = "generic"

    @property
    def is_initial(self):
        return self.thread is None

    @property
    def is_memory_operation(self):
        return self.reads or self.writes

    @property
    def is_atomic(self):
        return self.reads and self.writes


def overlap(a, b):
    return a.location is not None and a.location == b.location


def morally_strong(placement):
    """8.7"""

    def condition(a, b):
        if a.is_initial or b.is_initial or a.proxy != b.proxy:
            return False
        if a.is_memory_operation and b.is_memory_operation and not overlap(a, b):
            return False
        if a.thread == b.thread and a.issue is None and b.issue is None:
            return True
        return every(a.is_strong, b.is_strong, placement.includes(a, b.thread), placement.includes(b, a.thread))

    return condition


def same_or_ordered(order, a, b):
    return True if a is b else order[a, b]


def release_patterns(events, program_order):
    """8.8: (the first operation, the write): whether they are one."""
    pairs = {}
    for write in events:
        if not write.writes or write.is_initial:
            continue
        for first in events:
            if first is write:
                pairs[first, write] = every(write.releases, write.is_strong)
            elif program_order[first, write] is True and (first.is_fence or (first.writes and overlap(first, write))):
                pairs[first, write] = every(first.releases, write.is_strong)
    return Relation(pairs)


def acquire_patterns(events, program_order):
    """8.8: (the read, the last operation): whether they are one."""
    pairs = {}
    for read in events:
        if not read.reads:
            continue
        for last in events:
            if last is read:
                pairs[read, last] = every(read.acquires, read.is_strong, no(read.is_reduction))
            elif program_order[read, last] is True and (last.is_fence or (last.reads and overlap(read, last))):
                pairs[read, last] = every(last.acquires, read.is_strong, no(read.is_reduction))
    return Relation(pairs)


def observation_order(events, reads_from, strong_pair):
    """8.9.2"""
    directly = reads_from.restricted(strong_pair)
    atomics = identity(events, lambda event: event.is_atomic)
    return directly | ((directly >> atomics).transitive() >> directly)


def synchronizes(events, program_order, observed, fence_sc_order, strong_pair):
    """8.9.4"""

    def meets(a, b):
        return a.barrier is not None and a.barrier == b.barrier and a.thread != b.thread and every(a.arrives, b.waits)

    patterns = release_patterns(events, program_order) >> observed >> acquire_patterns(events, program_order)
    released = patterns.restricted(
        lambda first, last: not (program_order[first, last] or program_order[last, first]) and strong_pair(first, last)
    )
    return fence_sc_order | Relation.where(events, events, meets) | released


def path(base, a, b):
    """Base causality order. A copy's accesses come after what precedes its instruction, and before what follows its
    completion. The two do not compose (8.9.1.1): the completion does not release what precedes the instruction."""
    if a.is_initial:
        return not b.is_initial
    start = a.completion if a.issue is not None else a
    end = b.issue if b.issue is not None else b
    if start is None or b.is_initial:
        return False
    return every(start.is_there, same_or_ordered(base, start, end))


def proxy_preserved(events, base, placement):
    """8.9.5. The list there has no entry for fence.proxy.async. The entry for aliases is applied to it, because of what the
    description of the fence says: it orders accesses of the two proxies, in the state spaces that it names, and composes
    with other synchronization. The completion of a copy is followed by an implicit fence of this kind."""
    fences = [event for event in events if event.fenced_spaces]

    def covers(fence, access):
        is_own = not fence.fences_own_block or access.space != "shared" or access.home is None
        return access.space in fence.fenced_spaces and (is_own or placement.near(fence.thread, access.home, "cta"))

    def preserved(a, b):
        if not overlap(a, b) or a.is_initial or a.proxy == b.proxy == "generic":
            return True
        if a.proxy == b.proxy:
            return placement.near(a.issue.thread, b.issue.thread, "cta")
        if a.proxy == "async":  # ... then the fence of the completion is on the path
            return True
        return some(*(every(covers(f, a), f.is_there, path(base, a, f), path(base, f, b)) for f in fences))

    def condition(a, b):
        return every(path(base, a, b), preserved(a, b))

    memory = [event for event in events if event.is_memory_operation]
    return Relation.where(memory, memory, lambda a, b: overlap(a, b) and condition(a, b))


def coherence_order(events, total_pairs):
    """8.9.6: (a partial order of the writes of each location, the constraints); total_pairs(a, b): which must be ordered."""
    writes = [event for event in events if event.writes]
    order = Relation.where(
        writes, writes, lambda a, b: overlap(a, b) and not b.is_initial and (True if a.is_initial else unknown())
    )
    constraints = [no(every(order[a, b], order[b, a])) for a, b in order.pairs if not a.is_initial]
    constraints += [
        some(no(condition), order[pair]) for pair, condition in (order >> order).pairs.items() if pair[0] is not pair[1]
    ]
    constraints += [some(no(total_pairs(a, b)), order[a, b], order[b, a]) for a, b in order.pairs]
    return order, constraints


def fence_sc_order_of(events, program_order, strong_pair):
    """8.9.3: (a partial order that relates every morally strong pair of fence.sc, the constraints)."""
    fences = [event for event in events if event.is_fence and event.is_sc is not False]

    def is_pair(a, b):
        return every(a.is_sc, b.is_sc, strong_pair(a, b))

    def is_before(a, b):
        return program_order[a, b] if a.thread == b.thread else unknown()

    order = Relation.where(fences, fences, lambda a, b: every(is_pair(a, b), is_before(a, b)))
    constraints = [some(no(is_pair(a, b)), order[a, b], order[b, a]) for a in fences for b in fences if a is not b]
    acyclic, more = order.some_transitive()
    return order, [*constraints, *more, acyclic.is_irreflexive()]


@dataclass
class Execution:
    """The axioms, {name: condition}, and the constraints on the orders that they use."""

    coherence: Relation
    axioms: dict
    constraints: list


def execution(events, program_order, reads_from, placement, coherence=None, dependencies=None):
    """An execution in which reads read from what reads_from says; coherence: the coherence order, if the caller chooses it."""
    strong_pair = morally_strong(placement)
    constraints = []
    fence_sc_order, more = fence_sc_order_of(events, program_order, strong_pair)
    constraints += more
    observed = observation_order(events, reads_from, strong_pair)
    synchronized = synchronizes(events, program_order, observed, fence_sc_order, strong_pair)
    base, more = (program_order | synchronized).some_transitive()  # more causality only forbids more
    constraints += more
    preserved = proxy_preserved(events, base, placement)
    causality = preserved | Relation(
        {pair: condition for pair, condition in (observed >> preserved).pairs.items() if overlap(*pair)}
    )
    if coherence is None:
        coherence, more = coherence_order(events, lambda a, b: some(strong_pair(a, b), causality[a, b], causality[b, a]))
        constraints += more
    from_read = Relation({(a, b): condition for (a, b), condition in (~reads_from >> coherence).pairs.items() if a is not b})
    communication = reads_from | coherence | from_read
    axioms = {
        # 8.10.1
        "Coherence": every(
            *(
                some(no(condition), coherence[pair])
                for pair, condition in causality.pairs.items()
                if all(event.writes for event in pair)
            )
        ),
        # 8.10.2
        "FenceSC": every(*(no(every(condition, base[b, a])) for (a, b), condition in fence_sc_order.pairs.items())),
        # 8.10.3
        "Atomicity": every(
            *(
                no(every(condition, coherence[b, a], strong_pair(a, b)))
                for (a, b), condition in from_read.pairs.items()
                if a.is_atomic
            )
        ),
        # 8.10.6
        "Causality": every(
            *(no(every(condition, reads_from[b, a])) for (a, b), condition in causality.pairs.items() if a.reads and b.writes),
            *(no(every(condition, from_read[b, a])) for (a, b), condition in causality.pairs.items() if a.writes and b.reads),
        ),
    }
    # 8.10.4
    if dependencies:
        needed, more = (reads_from | dependencies).some_transitive()
        axioms["No-Thin-Air"] = every(*more, needed.is_irreflexive())
    # 8.10.5
    local = Relation({pair: condition for pair, condition in program_order.pairs.items() if overlap(*pair)})
    looped, more = (local | communication.restricted(strong_pair)).some_transitive()
    axioms["SC-per-Location"] = every(*more, looped.is_irreflexive())
    return Execution(coherence, axioms, constraints)
