// The phases of barriers, and latches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_RELACY_PHASES_H
#define CUDASYNC_TEST_RELACY_PHASES_H

#include "scenario.h"

#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/grid/grid_phase.h>
#include <cudasync/backend/phase/countdown.h>
#include <cudasync/backend/phase/counter_phase.h>
#include <cudasync/backend/phase/gate_phase.h>

namespace phases {

using backend::phase_parity;
using backend::phase_token;

// --- Both kinds of phases ---

struct counter : explored_object<backend::counter_phase<scope>, uint64> {
  explicit counter(uint64 expected) : explored_object(expected, backend::empty_completion()) {}
};
struct gate : explored_object<backend::gate_phase<scope, uint32, backend::empty_completion>, uint32> {
  explicit gate(uint64 expected) : explored_object(expected, backend::empty_completion()) {}
};

// Two threads exchange messages in each of two phases.
template <class Phase>
struct exchange : scenario {
  void thread(unsigned rank) override {
    for (int phase = 0; phase < 2; ++phase) {
      slots[phase][rank].write(phase);
      arrive_and_wait(here, *bar);
      EXPECT(slots[phase][1 - rank].read() == phase);
    }
  }

  Phase bar{2};
  message slots[2][2];
};

// Two threads wait with the tokens of their arrivals, and one by parity.
template <class Phase>
struct tokens : scenario {
  void thread(unsigned rank) override {
    for (int phase = 0; phase < 2; ++phase) {
      slots[phase][rank].write(1);
      const uint64 token = arrive(here, *bar, 1);
      if (rank == 0)
        static_cast<void>(wait(here, *bar, phase_parity{phase == 1}, forever));
      else
        static_cast<void>(wait(here, *bar, phase_token{token}, forever));
      for (message& each : slots[phase])
        EXPECT(each.read() == 1);
    }
  }

  Phase bar{3};
  message slots[2][3];
};

// A thread asks whether the phase is complete, and another waits for a limited time.
template <class Phase>
struct attempts : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      static_cast<void>(arrive(here, *bar, 1));
    } else if (rank == 1) {
      if (try_wait(here, *bar, phase_parity{false})) EXPECT(slot.read() == 1);
    } else {
      if (wait(here, *bar, phase_parity{false}, 1000)) EXPECT(slot.read() == 1);
    }
  }

  Phase bar{1};
  message slot;
};

// One thread drops out of the first phase; the other needs it no more.
template <class Phase>
struct drops : scenario {
  void thread(unsigned rank) override {
    slots[rank].write(1);
    if (rank == 0) {
      arrive_and_drop(here, *bar);
    } else {
      arrive_and_wait(here, *bar);
      EXPECT(slots[0].read() == 1);
      arrive_and_wait(here, *bar);
      EXPECT(!try_wait(here, *bar, phase_parity{false}));
    }
  }

  Phase bar{2};
  message slots[2];
};

// The threads that drop out at the same time complete the phase, and a third waits.
template <class Phase>
struct all_drop : scenario {
  void thread(unsigned rank) override {
    if (rank == 2) {
      static_cast<void>(wait(here, *bar, phase_parity{false}, forever));
      EXPECT(slots[0].read() == 1 && slots[1].read() == 1);
    } else {
      slots[rank].write(1);
      arrive_and_drop(here, *bar);
    }
  }

  Phase bar{2};
  message slots[2];
};

// --- counter_phase ---

// Threads 1 and 2 arrive in the second phase while thread 0 may not have added the refill of the first.
struct early_arrivals : scenario {
  void thread(unsigned rank) override {
    if (rank < 2) {
      slots[0][rank].write(1);
      static_cast<void>(arrive(here, *bar, 1));
    }
    if (rank == 0) return;
    static_cast<void>(wait(here, *bar, phase_parity{false}, forever));
    EXPECT(slots[0][0].read() == 1 && slots[0][1].read() == 1);
    slots[1][rank - 1].write(1);
    static_cast<void>(arrive(here, *bar, 1));
    static_cast<void>(wait(here, *bar, phase_parity{true}, forever));
    EXPECT(slots[1][0].read() == 1 && slots[1][1].read() == 1);
  }
  void after() override { EXPECT(explored::value_of(bar->word) == (backend::refill(2) | 2)); }

