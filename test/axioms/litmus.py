"""Small programs in C++ of several threads, what each model says of them, and where the two differ."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A shape is written as in "x=1 | y=1 || r0=y | r1=x": threads between ||, and in each of them stores of constants (x=1), loads
# (r0=x), exchanges (r0=x:2), read-modify-writes without a result (x:2), and places for a fence (|). Each is an operation of the
# mapping: it has an order and a scope in C++, and a sequence of PTX instructions. An outcome is written as "r0=1 r1=0", or as
# "x=2" for a final value.

import re
from dataclasses import dataclass, replace

import z3

import cpp_model
import ptx_model
from ptx_text import SCOPES, Instruction, weaker
from relations import Relation, choice, every, no, order_of, some

SLOTS = ("before", "access", "after")
READS, WRITES = ("load", "exchange", "reduction"), ("store", "exchange", "reduction")


@dataclass(frozen=True)
class Way:
    """An operation with its order and scope in C++, and what it is in PTX. order: "plain" of accesses that are not atomic."""

    order: str
    scope: str | None
    before: Instruction | None = None
    access: Instruction | None = None
    after: Instruction | None = None
    wrapper: str = ""  # where this was read

    @property
    def ptx(self):
        return "; ".join(part.text for part in (self.before, self.access, self.after) if part)

    def __str__(self):
        return f"{self.order}{', ' + self.scope if self.scope else ''}: {self.ptx or 'nothing'}"

    def weaker(self):
        """(what is weaker, the same operation with this): by one step each."""
        for slot in SLOTS:
            part = getattr(self, slot)
            if part and slot != "access" or part and part.kind == "fence":
                yield f"no {part.text}", replace(self, **{slot: None})
            for what, instruction in weaker(part) if part else ():
                if instruction:
                    yield f"{part.text}: {what}", replace(self, **{slot: instruction})


@dataclass(frozen=True)
class Operation:
    kind: str  # load, store, exchange, reduction, fence
    thread: int
    location: str | None = None
    value: int | None = None
    register: str | None = None

    def __str__(self):
        texts = {"load": f"{self.register}={self.location}", "store": f"{self.location}={self.value}"}
        texts["exchange"] = f"{self.register}={self.location}:{self.value}"
        texts["reduction"] = f"{self.location}:{self.value}"
        return texts.get(self.kind, "fence")


@dataclass(frozen=True)
class Shape:
    name: str
    text: str
    outcome: str

    @property
    def threads(self):
        return len(self.text.split("||"))

    def operations(self):
        found = []
        for thread, text in enumerate(self.text.split("||")):
            for word in re.sub(r"\|", " | ", text).split():
                match = re.fullmatch(r"(?:(r\d)=)?([a-z])(?:([=:])(\d))?", word)
                if word == "|":
                    found.append(Operation("fence", thread))
                elif match[1]:
                    kind = "exchange" if match[4] else "load"
                    found.append(Operation(kind, thread, match[2], int(match[4] or 0), match[1]))
                else:
                    found.append(Operation("reduction" if match[3] == ":" else "store", thread, match[2], int(match[4])))
        return found

    def outcomes(self):
        """{register or location: value}"""
        return {name: int(value) for name, value in (word.split("=") for word in self.outcome.split())}


class Chosen:
    """One operation of a program, with the ways that the solver may choose among."""

    def __init__(self, operation, ways):
        self.operation = operation
        self.ways = ways
        self.conditions, self.constraints = choice(len(ways))

    def has(self, predicate):
        return some(*(condition for way, condition in zip(self.ways, self.conditions, strict=True) if predicate(way)))

    def cpp_event(self):
        operation = self.operation
        is_fence = operation.kind == "fence"
        acquiring = () if operation.kind in ("store", "reduction") else ("acquire", "acq_rel", "seq_cst")
        releasing = () if operation.kind == "load" else ("release", "acq_rel", "seq_cst")
        return cpp_model.Event(
            str(operation),
            operation.thread,
            reads=operation.kind in READS,
            writes=operation.kind in WRITES,
            location=operation.location,
            is_fence=is_fence,
            is_atomic=self.has(lambda way: way.order not in ("plain", "none")),
            acquires=self.has(lambda way: way.order in acquiring),
            releases=self.has(lambda way: way.order in releasing),
            is_sc=self.has(lambda way: way.order == "seq_cst"),
            scope={scope: self.has(lambda way, scope=scope: way.scope == scope) for scope in SCOPES},
        )

    def ptx_events(self):
        """{slot: event} of the slots that some way uses."""
        operation = self.operation
        events = {}
        for slot in SLOTS:
            if slot != "access" and not any(getattr(way, slot) for way in self.ways):
                continue

            def has(predicate, slot=slot):
                return self.has(lambda each: (part := getattr(each, slot)) is not None and predicate(part))

            is_fence = slot != "access" or operation.kind == "fence"
            events[slot] = ptx_model.Event(
                f"{operation} {slot}",
                operation.thread,
                reads=not is_fence and operation.kind in READS,
                writes=not is_fence and operation.kind in WRITES,
                location=None if is_fence else operation.location,
                is_fence=is_fence,
                is_strong=has(lambda part: part.is_strong),
                acquires=has(lambda part: part.order in ("acquire", "acq_rel", "sc")),
                releases=has(lambda part: part.order in ("release", "acq_rel", "sc")),
                is_sc=has(lambda part: part.order == "sc"),
                is_reduction=has(lambda part: part.kind == "red"),
                scope={scope: has(lambda part, scope=scope: part.scope == scope) for scope in SCOPES},
            )
        return events

    def chosen_way(self, model):
        for way, condition in zip(self.ways, self.conditions, strict=True):
            if condition is True or z3.is_true(model.eval(condition, model_completion=True)):
                return way
        raise AssertionError("the solver chose no way")


class Program:
    """The events of a shape in both models, which read from the same writes."""

    def __init__(self, shape, ways_of, placement):
        """ways_of(operation, its number): the ways that may stand there."""
        self.shape = shape
        self.placement = placement
        self.parts = [Chosen(operation, ways_of(operation, number)) for number, operation in enumerate(shape.operations())]
        self.constraints = [constraint for part in self.parts for constraint in part.constraints] + placement.constraints
        locations = sorted({part.operation.location for part in self.parts} - {None})
        self.cpp = {part: part.cpp_event() for part in self.parts}
        self.ptx = {part: part.ptx_events() for part in self.parts}
        self.cpp_initial = {name: cpp_model.Event(f"{name}=0", None, writes=True, location=name) for name in locations}
        self.ptx_initial = {name: ptx_model.Event(f"{name}=0", None, writes=True, location=name) for name in locations}
        self._read()

    def _read(self):
        cpp, ptx = {}, {}
        self.sources = {}  # {register: {value: condition}}
        for part in self.parts:
            location = part.operation.location
            if not self.cpp[part].reads:
                continue
            writers = [
                other
                for other in self.parts
                if other is not part and self.cpp[other].writes and self.cpp[other].location == location
            ]
            conditions, constraints = choice(len(writers) + 1)
            self.constraints += constraints
            for writer, condition in zip([None, *writers], conditions, strict=True):
                cpp[self.cpp[writer] if writer else self.cpp_initial[location], self.cpp[part]] = condition
                ptx[self.ptx[writer]["access"] if writer else self.ptx_initial[location], self.ptx[part]["access"]] = condition
                value = writer.operation.value if writer else 0
                self.sources.setdefault(part.operation.register, {})[value] = condition
        self.cpp_reads_from, self.ptx_reads_from = Relation(cpp), Relation(ptx)

    def cpp_events(self):
        return [*self.cpp_initial.values(), *self.cpp.values()]

    def ptx_events(self):
        return [*self.ptx_initial.values(), *(event for events in self.ptx.values() for event in events.values())]

    def modification_order(self):
        """(a total order of the writes of each location, the constraints)"""
        order, constraints = Relation(), []
        for location, initial in self.cpp_initial.items():
            writes = [initial, *(event for event in self.cpp.values() if event.writes and event.location == location)]
            part, more = order_of(writes, lambda a, _, initial=initial: a is initial)
            order |= part
            constraints += more
        return order, constraints

    def as_ptx(self, relation):
        """A relation of writes in C++ as one of those in PTX."""
        same = {self.cpp_initial[name]: self.ptx_initial[name] for name in self.cpp_initial}
        same |= {self.cpp[part]: self.ptx[part].get("access") for part in self.parts}
        return Relation({(same[a], same[b]): condition for (a, b), condition in relation.pairs.items()})

    def cpp_execution(self, modification_order):
        order = program_order(self.cpp.values())
        return cpp_model.Execution(self.cpp_events(), order, self.cpp_reads_from, modification_order, self.placement)

    def ptx_execution(self, coherence=None, dependencies=None):
        events = self.ptx_events()
        order = program_order(event for event in events if not event.is_initial)
        return ptx_model.execution(events, order, self.ptx_reads_from, self.placement, coherence, dependencies)

    def uses_one_instruction(self):
        """That each read-modify-write that acquires and releases does so as one instruction, not as one between fences."""

        def is_split(way):
            return way.order in ("acq_rel", "seq_cst") and way.access.order != "acq_rel"

        return every(*(no(part.has(is_split)) for part in self.parts if part.operation.kind == "exchange"))

    def has_inclusive_scopes(self):
        """That each two threads are in the scopes of each other's atomic operations and fences."""
        atomic = [(part.has(lambda way: way.scope is not None), event) for part, event in self.cpp.items()]
        return every(
            *(
                some(no(is_atomic), self.placement.includes(event, other.thread))
                for is_atomic, event in atomic
                for _, other in atomic
                if event.thread != other.thread
            )
        )

    def has_outcome(self, coherence, in_cpp):
        """The condition that an execution ends as the shape's outcome says."""
        conditions = []
        for name, value in self.shape.outcomes().items():
            if name in self.sources:
                conditions.append(self.sources[name].get(value, False))
                continue
            events = {part: self.cpp[part] if in_cpp else self.ptx[part].get("access") for part in self.parts}
            last = next(
                event
                for part, event in events.items()
                if part.operation.location == name and part.operation.value == value and event.writes
            )
            conditions += [
                no(coherence[last, event]) for event in events.values() if event and event.writes and event is not last
            ]
        return every(*conditions)


