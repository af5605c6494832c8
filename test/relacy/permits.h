// Semaphores, and waits for a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_RELACY_PERMITS_H
#define CUDASYNC_TEST_RELACY_PERMITS_H

#include "scenario.h"

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/permit/permits.h>
#include <cudasync/core/memory_order_constants.h>
#include <cudasync/core/operation.h>

namespace permits {

template <class Permits>
struct permit_word;
template <>
struct permit_word<backend::permit_queue<scope>> {
  using type = uint64;
};
template <>
struct permit_word<backend::permit_flag<scope>> {
  using type = uint32;
};
template <class Permits>
using explored_permits = explored_object<Permits, typename permit_word<Permits>::type>;
using queue = backend::permit_queue<scope>;
using flag = backend::permit_flag<scope>;

// Reads the word of a semaphore without synchronizing.
template <class Permits>
auto word_of(explored_permits<Permits>& permits) {
  return backend::load<scope>(here, permits->word, cudasync::memory_order_relaxed);
}

// Each thread holds the only permit for a while.
template <class Permits, int Rounds>
struct exclusion : scenario {
  exclusion() { sum.write(0); }
  void thread(unsigned) override {
    for (int round = 0; round < Rounds; ++round) {
      acquire_permit(here, *permits);
      sum.write(sum.read() + 1);
      backend::release_permits(here, *permits, 1);
    }
  }

  explored_permits<Permits> permits{1};
  message sum;
};

template <class Permits>
using two_of = exclusion<Permits, 2>;
template <class Permits>
using three_of = exclusion<Permits, 1>;

// A thread releases a permit; another takes it.
template <class Permits>
struct hand_over : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      backend::release_permits(here, *permits, 1);
    } else {
      acquire_permit(here, *permits);
      EXPECT(slot.read() == 1);
    }
  }

  explored_permits<Permits> permits{0};
  message slot;
};

// One thread tries to take the permit, and another waits for it for a limited time.
template <class Permits>
struct attempts : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      backend::release_permits(here, *permits, 1);
    } else if (rank == 1) {
      if (try_acquire_permit(here, *permits)) take();
    } else {
      if (backend::try_acquire_permit_for<scope>(here, *permits, 1000)) take();
    }
  }
  void take() {
    EXPECT(slot.read() == 1);
    slot.write(2);
  }

  explored_permits<Permits> permits{0};
  message slot;
};

// A thread that cannot take the permit waits until it can, without a limit.
template <class Permits>
struct await_a_permit : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      backend::release_permits(here, *permits, 1);
    } else {
      EXPECT(backend::try_acquire_permit_for<scope>(here, *permits, forever));
      EXPECT(slot.read() == 1);
    }
  }

  explored_permits<Permits> permits{0};
  message slot;
};

// Thread 2 comes when thread 1 already waits, so it is served later, and also finds what thread 1 wrote.
template <class Permits>
struct turns : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      backend::release_permits(here, *permits, 1);
    } else if (rank == 1) {
      acquire_permit(here, *permits);
      EXPECT(slot.read() == 1);
      slot.write(2);
      backend::release_permits(here, *permits, 1);
    } else {
      for (int attempt = 0; attempt < 3; ++attempt) {
        if (does_one_wait()) {
          acquire_permit(here, *permits);
          EXPECT(slot.read() == 2);
          return;
        }
        let_others_run();
      }
    }
  }
  bool does_one_wait() {
    if constexpr (sizeof(permits->word) == 8)
      return backend::available_permits(word_of<Permits>(permits)) < 0;
    else
      return (word_of<Permits>(permits) & backend::waiting_bits) != 0;
  }

  explored_permits<Permits> permits{0};
  message slot;
};

// One release is for two threads.
struct two_at_once : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      backend::release_permits(here, *permits, 2);
    } else {
      acquire_permit(here, *permits);
      EXPECT(slot.read() == 1);
    }
  }

  explored_permits<queue> permits{0};
  message slot;
};

// Thread 0 releases the second permit as soon as the first is taken.
struct released_again : scenario {
  void thread(unsigned rank) override {
    if (rank != 0) return acquire_permit(here, *permits);
    backend::release_permits(here, *permits, 1);
    while ((word_of<flag>(permits) & backend::permit_bit) != 0)
      let_others_run();
    backend::release_permits(here, *permits, 1);
  }

  explored_permits<flag> permits{0};
};

// Threads 1 and 2 have the same ticket, because thread 0 acts for 255 more that wait between them.
struct of_one_ticket : scenario {
  void await_waiting(uint32 count) {
    while ((word_of<flag>(permits) & backend::waiting_bits) / backend::one_waiting != count)
      let_others_run();
  }
  void add(uint32 value) {
    backend::update<scope, 4, cudasync::operation::add>(here, permits->word, value, cudasync::memory_order_relaxed);
  }
  void acquire_later(unsigned rank) {
    if (rank == 2) await_waiting(256);
    acquire_permit(here, *permits);
  }
  void wait_with_both() {
    await_waiting(1);
    add(255 * backend::one_waiting);
    await_waiting(257);
    backend::release_permits(here, *permits, 1);
  }
  // The 255 get their turns, and the permit is there again.
  void serve_those_between() {
    const auto is_next = [](uint32 word) {
      return (word & backend::permit_bit) != 0 && word / backend::one_served == 1;
    };
    backend::await_turn<scope>(here, permits->word, is_next, cudasync::memory_order_relaxed);
    add(255 * (backend::one_served - backend::one_waiting));
    backend::notify(here, &permits->word);
  }

