// cuda::pipeline::quit on host threads: whoever leaves, the others go on; the last one is told that it was.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/pipeline>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

using namespace std::chrono_literals;

template <cuda::thread_scope Scope, std::uint8_t Stages>
struct ring {
  static constexpr int stages = Stages;
  using state = cuda::pipeline_shared_state<Scope, Stages>;
  using handle = cuda::pipeline<Scope>;
};

// What a thread does until it leaves.
struct part {
  int commits;
  int releases;
  std::chrono::microseconds delay{0};  // before it begins, and before each fourth stage
};

// Each thread's part of the stages, and how they left. Nothing here that the pipeline should order is atomic.
template <class Ring>
class play {
 public:
  explicit play(std::vector<part> parts) : parts_(std::move(parts)), tickets_(parts_.size()) {
    for (std::vector<int>& stage : stages_)
      stage.assign(parts_.size(), -1);
  }

  // One thread of it, which works ahead of what it consumes by no more than depth stages, then leaves.
  void act(typename Ring::handle pipe, int rank, int depth = 1) {
    const part& self = parts_[rank];
    std::this_thread::sleep_for(self.delay);
    for (int step = 0; step < self.commits + depth || step - depth + 1 < self.releases; ++step) {
      if (step % 4 == 3) std::this_thread::sleep_for(self.delay);
      if (step < self.commits) {
        pipe.producer_acquire();
        stages_[step % Ring::stages][rank] = step;
        pipe.producer_commit();
      }
      const int oldest = step - depth + 1;
      if (oldest >= 0 && oldest < self.releases) {
        pipe.consumer_wait();
        expect_parts(oldest);
        std::this_thread::yield();
        expect_parts(oldest);
        pipe.consumer_release();
      }
    }
    tickets_[rank] = 1;
    ++entered_;
    if (!pipe.quit()) return;
    ++last_;
    for (const int ticket : tickets_)
      failures_.expect(ticket == 1);  // what the others did before they left is visible to the last
    failures_.expect(entered_ == static_cast<int>(parts_.size()));
  }

  void check() const {
    CHECK(failures_.value() == 0);
    CHECK(last_ == 1);
  }

 private:
  // Of the threads that have not left before this stage.
  void expect_parts(int position) {
    for (std::size_t rank = 0; rank < parts_.size(); ++rank)
      failures_.expect(position >= parts_[rank].commits || stages_[position % Ring::stages][rank] == position);
  }

  const std::vector<part> parts_;
  std::vector<int> stages_[Ring::stages];
  std::vector<int> tickets_;
  std::atomic<int> entered_{0};
  std::atomic<int> last_{0};
  failure_count failures_;
};

#define RINGS                                                                                                    \
  (ring<cuda::thread_scope_block, 1>), (ring<cuda::thread_scope_block, 2>), (ring<cuda::thread_scope_block, 4>), \
      (ring<cuda::thread_scope_device, 1>), (ring<cuda::thread_scope_system, 3>)

template <class Ring>
void check_unified(typename Ring::state& state, const std::vector<part>& parts, int depth = 1) {
  const int threads = static_cast<int>(parts.size());
  play<Ring> all(parts);
  meeting place(threads);
  run_threads(threads,
              [&](int rank) { all.act(cuda::make_pipeline(thread_group(place, rank, threads), &state), rank, depth); });
  all.check();
}

template <class Ring>
void check_partitioned(typename Ring::state& state, const std::vector<part>& parts, int producers) {
  const int threads = static_cast<int>(parts.size());
  play<Ring> all(parts);
  meeting place(threads);
  run_threads(threads, [&](int rank) {
    all.act(cuda::make_pipeline(thread_group(place, rank, threads), &state, producers), rank);
  });
  all.check();
}