def program_order(events):
    events = list(events)
    later = ((a, b) for index, a in enumerate(events) for b in events[index + 1 :] if a.thread == b.thread)
    return Relation(dict.fromkeys(later, True))


def solver_for(constraints):
    solver = z3.SolverFor("QF_FD")
    solver.add([constraint for constraint in constraints if constraint is not True])
    return solver


def is_possible(constraints):
    if any(constraint is False for constraint in constraints):
        return False
    return solver_for(constraints).check() == z3.sat


ALLOWED, FORBIDDEN, UNDEFINED = "allowed", "forbidden", "undefined"


def cpp_verdict(program):
    """Of the shape's outcome: undefined if some consistent execution has a data race."""
    order, constraints = program.modification_order()
    constraints += program.constraints
    execution = program.cpp_execution(order)
    constraints.append(execution.is_consistent())
    if is_possible([*constraints, execution.has_race()]):
        return UNDEFINED
    outcome = program.has_outcome(order, in_cpp=True)
    return ALLOWED if is_possible([*constraints, outcome]) else FORBIDDEN


def ptx_verdict(program, dependencies=None):
    """(the verdict on the shape's outcome, the axioms that forbid it: each alone, or all together)"""
    execution = program.ptx_execution(dependencies=dependencies)
    assert is_possible([*program.constraints, *execution.constraints, *execution.axioms.values()]), "no execution at all"
    outcome = program.has_outcome(execution.coherence, in_cpp=False)
    return verdict([*program.constraints, *execution.constraints, outcome], execution.axioms)


