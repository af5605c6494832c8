// Pipelines that threads leave.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_RELACY_PIPELINES_H
#define CUDASYNC_TEST_RELACY_PIPELINES_H

#include "scenario.h"

#include <cudasync/make_pipeline.h>
#include <cudasync/pipeline.h>
#include <cudasync/pipeline/pipeline_stage.h>
#include <cudasync/thread/time.h>

#include <algorithm>

namespace pipelines {

struct no_time {
  using period = cudasync::backend::nanosecond;
  int count() const { return 0; }
};

// The threads are producers, then consumers. Each plays its number of rounds and then leaves. The thread that leaves
// last finds what all the others did, and may use the memory for something else.
template <int Threads, int Producers, int Stages, int... Rounds>
struct ring : scenario {
  static constexpr int rounds[] = {Rounds...};
  static constexpr bool is_unified = Producers == Threads;
  static_assert(sizeof...(Rounds) == Threads);

  ring() {
    constexpr int consumers = is_unified ? Threads : Threads - Producers;
    state.start(cudasync::members_word(Threads, Producers, consumers), Producers, consumers);
    explored::explore<uint64>(state, true);
    for (std::size_t offset = 0; offset < sizeof state; offset += sizeof(uint64))
      explore_parking_lot(reinterpret_cast<const char*>(&state) + offset);
  }
  void thread(unsigned rank) override {
    const bool is_producer = static_cast<int>(rank) < Producers;
    const bool is_consumer = is_unified || !is_producer;
    cudasync::pipeline<scope> pipe(state, is_producer, is_consumer);
    for (int round = 0; round < rounds[rank]; ++round) {
      if (is_producer) {
        pipe.producer_acquire();
        parts[round % Stages][rank].write(round);
        pipe.producer_commit();
      }
      if (is_consumer) {
        pipe.consumer_wait();
        for (int other = 0; other < Producers; ++other)
          if (round < rounds[other]) EXPECT(parts[round % Stages][other].read() == round);
        pipe.consumer_release();
      }
    }
    if (!is_unified && is_consumer && rounds[rank] == *std::max_element(rounds, rounds + Producers))
      EXPECT(!pipe.consumer_wait_for(no_time()));  // all producers may have left, and nobody has committed this stage
    left[rank].write(1);
    if (!pipe.quit()) return;
    for (message& each : left)
      EXPECT(each.read() == 1);
    explored::reuse<uint64>(state);
    ++last;
  }
  void after() override { EXPECT(last == 1); }

  cudasync::pipeline_shared_state<scope, Stages> state;
  message parts[Stages][Producers];
  message left[Threads];
  int last = 0;
};

using all_stay = ring<2, 1, 1, 2, 2>;
using unified = ring<2, 2, 1, 2, 1>;
using consumer_stops = ring<2, 1, 1, 2, 1>;
using two_stages = ring<2, 1, 2, 3, 3>;
using producer_leaves = ring<3, 2, 1, 2, 1, 2>;
using consumer_leaves = ring<3, 1, 1, 2, 2, 1>;
using last_producer_commits_less = ring<3, 2, 2, 2, 1, 2>;

// Both are producers and consumers. One leaves with more commits, and the other one with more releases.
struct unequal : ring<2, 2, 2, 2, 1> {
  void thread(unsigned rank) override {
    cudasync::pipeline<scope> pipe(state, true, true);
    for (int round = 0; round < rounds[rank]; ++round) {
      pipe.producer_acquire();
      pipe.producer_commit();
    }
    if (rank == 1) {
      pipe.consumer_wait();
      pipe.consumer_release();
    }
    if (!pipe.quit()) return;
    explored::reuse<uint64>(state);
    ++last;
  }
};

}  // namespace pipelines

#endif