TEMPLATE_TEST_CASE("threads leave a unified pipeline one after the other", "", RINGS) {
  typename TestType::state state;
  for (int reuse = 0; reuse < 5; ++reuse) {
    check_unified<TestType>(state, {{0, 0}});
    check_unified<TestType>(state, {{7, 7}});
    check_unified<TestType>(state, {{0, 0}, {0, 0}, {0, 0}});
    check_unified<TestType>(state, {{3, 3}, {10, 10}});
    check_unified<TestType>(state, {{0, 0}, {5, 5}, {6, 6}, {20, 20}});
    check_unified<TestType>(state, {{9, 9}, {9, 9}, {2, 2}, {2, 2}});
  }
}

TEMPLATE_TEST_CASE("who leaves waits for those that lag behind", "", RINGS) {
  typename TestType::state state;
  constexpr int lead = TestType::stages;
  check_unified<TestType>(state, {{lead, 0}, {lead + 2, lead + 2, 2ms}}, lead);
  check_unified<TestType>(state, {{1, 1}, {12, 12, 2ms}});
  check_unified<TestType>(state, {{5, 5}, {5, 5, 3ms}, {5, 5, 1ms}});
  check_partitioned<TestType>(state, {{2, 0}, {8, 0, 2ms}, {0, 8}}, 2);
  check_partitioned<TestType>(state, {{8, 0}, {0, 1}, {0, 8, 2ms}}, 1);
}

// A thread leaves with stages that it has committed and not released, and with such that the others have not, either.
TEMPLATE_TEST_CASE("who leaves need not release all that it committed", "", RINGS) {
  typename TestType::state state;
  constexpr int lead = TestType::stages;
  check_unified<TestType>(state, {{lead, 0}});
  check_unified<TestType>(state, {{lead, 0}, {lead, 0}}, lead);
  check_unified<TestType>(state, {{lead + 3, 3}, {9 + lead, 9 + lead}, {lead + 1, 2}}, lead);
}

TEMPLATE_TEST_CASE("consumers leave and the others go on", "", RINGS) {
  typename TestType::state state;
  for (const auto delay : {0us, 500us}) {
    check_partitioned<TestType>(state, {{30, 0}, {0, 7}, {0, 30}}, 1);
    check_partitioned<TestType>(state, {{30, 0, delay}, {30, 0}, {0, 0}, {0, 30}, {0, 11}}, 2);
    check_partitioned<TestType>(state, {{30, 0}, {0, 1}, {0, 2, delay}, {0, 30, delay}}, 1);
  }
}

TEMPLATE_TEST_CASE("producers leave and the others go on", "", RINGS) {
  typename TestType::state state;
  for (const auto delay : {0us, 500us}) {
    check_partitioned<TestType>(state, {{7, 0}, {30, 0}, {0, 30}}, 2);
    check_partitioned<TestType>(state, {{0, 0}, {30, 0, delay}, {11, 0}, {0, 30}, {0, 30}}, 3);
    check_partitioned<TestType>(state, {{3, 0, delay}, {30, 0}, {0, 30, delay}}, 2);
  }
}

TEMPLATE_TEST_CASE("who leaves need not commit what it acquired", "", RINGS) {
  typename TestType::state state;
  std::atomic<int> last{0};
  meeting place(2);
  run_threads(2, [&](int rank) {
    auto pipe = cuda::make_pipeline(thread_group(place, rank, 2), &state, 1);
    for (int position = 0; position < 3; ++position) {
      if (rank == 0) pipe.producer_acquire();
      if (rank == 0 && position < 2) pipe.producer_commit();
      if (rank == 1 && position < 2) {
        pipe.consumer_wait();
        pipe.consumer_release();
      }
    }
    if (pipe.quit()) ++last;
  });
  CHECK(last == 1);
}

// What is committed stays to be consumed.
TEMPLATE_TEST_CASE("the last producer leaves before its stages are consumed", "", RINGS) {
  typename TestType::state state;
  for (int stages = 1; stages <= 2 * TestType::stages + 1; ++stages) {
    check_partitioned<TestType>(state, {{stages, 0}, {0, stages, 3ms}}, 1);
    check_partitioned<TestType>(state, {{stages, 0}, {stages, 0}, {0, stages, 1ms}, {0, stages, 2ms}}, 2);
    check_partitioned<TestType>(state, {{stages, 0}, {stages - 1, 0}, {0, stages, 2ms}}, 2);
  }
}

