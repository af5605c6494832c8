"""The algorithms of the headers in their smallest form: what each order, fence and scope in them is for."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A scenario is written in a small language. Each thread is a list of
#   write x, read x                    ordinary accesses to the user's data
#   kernel: atom word, ld word, fence  the path through this kernel of algorithms.cu that consists of these instructions; the
#                                      words are the kind of an instruction and the location that it accesses
# In a path, (read x) is an access by the user between two instructions, "atom x fails" a compare-exchange that does not write,
# and a final ... leaves out the rest. "copy x>y bar" is a copy from x to y that completes on bar. Steps have names: the thread,
# and the kind of the instruction or the location of an ordinary access, as in 0.atom, 0.atom2, 1.data. A copy consists of
# 0.copy.read, 0.copy.write and 0.copy.done.

import functools
from dataclasses import dataclass, field
from pathlib import Path

import z3

import ptx_model
import ptx_text
from cudasync_tools import nvrtc
from litmus import program_order, solver_for
from placement import placed, together
from relations import Relation, choice, every, no, some, unknown

SOURCE = Path(__file__).with_name("algorithms.cu")
MEETING = {"block_sync", "warp_sync", "cluster_arrive", "cluster_wait"}
OUTSIDE = {"commit_group", "mbarrier_inval"}  # say nothing of order
SPACES = {"shared": ("shared",), "shared::cta": ("shared",), "shared::cluster": ("shared",), "global": ("global",)}
ACCESS = {  # reads, writes
    "ld": (True, False),
    "st": (False, True),
    "atom": (True, True),
    "red": (True, True),
    "arrive": (True, True),
    "wait": (True, False),
}


@dataclass(frozen=True)
class Scenario:
    algorithm: str
    title: str  # what holds
    threads: tuple
    forbidden: dict  # {a read: the write that it must not read from, or "initial"}
    after: dict = field(default_factory=dict)  # {a read: it reads what these writes wrote, or something later}
    places: object = "gpu"  # how near all threads are, or the place of each
    shared: tuple = ()  # locations in shared memory; the others are in global memory
    homes: dict = field(default_factory=dict)  # {such a location: a thread of the block that has it}
    arch: str = "90"
    wider: dict = field(default_factory=dict)  # {a step: a scope in place of its own}

    def placement(self):
        count = len(self.threads)
        return together(count, self.places) if isinstance(self.places, str) else placed(self.places)


@dataclass
class Step:
    name: str
    thread: int
    instruction: ptx_text.Instruction
    location: str | None
    kernel: str = ""  # none of ordinary accesses
    occurrence: int = 0  # among the equal instructions of the kernel
    fails: bool = False

    @property
    def label(self):
        """As in scenarios.SUPERFLUOUS."""
        return self.instruction.text + ("", " (second)", " (third)")[self.occurrence]


@functools.cache
def _kernels(arch, folders):
    return ptx_text.kernels(SOURCE.read_text(encoding="utf-8"), arch)


def kernels(arch):
    return _kernels(arch, tuple(nvrtc.folders))


def relevant(path):
    return [step for step in path if step.kind not in OUTSIDE and (step.is_strong or step.kind not in ("ld", "st"))]


class NoPath(Exception):
    """The headers generate no such path."""


def without_repetitions(path):
    """With one of each run of equal instructions: attempts that fail again and again order no more than the last one."""
    return [step for index, step in enumerate(path) if index == 0 or step.text != path[index - 1].text]


def path_like(kernel, arch, kinds, is_prefix):
    """The shortest path through a kernel whose instructions are of these kinds."""
    found = [relevant(path) for path in sorted(kernels(arch)[kernel], key=lambda path: (len(path), str(path)))]
    for path in [*found, *map(without_repetitions, found)]:
        if [step.kind for step in path][: len(kinds) if is_prefix else None] == kinds:
            return path[: len(kinds)]
    texts = "\n".join("  " + ", ".join(step.text for step in path) for path in found[:8])
    raise NoPath(f"sm_{arch}: no path through {kernel} is: {', '.join(kinds)}. Its paths are\n{texts}")


WRITE, READ = ptx_text.instruction("st.global.u32"), ptx_text.instruction("ld.global.u32")


def steps_of(scenario):
    steps, names = [], {}

    def add(thread, word, **values):
        name = f"{thread}.{word}"
        names[name] = names.get(name, 0) + 1
        steps.append(Step(name + (str(names[name]) if names[name] > 1 else ""), thread, **values))

    def add_access(thread, text):
        verb, location = text.split()
        add(thread, location, instruction={"write": WRITE, "read": READ}[verb], location=location)

    for thread, text in enumerate(scenario.threads):
        for item in filter(None, (item.strip() for item in text.split(";"))):
            if ":" not in item:
                add_access(thread, item)
                continue
            kernel, parts = (part.strip() for part in item.split(":"))
            parts = [part.strip() for part in parts.split(",")]
            is_prefix = parts[-1] == "..."
            words = [part for part in parts if not part.startswith("(") and part != "..."]
            path = iter(path_like(kernel, scenario.arch, [word.split()[0] for word in words], is_prefix))
            seen = []
            for part in parts[:-1] if is_prefix else parts:
                if part.startswith("("):
                    add_access(thread, part.strip("()"))
                    continue
                instruction = next(path)
                kind, *rest = part.split()
                add(
                    thread,
                    kind,
                    instruction=instruction,
                    location=" ".join(word for word in rest if word != "fails") or None,
                    kernel=kernel,
                    occurrence=seen.count(instruction),
                    fails="fails" in rest,
                )
                seen.append(instruction)
    for step in steps:
        if step.name in scenario.wider:
            step.instruction = step.instruction.with_scope(scenario.wider[step.name])
    return steps


class Variants:
    """A step as it is, or weaker: the solver is told which."""

    def __init__(self, step):
        self.switches = {what: unknown() for what, _ in ptx_text.weaker(step.instruction)} if step.kernel else {}
        self._instructions = [(no(some(*self.switches.values())), step.instruction)]
        self._instructions += [
            (self.switches[what], found) for what, found in ptx_text.weaker(step.instruction) if step.kernel and found
        ]

    def has(self, predicate):
        return some(*(condition for condition, instruction in self._instructions if predicate(instruction)))


# --- As events ---


class Program:
    def __init__(self, scenario):
        self.scenario = scenario
        self.steps = steps_of(scenario)
        self.events = {}  # {name: event}
        self._ordered = []  # those in program order
        self._groups = []  # waits for copies: (event, whether also for their writes)
        self.variants = [(step, Variants(step)) for step in self.steps]
        for step, variants in self.variants:
            self._add(step, variants)
        for copy in [event for event in self.events.values() if event.issue is not None and event.completion is None]:
            self._complete(copy)
        self._initial = {}
        for event in list(self.events.values()):
            if event.location and event.location not in self._initial:
                self._initial[event.location] = ptx_model.Event(
                    "initial", None, writes=True, location=event.location, space=event.space
                )
        self._execute()

    def _space(self, location):
        return "shared" if location in self.scenario.shared else "global"

    def _add(self, step, variants):
        kind, has = step.instruction.kind, variants.has
        event = ptx_model.Event(step.name, step.thread)
        self.events[step.name] = event
        self._ordered.append(event)
        event.is_strong = has(lambda found: found.is_strong)
        event.acquires = has(lambda found: found.order in ("acquire", "acq_rel", "sc"))
        event.releases = has(lambda found: found.order in ("release", "acq_rel", "sc"))
        event.scope = {scope: has(lambda found, scope=scope: found.scope == scope) for scope in ptx_text.SCOPES}
        event.is_there = has(lambda _: True)
        if kind == "fence":
            event.is_fence, event.is_sc = True, has(lambda found: found.order == "sc")
        elif kind == "proxy_fence":
            space = step.instruction.text.removeprefix("fence.proxy.async").strip(".")
            event.fenced_spaces = SPACES.get(space, ("shared", "global"))
            event.fences_own_block = space == "shared::cta"
        elif kind in MEETING:
            event.barrier, event.is_strong = step.location or kind, False
            event.arrives = kind != "cluster_wait" and has(lambda found: found.order != "relaxed")
            event.waits = kind != "cluster_arrive" and has(lambda found: found.order != "relaxed")
        elif kind == "copy":
            self._add_copy(step, event)
        elif kind == "wait_group":
            self._groups.append((event, has(lambda found: not found.text.endswith(".read"))))
        elif kind in ACCESS:
            event.reads, event.writes = ACCESS[kind]
            event.writes = event.writes and not step.fails
            event.is_reduction = kind == "red"
            event.location, event.space = step.location, self._space(step.location)
            event.home = self.scenario.homes.get(step.location)
        else:
            raise AssertionError(f"{step.instruction.text} is not modeled")

    def _add_copy(self, step, issue):
        places, *bar = step.location.split()
        source, destination = places.split(">")
        done = None
        if bar:
            done = ptx_model.Event(f"{step.name}.done", step.thread, True, True, bar[0], self._space(bar[0]), True, False, True)
            done.scope = {scope: scope == "cluster" for scope in ptx_text.SCOPES}
            self.events[done.text] = done
        for verb, location in (("read", source), ("write", destination)):
            access = ptx_model.Event(
                f"{step.name}.{verb}", step.thread, verb == "read", verb == "write", location, self._space(location)
            )
            access.issue, access.completion, access.proxy = issue, done, "async"
            self.events[access.text] = access

    def _complete(self, copy):
        """By the wait for this thread's copies; one for their reads says nothing of their writes."""
        for event, is_for_writes in self._groups:
            if event.thread == copy.thread:
                end = ptx_model.Event(f"{event.text} of {copy.text}", event.thread)
                end.is_there = every(event.is_there, True if copy.reads else is_for_writes)
                self._ordered.insert(self._ordered.index(event), end)
                copy.completion = end

    def _execute(self):
        reads_from, self.constraints = {}, []
        events = list(dict.fromkeys([*self._initial.values(), *self.events.values(), *self._ordered]))
        for read in self.events.values():
            if read.reads:
                writes = [event for event in events if event.writes and event is not read and event.location == read.location]
                conditions, constraints = choice(len(writes))
                self.constraints += constraints
                reads_from |= {(write, read): condition for write, condition in zip(writes, conditions, strict=True)}
        self.reads_from = Relation(reads_from)
        found = ptx_model.execution(events, program_order(self._ordered), self.reads_from, self.scenario.placement())
        for name, writes in self.scenario.after.items():
            for write in writes.split():
                self.constraints.append(self._reads_at_or_after(self.events[name], self.events[write], found.coherence))
        self.constraints += [*found.constraints, *found.axioms.values()]

    def _reads_at_or_after(self, read, write, coherence):
        sources = ((a, condition) for (a, b), condition in self.reads_from.pairs.items() if b is read)
        return some(*(every(condition, True if a is write else coherence[write, a]) for a, condition in sources))

    def outcome(self):
        pairs = ((self.events[name], source) for name, source in self.scenario.forbidden.items())
        return every(
            *(
                self.reads_from[self._initial[read.location] if source == "initial" else self.events[source], read]
                for read, source in pairs
            )
        )


@dataclass
class Result:
    scenario: Scenario
    is_forbidden: bool
    can_happen: bool  # without the outcome: else it would say nothing that the outcome is forbidden
    weakened: list  # (step, what is weaker, whether the outcome can happen then)


def check(scenario):
    program = Program(scenario)
    switches = [switch for _, variants in program.variants for switch in variants.switches.values()]
    if any(constraint is False for constraint in program.constraints):
        return Result(scenario, True, False, [])
    solver = solver_for(program.constraints)

    def is_possible(*switched):
        return solver.check(*switched, *(no(switch) for switch in switches if switch not in switched)) == z3.sat

    can_happen = is_possible()
    solver.add(program.outcome())
    weakened = [
        (step, what, is_possible(switch)) for step, variants in program.variants for what, switch in variants.switches.items()
    ]
    return Result(scenario, not is_possible(), can_happen, weakened)
