"""Faults put into the headers one at a time: for each, the test named next to it must fail. Without it, the test passes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

import codegen_format
import lit_format
import model
import nvrtc
import toolchain

HERE = Path(__file__).resolve().parent
SECONDS = 2  # until a program with a mutation hangs; without one it takes a fraction of a second
SECONDS_WITHOUT = 60  # on a busy machine


class Mutant(NamedTuple):
    name: str
    header: str  # below include/cudasync
    text: str  # stands there once
    replacement: str
    test: str  # "phases CHECK" of host_phases.cpp, so "atomics", "pipelines" and "permits", "codegen FILE VARIANT", "model FILE KERNEL ARCH", or "lint TEST of test_headers.py"


MUTANTS = [
    # Orders: ThreadSanitizer sees the race.
    Mutant(
        "arrivals do not release",
        "backend/atomic/word_host.h",
        "fetch_add(&word, value, __ATOMIC_RELEASE)",
        "fetch_add(&word, value, __ATOMIC_RELAXED)",
        "phases messages_by_counter",
    ),
    Mutant(
        "waits do not acquire",
        "backend/atomic/word_host.h",
        "__ATOMIC_ACQUIRE",
        "__ATOMIC_RELAXED",
        "phases messages_by_counter",
    ),
    Mutant(
        "the gate does not release",
        "backend/atomic/word_host.h",
        "store_n(&word, value, __ATOMIC_RELEASE)",
        "store_n(&word, value, __ATOMIC_RELAXED)",
        "phases completion",
    ),
    Mutant(
        "drops do not release",
        "backend/atomic/word_host.h",
        "false, __ATOMIC_RELEASE, __ATOMIC_RELAXED",
        "false, __ATOMIC_RELAXED, __ATOMIC_RELAXED",
        "phases drops_from_counter",
    ),
    Mutant(
        "the completion function does not acquire",
        "backend/phase/gate_phase.h",
        "    static_cast<void>(load_acquire<Scope>(here, phase.pending));\n",
        "",
        "phases completion",
    ),
    # Counts.
    Mutant(
        "no refill",
        "backend/phase/counter_phase.h",
        "phase.word, refill(expected));",
        "phase.word, 0);",
        "phases crossing_phases",
    ),
    Mutant(
        "a refill off by one",
        "backend/phase/counter_phase.h",
        "((uint64{1} << 31) - expected) << 32",
        "((uint64{1} << 31) - expected + 1) << 32",
        "phases counts",
    ),
    Mutant(
        "large counts as small ones",
        "backend/phase/counter_phase.h",
        "|| expected_count(word) > most_with_refilled_bit",
        "",
        "phases drops_from_counter",
    ),
    Mutant(
        "a refill that always seems to have landed",
        "backend/phase/counter_phase.h",
        "(current_count(word) & refilled_bit) != 0 ||",
        "true ||",
        "phases crossing_phases",
    ),
    Mutant(
        "no phase completes beside a refill",
        "backend/phase/counter_phase.h",
        "    rest += arrivals;\n",
        "    return 0;\n",
        "phases crossing_phases",
    ),
    Mutant(
        "early arrivals complete one phase at most",
        "backend/phase/counter_phase.h",
        "phases * addend",
        "addend",
        "phases crossing_phases",
    ),
    Mutant(
        "no refill after the carry of a large count",
        "backend/phase/counter_phase.h",
        "    if (expected_count(value) > most_with_refilled_bit)\n",
        "    if (false)\n",
        "phases crossing_phases",
    ),
    Mutant(
        "a drop from the counter lowers nothing",
        "backend/phase/counter_phase.h",
        "one_drop = one_arrival - 1;",
        "one_drop = one_arrival;",
        "phases drops_from_counter",
    ),
    Mutant(
        "a drop from the gate lowers nothing",
        "backend/phase/gate_phase.h",
        "phase.expected, ~Word{0}",
        "phase.expected, Word{0}",
        "phases drops_from_gate",
    ),
    Mutant(
        "the gate keeps its parity",
        "backend/phase/gate_phase.h",
        "(~before & parity) | expected",
        "(before & parity) | expected",
        "phases counts",
    ),
    Mutant(
        "parities inverted",
        "backend/phase/phase.h",
        "which.odd ? parity_bit<uint64> : 0",
        "which.odd ? 0 : parity_bit<uint64>",
        "phases counts",
    ),
    Mutant(
        "flips inverted",
        "backend/phase/phase.h",
        "- 32)) < 0;",
        "- 32)) >= 0;",
        "phases counts",
    ),
    # Completion functions.
    Mutant(
        "completion skipped",
        "backend/phase/gate_phase.h",
        "    complete(phase);\n",
        "",
        "phases completion",
    ),
    Mutant(
        "completion after the release",
        "backend/phase/gate_phase.h",
        "    complete(phase);\n"
        "    const Word expected = load_relaxed<Scope>(here, phase.expected) & ~phase.sleepers_bit;\n"
        "    store_release<Scope>(here, phase.pending, (~before & parity) | expected);\n",
        "    const Word expected = load_relaxed<Scope>(here, phase.expected) & ~phase.sleepers_bit;\n"
        "    store_release<Scope>(here, phase.pending, (~before & parity) | expected);\n"
        "    complete(phase);\n",
        "phases completion",
    ),
    # Waits.
    Mutant(
        "sleepers are not woken",
        "backend/thread/time.h",
        "futex_wake, 0x7fffffff",
        "futex_wake, 0",
        "phases sleepers",
    ),
    Mutant(
        "one sleeper is woken",
        "backend/thread/time.h",
        "futex_wake, 0x7fffffff",
        "futex_wake, 1",
        "phases sleepers",
    ),
    Mutant(
        "one sleeper of an atomic is woken",
        "backend/thread/time.h",
        "futex_wake, 0x7fffffff",
        "futex_wake, 1",
        "atomics sleepers",
    ),
    Mutant(
        "sleepers do not announce themselves",
        "backend/phase/await_flip_host.h",
        "Phase::sleepers_bit, __ATOMIC_ACQUIRE));",
        "0, __ATOMIC_ACQUIRE));",
        "phases sleepers",
    ),
    Mutant(
        "the gate wakes nobody",
        "backend/phase/gate_phase.h",
        "    wake_sleepers(here, phase);\n",
        "",
        "phases sleepers",
    ),
    Mutant(
        "a timed wait ends at once",
        "backend/phase/await_flip_host.h",
        "waited >= limit) return false",
        "true) return false",
        "phases timed_waits",
    ),
    Mutant(
        "a timed wait is always true",
        "backend/phase/await_flip_host.h",
        "waited >= limit) return false",
        "true) return true",
        "phases timed_waits",
    ),
    Mutant(
        "a timed wait has no end",
        "backend/phase/await_flip_host.h",
        "waited >= limit) return false",
        "false) return false",
        "phases timed_waits",
    ),
    # Atomics on the host.
    Mutant(
        "atomic loads do not acquire",
        "backend/atomic/atomic_host.h",
        "&result.value, static_cast<int>(Order));",
        "&result.value, __ATOMIC_RELAXED);",
        "atomics messages_by_store",
    ),
    Mutant(
        "atomic stores do not release",
        "backend/atomic/atomic_host.h",
        "__atomic_store(&object, &desired, static_cast<int>(Order));",
        "__atomic_store(&object, &desired, __ATOMIC_RELAXED);",
        "atomics messages_by_store",
    ),
    Mutant(
        "run-time orders are taken for relaxed",
        "backend/atomic/atomic.h",
        "return store<Scope>(here, object, value, memory_order_release);",
        "return store<Scope>(here, object, value, memory_order_relaxed);",
        "atomics messages_by_run_time_order",
    ),
    Mutant(
        "read-modify-writes do not release",
        "backend/atomic/atomic_host.h",
        "constexpr int model = static_cast<int>(Order);",
        "constexpr int model = __ATOMIC_RELAXED;",
        "atomics messages_by_addition",
    ),
    Mutant(
        "void additions do not release",
        "backend/atomic/atomic_host.h",
        "static_cast<void>(fetch<Scope, Room, Operation>(here, object, operand, order));",
        "static_cast<void>(fetch<Scope, Room, Operation>(here, object, operand, memory_order_relaxed));",
        "atomics messages_by_void_addition",
    ),
    Mutant(
        "loops do not release",
        "backend/atomic/atomic_host.h",
        "Operation::apply(before, operand), order)) {",
        "Operation::apply(before, operand), memory_order_relaxed)) {",
        "atomics messages_by_maximum",
    ),
    Mutant(
        "compare-exchanges do not order",
        "backend/atomic/atomic_host.h",
        "false, static_cast<int>(Order),",
        "false, __ATOMIC_RELAXED,",
        "atomics messages_by_compare_exchange",
    ),
    Mutant(
        "failures take the order of the success alone",
        "core/memory_order.h",
        "const bool is_acquiring = acquires(left) || acquires(right);",
        "const bool is_acquiring = acquires(left);",
        "atomics messages_by_failure",
    ),
    Mutant(
        "failures do not acquire",
        "core/memory_order.h",
        "return success == memory_order::acq_rel   ? memory_order::acquire",
        "return success == memory_order::acq_rel   ? memory_order::relaxed",
        "atomics messages_by_failure",
    ),
    Mutant(
        "nobody announces that he sleeps for an atomic",
        "backend/atomic/await_value_host.h",
        "__atomic_fetch_add(&place_.sleepers, 1, __ATOMIC_ACQUIRE);",
        "__atomic_fetch_add(&place_.sleepers, 0, __ATOMIC_ACQUIRE);",
        "atomics sleepers",
    ),
    Mutant(
        "notices are not counted",
        "backend/thread/time.h",
        "__atomic_fetch_add(&place.notices, 1, __ATOMIC_RELEASE);",
        "",
        "atomics late_changes",
    ),
    Mutant(
        "waits for an atomic sleep without a last look",
        "backend/atomic/await_value_host.h",
        "    const uint32 notices = notices_of(place);\n"
        "    if (condition(load<Scope>(here, object, order))) return true;\n",
        "    const uint32 notices = notices_of(place);\n",
        "atomics late_changes",
    ),
    Mutant(
        "a timed wait for an atomic ends at once",
        "backend/atomic/await_value_host.h",
        "waited >= limit) return false",
        "true) return false",
        "atomics timed_waits",
    ),
    Mutant(
        "waits for an atomic do not acquire",
        "backend/atomic/await_value_host.h",
        "  for (uint32 polls = 0;; ++polls) {\n    if (condition(load<Scope>(here, object, order))) return true;",
        "  for (uint32 polls = 0;; ++polls) {\n    if (condition(load<Scope>(here, object, memory_order_relaxed))) return true;",
        "atomics messages_by_wait",
    ),
    Mutant(
        "a value behind a lock is taken without it",
        "backend/atomic/atomic_box.h",
        "    take_lock<Scope>(target::here{}, lock_, lock_order{});\n",
        "",
        "atomics locked_values",
    ),
    Mutant(
        "a lock is held for ever",
        "backend/atomic/atomic_box.h",
        "store<Scope>(target::here{}, lock_, 0u, memory_order_release);",
        "",
        "atomics locked_values",
    ),
    Mutant(
        "who takes a lock does not acquire",
        "backend/atomic/atomic_box.h",
        "Order == memory_order::seq_cst ? Order : memory_order::acquire>",
        "memory_order::relaxed>",
        "atomics locked_values",
    ),
    Mutant(
        "who gives a lock back does not release",
        "backend/atomic/atomic_box.h",
        "lock_, 0u, memory_order_release",
        "lock_, 0u, memory_order_relaxed",
        "atomics locked_values",
    ),
    Mutant(
        "floats compare as integers",
        "core/operation.h",
        "bits < 0 ? bits ^ magnitude : bits",
        "bits",
        "atomics values",
    ),
    Mutant(
        "the lesser for the greater",
        "core/operation.h",
        "to_ordered(operand) < to_ordered(before) ? operand : before",
        "to_ordered(before) < to_ordered(operand) ? operand : before",
        "atomics values",
    ),
    Mutant(
        "pointers move by bytes",
        "atomic_ref.h",
        "operand * static_cast<ptrdiff_t>(sizeof(*value_type()))",
        "operand",
        "atomics values",
    ),
    # Pipelines and their copies on the host.
    Mutant(
        "rounds keep their parity",
        "pipeline_stage.h",
        "    is_odd_round = is_odd_round != is_last;\n",
        "",
        "pipelines waits",
    ),
    Mutant(
        "a ring of one stage too many",
        "pipeline_stage.h",
        "stage + 1 == stages;",
        "stage == stages;",
        "pipelines streams",
    ),
    Mutant(
        "acquire waits for the wrong parity",
        "pipeline.h",
        "await(stages_[head_.stage].consumed, {{!head_",
        "await(stages_[head_.stage].consumed, {{head_",
        "pipelines waits",
    ),
    Mutant(
        "acquire does not wait",
        "pipeline.h",
        "    await(stages_[head_.stage].consumed, {{!head_.is_odd_round}, head_.stage, true} CUDASYNC_PASS_CALLER);\n",
        "",
        "pipelines streams",
    ),
    Mutant(
        "consumers wait for the round before",
        "pipeline.h",
        "{{tail_.is_odd_round}, tail_.stage, false}",
        "{{!tail_.is_odd_round}, tail_.stage, false}",
        "pipelines streams",
    ),
    Mutant(
        "timed waits are for the round before",
        "pipeline.h",
        "try_wait_parity_for(tail_.is_odd_round, duration)",
        "try_wait_parity_for(!tail_.is_odd_round, duration)",
        "pipelines waits",
    ),
    Mutant(
        "commit does not advance",
        "pipeline.h",
        "    has_copies_ = false;\n    head_.advance(count_);\n",
        "    has_copies_ = false;\n",
        "pipelines streams",
    ),
    Mutant(
        "release commits",
        "pipeline.h",
        "auto& consumed = phase_of(stages_[tail_.stage].consumed);",
        "auto& consumed = phase_of(stages_[tail_.stage].produced);",
        "pipelines streams",
    ),
    Mutant(
        "release does not advance",
        "pipeline.h",
        "consumer_release>(consumed, 1 CUDASYNC_PASS_CALLER));\n    tail_.advance(count_);\n",
        "consumer_release>(consumed, 1 CUDASYNC_PASS_CALLER));\n",
        "pipelines streams",
    ),
    Mutant(
        "as many consumers as producers",
        "pipeline_stage.h",
        "init(&stage.consumed, static_cast<ptrdiff_t>(consumers) CUDASYNC_PASS_FRIEND_CALLER);",
        "init(&stage.consumed, static_cast<ptrdiff_t>(producers) CUDASYNC_PASS_FRIEND_CALLER);",
        "pipelines streams",
    ),
    Mutant(
        "the count of producers begins anywhere",
        "pipeline_stage.h",
        "members_.word = 0; }",
        "}",
        "pipelines streams",
    ),
    Mutant(
        "threads count as producers that are none",
        "make_pipeline.h",
        "if (is_producer) state->count_producer();",
        "state->count_producer();",
        "pipelines streams",
    ),
    Mutant(
        "roles swapped",
        "make_pipeline.h",
        "role == pipeline_role::producer;",
        "role == pipeline_role::consumer;",
        "pipelines streams",
    ),
    Mutant(
        "the first threads are consumers",
        "make_pipeline.h",
        "static_cast<uint32>(members.thread_rank()) < producers;",
        "static_cast<uint32>(members.thread_rank()) >= producers;",
        "pipelines leaving",
    ),
    Mutant(
        "stages in use before they are initialized",
        "make_pipeline.h",
        "threads, threads CUDASYNC_PASS_CALLER);\n  sync_members(members);\n",
        "threads, threads CUDASYNC_PASS_CALLER);\n",
        "pipelines streams",
    ),
    Mutant(
        "producers drop out of a round that is not over",
        "pipeline.h",
        "      await(stage.produced, {{!head_.is_odd_round}, head_.stage, true} CUDASYNC_PASS_CALLER);\n",
        "",
        "pipelines leaving",
    ),
    Mutant(
        "consumers drop out of a round that is not over",
        "pipeline.h",
        "      await(stage.consumed, {{!tail_.is_odd_round}, tail_.stage, false} CUDASYNC_PASS_CALLER);\n",
        "",
        "pipelines leaving",
    ),
    Mutant(
        "producers drop out of one stage too few",
        "pipeline.h",
        "left != 0; --left, head_",
        "left != 1; --left, head_",
        "pipelines leaving",
    ),
    Mutant(
        "producers drop out of the same stage again",
        "pipeline.h",
        "--left, head_.advance(count_)) {",
        "--left) {",
        "pipelines leaving",
    ),
    Mutant(
        "the last producers drop where they may not",
        "pipeline.h",
        "may_drop && (!nobody_stays(one_producer) || stage.consumed.try_wait_parity(!head_.is_odd_round))",
        "may_drop",
        "pipelines leaving",
    ),
    Mutant(
        "the last producers drop nowhere",
        "pipeline.h",
        "!nobody_stays(one_producer) || stage.consumed.try_wait_parity(!head_.is_odd_round)",
        "!nobody_stays(one_producer)",
        "pipelines leaving",
    ),
    Mutant(
        "who leaves is not counted out of its role",
        "pipeline.h",
        "    count_down(one_producer);\n",
        "",
        "pipelines leaving",
    ),
    Mutant(
        "the first to leave takes himself for the last",
        "pipeline.h",
        "one_member) != 1) return false;",
        "one_member) == 1) return false;",
        "pipelines leaving",
    ),
    Mutant(
        "who leaves does not release",
        "pipeline.h",
        "backend::fetch_add_release<Scope>(target::here{}, members(), 0 - one)",
        "backend::fetch_add_relaxed<Scope>(target::here{}, members(), 0 - one)",
        "pipelines leaving",
    ),
    Mutant(
        "every thread of a group copies",
        "backend/copy/copy_host.h",
        "job.rank == 0 && job.size != 0) __builtin_memcpy(",
        "job.size != 0) __builtin_memcpy(",
        "pipelines copies_of_a_group",
    ),
    Mutant(
        "no thread of a group copies",
        "backend/copy/copy_host.h",
        "job.rank == 0 && job.size != 0) __builtin_memcpy(",
        "job.rank == job.threads) __builtin_memcpy(",
        "pipelines copies_of_a_group",
    ),
    Mutant(
        "zeros from the first byte on",
        "backend/copy/copy_host.h",
        "job.destination + first, 0, job.size - first",
        "job.destination, 0, job.size",
        "pipelines copies",
    ),
    Mutant(
        "invalid bytes are copied",
        "memcpy_async.h",
        "(group, destination, source, bytes.valid_bytes), tracker);",
        "(group, destination, source, bytes.size), tracker);",
        "pipelines copies",
    ),
    Mutant(
        "what was waited for stays pending",
        "thread_pipeline.h",
        "    pending_ = others;\n",
        "",
        "pipelines one_thread",
    ),
    Mutant(
        "what was waited for beside the latest stays pending",
        "thread_pipeline.h",
        "if (pipe.pending_ > Prior) pipe.pending_ = Prior;",
        "",
        "pipelines one_thread",
    ),
    Mutant(
        "holding a phase is an arrival",
        "thread_pipeline.h",
        "backend::hold_for_copies(target::here{}, phase_of(bar))",
        "bar.arrive()",
        "pipelines one_thread",
    ),
    # Latches, semaphores and grid_barrier on the host.
    Mutant(
        "counting down does not release",
        "backend/phase/countdown.h",
        "0 - update, memory_order_release)",
        "0 - update, memory_order_relaxed)",
        "permits messages_by_latch",
    ),
    Mutant(
        "waits for a latch do not acquire",
        "backend/phase/countdown.h",
        "latch.count, condition, memory_order_acquire, limit",
        "latch.count, condition, memory_order_relaxed, limit",
        "permits messages_by_latch",
    ),
    Mutant(
        "a look at a latch does not acquire",
        "backend/phase/countdown.h",
        "latch.count, memory_order_acquire) == 0",
        "latch.count, memory_order_relaxed) == 0",
        "permits messages_by_latch_tried",
    ),
    Mutant(
        "the last arrival at a latch wakes nobody",
        "backend/phase/countdown.h",
        "  if (before == update) notify(here, &latch.count);\n",
        "",
        "permits latches",
    ),
    Mutant(
        "arrivals at a latch do not wait",
        "backend/phase/countdown.h",
        "  static_cast<void>(await_zero(target::here{}, latch, forever));\n",
        "",
        "permits latches",
    ),
    Mutant(
        "an acquire that need not wait does not order",
        "backend/permit/permit_queue.h",
        "~uint64{0}, memory_order_acquire",
        "~uint64{0}, memory_order_relaxed",
        "permits messages_by_queue",
    ),
    Mutant(
        "an acquire that waits does not order",
        "backend/permit/permit_queue.h",
        "is_served, memory_order_acquire",
        "is_served, memory_order_relaxed",
        "permits messages_to_a_waiter",
    ),
    Mutant(
        "a try at a permit does not order",
        "backend/permit/permit_queue.h",
        "found - 1, memory_order_acquire",
        "found - 1, memory_order_relaxed",
        "permits messages_by_queue_tried",
    ),
    Mutant(
        "who gives permits back does not release",
        "backend/permit/permit_queue.h",
        "(here, queue.word, permits(count), memory_order_release)",
        "(here, queue.word, permits(count), memory_order_relaxed)",
        "permits messages_by_queue",
    ),
    Mutant(
        "waiting threads have borrowed nothing",
        "backend/permit/permit_queue.h",
        " + (static_cast<uint32>(word) >> 31);",
        ";",
        "permits queue_tickets",
    ),
    Mutant(
        "a ticket is served one release too early",
        "backend/permit/permit_queue.h",
        "ticket - released_permits(word) >=",
        "ticket - released_permits(word) - 1 >=",
        "permits queue_tickets",
    ),
    Mutant(
        "tickets do not wrap around",
        "backend/permit/permit_queue.h",
        "ticket - released_permits(word) >= uint32{1} << 24",
        "released_permits(word) > ticket",
        "permits queue_tickets",
    ),
    Mutant(
        "a ticket like that of the first who waits",
        "backend/permit/permit_queue.h",
        "released_permits(before) - static_cast<uint32>(available_permits(before))",
        "released_permits(before)",
        "permits queue_tickets",
    ),
    Mutant(
        "a try takes what is not there",
        "backend/permit/permit_queue.h",
        "while (available_permits(found) > 0)",
        "while (available_permits(found) >= 0)",
        "permits timed_acquires",
    ),
    Mutant(
        "a try overtakes those who wait",
        "backend/permit/permit_queue.h",
        "while (available_permits(found) > 0)",
        "while (available_permits(found) != 0)",
        "permits queue_tickets",
    ),
    Mutant(
        "permits wake nobody",
        "backend/permit/permit_queue.h",
        "  notify(here, &queue.word);\n",
        "",
        "permits queue_tickets",
    ),
    Mutant(
        "an acquire of the only permit does not order",
        "backend/permit/permit_flag.h",
        "found, uint32{0}, memory_order_acquire)) return;",
        "found, uint32{0}, memory_order_relaxed)) return;",
        "permits messages_by_flag",
    ),
    Mutant(
        "a try at the only permit does not order",
        "backend/permit/permit_flag.h",
        "found, found - permit_bit, memory_order_acquire);",
        "found, found - permit_bit, memory_order_relaxed);",
        "permits messages_by_flag_tried",
    ),
    Mutant(
        "who gives the only permit back does not release",
        "backend/permit/permit_flag.h",
        "(here, flag.word, bit, memory_order_release)",
        "(here, flag.word, bit, memory_order_relaxed)",
        "permits messages_by_flag",
    ),
    Mutant(
        "a try at the only permit overtakes those who wait",
        "backend/permit/permit_flag.h",
        "return permit_is_free{}(found) &&",
        "return (found & permit_bit) != 0 &&",
        "permits flag_tickets",
    ),
    Mutant(
        "the only permit is for anybody who waits",
        "backend/permit/permit_flag.h",
        " && word / one_served == ticket",
        "",
        "permits flag_tickets",
    ),
    Mutant(
        "every ticket is the next",
        "backend/permit/permit_flag.h",
        "(before / one_served + (before & waiting_bits) / one_waiting) % 256",
        "before / one_served",
        "permits flag_tickets",
    ),
    Mutant(
        "tickets beyond the last number",
        "backend/permit/permit_flag.h",
        "/ one_waiting) % 256",
        "/ one_waiting)",
        "permits flag_tickets",
    ),
    Mutant(
        "turns are not counted",
        "backend/permit/permit_flag.h",
        "one_served - one_waiting, memory_order_relaxed",
        "0 - one_waiting, memory_order_relaxed",
        "permits flag_tickets",
    ),
    Mutant(
        "who has the permit still waits for it",
        "backend/permit/permit_flag.h",
        "one_served - one_waiting, memory_order_relaxed",
        "one_served, memory_order_relaxed",
        "permits flag_tickets",
    ),
    Mutant(
        "turns are not forgotten when nobody waits",
        "backend/permit/permit_flag.h",
        "if (is_last && compare_exchange",
        "if (!is_last && compare_exchange",
        "permits flag_tickets",
    ),
    Mutant(
        "the only permit wakes nobody",
        "backend/permit/permit_flag.h",
        "  static_cast<void>(before);\n  notify(here, &flag.word);\n",
        "",
        "permits flag_tickets",
    ),
    Mutant(
        "a timed acquire takes no permit",
        "semaphore.h",
        "while (!try_acquire()) {",
        "if (!try_acquire()) {",
        "permits timed_acquires",
    ),
    Mutant(
        "participants add up to one too few",
        "backend/grid/grid_phase.h",
        "- (count - 1) :",
        "- count :",
        "permits grid_phases",
    ),
    Mutant(
        "the last block wakes nobody",
        "backend/grid/grid_phase_host.h",
        "  if (has_flipped(before, before + share.addend())) wake_sleepers(here, phase);\n",
        "",
        "permits grid_phases",
    ),
    Mutant(
        "participants do not release",
        "backend/grid/grid_phase_host.h",
        "fetch_add_release<Scope>",
        "fetch_add_relaxed<Scope>",
        "permits messages_by_grid",
    ),
    Mutant(
        "participants do not wait",
        "backend/grid/grid_phase_host.h",
        "  wait<Scope>(here, phase, share, before);\n",
        "",
        "permits messages_by_grid",
    ),
    # Device code.
    Mutant(
        "a commit expects an arrival more",
        "ptx/cp_async.h",
        "cp.async.mbarrier.arrive.noinc.shared.b64",
        "cp.async.mbarrier.arrive.shared.b64",
        "codegen pipeline.cu sm_90",
    ),
    Mutant(
        "a commit does not track copies",
        "pipeline.h",
        "if (how == backend::copied::by_cp_async) pipe.has_copies_ = true;",
        "",
        "codegen pipeline.cu sm_80",
    ),
    Mutant(
        "a barrier does not wait for copies",
        "memcpy_async.h",
        "how == backend::copied::by_cp_async ? backend::hold_for_copies(here, phase_of(bar)) : how",
        "how",
        "codegen memcpy_async.cu sm_80",
    ),
    Mutant(
        "a bulk copy that the phase does not expect",
        "backend/copy/copy_device.h",
        "    ptx::mbarrier_expect_tx(bar, whole_units(shared, 16));\n",
        "",
        "codegen memcpy_async.cu sm_90",
    ),
    Mutant(
        "the consumers of several blocks do not fence",
        "bulk_pipeline.h",
        "    if constexpr (Blocks > 1) backend::fence_before_arrival(bulk_target{});\n    consumer_release_unfenced(at CUDASYNC_PASS_CALLER);",
        "    consumer_release_unfenced(at CUDASYNC_PASS_CALLER);",
        "codegen bulk_pipeline.cu sm_90",
    ),
    Mutant(
        "one thread of each block fences before the blocks' first copies",
        "bulk_pipeline.h",
        "    if constexpr (Blocks > 1) backend::fence_before_arrival(bulk_target{});\n    init_barriers(",
        "    init_barriers(",
        "codegen bulk_pipeline.cu sm_90",
    ),
    Mutant(
        "a timed wait that ends at once keeps other lanes from running",
        "backend/phase/await_flip_device.h",
        "      let_lanes_run(here);",
        "      //",
        "codegen progress_audit.cu sm_90",
    ),
    Mutant(
        "device scope as narrow as a block's",
        "ptx/qualifiers.h",
        "struct scope_of<thread_scope_device> {\n  using type = scope_gpu_t;",
        "struct scope_of<thread_scope_device> {\n  using type = scope_cta_t;",
        "codegen barrier_device_scope.cu sm_90",
    ),
    Mutant(
        "arrivals on the device do not release",
        "ptx/memory.h",
        '"atom.release" WHERE ".add."',
        '"atom.relaxed" WHERE ".add."',
        "codegen barrier_device_scope.cu sm_90",
    ),
    Mutant(
        "waits on the device do not acquire",
        "ptx/memory.h",
        '"ld.acquire"',
        '"ld.relaxed"',
        "codegen barrier_device_scope.cu sm_90",
    ),
    Mutant(
        "polling at full speed for ever",
        "backend/phase/await_flip_device.h",
        "    if (polls >= 16) __nanosleep(64);\n",
        "",
        "codegen barrier_device_scope.cu sm_90",
    ),
    Mutant(
        "a load more in arrive",
        "backend/phase/block_phase_device.h",
        "  return ptx::mbarrier_arrive(ptx::to_shared(&phase), static_cast<uint32>(update));",
        "  static_cast<void>(ptx::mbarrier_test_wait_parity(ptx::to_shared(&phase), 0));\n"
        "  return ptx::mbarrier_arrive(ptx::to_shared(&phase), static_cast<uint32>(update));",
        "codegen barrier_mbarrier.cu sm_90",
    ),
    Mutant(
        "a block's barrier is never an mbarrier",
        "backend/phase/block_phase_device.h",
        "CUDASYNC_DEVICE bool is_mbarrier(const block_phase& phase) {\n  return ptx::is_shared(&phase);",
        "CUDASYNC_DEVICE bool is_mbarrier(const block_phase&) {\n  return false;",
        "codegen barrier_mbarrier.cu sm_90",
    ),
    Mutant(
        "PTX: test_wait for try_wait",
        "ptx/mbarrier.h",
        "mbarrier.try_wait.shared.b64 complete, [%1], %2; selp",
        "mbarrier.test_wait.shared.b64 complete, [%1], %2; selp",
        "codegen ptx_mbarrier.cu sm_90",
    ),
    Mutant(
        "PTX: noComplete dropped",
        "ptx/mbarrier.h",
        "mbarrier.arrive.noComplete.shared",
        "mbarrier.arrive.shared",
        "codegen ptx_mbarrier.cu sm_90",
    ),
    Mutant(
        "a transaction that arrives without bytes",
        "ptx/mbarrier.h",
        '"mbarrier.arrive.expect_tx.shared',
        '"mbarrier.arrive.shared',
        "codegen ptx_mbarrier.cu sm_90",
    ),
    # Atomics on the device.
    Mutant(
        "sequential consistency without its fence",
        "backend/order/access_device.h",
        "  if constexpr (Order == memory_order::seq_cst && Scope != thread_scope_thread)\n",
        "  if constexpr (false)\n",
        "codegen atomic_wait.cu sm_90",
    ),
    Mutant(
        "waits for a value on the device do not acquire",
        "backend/atomic/await_value_device.h",
        "  if constexpr (acquires(Order)) fence<Scope>(target::here{}, memory_order_acquire);\n  return true;\n",
        "  return true;\n",
        "codegen atomic_wait.cu sm_90",
    ),
    Mutant(
        "fences of both sides where one would do",
        "ptx/fence.h",
        "using fence_release_t = sem_release_t;",
        "using fence_release_t = sem_acq_rel_t;",
        "codegen atomic_fence.cu sm_90",
    ),
    Mutant(
        "void additions do not release on the device",
        "backend/order/access_device.h",
        "Order == memory_order::release ? ptx::dot_sem::release : ptx::dot_sem::relaxed>",
        "ptx::dot_sem::relaxed>",
        "codegen atomic.cu sm_90",
    ),
    Mutant(
        "small additions in a loop",
        "backend/atomic/fetch_device.h",
        "constexpr size_t size = sizeof(Value) < 4 && Room >= 4 ? 4 : sizeof(Value);",
        "constexpr size_t size = sizeof(Value);",
        "codegen atomic_small.cu sm_90",
    ),
    Mutant(
        "the address space is not asked for",
        "backend/order/access_device.h",
        "return access(ptx::generic_pointer<Word>{ptx::to_generic_pointer(word).address - offset});\n  return access(in_private_memory{});",
        "{}\n  return access(ptx::generic_pointer<Word>{ptx::to_generic_pointer(word).address - offset});",
        "codegen atomic.cu sm_90",
    ),
    Mutant(
        "an instruction that the compiler may move",
        "ptx/mbarrier.h",
        '"mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar.value) : "memory"',
        '"mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar.value)',
        "lint test_header[inline_assembly]",
    ),
    # On the model of the GPU: launches that are canceled, on the newest architecture.
    Mutant(
        "only the scheduler's block expects an answer",
        "backend/grid/launch_device.h",
        "block < Blocks; ++block",
        "block < 1; ++block",
        "model launches queue_of_cluster 100a",
    ),
    Mutant(
        "an answer overwrites one that is not released",
        "launch_queue.h",
        "    await_release(at CUDASYNC_PASS_CALLER);\n    const",
        "    const",
        "model launches queue_of_two_stages 100a",
    ),
    Mutant(
        "no fence between answers that the block reads",
        "launch_queue.h",
        "      backend::fence_before_arrival(launch_target{});\n",
        "",
        "model launches queue_of_one_stage 100a",
    ),
    Mutant(
        "no fence between answers that a cluster reads",
        "launch_queue.h",
        "    if constexpr (Blocks > 1) backend::fence_before_arrival(launch_target{});\n",
        "",
        "model launches queue_of_large_cluster 100a",
    ),
    Mutant(
        "a request after one that failed",
        "launch_queue.h",
        "        if (at.is_done_) return false;\n",
        "",
        "model launches queue_asked_in_advance 100a",
    ),
    Mutant(
        "the scheduler's block exits before the others have released their answers",
        "launch_queue.h",
        "    if constexpr (Blocks > 1)\n      for",
        "    if constexpr (Blocks > 16)\n      for",
        "model launches queue_of_cluster 100a",
    ),
    Mutant(
        "consumers of other blocks release their own block's stage",
        "backend/grid/launch_device.h",
        "ptx::mapa(bar, 0), 1);",
        "ptx::cluster_address(bar), 1);",
        "model launches queue_of_cluster 100a",
    ),
    Mutant(
        "a block asks again before its threads have read the answer",
        "work_stealing.h",
        "    __syncthreads();  // all threads have read the answer\n",
        "",
        "model launches canceled_blocks 100a",
    ),
    Mutant(
        "a block asks again without a fence",
        "work_stealing.h",
        "      backend::fence_before_arrival(here);\n",
        "",
        "model launches canceled_blocks 100a",
    ),
    Mutant(
        "a cluster asks again without a fence",
        "work_stealing.h",
        "    backend::fence_before_arrival(here);\n    thread",
        "    thread",
        "model launches canceled_clusters 100a",
    ),
    Mutant(
        "every block of a canceled cluster works for the first one",
        "work_stealing.h",
        "    index.x = first.x + ptx::get_sreg_cluster_ctaid_x();\n",
        "    index.x = first.x;\n",
        "model launches canceled_clusters 100a",
    ),
    # On the model of the GPU: accesses that nothing orders any more.
    Mutant(
        "copies that overtake ordinary accesses",
        "backend/order/proxy_device.h",
        "  fence_before_arrival(here);\n  fence_before_copies_to_blocks(here);\n",
        "  static_cast<void>(here);\n",
        "model copies copy_after_stores 90",
    ),
    Mutant(
        "copies that overtake stores to global memory",
        "backend/order/proxy_device.h",
        "  fence_before_arrival(here);\n  fence_before_copies_to_blocks(here);\n",
        "  fence_before_arrival(here);\n",
        "model copies copy_after_stores 90",
    ),
    Mutant(
        "copies that overtake reads of the tile before",
        "backend/order/proxy_device.h",
        "  fence_before_arrival(here);\n  fence_before_copies_to_blocks(here);\n",
        "  fence_before_copies_to_blocks(here);\n",
        "model copies bulk_pipeline 90",
    ),
    Mutant(
        "barriers unknown to the copy engine",
        "init_barriers.h",
        "    backend::publish_initialized_barriers(target::here{});\n",
        "",
        "model copies transaction 90",
    ),
    Mutant(
        "the last to leave a pipeline does not acquire",
        "pipeline.h",
        "    static_cast<void>(backend::load_acquire<Scope>(target::here{}, members()));\n",
        "",
        "model copies quit 90",
    ),
    Mutant(
        "a producer leaves before its copies are complete",
        "pipeline.h",
        "      await(stage.produced, {{!head_.is_odd_round}, head_.stage, true} CUDASYNC_PASS_CALLER);\n",
        "",
        "model copies quit 90",
    ),
    Mutant(
        "a commit before the copies",
        "pipeline.h",
        "        checked::arrive_after_copies(produced CUDASYNC_PASS_CALLER);\n",
        "        static_cast<void>(checked::arrive(produced, 1 CUDASYNC_PASS_CALLER));\n",
        "model copies partitioned_pipeline 90",
    ),
    Mutant(
        "a warp's leader releases for lanes that still read",
        "ring_consumers.h",
        "synchronize() { __syncwarp(); }",
        "synchronize() {}",
        "model copies bulk_pipeline 90",
    ),
    Mutant(
        "stores awaited until they have been read",
        "bulk_store.h",
        "ptx::cp_async_bulk_wait_group<Pending>();",
        "ptx::cp_async_bulk_wait_group_read<Pending>();",
        "model copies bulk_store 90",
    ),
    Mutant(
        "stores that are not awaited until they have been read",
        "bulk_store.h",
        "ptx::cp_async_bulk_wait_group_read<Pending>();",
        "",
        "model copies bulk_store_ring 90",
    ),
    Mutant(
        "a taken permit does not acquire",
        "backend/permit/permit_flag.h",
        "~permit_bit, memory_order_acquire)",
        "~permit_bit, memory_order_relaxed)",
        "model synchronizers binary_semaphore_of_three 90",
    ),
    Mutant(
        "a free permit does not acquire",
        "backend/permit/permit_flag.h",
        "found, uint32{0}, memory_order_acquire)) return;",
        "found, uint32{0}, memory_order_relaxed)) return;",
        "model synchronizers binary_semaphore_of_three 90",
    ),
    Mutant(
        "a permit's release on the device",
        "backend/permit/permit_flag.h",
        "update<Scope, 4, operation::bit_or>(target::here{}, flag.word, bit, memory_order_release);",
        "update<Scope, 4, operation::bit_or>(target::here{}, flag.word, bit, memory_order_relaxed);",
        "model synchronizers binary_semaphore 90",
    ),
    Mutant(
        "permits' releases on the device",
        "backend/permit/permit_queue.h",
        "update<Scope, 8, operation::add>(target::here{}, queue.word, permits(count), memory_order_release);",
        "update<Scope, 8, operation::add>(target::here{}, queue.word, permits(count), memory_order_relaxed);",
        "model synchronizers counting_semaphore 90",
    ),
    Mutant(
        "permits taken without acquiring",
        "backend/permit/permit_queue.h",
        "~uint64{0}, memory_order_acquire)",
        "~uint64{0}, memory_order_relaxed)",
        "model synchronizers counting_semaphore_of_three 90",
    ),
    Mutant(
        "a turn that does not acquire",
        "backend/atomic/await_value_device.h",
        "  if constexpr (acquires(Order)) fence<Scope>(target::here{}, memory_order_acquire);\n}",
        "}",
        "model synchronizers counting_semaphore 90",
    ),
    Mutant(
        "a latch's arrivals on the device",
        "backend/phase/countdown.h",
        "update<Scope, 4, operation::add>(target::here{}, latch.count, 0 - number, memory_order_release);",
        "update<Scope, 4, operation::add>(target::here{}, latch.count, 0 - number, memory_order_relaxed);",
        "model synchronizers latch 90",
    ),
    Mutant(
        "arrivals on counters of the device",
        "backend/atomic/word_device.h",
        "return ptx::atom_release_add(scope, at, value);",
        "return ptx::atom_relaxed_add(scope, at, value);",
        "model barriers global_memory 90",
    ),
    Mutant(
        "waits for counters of the device",
        "backend/atomic/word_device.h",
        "return ptx::ld_acquire(scope_on_device<Scope>{}, at);",
        "return ptx::ld_relaxed(scope_on_device<Scope>{}, at);",
        "model barriers global_memory 90",
    ),
    Mutant(
        "drops on counters of the device",
        "backend/atomic/word_device.h",
        "ptx::atom_release_cas(scope_on_device<Scope>{}, at, expected, desired)",
        "ptx::atom_relaxed_cas(scope_on_device<Scope>{}, at, expected, desired)",
        "model barriers device_drops 90",
    ),
    Mutant(
        "the thread that completes a phase does not acquire",
        "backend/phase/gate_phase.h",
        "    static_cast<void>(load_acquire<Scope>(here, phase.pending));\n",
        "",
        "model barriers global_memory 90",
    ),
    Mutant(
        "the last arrival does not acquire",
        "backend/phase/counter_phase.h",
        "if (WillWait && has_completed) static_cast<void>(load_acquire<Scope>(target::here{}, phase.word));\n",
        "",
        "model barriers device_scope 90",
    ),
    Mutant(
        "a grid's phase without its fence",
        "backend/grid/grid_phase_device.h",
        "  fence<Scope>(here, memory_order_acquire);\n",
        "  static_cast<void>(here);\n",
        "model barriers grid 90",
    ),
    Mutant(
        "a block that arrives at the grid's barrier before all its threads",
        "backend/grid/grid_phase_device.h",
        "  __syncthreads();\n  if (rank_in_block() < 32) {",
        "  if (rank_in_block() < 32) {",
        "model barriers grid 90",
    ),
]


def overlay(folder, mutant):
    """The mutated header alone, in a folder to be searched before that of all headers."""
    text = (toolchain.INCLUDE / "cudasync" / mutant.header).read_text(encoding="utf-8")
    assert text.count(mutant.text) == 1, f"stale: {mutant.header} has {text.count(mutant.text)} times {mutant.text!r}"
    path = folder / "include/cudasync" / mutant.header
    path.parent.mkdir(parents=True)
    path.write_text(text.replace(mutant.text, mutant.replacement), encoding="utf-8")
    return folder / "include"


def run(command, **options):
    return subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        **options,
    )


GXX = ["-std=c++17", "-O1", "-fsanitize=thread", "-pthread"]


@functools.cache
def precompiled():
    """A copy of host.h, precompiled: the headers of the standard library take as long as all others."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    shutil.copy(HERE / "host.h", folder)
    done = run([toolchain.gxx(), *GXX, "-x", "c++-header", "-o", folder / "host.h.gch", folder / "host.h"])
    assert done.returncode == 0, f"does not compile:\n{done.stdout}"
    return folder / "host.h"