TEMPLATE_TEST_CASE("the last consumer leaves before the ring is full", "", RINGS) {
  typename TestType::state state;
  for (int stages = 0; stages <= TestType::stages + 1; ++stages) {
    for (int more = 0; more <= TestType::stages; ++more) {
      check_partitioned<TestType>(state, {{stages + more, 0, 2ms}, {0, stages}}, 1);
      check_partitioned<TestType>(state, {{stages + more, 0}, {stages, 0, 1ms}, {0, stages}, {0, stages}}, 2);
    }
  }
}

TEMPLATE_TEST_CASE("threads leave at any time", "", RINGS) {
  typename TestType::state state;
  std::mt19937 chance(11);  // the same numbers everywhere
  for (int plays = 0; plays < 40; ++plays) {
    const int producers = 1 + static_cast<int>(chance() % 3);
    const int consumers = 1 + static_cast<int>(chance() % 3);
    const int longest = static_cast<int>(chance() % 20);
    std::vector<part> parts;
    for (int rank = 0; rank < producers + consumers; ++rank) {
      const bool stays = rank == 0 || rank == producers;
      const int length = stays ? longest : static_cast<int>(chance() % (longest + 1));
      const std::chrono::microseconds delay(chance() % 3 * 200);
      parts.push_back(rank < producers ? part{length, 0, delay} : part{0, length, delay});
    }
    check_partitioned<TestType>(state, parts, producers);
    for (part& each : parts)
      each.commits = each.releases = (std::max)(each.commits, each.releases);
    check_unified<TestType>(state, parts);
  }
}

// Each time in another form, and without any other synchronization than what the last one to leave may rely on.
TEST_CASE("the state is free for a new pipeline when the last has left") {
  using two = ring<cuda::thread_scope_block, 2>;
  constexpr int threads = 4;
  two::state state;
  meeting place(threads);
  std::atomic<int> pipelines_ended{0};
  run_threads(threads, [&](int rank) {
    const thread_group group(place, rank, threads);
    for (int use = 0; use < 60; ++use) {
      const bool is_producer = use % 3 == 0 || (use % 3 == 1 ? rank < 1 : (rank + use) % 2 == 0);
      const bool is_consumer = use % 3 == 0 || !is_producer;
      auto pipe = use % 3 == 0 ? cuda::make_pipeline(group, &state)
                  : use % 3 == 1
                      ? cuda::make_pipeline(group, &state, 1)
                      : cuda::make_pipeline(
                            group, &state, is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
      for (int position = 0; position < use % 7; ++position) {
        if (is_producer) {
          pipe.producer_acquire();
          pipe.producer_commit();
        }
        if (is_consumer) {
          pipe.consumer_wait();
          pipe.consumer_release();
        }
      }
      if (pipe.quit()) ++pipelines_ended;
      while (pipelines_ended == use)
        std::this_thread::yield();
    }
  });
  CHECK(pipelines_ended == 60);
}

TEST_CASE("the memory is free for something else when the last has left") {
  using two = ring<cuda::thread_scope_system, 2>;
  constexpr int threads = 3;
  for (int round = 0; round < 50; ++round) {
    two::state state;
    meeting place(threads);
    std::atomic<int> overwritten{0};
    run_threads(threads, [&](int rank) {
      auto pipe = cuda::make_pipeline(thread_group(place, rank, threads), &state);
      for (int position = 0; position < rank; ++position) {
        pipe.producer_acquire();
        pipe.producer_commit();
        pipe.consumer_wait();
        pipe.consumer_release();
      }
      if (!pipe.quit()) return;
      std::memset(static_cast<void*>(&state), 0, unknown(sizeof state));
      ++overwritten;
    });
    CHECK(overwritten == 1);
  }
}
