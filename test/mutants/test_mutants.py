"""Faults put into the headers one at a time: for each, the test named next to it must fail. Without it, the test passes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
from typing import NamedTuple

import pytest

import codegen_format
import kinds
import toolchain


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
        "one_drop = one_arrival - 1,",
        "one_drop = one_arrival,",
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
        "a sleep of a waiter for a phase lasts as long as its limit",
        "backend/phase/await_flip_host.h",
        "limit - waited < longest_sleep",
        "limit - waited > longest_sleep",
        "phases short_sleeps",
    ),
    Mutant(
        "a sleep of a waiter for a value lasts as long as its limit",
        "backend/atomic/await_value_host.h",
        "limit - waited < longest_sleep",
        "limit - waited > longest_sleep",
        "atomics short_sleeps",
    ),
    Mutant(
        "sleeps of less than a second are empty",
        "backend/thread/time.h",
        "static_cast<long>(limit % 1000000000)",
        "static_cast<long>(limit / 1000000000)",
        "phases short_sleeps",
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
        "return store<Scope>(here, object, value, memory_order_release_t{});",
        "return store<Scope>(here, object, value, memory_order_relaxed_t{});",
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
        "static_cast<void>(fetch<Scope, Room, Operation>(here, object, operand, memory_order_relaxed_t{}));",
        "atomics messages_by_void_addition",
    ),
    Mutant(
        "loops do not release",
        "backend/atomic/atomic_host.h",
        "Operation::apply(before, operand), order)) {",
        "Operation::apply(before, operand), memory_order_relaxed_t{})) {",
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
        "__atomic_fetch_add(&place_.sleepers, 1, __ATOMIC_SEQ_CST);",
        "__atomic_fetch_add(&place_.sleepers, 0, __ATOMIC_SEQ_CST);",
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
        "    if (condition(load<Scope>(here, object, memory_order_seq_cst_t{}))) return true;\n",
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
        "  for (uint32 polls = 0;; ++polls) {\n    if (condition(load<Scope>(here, object, memory_order_relaxed_t{}))) return true;",
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
        "store<Scope>(target::here{}, lock_, 0u, memory_order_release_t{});",
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
        "lock_, 0u, memory_order_release_t{}",
        "lock_, 0u, memory_order_relaxed_t{}",
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
        "    parity = static_cast<uint8>(parity ^ (is_last ? 1 : 0));\n",
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
        "await(stages_[head_.stage].consumed, {{head_.parity ^ 1u}",
        "await(stages_[head_.stage].consumed, {{head_.parity}",
        "pipelines waits",
    ),
    Mutant(
        "acquire does not wait",
        "pipeline.h",
        "    await(stages_[head_.stage].consumed, {{head_.parity ^ 1u}, head_.stage, true} CUDASYNC_PASS_CALLER);\n",
        "",
        "pipelines streams",
    ),
    Mutant(
        "consumers wait for the round before",
        "pipeline.h",
        "{{tail_.parity}, tail_.stage, false}",
        "{{tail_.parity ^ 1u}, tail_.stage, false}",
        "pipelines streams",
    ),
    Mutant(
        "timed waits are for the round before",
        "pipeline.h",
        "try_wait_parity_for(tail_.parity != 0, duration)",
        "try_wait_parity_for(tail_.parity == 0, duration)",
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
        "      await(stage.produced, {{head_.parity ^ 1u}, head_.stage, true} CUDASYNC_PASS_CALLER);\n",
        "",
        "pipelines leaving",
    ),
    Mutant(
        "consumers drop out of a round that is not over",
        "pipeline.h",
        "      await(stage.consumed, {{tail_.parity ^ 1u}, tail_.stage, false} CUDASYNC_PASS_CALLER);\n",
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
        "may_drop && (!nobody_stays(one_producer) || stage.consumed.try_wait_parity(head_.parity == 0))",
        "may_drop",
        "pipelines leaving",
    ),
    Mutant(
        "the last producers drop nowhere",
        "pipeline.h",
        "!nobody_stays(one_producer) || stage.consumed.try_wait_parity(head_.parity == 0)",
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
        "0 - update, memory_order_release_t{})",
        "0 - update, memory_order_relaxed_t{})",
        "permits messages_by_latch",
    ),
    Mutant(
        "the last block of a GPU does not wait for what was put into other hosts' memory",
        "backend/grid/peer_phase.h",
        "if (crew_rank(here) == 0) complete();",
        "static_cast<void>(complete);",
        "permits rounds_of_hosts",
    ),
    Mutant(
        "the hosts of the second round are at the wrong distance",
        "backend/grid/rail_phase.h",
        "stride < hosts; stride *= radix) {",
        "stride < hosts; stride *= radix + 1) {",
        "permits rounds_of_hosts",
    ),
    Mutant(
        "the GPU of a host that has not met the others lets its blocks go on",
        "backend/grid/rail_phase.h",
        "if (is_leader) meet_hosts(here, rail, memory, phase);",
        "static_cast<void>(rail);",
        "permits rounds_of_hosts",
    ),
    Mutant(
        "waits for a latch do not acquire",
        "backend/phase/countdown.h",
        "latch.count, condition, memory_order_acquire_t{}, limit",
        "latch.count, condition, memory_order_relaxed_t{}, limit",
        "permits messages_by_latch",
    ),
    Mutant(
        "a look at a latch does not acquire",
        "backend/phase/countdown.h",
        "latch.count, memory_order_acquire_t{}) == 0",
        "latch.count, memory_order_relaxed_t{}) == 0",
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
        "~uint64{0}, memory_order_acquire_t{}",
        "~uint64{0}, memory_order_relaxed_t{}",
        "model synchronizers counting_semaphore 90",
    ),
    Mutant(
        "an acquire that waits does not order",
        "backend/permit/permit_queue.h",
        "is_served, memory_order_acquire_t{}",
        "is_served, memory_order_relaxed_t{}",
        "permits messages_to_a_waiter",
    ),
    Mutant(
        "a try at a permit does not order",
        "backend/permit/permit_queue.h",
        "found - 1, memory_order_acquire_t{}",
        "found - 1, memory_order_relaxed_t{}",
        "permits messages_by_queue",
    ),
    Mutant(
        "who gives permits back does not release",
        "backend/permit/permit_queue.h",
        "(here, queue.word, permits(count), of_change(here))",
        "(here, queue.word, permits(count), memory_order_relaxed_t{})",
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
        "  notify_after_change(here, &queue.word);\n",
        "",
        "permits queue_tickets",
    ),
    Mutant(
        "an acquire of the only permit does not order",
        "backend/permit/permit_flag.h",
        "found, uint32{0}, memory_order_acquire_t{})) return;",
        "found, uint32{0}, memory_order_relaxed_t{})) return;",
        "permits messages_by_flag",
    ),
    Mutant(
        "a try at the only permit does not order",
        "backend/permit/permit_flag.h",
        "    if (compare_exchange<Scope, 4>(here, flag.word, found, found - permit_bit, memory_order_acquire_t{})) return true;",
        "    if (compare_exchange<Scope, 4>(here, flag.word, found, found - permit_bit, memory_order_relaxed_t{})) return true;",
        "permits messages_by_flag_tried",
    ),
    Mutant(
        "who gives the only permit back does not release",
        "backend/permit/permit_flag.h",
        "(here, flag.word, bit, of_change(here))",
        "(here, flag.word, bit, memory_order_relaxed_t{})",
        "permits messages_by_flag",
    ),
    Mutant(
        "an acquire of the only permit overtakes those who wait",
        "backend/permit/permit_flag.h",
        "return (found & (permit_bit | waiting_bits)) == permit_bit &&",
        "return (found & permit_bit) != 0 &&",
        "permits flag_tickets",
    ),
    Mutant(
        "a try does not take a permit that somebody waits for",
        "backend/permit/permit_flag.h",
        "  while (permit_is_there{}(found))",
        "  while ((found & (permit_bit | waiting_bits)) == permit_bit)",
        "permits flag_tickets",
    ),
    Mutant(
        "a timed acquire does not see a permit that somebody waits for",
        "backend/permit/permit_flag.h",
        "const { return (word & permit_bit) != 0; }",
        "const { return (word & (permit_bit | waiting_bits)) == permit_bit; }",
        "model synchronizers try_past_the_queue 90",
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
        "(found / one_served + (found & waiting_bits) / one_waiting) % 256",
        "found / one_served",
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
        "word + one_served - one_waiting - permit_bit",
        "word - one_waiting - permit_bit",
        "permits flag_tickets",
    ),
    Mutant(
        "who has the permit still waits for it",
        "backend/permit/permit_flag.h",
        "word + one_served - one_waiting - permit_bit",
        "word + one_served - permit_bit",
        "permits flag_tickets",
    ),
    Mutant(
        "the turn does not take the permit",
        "backend/permit/permit_flag.h",
        "word + one_served - one_waiting - permit_bit",
        "word + one_served - one_waiting",
        "permits flag_tickets",
    ),
    Mutant(
        "the permit is taken before the queue is left",
        "backend/permit/permit_flag.h",
        "    if (compare_exchange<Scope, 4>(here, flag.word, found, after_turn(found), memory_order_acquire_t{})) return;\n",
        "    if (!compare_exchange<Scope, 4>(here, flag.word, found, found - permit_bit, memory_order_acquire_t{})) continue;\n"
        "    update<Scope, 4, operation::add>(here, flag.word, after_turn(found) + permit_bit - found, memory_order_relaxed_t{});\n"
        "    return;\n",
        "model synchronizers event_for_more_threads_than_tickets 90",
    ),
    Mutant(
        "turns are not forgotten when nobody waits",
        "backend/permit/permit_flag.h",
        "(word & waiting_bits) == one_waiting ? 0 :",
        "(word & waiting_bits) == 0 ? 0 :",
        "permits flag_tickets",
    ),
    Mutant(
        "the only permit wakes nobody",
        "backend/permit/permit_flag.h",
        "  notify_after_change(here, &flag.word);\n",
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
        "  ptx::mbarrier_expect_tx(bar, bytes);\n",
        "",
        "codegen memcpy_async.cu sm_90",
    ),
    Mutant(
        "the consumers of several blocks do not fence",
        "bulk_pipeline.h",
        "      if constexpr (Blocks > 1) backend::fence_before_arrival(bulk_target{});\n      Consumers::synchronize();",
        "      Consumers::synchronize();",
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
        "ptx/qualified.h",
        'sem_text<dot_sem::release>[9] = ".release"',
        'sem_text<dot_sem::release>[9] = ".relaxed"',
        "codegen barrier_device_scope.cu sm_90",
    ),
    Mutant(
        "waits on the device do not acquire",
        "ptx/qualified.h",
        'sem_text<dot_sem::acquire>[9] = ".acquire"',
        'sem_text<dot_sem::acquire>[9] = ".relaxed"',
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
        "  if constexpr (acquires(Order)) fence<Scope>(target::here{}, memory_order_acquire_t{});\n  return true;\n",
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
        "      await(stage.produced, {{head_.parity ^ 1u}, head_.stage, true} CUDASYNC_PASS_CALLER);\n",
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
        "a phase of the hosts after 65,535 is earlier",
        "backend/grid/rail_phase.h",
        "static_cast<int32>(released - phase) >= 0",
        "released >= phase",
        "model worlds phases_that_wrap 90",
    ),
    Mutant(
        "a phase of the hosts after 32,767 is earlier",
        "backend/grid/rail_phase.h",
        "static_cast<int32>(released - phase) >= 0",
        "static_cast<int32>(released) >= static_cast<int32>(phase)",
        "model worlds phases_in_the_middle 90",
    ),
    Mutant(
        "what one thread has heard in a round, another does not tell in the next",
        "backend/grid/rail_phase.h",
        "    meet_crew(here);  // what one thread",
        "    // what one thread",
        "model worlds two_rounds_of_three 90",
    ),
    Mutant(
        "the parity after a skip of two rounds",
        "ring_state.h",
        "parity_ ^= sum / Stages % 2;",
        "parity_ ^= sum >= Stages ? 1u : 0u;",
        "model tensor_cores skipped_stages 90",
    ),
    Mutant(
        "the parity after a skip of three rounds",
        "ring_state.h",
        "parity_ ^= sum / Stages % 2;",
        "parity_ ^= sum / Stages == 1 ? 1u : 0u;",
        "model tensor_cores skips 90",
    ),
    Mutant(
        "a taken permit does not acquire",
        "backend/permit/permit_flag.h",
        "after_turn(found), memory_order_acquire_t{})",
        "after_turn(found), memory_order_relaxed_t{})",
        "model synchronizers queue_of_a_binary_semaphore 90",
    ),
    Mutant(
        "a free permit does not acquire",
        "backend/permit/permit_flag.h",
        "found, uint32{0}, memory_order_acquire_t{})) return;",
        "found, uint32{0}, memory_order_relaxed_t{})) return;",
        "model synchronizers binary_semaphore_of_three 90",
    ),
    Mutant(
        "a permit's release on the device",
        "backend/permit/permit_flag.h",
        "(here, flag.word, bit, of_change(here))",
        "(here, flag.word, bit, memory_order_relaxed_t{})",
        "model synchronizers binary_semaphore 90",
    ),
    Mutant(
        "permits' releases on the device",
        "backend/permit/permit_queue.h",
        "update<Scope, 8, operation::add>(target::here{}, queue.word, permits(count), memory_order_release_t{});",
        "update<Scope, 8, operation::add>(target::here{}, queue.word, permits(count), memory_order_relaxed_t{});",
        "model synchronizers counting_semaphore 90",
    ),
    Mutant(
        "permits taken without acquiring",
        "backend/permit/permit_queue.h",
        "~uint64{0}, memory_order_acquire_t{})",
        "~uint64{0}, memory_order_relaxed_t{})",
        "model synchronizers counting_semaphore_of_three 90",
    ),
    Mutant(
        "a turn that does not acquire",
        "backend/atomic/await_value_device.h",
        "  if constexpr (acquires(Order)) fence<Scope>(target::here{}, memory_order_acquire_t{});\n}",
        "}",
        "model synchronizers counting_semaphore 90",
    ),
    Mutant(
        "a latch's arrivals on the device",
        "backend/phase/countdown.h",
        "update<Scope, 4, operation::add>(target::here{}, latch.count, 0 - number, memory_order_release_t{});",
        "update<Scope, 4, operation::add>(target::here{}, latch.count, 0 - number, memory_order_relaxed_t{});",
        "model synchronizers latch 90",
    ),
    Mutant(
        "arrivals on counters of the device",
        "backend/atomic/word_device.h",
        "word_addition<Scope, memory_order::release, Word>",
        "word_addition<Scope, memory_order::relaxed, Word>",
        "model barriers global_memory 90",
    ),
    Mutant(
        "waits for counters of the device",
        "backend/atomic/word_device.h",
        "word_load<Scope, memory_order::acquire, Word>",
        "word_load<Scope, memory_order::relaxed, Word>",
        "model barriers global_memory 90",
    ),
    Mutant(
        "drops on counters of the device",
        "backend/atomic/word_device.h",
        "ptx::atom(ptx::sem_release_t{}, scope_on_device<Scope>{}, ptx::op_cas_t{}, at, expected, desired)",
        "ptx::atom(ptx::sem_relaxed_t{}, scope_on_device<Scope>{}, ptx::op_cas_t{}, at, expected, desired)",
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
        "  fence<Scope>(here, memory_order_acquire_t{});\n",
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
    # Turns.
    Mutant(
        "the first turn of group 0 waits",
        "turns.h",
        "parity_(group == 0 ? 1 : 0)",
        "parity_(0)",
        "model turns two_groups 90",
    ),
    Mutant(
        "turns of odd rounds wait for the even ones",
        "turns.h",
        "        if (stage + 1 == Stages) parity_ ^= 1;\n",
        "",
        "model turns two_groups 90",
    ),
    Mutant(
        "a turn passes to the group before",
        "turns.h",
        "next_(all.bars_ + (group + 1 == Groups ? 0 : group + 1))",
        "next_(all.bars_ + (group == 0 ? Groups - 1 : group - 1))",
        "model turns three_groups 90",
    ),
    Mutant(
        "a turn passes before the last thread of its group",
        "turns.h",
        "expects<Threads>(bars_",
        "expects<Threads - 1>(bars_",
        "model turns groups_of_two_warps 90",
    ),
    Mutant(
        "nobody arrives for the first turn at a named barrier",
        "turns.h",
        "        if (group != Groups - 1) return;\n",
        "        if (group < Groups) return;\n",
        "model turns two_groups_by_named_barriers 90",
    ),
    Mutant(
        "two stages of turns share named barriers",
        "turns.h",
        "FirstId + Stage * Groups + Group, 2 * Threads>",
        "FirstId + Group, 2 * Threads>",
        "model turns two_groups_by_named_barriers 90",
    ),
    Mutant(
        "a turn at a named barrier counts the waiting group alone",
        "turns.h",
        "Stage * Groups + Group, 2 * Threads>",
        "Stage * Groups + Group, Threads>",
        "model turns two_groups_by_named_barriers 90",
    ),
    # Values in another block.
    Mutant(
        "a value is stored in the own block",
        "remote_barrier.h",
        "return ptx::mapa(ptx::to_shared(destination), block_rank_);",
        "return ptx::to_shared(destination);",
        "model barriers remote_values 90",
    ),
    Mutant(
        "16 bytes are stored in the wrong order",
        "remote_barrier.h",
        "{bits.low, bits.high}",
        "{bits.high, bits.low}",
        "model barriers remote_values 90",
    ),
    Mutant(
        "8 bytes are stored as 4",
        "remote_barrier.h",
        "ptx::st_async(there, to_bits<uint64>(value), bar_);",
        "ptx::st_async(there, static_cast<uint32>(to_bits<uint64>(value)), bar_);",
        "model barriers remote_values 90",
    ),
    Mutant(
        "the minimum of signed numbers is that of unsigned ones",
        "remote_barrier.h",
        "conditional<is_signed_integer<Integer>, int32, uint32>",
        "conditional<is_signed_integer<Integer>, uint32, uint32>",
        "model barriers remote_reductions 90",
    ),
    Mutant(
        "bits are set instead of cleared in another block",
        "remote_barrier.h",
        "ptx::op_and_op_t{}",
        "ptx::op_or_op_t{}",
        "model barriers remote_reductions 90",
    ),
    # Wrong conditions, operands and addresses.
    Mutant(
        "a failed compare-exchange keeps what was expected",
        "backend/atomic/atomic_box.h",
        "if (!is_expected) set_bits(expected, before);",
        "if (is_expected) set_bits(expected, before);",
        "model atomics padded_failure 90",
    ),
    Mutant(
        "a byte in another block is at the address of its word",
        "backend/order/access_device.h",
        "anywhere{ptx::to_generic_pointer(word).address - offset};",
        "anywhere{ptx::to_generic_pointer(word).address};",
        "model atomics values_in_another_block 90",
    ),
    Mutant(
        "a timed wait for an mbarrier ends at the length of its time",
        "backend/phase/block_phase_device.h",
        "limit < forever - start ? start + limit : forever",
        "limit < forever - start ? limit : forever",
        "model barriers times_in_shared_memory 90",
    ),
    Mutant(
        "a try at a barrier in global memory waits",
        "backend/phase/block_phase_device.h",
        "return wait_on_counter(phase, to_token(which), 0);",
        "return wait_on_counter(phase, to_token(which), forever);",
        "model barriers times_in_global_memory 90",
    ),
    Mutant(
        "who arrives and waits in a cluster does not wait",
        "backend/phase/cluster_phase.h",
        "static_cast<void>(wait(here, phase, phase_token{token}, forever));",
        ";static_cast<void>(token);",
        "model barriers arrivals_and_waits_in_a_cluster 90",
    ),
    Mutant(
        "a try at a latch succeeds one arrival early",
        "backend/phase/countdown.h",
        "memory_order_acquire_t{}) == 0;",
        "memory_order_acquire_t{}) <= 1;",
        "model synchronizers tries_at_a_latch 90",
    ),
    Mutant(
        "the second block of a grid is its first",
        "backend/grid/grid_phase.h",
        "rank == 0 ?",
        "rank == 1 ?",
        "model barriers grid_of_one_block 90",
    ),
    Mutant(
        "canceled launches have no third dimension",
        "backend/grid/launch_device.h",
        "if constexpr (Rank >= 3) first.z",
        "if constexpr (Rank > 3) first.z",
        "model launches canceled_blocks_of_volume 100a",
    ),
    Mutant(
        "the second thread of a group copies in bulk",
        "backend/copy/copy_device.h",
        "is_large & (job.rank == 0)",
        "is_large & (job.rank == 1)",
        "model copies copy_by_one_thread 90",
    ),
    Mutant(
        "the second thread of a group copies in bulk what is not a multiple of 16 bytes",
        "backend/copy/copy_device.h",
        "if (is_in_bulk && rank == 0)",
        "if (is_in_bulk && rank == 1)",
        "model copies copy_by_one_thread 90",
    ),
    Mutant(
        "a group copies more units to a stage than its loop has iterations",
        "backend/copy/copy_device.h",
        "job.size <= most_units_per_thread * 16 * job.threads",
        "job.size <= most_units_per_thread * 32 * job.threads",
        "model copies group_copies_to_stages 90",
    ),
    Mutant(
        "all warps but the first elect a thread",
        "backend/thread/elect.h",
        "thread_rank / 32, 0) == 0 &&",
        "thread_rank / 32, 0) != 0 &&",
        "model barriers elected_threads 90",
    ),
    Mutant(
        "rows of a block have the length of its columns",
        "backend/thread/elect.h",
        "blockDim.x * (threadIdx.y",
        "blockDim.y * (threadIdx.y",
        "model barriers grid_of_volumes 90",
    ),
    Mutant(
        "drops do not wait for the refill of the counter",
        "backend/phase/counter_phase.h",
        "while (!is_refilled(before) ||",
        "while (",
        "model barriers drops_after_a_phase 90",
    ),
    Mutant(
        "number and count of a named barrier swapped",
        "backend/phase/named_barrier_device.h",
        "void arrive(unaligned_t) const { ptx::barrier_arrive(id, threads); }",
        "void arrive(unaligned_t) const { ptx::barrier_arrive(threads, id); }",
        "model barriers named_votes 90",
    ),
    Mutant(
        "a vote of any thread is the opposite",
        "backend/phase/named_barrier_device.h",
        "return bar.red_or(alignment, in) != 0;",
        "return bar.red_or(alignment, in) == 0;",
        "model barriers named_votes 90",
    ),
    Mutant(
        "a timed wait for a value lasts twice its time",
        "backend/atomic/await_value_device.h",
        "now(here) - start >= limit",
        "now(here) - start >= 2 * limit",
        "model atomics times 90",
    ),
    Mutant(
        "an addition in another block returns its sum",
        "backend/atomic/fetch_device.h",
        "if (seen == before) return before;",
        "if (seen == before) return after;",
        "model atomics values_in_another_block 90",
    ),
    Mutant(
        "the sign of zero is negative",
        "backend/atomic/fetch_device.h",
        "to_bits<signed_word>(value) >= 0",
        "to_bits<signed_word>(value) > 0",
        "model atomics values 90",
    ),
    Mutant(
        "a small minimum is that of words",
        "backend/atomic/fetch_device.h",
        "is_same<Operation, operation::min> && is_whole && sizeof(Value) >= 4 && is_word",
        "is_same<Operation, operation::min> && is_whole && is_word",
        "model atomics values 90",
    ),
    Mutant(
        "a sum in private memory is its operand",
        "backend/atomic/fetch_device.h",
        "object = Operation::apply(object, from_bits<Operand>(bits));",
        "object = from_bits<Operand>(bits);",
        "model atomics values 90",
    ),
    Mutant(
        "a compare-exchange of a byte does not compare",
        "backend/atomic/atomic_device.h",
        "place.extract(before) == expected ? place.replace(before, desired) : before;",
        "place.replace(before, desired);",
        "model atomics values 90",
    ),
    Mutant(
        "a compare-exchange in private memory does not compare",
        "backend/atomic/atomic_device.h",
        "if (before == expected) after = desired;",
        "after = desired;",
        "model atomics values 90",
    ),
    Mutant(
        "a failed compare-exchange says nothing",
        "backend/atomic/atomic_device.h",
        "if (!is_expected) set_bits(expected, before);",
        "if (is_expected) set_bits(expected, before);",
        "model atomics values 90",
    ),
    # Tensor cores.
    Mutant(
        "a multiplication comes before the release of its accumulator",
        "accumulator_pipeline.h",
        "await_release(at.position_ CUDASYNC_PASS_CALLER);\n    ptx::tcgen05_fence_after_thread_sync();",
        "await_release(at.position_ CUDASYNC_PASS_CALLER);",
        "codegen tensor_cores.cu sm_100",
    ),
    Mutant(
        "an accumulator is loaded before the multiplication",
        "accumulator_pipeline.h",
        "at.index(), false CUDASYNC_PASS_CALLER);\n    ptx::tcgen05_fence_after_thread_sync();",
        "at.index(), false CUDASYNC_PASS_CALLER);",
        "model tensor_cores stages_of_tensor_cores 100a",
    ),
    Mutant(
        "an accumulator is released while it is loaded",
        "accumulator_pipeline.h",
        "    ptx::tcgen05_wait_ld();\n",
        "",
        "model tensor_cores stages_of_tensor_cores 100a",
    ),
    Mutant(
        "loads are not before the release",
        "accumulator_pipeline.h",
        "    ptx::tcgen05_fence_before_thread_sync();\n",
        "",
        "model tensor_cores stages_of_pairs 100a",
    ),
    Mutant(
        "the leader of a pair expects the bytes of one block",
        "bulk_pipeline.h",
        "      bytes *= 2;\n",
        "",
        "model tensor_cores stages_of_pairs 100a",
    ),
    Mutant(
        "both blocks of a pair expect bytes",
        "bulk_pipeline.h",
        "      if (!Consumers::is_leader()) return;\n",
        "",
        "model tensor_cores stages_of_pairs 100a",
    ),
    Mutant(
        "boxes of a pair complete in their own block",
        "tensor_core_consumers.h",
        "map, box,\n                              ptx::mapa(bar, leader()));",
        "map, box,\n                              ptx::cluster_address(bar));",
        "model tensor_cores stages_of_pairs 100a",
    ),
    Mutant(
        "a stage of a pair is released in the first block",
        "tensor_core_consumers.h",
        "static_cast<uint16>(3u << leader())",
        "static_cast<uint16>(1u << leader())",
        "model tensor_cores stages_of_pairs 100a",
    ),
    Mutant(
        "wgmma still reads a released stage",
        "tensor_core_consumers.h",
        "ptx::wgmma_wait_group<Pending>();",
        "ptx::wgmma_wait_group<Pending + 1>();",
        "codegen bulk_pipeline_wgmma.cu sm_90",
    ),
    Mutant(
        "the committed stage is released instead of the one before",
        "tensor_core_consumers.h",
        "(last_round - count * bar_size)",
        "last_round",
        "codegen bulk_pipeline_wgmma.cu sm_90",
    ),
    # Traces.
    Mutant(
        "events of a trace are not counted",
        "trace/rings_device.h",
        "mine = {now.ring, now.count + 1};",
        "mine = {now.ring, now.count};",
        "model traces events 90",
    ),
    Mutant(
        "rings of a trace are numbered from zero",
        "trace/rings_device.h",
        "before < CUDASYNC_TRACE_RINGS ? before + 1",
        "before < CUDASYNC_TRACE_RINGS ? before",
        "model traces events 90",
    ),
    Mutant(
        "two warps trace in one ring",
        "trace/rings_device.h",
        "atomicAdd(&recorded.taken, 1u)",
        "atomicAdd(&recorded.taken, 0u)",
        "model traces events 90",
    ),
    Mutant(
        "every lane records an event",
        "trace/rings_device.h",
        "if ((lanes & ptx::get_sreg_lanemask_lt()) == 0) {",
        "if (lanes != 0) {",
        "model traces events 90",
    ),
    Mutant(
        "a ring of events has no end",
        "trace/rings_device.h",
        "[now.count % CUDASYNC_TRACE_EVENTS]",
        "[now.count % (2 * CUDASYNC_TRACE_EVENTS)]",
        "model traces events 90",
    ),
    Mutant(
        "multiprocessors share rings",
        "trace/rings_device.h",
        "(multiprocessor * warps_of_multiprocessor + ptx::get_sreg_warpid())",
        "(ptx::get_sreg_warpid())",
        "model traces events 90",
    ),
    Mutant(
        "an event of a trace has the lanes of the warp",
        "trace/span.h",
        "record(event_, __activemask());",
        "record(event_, 0xffffffff);",
        "model traces events 90",
    ),
    Mutant(
        "an event of a trace has no duration",
        "trace/span.h",
        "void begin(target::sm70) { event_.begin = ptx::get_sreg_globaltimer(); }",
        "void begin(target::sm70) { event_.begin = 0; }",
        "model traces events 90",
    ),
    # Kinds of faults of which others are above.
    Mutant(
        "exchanges of a large value take no lock",
        "backend/atomic/atomic_box.h",
        "  const lock_holder<Scope> holder(object.lock.word, order);\n"
        "  const auto before",
        "  const auto before",
        "model synchronizers value_behind_a_lock 90",
    ),
    Mutant(
        "compare-exchanges of bytes do not acquire",
        "backend/atomic/atomic_device.h",
        "ptx::atom(sem_on_device<Order>{}, scope, ptx::op_cas_t{}, word, before, after)",
        "ptx::atom(ptx::sem_relaxed_t{}, scope, ptx::op_cas_t{}, word, before, after)",
        "model atomics guesses 90",
    ),
    Mutant(
        "failed compare-exchanges of bytes look only at the first guess",
        "backend/atomic/atomic_device.h",
        "        const auto after = place.extract(before) == expected ? place.replace(before, desired) : before;",
        "        if (place.extract(before) != expected) return place.extract(before);\n"
        "        const auto after = place.replace(before, desired);",
        "model atomics guesses 90",
    ),
    Mutant(
        "counters do not wait for copies",
        "backend/copy/copy_device.h",
        "  await_all_copies(copy_target{});\n"
        "  return copied::at_once;",
        "  return copied::at_once;",
        "model copies copies_held_by_barriers 80",
    ),
    Mutant(
        "barriers in global memory do not wait for cp.async",
        "backend/copy/copy_device.h",
        "  await_all_copies(here);\n"
        "  return copied::at_once;\n"
        "}\n"
        "\n"
        "CUDASYNC_ON_CALL\nCUDASYNC_DEVICE copied hold_for_copies(target::sm90",
        "  return copied::at_once;\n"
        "}\n"
        "\n"
        "CUDASYNC_ON_CALL\nCUDASYNC_DEVICE copied hold_for_copies(target::sm90",
        "model copies copies_held_by_barriers 80",
    ),
    Mutant(
        "warpgroups release stages in one block of the cluster",
        "backend/copy/ring_device.h",
        "arrive_in_blocks<Blocks, Threads>(ptx::sem_relaxed_t{}, bar, rank);",
        "if (rank == 0) ptx::mbarrier_arrive(ptx::sem_relaxed_t{}, ptx::scope_cluster_t{}, ptx::mapa(bar, 0), 1);",
        "model tensor_cores stages_of_warpgroups_of_cluster 90a",
    ),
    Mutant(
        "tries of consumers take the other parity",
        "bulk_pipeline.h",
        "const bool is_full = backend::test_ring<1>(bulk_target{}, full(stage), stage.parity());",
        "const bool is_full = backend::test_ring<1>(bulk_target{}, full(stage), stage.parity() ^ 1);",
        "model copies bulk_pipeline_by_tries 90",
    ),
    Mutant(
        "pipelines of the device do not wait for copies",
        "pipeline.h",
        "      if (has_copies_) backend::await_all_copies(here);\n",
        "",
        "model copies unified_pipelines 90",
    ),
    Mutant(
        "consumers of a channel do not wait for the producers",
        "named_channel.h",
        "~consumer() { Full::sync(CUDASYNC_PASS_ONLY_KEPT_CALLER); }",
        "~consumer() {}",
        "model barriers channel 90",
    ),
    Mutant(
        "a warp's leader releases the loads of tensor memory of all lanes",
        "accumulator_pipeline.h",
        "    Consumers::synchronize();\n",
        "",
        "model tensor_cores stages_of_tensor_cores 100a",
    ),
    Mutant(
        "tensor memory is used again without a fence",
        "accumulator_pipeline.h",
        "      await_release(position CUDASYNC_PASS_CALLER);\n"
        "    ptx::tcgen05_fence_after_thread_sync();",
        "      await_release(position CUDASYNC_PASS_CALLER);",
        "model tensor_cores stages_of_tensor_cores 100a",
    ),
    Mutant(
        "the scheduler of a cluster fences for the readers of other blocks",
        "launch_queue.h",
        "    if constexpr (Blocks > 1) backend::fence_before_arrival(launch_target{});\n"
        "    return answer;",
        "    if constexpr (Blocks == 1) backend::fence_before_arrival(launch_target{});\n"
        "    return answer;",
        "model launches queue_of_cluster 100a",
    ),
]


kinds.wanted.update(mutant.test for mutant in MUTANTS)


def overlay(folder, mutant):
    """The mutated header alone, in a folder to be searched before that of all headers."""
    text = (toolchain.INCLUDE / "cudasync" / mutant.header).read_text(encoding="utf-8")
    assert text.count(mutant.text) == 1, f"stale: {mutant.header} has {text.count(mutant.text)} times {mutant.text!r}"
    return kinds.overlay(folder, mutant.header, text.replace(mutant.text, mutant.replacement))


@pytest.fixture(scope="module")
def control(tmp_path_factory):
    """Whether a test passes without any fault: asked once a test."""
    folder = tmp_path_factory.mktemp("control")
    return functools.cache(lambda test: kinds.passes([toolchain.INCLUDE], folder, test))


@pytest.mark.parametrize("kernel", ["guesses", "changes_of_neighboring_bytes"])
def test_any_first_guess_will_do(kernel, tmp_path):
    """The load is not morally strong, so nothing may depend on its value: here it is always the same."""
    text = "return ptx::ld(ptx::sem_relaxed_t{}, ptx::scope_cta_t{}, word);"
    any_value = "return static_cast<decltype(ptx::ld(ptx::sem_relaxed_t{}, ptx::scope_cta_t{}, word))>(0x5a5a5a5a5a5a5a5a);"
    wrong = Mutant("any first guess", "backend/atomic/atomic_device.h", text, any_value, f"model atomics {kernel} 90")
    passed, output = kinds.passes([overlay(tmp_path, wrong), toolchain.INCLUDE], tmp_path, wrong.test)
    assert passed, output


# A twelfth of them in a run that is not thorough, beside one of each header of test_sites.py; that each can still be made is
# always checked.
CHOSEN = MUTANTS if toolchain.THOROUGH else MUTANTS[::12]


# Tests on the model and of the generated code also run by themselves, without faults: in a run that is not thorough, only one
# of each of the two is asked here, to see that a test can pass here at all.
BY_THEMSELVES = {kind: next(mutant.test for mutant in CHOSEN if mutant.test.startswith(kind)) for kind in ("model ", "codegen ")}


def is_asked_without_a_fault(test):
    kind, *words = test.split()
    if kind == "codegen":
        runs_by_itself = words[1] in codegen_format.Codegen().variants(toolchain.ROOT / "test/codegen" / words[0])
    else:  # the checked build does not run everywhere, and atomics for sm_80 not at all
        runs_by_itself = kind == "model" and len(words) == 3 and (words[0], words[2]) != ("atomics", "80")
    return toolchain.THOROUGH or not runs_by_itself or test in BY_THEMSELVES.values()


@pytest.mark.parametrize("test", sorted(test for test in kinds.wanted if test.split()[0] in kinds.HOST))
def test_host_program_passes_without_a_fault(control, test):
    passed, output = control(test)
    assert passed, output


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_can_be_made(mutant, tmp_path):
    overlay(tmp_path, mutant)


@pytest.mark.parametrize("mutant", CHOSEN, ids=lambda mutant: mutant.name)
def test_mutant_is_killed(mutant, control, tmp_path):
    if is_asked_without_a_fault(mutant.test):
        passed, output = control(mutant.test)
        assert passed, f"`{mutant.test}` fails without any fault:\n{output}"
    passed, output = kinds.passes([overlay(tmp_path, mutant), toolchain.INCLUDE], tmp_path, mutant.test)
    assert not passed, f"`{mutant.test}` does not see it:\n{output}"
