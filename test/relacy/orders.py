"""The memory orders in the counter algorithms, each marked with a number by which a run can weaken it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from typing import NamedTuple

from cudasync_tools import toolchain
from cudasync_tools.planted import planted

# The counter algorithms and what their host threads use to sleep. Not the orders that a user of an atomic object passes, which
# atomic.h and await_value.h hand on.
HEADERS = [
    "backend/atomic/await_value_host.h",
    "backend/atomic/word_host.h",
    "backend/grid/grid_phase_host.h",
    "backend/grid/peer_number.h",
    "backend/grid/peer_phase.h",
    "backend/permit/permit_flag.h",
    "backend/permit/permit_queue.h",
    "backend/phase/await_flip_host.h",
    "backend/phase/countdown.h",
    "backend/phase/counter_phase.h",
    "backend/phase/gate_phase.h",
    "thread/time.h",
    "pipeline.h",
    "pipeline/pipeline_stage.h",
]

# As the compiler and relacy number them.
NUMBERS = {"relaxed": 0, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
WEAKER = {"acquire": ["relaxed"], "release": ["relaxed"], "acq_rel": ["acquire", "release"], "seq_cst": ["acq_rel"]}

ORDER = "acquire|release|acq_rel|seq_cst"
PATTERNS = [
    # load_acquire<Scope>(here, word)
    (rf"\b(\w+_(?P<order>{ORDER})<(?:Scope|thread_scope_system)>\()(target::here\{{\}}|here)(?=,)", r"\1explored::at(PLACE, \3)"),
    # fetch<Scope, 4, operation::add>(here, word, 1, memory_order_acquire_t{})
    (rf"\b(memory_order_(?P<order>{ORDER})_t\{{\}})", r"static_cast<memory_order>(explored::order_at(PLACE, NUMBER))"),
    # __atomic_load_n(&word, __ATOMIC_ACQUIRE)
    (rf"\b(__ATOMIC_(?P<order>{ORDER.upper()}))\b", r"explored::order_at(PLACE, \1)"),
    # load<Scope>(here, object, order), which is acquire in the algorithms
    (r"\b(load<Scope>\()(here)(?=, object, (?P<order>order)\))", r"\1explored::at(PLACE, \2)"),
]
# Names of functions that contain the name of an order: those of the semaphore and the pipeline, and of word_host.h itself.
NO_ORDERS = "(try_)?acquire_permit(_for)?|released?_permits|producer_acquire|consumer_release"
NO_ORDERS += "|load_acquire|store_release|fetch_add_release"

# A thread tries once before it enters a queue, and falls asleep after one poll, so that executions are short.
SHORTER = {
    "backend/atomic/await_value_host.h": [
        ("pauses < 2 * spins;)", "pauses < 1;)"),
        ("} while (now(here) - start < limit);", "} while (now(here) < start);"),
    ],
    "thread/time.h": [
        ("spins = 32;", "spins = 1;"),
        ("shortest_slept_wait = 32 * timer_delay;", "shortest_slept_wait = 0;"),
        ("return sleep < longest_sleep ? sleep : longest_sleep;", "return sleep < longest_sleep ? longest_sleep : longest_sleep;"),
    ],
}


class Fault(NamedTuple):
    place: int
    order: int  # in place of the order that stands there
    name: str


class Change(NamedTuple):
    """A fault other than a weaker order. IS_FAULTY stands for a condition."""

    name: str
    header: str
    text: str  # stands there once
    replacement: str


CHANGES = [
    Change(
        "notify looks for sleepers without a fence",
        "thread/time.h",
        "  __sync_synchronize();\n  notify_after",
        "  if (!IS_FAULTY) __sync_synchronize();\n  notify_after",
    ),
    Change(
        "a thread that sleeps announces itself without a fence",
        "thread/time.h",
        "    __sync_synchronize();\n  }",
        "    if (!IS_FAULTY) __sync_synchronize();\n  }",
    ),
    Change(
        "a thread sleeps without a last look at the phase",
        "backend/phase/await_flip_host.h",
        "if (!has_flipped(word, __atomic_load_n",
        "if (IS_FAULTY || !has_flipped(word, __atomic_load_n",
    ),
    Change(
        "a thread sleeps without a last look at the value",
        "backend/atomic/await_value_host.h",
        "notices_of(place);\n    if (condition(",
        "notices_of(place);\n    if (!IS_FAULTY && condition(",
    ),
    Change(
        "a thread that sleeps does not announce itself",
        "thread/time.h",
        "__atomic_fetch_add(&place_.sleepers, 1,",
        "__atomic_fetch_add(&place_.sleepers, IS_FAULTY ? 0 : 1,",
    ),
    Change(
        "notices are not counted",
        "thread/time.h",
        "__atomic_fetch_add(&place.notices, 1,",
        "__atomic_fetch_add(&place.notices, IS_FAULTY ? 0 : 1,",
    ),
    Change(
        "the refill is a load and a store",
        "backend/phase/counter_phase.h",
        "    static_cast<void>(fetch_add_relaxed<Scope>(target::here{}, phase.word, refill(lower)));\n",
        "    if (IS_FAULTY)\n"
        "      __atomic_store_n(&phase.word, load_relaxed<Scope>(target::here{}, phase.word) + refill(lower), explored::release);\n"
        "    else\n"
        "      static_cast<void>(fetch_add_relaxed<Scope>(target::here{}, phase.word, refill(lower)));\n",
    ),
    Change(
        "a drop does not wait for the refill",
        "backend/phase/counter_phase.h",
        "has_dropped = current_count(taken)",
        "has_dropped = IS_FAULTY || current_count(taken)",
    ),
    Change(
        "a drop does not take the bits away",
        "backend/phase/counter_phase.h",
        "const uint64 bits = ",
        "const uint64 bits = IS_FAULTY ? 0 : ",
    ),
    Change(
        "a drop that gives the count back refills nothing",
        "backend/phase/counter_phase.h",
        "if (has_flipped(upper_half(before), upper_half(now))) {",
        "if (!(IS_FAULTY && !has_dropped) && has_flipped(upper_half(before), upper_half(now))) {",
    ),
    Change(
        "a drop does not wait for another drop",
        "backend/phase/counter_phase.h",
        "for (; (before & drop_bit) != 0;",
        "for (; !IS_FAULTY && (before & drop_bit) != 0;",
    ),
    Change(
        "an arrival that completes a phase does not wait for a drop",
        "backend/phase/counter_phase.h",
        "drop &= expected_count(before);",
        "drop &= IS_FAULTY ? 0 : expected_count(before);",
    ),
    Change(
        "of several phases that a drop completes, one is refilled",
        "backend/phase/counter_phase.h",
        "missing_refills(next, current_count(now), ~0u));",
        "missing_refills(next, current_count(now), IS_FAULTY ? next : ~0u));",
    ),
    Change(
        "an early arrival that completes its phase adds no refill",
        "backend/phase/counter_phase.h",
        "if (!has_completed && is_refilled(before)) {",
        "if (!has_completed && (IS_FAULTY || is_refilled(before))) {",
    ),
    Change(
        "the gate opens before the completion function runs",
        "backend/phase/gate_phase.h",
        "    complete(phase);\n",
        "    if (IS_FAULTY) __atomic_store_n(&phase.pending, (~before & parity) | Word{2}, explored::release);\n    complete(phase);\n",
    ),
    Change(
        "a drop from a gate lowers the expected count after its arrival",
        "backend/phase/gate_phase.h",
        "  static_cast<void>(fetch_add_relaxed<Scope>(here, phase.expected, ~Word{0}));\n"
        "  static_cast<void>(count_down(here, phase, Word{1}));\n",
        "  if (!IS_FAULTY) static_cast<void>(fetch_add_relaxed<Scope>(here, phase.expected, ~Word{0}));\n"
        "  static_cast<void>(count_down(here, phase, Word{1}));\n"
        "  if (IS_FAULTY) static_cast<void>(fetch_add_relaxed<Scope>(here, phase.expected, ~Word{0}));\n",
    ),
    Change(
        "a thread takes the permit before it leaves the queue",
        "backend/permit/permit_flag.h",
        "      if (compare_exchange<Scope, 4>(target::here{}, flag.word, last, after_turn(last), memory_order_acquire_t{}))\n"
        "        return true;\n",
        "    {\n"
        "      const uint32 left = IS_FAULTY ? last - permit_bit : after_turn(last);\n"
        "      if (!compare_exchange<Scope, 4>(target::here{}, flag.word, last, left, memory_order_acquire_t{})) continue;\n"
        "      if (IS_FAULTY)\n"
        "        update<Scope, 4, operation::add>(target::here{}, flag.word, one_served - one_waiting, memory_order::relaxed);\n"
        "      return true;\n"
        "    }\n",
    ),
    Change(
        "an acquire takes the permit before those that wait in the queue",
        "backend/permit/permit_flag.h",
        "  return compare_exchange<Scope, 4>(target::here{}, flag.word, found, uint32{0}, memory_order_acquire_t{});",
        "  if (IS_FAULTY) return try_acquire_permit(target::here{}, flag);\n"
        "  return compare_exchange<Scope, 4>(target::here{}, flag.word, found, uint32{0}, memory_order_acquire_t{});",
    ),
    Change(
        "the last producer drops out",
        "pipeline.h",
        "if (count_down(one_producer) == 1) return;",
        "if (count_down(one_producer) == 1 && !IS_FAULTY) return;",
    ),
    Change(
        "the last consumer drops out before the producers allow it",
        "pipeline.h",
        "if (is_last && ",
        "if (!IS_FAULTY && is_last && ",
    ),
    Change(
        "a thread waits for consumers before it drops out as a producer",
        "pipeline.h",
        "    const bool has_seen_all = ",
        "    const pipeline_position tail = tail_;\n"
        "    for (uint8 left = IS_FAULTY && is_consumer_ ? count_ : 0; left != 0; --left, tail_.advance(count_))\n"
        "      await(oldest().consumed, {{tail_.parity ^ 1u}, tail_.stage, false}, where);\n"
        "    tail_ = tail;\n"
        "    const bool has_seen_all = ",
    ),
    Change(
        "a thread is counted out before it has dropped out",
        "pipeline.h",
        "    if (is_producer_) leave_producers(where);\n"
        "    if (is_consumer_) leave_consumers(where);\n"
        "    if (count_down(one_member) != 1) return false;\n",
        "    const bool is_early = IS_FAULTY;\n"
        "    const bool is_last = is_early && count_down(one_member) == 1;\n"
        "    if (is_producer_) leave_producers(where);\n"
        "    if (is_consumer_) leave_consumers(where);\n"
        "    if (is_early ? !is_last : count_down(one_member) != 1) return false;\n",
    ),
]


def code_of(text):
    """The text with blanks in place of comments, strings and code for the device, so that positions stay the same."""
    nothing = r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|^#if CUDASYNC_CUDA\b.*?^#endif'
    return re.sub(nothing, lambda found: re.sub(".", " ", found[0]), text, flags=re.DOTALL | re.MULTILINE)


def source(header):
    return (toolchain.INCLUDE / "cudasync" / header).read_text(encoding="utf-8")


def unmarked(header):
    """Words in the code of a header that name an order, and that neither a pattern recognizes nor NO_ORDERS explains."""
    code = re.sub(r"^ *#.*", "", code_of(source(header)), flags=re.MULTILINE)
    for pattern, _ in PATTERNS:
        code = re.sub(pattern, "", code)
    words = re.findall(rf"\w*(?:{ORDER}|{ORDER.upper()})\w*", code)
    return [word for word in words if not re.fullmatch(NO_ORDERS, word)]


def marks(header):
    """The orders in the code of a header that would be marked."""
    return [match["order"] for pattern, _ in PATTERNS for match in re.finditer(pattern, code_of(source(header)))]


class Marked:
    """The headers with marks, and the faults that a run can choose."""

    def __init__(self):
        self.faults = []
        self.places = 0
        self.texts = {header: self.mark(header) for header in HEADERS}

    def new_place(self):
        self.places += 1
        return self.places

    def mark(self, header):
        """Puts the other code of each fault beside the code of the header, then marks each order."""
        text = source(header)
        for before, after in SHORTER.get(header, []):
            assert text.count(before) == 1, f"{header}: SHORTER of {__file__} needs the new text in place of {before!r}"
            text = text.replace(before, after)
        for change in CHANGES:
            if change.header == header:
                place = self.new_place()
                condition = f"explored::is_faulty({place})"
                replacement = change.replacement.replace("IS_FAULTY", condition)
                text = planted(text, header, change.name, change.text, replacement, "a scenario of test/relacy")
                self.faults.append(Fault(place, 0, change.name))
        code = code_of(text)
        found = [(match, mark) for pattern, mark in PATTERNS for match in re.finditer(pattern, code)]
        pieces, end = [], 0
        for match, mark in sorted(found, key=lambda item: item[0].start()):
            place = self.new_place()
            order = "acquire" if match["order"] == "order" else match["order"].lower()
            line = text[text.rfind("\n", 0, match.start()) + 1 : text.find("\n", match.end())].strip()
            line = re.sub(r"!?explored::is_faulty\(\d+\) (\? \w+ : |&& |\|\| )", "", line)
            self.faults += [Fault(place, NUMBERS[weaker], f"{header}: {line} {order} -> {weaker}") for weaker in WEAKER[order]]
            marked = match.expand(mark).replace("PLACE", str(place)).replace("NUMBER", str(NUMBERS[order]))
            pieces += [text[end : match.start()], marked]
            end = match.end()
        return "".join([*pieces, text[end:]])

    def write(self, folder):
        for header, text in self.texts.items():
            path = folder / "cudasync" / header
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