def verdict(constraints, axioms):
    if is_possible([*constraints, *axioms.values()]):
        return ALLOWED, ""
    alone = [name for name, condition in axioms.items() if not is_possible([*constraints, condition])]
    if alone:
        return FORBIDDEN, " or ".join(alone)
    others = {name: [condition for other, condition in axioms.items() if other != name] for name in axioms}
    needed = [name for name, conditions in others.items() if is_possible([*constraints, *conditions])]
    return FORBIDDEN, " and ".join(needed)


def difference(program, *conditions):
    """An execution without a race that PTX allows and C++ does not, as text; None if there is none."""
    order, constraints = program.modification_order()
    cpp = program.cpp_execution(order)
    ptx = program.ptx_execution(program.as_ptx(order))
    constraints += [
        *program.constraints,
        *ptx.constraints,
        *ptx.axioms.values(),
        cpp.is_inconsistent(),
        no(cpp.has_race()),
        *conditions,
    ]
    if any(constraint is False for constraint in constraints):
        return None
    solver = solver_for(constraints)
    return described(program, solver.model()) if solver.check() == z3.sat else None


def described(program, model):
    def holds(condition):
        return condition is True or (condition is not False and z3.is_true(model.eval(condition, model_completion=True)))

    lines = [f"{program.shape.name}:"]
    for part in program.parts:
        way = part.chosen_way(model)
        if way.order != "none":
            lines.append(f"  thread {part.operation.thread}: {part.operation}   {way}   [{way.wrapper}]")
    for a in range(program.shape.threads):
        for b in range(a):
            nearest = next(width for width in SCOPES if holds(program.placement.near(b, a, width)))
            lines.append(f"  threads {b} and {a} share {nearest}")
    reads = (
        f"{name}={value}" for name, values in program.sources.items() for value, condition in values.items() if holds(condition)
    )
    lines.append("  C++ forbids, and PTX allows: " + " ".join(reads))
    return "\n".join(lines)
