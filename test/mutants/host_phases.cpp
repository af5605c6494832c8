// The checks that test_mutants.py runs on the host: one says nothing when all is well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <cuda/barrier>
#include <cuda/std/barrier>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

// At cluster scope, which no other check uses, something may happen between the two steps of a drop.
void between_steps_of_drop(cudasync::uint64& word);
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {
template <>
inline uint64 fetch_and_relaxed<thread_scope_cluster>(target::host, uint64& word, uint64 value) {
  const uint64 before = word;
  word &= value;
  between_steps_of_drop(word);
  return before;
}
}}}  // namespace cudasync::CUDASYNC_ABI::backend

namespace {

namespace backend = cudasync::backend;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct nothing {
  void operator()() {}
};
using counter_barrier = cuda::barrier<cuda::thread_scope_system>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;  // a gate of two 32-bit words
using gate_barrier = cuda::std::barrier<nothing>;               // a gate of two 64-bit words

// What is written before arriving is read after waiting.
template <class Barrier>
void pass_messages() {
  Barrier bar(threads);
  int slots[2][threads] = {};  // not atomic
  run_threads([&](int rank) {
    for (int phase = 0; phase < 300; ++phase) {
      slots[phase % 2][rank] = phase + 1;
      if (phase % 4 == 0) {
        bar.arrive_and_wait();
      } else if (phase % 4 == 1) {
        bar.wait(bar.arrive());
      } else if (phase % 4 == 2) {
        static_cast<void>(bar.arrive());
        bar.wait_parity(false);
      } else {
        const auto token = bar.arrive();
        while (!bar.try_wait(token))
          std::this_thread::yield();
      }
      for (const int value : slots[phase % 2])
        expect(value == phase + 1, "a message is of its phase");
    }
  });
}
void messages_by_counter() {
  pass_messages<counter_barrier>();
}
void messages_by_gate() {
  pass_messages<block_barrier>();
  pass_messages<gate_barrier>();
}

// Counts and parities, in one thread.
template <class Barrier>
void count_to(std::ptrdiff_t expected) {
  Barrier bar(expected);
  expect(bar.try_wait_parity(true), "the phase before the first has completed");
  for (int phase = 0; phase < 6; ++phase) {
    const bool parity = phase % 2 != 0;
    if (expected > 1) static_cast<void>(bar.arrive(expected - 1));
    expect(!bar.try_wait_parity(parity), "one arrival is missing");
    const auto token = bar.arrive();
    expect(bar.try_wait(token), "the last arrival completes the phase");
    expect(bar.try_wait_parity(parity) && !bar.try_wait_parity(!parity), "parities alternate");
  }
}
void counts() {
  for (const int expected : {1, 2, 3, 10}) {
    count_to<counter_barrier>(expected);
    count_to<block_barrier>(expected);
    count_to<gate_barrier>(expected);
  }
  for (const std::ptrdiff_t expected : {std::ptrdiff_t{1} << 30, (std::ptrdiff_t{1} << 30) + 1, counter_barrier::max()})
    count_to<counter_barrier>(expected);
}

// All additions are made before the first refill: what is left is as if the arrivals had come one by one.
void cross_phases(cudasync::uint64 expected, cudasync::uint64 update, cudasync::uint64 additions, bool last_first) {
  backend::counter_phase<cudasync::thread_scope_system> phase;
  init(cudasync::target::host{}, phase, expected, backend::empty_completion{});
  const cudasync::uint64 addend = update * backend::one_arrival;
  std::vector<cudasync::uint64> found;
  for (; found.size() < additions; phase.word += addend)
    found.push_back(phase.word);
  if (last_first) std::reverse(found.begin(), found.end());
  for (const cudasync::uint64 before : found)
    cudasync::backend::finish_arrival<false>(phase, before, static_cast<cudasync::uint32>(update));
  const cudasync::uint64 arrivals = additions * update;
  expect((phase.word >> 63 != 0) == (arrivals / expected % 2 != 0), "each phase has completed");
  expect(phase.missing_arrivals(phase.word) == expected - arrivals % expected, "each refill has landed");
}
void crossing_phases() {
  constexpr cudasync::uint64 largest = 0x7fffffff;
  for (const bool last_first : {false, true}) {
    for (const cudasync::uint64 expected : {1, 2, 3, 7}) {
      for (const cudasync::uint64 update : {1, 5}) {
        for (cudasync::uint64 additions = 1; additions <= 20; ++additions)
          cross_phases(expected, update, additions, last_first);
      }
    }
    cross_phases(largest, largest, 2, last_first);
    cross_phases(100000000, 100000000, 20, last_first);  // more than a refill shows by its bit
  }
}

// A drop counts from the next phase on, and releases what was written before it.
template <class Barrier>
void drop_out() {
  Barrier single(3);
  single.arrive_and_drop();
  static_cast<void>(single.arrive());
  expect(!single.try_wait_parity(false), "a drop is one arrival");
  single.arrive_and_drop();
  expect(single.try_wait_parity(false), "the last drop completes the phase");
  static_cast<void>(single.arrive());
  expect(single.try_wait_parity(true), "two are not expected again");
  for (int round = 0; round < 50; ++round) {
    Barrier bar(threads);
    int slots[threads] = {};
    run_threads([&](int rank) {
      for (int phase = 0; phase < rank; ++phase) {
        bar.arrive_and_wait();
        expect(slots[phase] == 1, "a message came before its drop");
      }
      slots[rank] = 1;
      bar.arrive_and_drop();
    });
  }
}
void drops_from_counter() {
  drop_out<counter_barrier>();
  counter_barrier large(counter_barrier::max());
  large.arrive_and_drop();
  static_cast<void>(large.arrive(counter_barrier::max() - 1));
  expect(large.try_wait_parity(false), "a drop from a large count is one arrival");
  counter_barrier last(1);
  last.arrive_and_drop();
  expect(last.try_wait_parity(false), "the last drop completes the phase, and no other begins");
}
void drops_from_gate() {
  drop_out<block_barrier>();
  drop_out<gate_barrier>();
}

// A drop whose phase has early arrivals. Between two of its steps, others arrive, or the pending refill takes effect.
using phase_with_drop = backend::counter_phase<cuda::thread_scope_cluster>;
phase_with_drop* dropped;
int steps_of_drop;
bool was_odd;
cudasync::uint64 usual_arrivals, word_without_refill;
void drop_beside(cudasync::uint32 expected, cudasync::uint32 early, cudasync::uint32 later, bool is_pending) {
  constexpr cudasync::target::host here{};
  phase_with_drop phase;
  init(here, phase, expected, backend::empty_completion{});
  static_cast<void>(arrive(here, phase, expected));
  word_without_refill = is_pending ? phase.word : 0;
  if (is_pending) phase.word += expected * backend::one_arrival;
  if (early != 0) phase.word += early * backend::one_arrival;
  dropped = &phase;
  steps_of_drop = 0;
  usual_arrivals = is_pending ? 0 : later;
  was_odd = phase.word >> 63 != 0;
  arrive_and_drop(here, phase);
  const bool is_complete = early + usual_arrivals + 1 == expected;
  expect((phase.word >> 63 != 0) == (was_odd != is_complete), "a drop completes its phase, and no other");
  expect(backend::expected_count(phase.word) == expected - 1, "fewer are expected");
  const cudasync::uint64 missing = is_complete ? expected - 1 : expected - early - usual_arrivals - 1;
  expect(phase.missing_arrivals(phase.word) == missing, "a drop is one arrival");
}
void steps_of_drops() {
  const cudasync::uint32 most = counter_barrier::max();
  for (const cudasync::uint32 expected : {2u, 3u, 7u, 1u << 26, (1u << 26) + 1, most})
    for (const cudasync::uint32 early : {0u, 1u, expected - 2, expected - 1}) {
      drop_beside(expected, early, 0, true);
      drop_beside(expected, early, 0, false);
      drop_beside(expected, early, expected - 1 - early, false);
    }
}

// Runs once a phase, before the waiters are released; sees what they wrote, and they see what it did.
struct adder {
  void operator()();
};
cuda::std::barrier<adder>* added;
int slots_to_add[threads];
int phases_added = 0;
int sum = 0;
void adder::operator()() {
  ++phases_added;
  sum = 0;
  for (const int slot : slots_to_add)
    sum += slot;
  expect(!added->try_wait_parity(phases_added % 2 == 0), "the completion function runs before the release");
}
void completion() {
  cuda::std::barrier<adder> bar(threads);
  added = &bar;
  run_threads([&](int rank) {
    for (int phase = 1; phase <= 300; ++phase) {
      slots_to_add[rank] = phase;
      bar.arrive_and_wait();
      expect(phases_added == phase && sum == threads * phase, "the completion function has run");
    }
  });
}

// Waiters that sleep in the kernel are woken, without help of the limit of their sleep.
template <class Barrier>
void sleep_and_wake() {
  Barrier bar(threads);
  run_threads([&](int rank) {
    for (int phase = 0; phase < 12; ++phase) {
      if (phase % threads == rank) await_sleepers();
      bar.arrive_and_wait();
    }
  });
}
void sleepers() {
  sleeps_are_endless = true;
  sleep_and_wake<counter_barrier>();
  sleep_and_wake<block_barrier>();
  sleep_and_wake<gate_barrier>();
}

template <class Barrier>
void wait_for_a_time() {
  Barrier bar(2);
  const auto token = bar.arrive();
  const auto start = steady_clock::now();
  expect(!bar.try_wait_for(token, milliseconds(5)), "the phase is open");
  expect(steady_clock::now() - start >= milliseconds(5), "a timed wait lasts its time");
  expect(!bar.try_wait_parity_until(false, start), "the phase is open");
  static_cast<void>(bar.arrive());
  expect(bar.try_wait_for(token, milliseconds(0)), "the phase has completed");
  expect(bar.try_wait_parity_until(false, start) && !bar.try_wait_parity_until(true, start), "the parity counts");
}
void timed_waits() {
  wait_for_a_time<counter_barrier>();
  wait_for_a_time<block_barrier>();
  wait_for_a_time<gate_barrier>();
}

template <class Barrier>
void sleep_briefly() {
  Barrier bar(1);
  check_short_sleeps([&](milliseconds limit) { return bar.try_wait_parity_for(false, limit); },
                     [&] { bar.wait_parity(false); }, [&] { static_cast<void>(bar.arrive()); });
}
void short_sleeps() {
  sleep_briefly<counter_barrier>();
  sleep_briefly<gate_barrier>();
}

}  // namespace

void between_steps_of_drop(cudasync::uint64& word) {
  const bool is_small = backend::expected_count(word & ~cudasync::uint64{backend::drop_bit}) <= (1u << 26);
  const bool is_pending = word_without_refill != 0;
  expect((word >> 63 != 0) == was_odd, "a drop leaves the parity alone");
  if (is_small) expect(backend::is_refilled(word) != is_pending, "arrivals see whether a refill is pending");
  if (++steps_of_drop == 1) word += usual_arrivals * backend::one_arrival;
  expect((word >> 63 != 0) == was_odd, "no phase completes between the steps of a drop");
  if (is_pending && steps_of_drop == 2) {
    const auto expected = backend::expected_count(word_without_refill);
    backend::finish_arrival<false>(*dropped, word_without_refill, expected);
    word_without_refill = 0;
  }
}

int main(int, char** arguments) {
  const char* name = arguments[1];
  CHECKS
}