  explored_permits<flag> permits{0};
};

struct same_ticket : of_one_ticket {
  same_ticket() { sum.write(0); }
  void thread(unsigned rank) override {
    if (rank == 0) {
      wait_with_both();
      return serve_those_between();
    }
    acquire_later(rank);
    sum.write(sum.read() + 1);
    backend::release_permits(here, *permits, 1);
  }
  void after() override { EXPECT(sum.read() == 2 && explored::value_of(permits->word) == 1); }

  message sum;
};

// Thread 0 releases again as soon as the permit is taken: that is for the turn after those of threads 1 and 2.
struct same_ticket_released_again : of_one_ticket {
  void thread(unsigned rank) override {
    if (rank != 0) return acquire_later(rank);
    wait_with_both();
    while ((word_of<flag>(permits) & backend::permit_bit) != 0)
      let_others_run();
    backend::release_permits(here, *permits, 1);
    serve_those_between();
  }
  void after() override { EXPECT(explored::value_of(permits->word) == 0); }
};

// An event that thread 0 sets twice, each time after it has tried to reset it. The other thread may be in the queue: then,
// too, try_acquire takes a permit that is there, so that no release finds one.
struct event : scenario {
  void thread(unsigned rank) override {
    if (rank != 0) return acquire_permit(here, *permits);
    for (int set = 0; set < 2; ++set) {
      static_cast<void>(try_acquire_permit(here, *permits));
      EXPECT((word_of<flag>(permits) & backend::permit_bit) == 0);
      backend::release_permits(here, *permits, 1);
    }
  }
  void after() override { EXPECT(explored::value_of(permits->word) <= 1); }

  explored_permits<flag> permits{0};
};

// Thread 0 acts for threads that wait in the queue. A try may take the permit before them. If it does not, there are 256
// turns, and then the word is as before.
struct try_before_turn : of_one_ticket {
  void thread(unsigned rank) override {
    for (int written = 1; written <= 2; ++written) {
      if (rank != 0) {
        if (try_acquire_permit(here, *permits)) {
          EXPECT(slot.read() == 1 || slot.read() == 2);
          return;
        }
      } else {
        if (written == 1) add(backend::one_waiting);
        slot.write(written);
        backend::release_permits(here, *permits, 1);
        uint32 found = backend::one_waiting + backend::permit_bit;
        if (!backend::compare_exchange<scope, 4>(here, permits->word, found, uint32{backend::one_waiting},
                                                 cudasync::memory_order_acquire))
          return;
      }
    }
  }

  message slot;
};

// The memory is used for something else when the permit is taken, while the other thread may still be in its release.
template <class Permits>
struct permits_that_end : scenario {
  using word = typename permit_word<Permits>::type;

  permits_that_end() {
    explored::explore<word>(permits, true);
    explore_parking_lot(&permits.word);
  }
  void thread(unsigned rank) override {
    if (rank == 0) return backend::release_permits(here, permits, 1);
    acquire_permit(here, permits);
    explored::reuse<word>(permits);
  }

  Permits permits{0};
};

// --- Waits for a value ---

struct is_one {
  bool operator()(uint32 value) const { return value == 1; }
};

struct box {
  box() = default;
  uint32 word = 0;
};

// The wait acquires the value.
struct awaited_value : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      slot.write(1);
      backend::store<scope>(here, value->word, uint32{1}, cudasync::memory_order_release);
      backend::notify(here, &value->word);
    } else {
      is_one condition;
      static_cast<void>(
          backend::await_value<scope>(here, value->word, condition, cudasync::memory_order_acquire, forever));
      EXPECT(slot.read() == 1);
    }
  }

  explored_object<box, uint32> value;
  message slot;
};

// Neither the store nor the wait orders anything, and still no thread sleeps forever.
// The thread that stores may still be in its notification.
struct value_that_ends : scenario {
  value_that_ends() {
    explored::explore<uint32>(value, true);
    explore_parking_lot(&value.word);
  }
  void thread(unsigned rank) override {
    if (rank == 0) {
      backend::store<scope>(here, value.word, uint32{1}, cudasync::memory_order_release);
      backend::notify(here, &value.word);
    } else {
      is_one condition;
      static_cast<void>(
          backend::await_value<scope>(here, value.word, condition, cudasync::memory_order_acquire, forever));
      explored::reuse<uint32>(value);
    }
  }

  box value;
};
struct awaited_relaxed : scenario {
  void thread(unsigned rank) override {
    if (rank == 0) {
      backend::store<scope>(here, value->word, uint32{1}, cudasync::memory_order_relaxed);
      backend::notify(here, &value->word);
    } else {
      is_one condition;
      static_cast<void>(
          backend::await_value<scope>(here, value->word, condition, cudasync::memory_order_relaxed, forever));
    }
  }

  explored_object<box, uint32> value;
};

}  // namespace permits

#endif