  counter bar{2};
  message slots[2][2];
};

// Nobody waits: each thread completes phases by itself, also while refills of other threads have not taken effect.
template <uint32 Expected>
struct crossing_phases : scenario {
  void thread(unsigned) override {
    for (int phase = 0; phase < 2; ++phase)
      static_cast<void>(arrive(here, *bar, Expected));
  }
  void after() override {  // six phases
    EXPECT(explored::value_of(bar->word) == (backend::refill(Expected) | Expected));
  }

  counter bar{Expected};
};

// So many arrivals that a refill does not set the bit that tells whether it has taken effect.
struct large_counts : scenario {
  static constexpr uint32 half = (backend::most_with_refilled_bit + 2) / 2;

  void thread(unsigned rank) override {
    for (int phase = 0; phase < 2; ++phase) {
      slots[phase][rank].write(1);
      const uint64 token = arrive(here, *bar, half);
      static_cast<void>(wait(here, *bar, phase_token{token}, forever));
      EXPECT(slots[phase][1 - rank].read() == 1);
    }
  }

  counter bar{2 * half};
  message slots[2][2];
};

// A thread drops out beside one that does not wait, so that its arrivals can fall between any two steps of the drop. If
// one of them completes a phase, or comes before the refill, it ends after the drop that it has found.
template <uint32 Expected>
struct drop_beside_arrivals : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) return arrive_and_drop(here, *bar);
    for (unsigned arrival = 0; arrival < 2 * Expected; ++arrival) {
      const uint64 found = arrive(here, *bar, 1);
      const bool is_usual = backend::is_refilled(found) && !backend::has_flipped(found, found + backend::one_arrival);
      if ((found & backend::drop_bit) != 0 && !is_usual)
        EXPECT((explored::value_of(bar->word) & backend::drop_bit) == 0);
    }
  }
  void after() override {  // each phase that has completed is refilled
    const uint64 word = explored::value_of(bar->word);
    EXPECT(backend::expected_count(word) == Expected - 1);
    EXPECT(0 < bar->missing_arrivals(word) && bar->missing_arrivals(word) < Expected);
  }

  counter bar{Expected};
};

// A drop from so large a count releases what the thread did before, like each drop.
struct drop_from_many : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      return arrive_and_drop(here, *bar);
    }
    const uint64 token = arrive(here, *bar, most - 1);
    static_cast<void>(wait(here, *bar, phase_token{token}, forever));
    EXPECT(slot.read() == 1);
  }

  static constexpr uint32 most = 0x7fffffff;
  counter bar{most};
  message slot;
};

// One thread completes a phase alone. The other then completes some more, one with a drop, and one after that, which
// expects one arrival less, while the first may not have added its refill.
template <uint32 Expected, unsigned PhasesAhead>
struct large_drops : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) return static_cast<void>(arrive(here, *bar, Expected));
    static_cast<void>(wait(here, *bar, phase_parity{false}, forever));
    for (unsigned phase = 0; phase < PhasesAhead; ++phase)
      static_cast<void>(arrive(here, *bar, Expected));
    static_cast<void>(arrive(here, *bar, Expected - 1));
    arrive_and_drop(here, *bar);
    static_cast<void>(arrive(here, *bar, Expected - 1));
  }
  void after() override {
    constexpr uint64 parity = PhasesAhead % 2 == 0 ? backend::parity_bit<uint64> : 0;
    EXPECT(explored::value_of(bar->word) == (parity | backend::refill(Expected - 1) | (Expected - 1)));
  }

  counter bar{Expected};
};
using large_drop = large_drops<0x40000000, 0>;
using large_drop_two_phases_ahead = large_drops<0x28000000, 1>;

// --- gate_phase with a completion function ---

struct sum_of {
  message (*slots)[2];
  message* sum;

  void operator()() const {
    sum->write((*slots)[0].read() + (*slots)[1].read());
    (*slots)[0].write(0);
  }
};