def program_of(folders, program, checks, binary):
    """Compiles these checks of a program."""
    names = " ".join(f"CHECK({check})" for check in checks)
    command = [toolchain.gxx(), *GXX, "-include", precompiled(), f"-DCHECKS={names}", *(f"-I{folder}" for folder in folders)]
    done = run([*command, "-Wl,--wrap=syscall", "-o", binary, HERE / f"{program}.cpp"])
    assert done.returncode == 0, f"does not compile:\n{done.stdout}"
    return binary


@functools.cache
def program_without_fault(program, kind, folder):
    checks = {mutant.test.split()[1] for mutant in MUTANTS if mutant.test.split()[0] == kind}
    return program_of([toolchain.INCLUDE], program, sorted(checks), folder / program)


def host(kind, folders, folder, check):
    """Runs a check: with a fault it is compiled alone, which takes a third of the time of all."""
    program = f"host_{kind}"
    if len(folders) == 1:
        binary, seconds = program_without_fault(program, kind, folder), SECONDS_WITHOUT
    else:
        binary, seconds = program_of(folders, program, [check], folder / program), SECONDS
    done = run(["timeout", seconds, binary, check], env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"})
    return done.returncode == 0, done.stdout


def codegen(_folders, _folder, file, variant):
    toolchain.nvrtc()
    toolchain.nvdisasm()
    try:
        return True, codegen_format.Codegen().run(toolchain.ROOT / "test/codegen" / file, variant)
    except lit_format.Failure as failure:
        assert "NVRTC for sm_" not in str(failure), f"does not compile:\n{failure}"
        return False, str(failure)


def lint(folders, folder, test):
    root = folder / "tree"
    shutil.copytree(toolchain.ROOT / "test", root / "test", ignore=shutil.ignore_patterns("__pycache__"))
    for headers in reversed(folders):
        shutil.copytree(headers, root / "include", dirs_exist_ok=True)
    pytest_of_tree = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", root]
    done = run([*pytest_of_tree, f"{root / 'test/lint/test_headers.py'}::{test}"])
    return done.returncode == 0, done.stdout


def on_model(_folders, _folder, stem, name, arch):
    path = toolchain.ROOT / f"test/model/{stem}.cu"
    kernel = next(each for each in model.kernels(path) if each.name == name)
    failure = model.first_failure(model.compile(path, arch, only=name), kernel)
    return failure is None, failure


KINDS = {kind: functools.partial(host, kind) for kind in ("phases", "atomics", "pipelines", "permits")}
KINDS |= {"codegen": codegen, "lint": lint, "model": on_model}


def passes(folders, folder, test):
    """(whether the test passes with the headers in these folders, what it said); it may write to the last folder."""
    kind, *arguments = test.split()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nvrtc, "folders", folders)
        try:
            return KINDS[kind](folders, folder, *arguments)
        except toolchain.ToolMissing as missing:
            pytest.skip(str(missing))


@pytest.fixture(scope="module")
def control(tmp_path_factory):
    """Whether a test passes without any fault: asked once a test."""
    folder = tmp_path_factory.mktemp("control")
    return functools.cache(lambda test: passes([toolchain.INCLUDE], folder, test))


# A quarter of them in a run that is not thorough; that each can still be made is always checked.
CHOSEN = MUTANTS if toolchain.THOROUGH else MUTANTS[::4]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_can_be_made(mutant, tmp_path):
    overlay(tmp_path, mutant)


@pytest.mark.parametrize("mutant", CHOSEN, ids=lambda mutant: mutant.name)
def test_mutant_is_killed(mutant, control, tmp_path):
    passed, output = control(mutant.test)
    assert passed, f"`{mutant.test}` fails without any fault:\n{output}"
    passed, output = passes([overlay(tmp_path, mutant), toolchain.INCLUDE], tmp_path, mutant.test)
    assert not passed, f"`{mutant.test}` does not see it:\n{output}"
