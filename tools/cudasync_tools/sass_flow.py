"""The flow of control in SASS: which instructions follow which, and what holds on every path to one of them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import struct
from dataclasses import dataclass, field, replace

from cudasync_tools import sass


@dataclass
class Instruction:
    """One instruction; waits and sets are the scoreboards that it waits for and that its result will clear."""

    text: str
    predicate: str  # "@P0" or ""
    words: list[str]  # of the mnemonic: ["ATOMG", "E", "ADD", "STRONG", "GPU"]
    waits: frozenset
    sets: int | None
    target: int | None  # the index of the instruction that it names
    next: list[int] = field(default_factory=list)


def _control(high):
    """(scoreboards waited for, scoreboard that the result clears) from the upper half of an instruction's 128 bits."""
    mask = high >> 52 & 0x3F
    sets = high >> 46 & 7
    return frozenset(bit for bit in range(6) if mask >> bit & 1), None if sets == 7 else sets


def _parse(decoded, code):
    """[Instruction] of one kernel, from what sass.decoded says about its bytes."""
    instructions = []
    for (text, target), (_, high) in zip(decoded, struct.iter_unpack("<QQ", code), strict=True):
        predicate, _, rest = text.partition(" ") if text.startswith("@") else ("", "", text)
        words = rest.split()[0].split(".")
        jumps = words[0] in ("BRA", "BSSY", "CALL") or words[:2] == ["WARPSYNC", "COLLECTIVE"]
        waits, sets = _control(high)
        instructions.append(Instruction(text, predicate, words, waits, sets, target if jumps else None))
    return instructions


def _following(instructions):
    """For each instruction the indices of those that may come next, but for CALL and RET, and the function that it calls."""
    reconvergence = {}  # where threads meet again, by the register that says which do: the last before in the listing
    result = []
    for index, i in enumerate(instructions):
        name = i.words[0]
        goes = [] if i.target is None else [i.target]
        falls_through = [index + 1] if i.predicate else []
        called = None
        if name in ("BRX", "JMX", "BRXU"):
            raise sass.Unreadable(f"a jump by a register: {i.text}")
        if name == "BSSY" and goes:
            reconvergence[i.text.split()[1].rstrip(",")] = goes[0]
        if name == "BRA":  # its own operand may be another condition
            following = goes + [index + 1] * bool(i.predicate or i.text.count(",") > 0)
        elif name == "CALL" and goes:
            following, called = [index + 1], goes[0]
        elif name in ("RET", "EXIT", "KILL"):
            following = falls_through
        elif name == "BSYNC":
            following = [reconvergence.get(i.text.split()[-1], index + 1), *falls_through]
        else:
            following = [index + 1, *(goes if name == "WARPSYNC" else [])]
        result.append(([other for other in dict.fromkeys(following) if other < len(instructions)], called))
    return result


def _expand(instructions):
    """The flow from the kernel's beginning, with a copy of a function at each of its calls."""
    following = _following(instructions)
    flow = []

    def copy(entry, returns_to, depth):
        """Appends the instructions that are reached from this one; returns where in the flow it is."""
        if depth > 8:
            raise sass.Unreadable("functions that call each other too deeply")
        places = {}

        def place(index):
            if index not in places:
                places[index] = len(flow)
                flow.append(replace(instructions[index], next=[]))
                waiting.append(index)
            return places[index]

        waiting = []
        place(entry)
        while waiting:
            index = waiting.pop()
            here, (others, called) = flow[places[index]], following[index]
            if called is not None:
                behind = place(others[0])
                here.next = [copy(called, behind, depth + 1), *([behind] if here.predicate else [])]
            else:
                here.next = [place(other) for other in others]
                if here.words[0] == "RET" and returns_to is not None:
                    here.next.append(returns_to)
        return places[entry]

    copy(0, None, 0)
    return flow


def flows(codes, arch):
    """{kernel: [Instruction]} of {kernel: its bytes}."""
    return {name: _expand(_parse(decoded, codes[name])) for name, decoded in sass.decoded(codes, arch).items()}


def states(instructions, start, step, join):
    """The state before each instruction: step(state, instruction) makes that after it, join that of several paths.

    None where no path leads.
    """
    before = [None] * len(instructions)
    before[0] = start
    waiting = [0]
    while waiting:
        index = waiting.pop()
        after = step(before[index], instructions[index])
        for following in instructions[index].next:
            joined = after if before[following] is None else join(before[following], after)
            if joined != before[following]:
                before[following] = joined
                waiting.append(following)
    return before


def loops(instructions, broken):
    """The sets of indices that are reached from one another without passing any of these."""
    open_, order, numbers, lows, found = [], [], {}, {}, []
    following = [
        [] if index in broken else [other for other in i.next if other not in broken]
        for index, i in enumerate(instructions)
    ]
    for root in range(len(instructions)):  # Tarjan's algorithm, without recursion
        work = [(root, iter(following[root]))] if root not in numbers else []
        while work:
            index, rest = work[-1]
            if index not in numbers:
                numbers[index] = lows[index] = len(order)
                order.append(index)
                open_.append(index)
            other = next(rest, None)
            if other is None:
                work.pop()
                if work:
                    lows[work[-1][0]] = min(lows[work[-1][0]], lows[index])
                if lows[index] == numbers[index]:
                    start = open_.index(index)
                    component, open_ = open_[start:], open_[:start]
                    if len(component) > 1 or index in following[index]:
                        found.append(sorted(component))
            elif other not in numbers:
                work.append((other, iter(following[other])))
            elif other in open_:
                lows[index] = min(lows[index], numbers[other])
    return found