// The function runs once in each phase, after the arrivals and before the waits end.
struct completion : scenario {
  using phase_type = backend::gate_phase<scope, uint32, sum_of>;

  completion() {
    init(here, bar, 2, sum_of{&slots, &sum});
    explored::explore<uint32>(bar.expected);
    explored::explore<uint32>(bar.pending);
    explore_parking_lot(&bar);
  }
  void thread(unsigned rank) override {
    for (int phase = 1; phase <= 2; ++phase) {
      slots[rank].write(phase);
      arrive_and_wait(here, bar);
      EXPECT(sum.read() == 2 * phase);
      arrive_and_wait(here, bar);
    }
  }

  phase_type bar;
  message slots[2];
  message sum;
};

// --- grid_phase ---

struct grid : scenario {
  void thread(unsigned rank) override {
    const backend::grid_share share{rank, 2};
    slots[0][rank].write(1);
    backend::arrive_and_wait<scope>(here, *bar, share);
    EXPECT(slots[0][1 - rank].read() == 1);
    slots[1][rank].write(1);
    const uint32 before = backend::arrive<scope>(here, *bar, share);
    backend::wait<scope>(here, *bar, share, before);
    EXPECT(slots[1][1 - rank].read() == 1);
  }

  explored_object<backend::grid_phase, uint32> bar{backend::grid_phase{0}};
  message slots[2][2];
};

struct grid_of_three : scenario {
  void thread(unsigned rank) override {
    const backend::grid_share share{rank, 3};
    for (int phase = 0; phase < 2; ++phase) {
      slots[phase][rank].write(1);
      backend::arrive_and_wait<scope>(here, *bar, share);
      for (message& each : slots[phase])
        EXPECT(each.read() == 1);
    }
  }

  explored_object<backend::grid_phase, uint32> bar{backend::grid_phase{0}};
  message slots[2][3];
};

// --- countdown ---

using latch = explored_object<backend::countdown<scope>, uint32>;

struct count_down : scenario {
  void thread(unsigned rank) override {
    if (rank == 2) {
      static_cast<void>(await_zero(here, *bar, forever));
      EXPECT(slots[0].read() == 1 && slots[1].read() == 1);
    } else {
      slots[rank].write(1);
      backend::count_down(here, *bar, 1);
    }
  }

  latch bar{2};
  message slots[2];
};

struct count_down_and_wait : scenario {
  void thread(unsigned rank) override {
    slots[rank].write(1);
    backend::count_down_and_wait(here, *bar, 1);
    EXPECT(slots[1 - rank].read() == 1);
  }

  latch bar{2};
  message slots[2];
};

struct is_zero : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      backend::count_down(here, *bar, 1);
    } else if (rank == 1) {
      if (backend::is_zero(here, *bar)) EXPECT(slot.read() == 1);
    } else {
      if (await_zero(here, *bar, 1000)) EXPECT(slot.read() == 1);
    }
  }

  latch bar{1};
  message slot;
};

// --- Memory that is used for something else when the wait has returned, while the other thread may still be in its call ---

struct latch_that_ends : scenario {
  latch_that_ends() {
    explored::explore<uint32>(bar, true);
    explore_parking_lot(&bar.count);
  }
  void thread(unsigned rank) override {
    if (rank == 0) return backend::count_down(here, bar, 1);
    static_cast<void>(await_zero(here, bar, forever));
    explored::reuse<uint32>(bar);
  }

  backend::countdown<scope> bar{1};
};

struct gate_that_ends : scenario {
  gate_that_ends() {
    explored::explore<uint32>(bar, true);
    explore_parking_lot(&bar);
  }
  void thread(unsigned rank) override {
    if (rank == 0) return static_cast<void>(arrive(here, bar, 1));
    static_cast<void>(wait(here, bar, phase_parity{false}, forever));
    explored::reuse<uint32>(bar);
  }

  backend::gate_phase<scope, uint32, backend::empty_completion> bar{1, backend::empty_completion()};
};

}  // namespace phases

#endif
