// The checks of memcpy_async and cuda::pipeline that test_mutants.py runs on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <cuda/pipeline>
#include <cuda/std/barrier>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

template <cuda::thread_scope Scope, std::uint8_t Stages>
struct ring {
  static constexpr int stages = Stages;
  using state = cuda::pipeline_shared_state<Scope, Stages>;
  using handle = cuda::pipeline<Scope>;
};

// The threads of run_threads.
class all_threads {
 public:
  all_threads(std::atomic<int>& arrivals, int rank) : arrivals_(&arrivals), rank_(rank) {}
  int thread_rank() const { return rank_; }
  int size() const { return threads; }
  void sync() const {
    const int goal = (arrivals_->fetch_add(1) / threads + 1) * threads;
    while (arrivals_->load() < goal)
      std::this_thread::yield();
  }

 private:
  std::atomic<int>* arrivals_;
  int rank_;
};

// In one thread, which holds all handles.
struct member {
  int rank;
  int members;

  int thread_rank() const { return rank; }
  int size() const { return members; }
  void sync() const {}
};

// ThreadSanitizer does not see copies of a few bytes that the compiler makes without memcpy.
std::size_t unknown(std::size_t size) {
  volatile std::size_t hidden = size;
  return hidden;
}

enum class form { unified, by_count, by_role };

bool produces(form kind, unsigned producers, int rank) {
  return kind == form::unified || (producers >> rank & 1) != 0;
}
bool consumes(form kind, unsigned producers, int rank) {
  return kind == form::unified || (producers >> rank & 1) == 0;
}

// producers: a bit for each rank.
template <class Group, class State>
auto join(form kind, unsigned producers, const Group& group, State& state) {
  if (kind == form::unified) return cuda::make_pipeline(group, &state);
  const bool is_producer = produces(kind, producers, group.thread_rank());
  if (kind == form::by_count) return cuda::make_pipeline(group, &state, __builtin_popcount(producers));
  return cuda::make_pipeline(group, &state,
                             is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
}

// --- Streams ---

struct stage_data {
  int parts[threads] = {};  // not atomic
  std::atomic<int> readers{0};
};

// Each thread goes on for so many stages, and then leaves if it is told to.
template <class Ring>
void play(form kind, unsigned producers, const int (&lengths)[threads], bool leaves) {
  typename Ring::state state;
  std::memset(static_cast<void*>(&state), 0xb5, sizeof state);
  std::atomic<int> arrivals{0};
  std::atomic<int> last{0};
  stage_data stages[Ring::stages];
  int left[threads] = {};  // not atomic
  run_threads([&](int rank) {
    auto pipe = join(kind, producers, all_threads(arrivals, rank), state);
    for (int position = 0; position < lengths[rank]; ++position) {
      stage_data& here = stages[position % Ring::stages];
      if (position % 5 == rank) std::this_thread::sleep_for(100us);
      if (produces(kind, producers, rank)) {
        pipe.producer_acquire();
        expect(here.readers.load(std::memory_order_relaxed) == 0, "a stage is free when it is acquired");
        here.parts[rank] = position + 1;
        pipe.producer_commit();
      }
      if (consumes(kind, producers, rank)) {
        pipe.consumer_wait();
        here.readers.fetch_add(1, std::memory_order_relaxed);
        std::this_thread::yield();
        for (int other = 0; other < threads; ++other)
          expect(!produces(kind, producers, other) || position >= lengths[other] || here.parts[other] == position + 1,
                 "a stage is complete when it is consumed");
        here.readers.fetch_sub(1, std::memory_order_relaxed);
        pipe.consumer_release();
      }
    }
    if (!leaves) return;
    left[rank] = 1;
    if (!pipe.quit()) return;
    ++last;
    for (const int each : left)
      expect(each == 1, "the last to leave sees what the others did before");
    std::memset(static_cast<void*>(&state), 0, unknown(sizeof state));  // which nobody uses any more
  });
  expect(last == (leaves ? 1 : 0), "one is the last to leave");
}

constexpr int all_along[threads] = {40, 40, 40, 40};

template <class Ring>
void stream() {
  play<Ring>(form::unified, 0, all_along, false);
  for (const unsigned producers : {1u, 3u, 7u})
    play<Ring>(form::by_count, producers, all_along, false);
  for (const unsigned producers : {8u, 5u, 14u})
    play<Ring>(form::by_role, producers, all_along, false);
}
void streams() {
  stream<ring<cuda::thread_scope_block, 1>>();
  stream<ring<cuda::thread_scope_block, 3>>();
  stream<ring<cuda::thread_scope_system, 2>>();
}

template <class Ring>
void leave() {
  play<Ring>(form::unified, 0, {12, 3, 12, 7}, true);
  play<Ring>(form::unified, 0, {0, 20, 0, 0}, true);
  play<Ring>(form::by_count, 7, {2, 20, 9, 20}, true);
  play<Ring>(form::by_count, 1, {20, 20, 1, 8}, true);
  play<Ring>(form::by_role, 10, {20, 5, 5, 20}, true);
  for (int round = 0; round < 10; ++round)
    play<Ring>(form::by_count, 3, {6, 6, 6, 6}, true);
  for (int round = 0; round < 5; ++round)
    play<Ring>(form::by_count, 3, {1, 2, 2, 2}, true);  // the last producer is the one that commits less
}
void leaving() {
  leave<ring<cuda::thread_scope_block, 1>>();
  leave<ring<cuda::thread_scope_block, 3>>();
  leave<ring<cuda::thread_scope_system, 2>>();
}

// --- Waits, in one thread ---

template <class Ring>
void wait_for_all() {
  typename Ring::state state;
  std::vector<typename Ring::handle> pipes;
  for (int rank = 0; rank < 5; ++rank)
    pipes.push_back(cuda::make_pipeline(member{rank, 5}, &state, 2));
  for (int position = 0; position < 4 * Ring::stages + 1; ++position) {
    for (int producer = 0; producer < 2; ++producer) {
      pipes[producer].producer_acquire();
      for (int consumer = 2; consumer < 5; ++consumer)
        expect(!pipes[consumer].consumer_wait_for(0s), "a commit is missing");
      const auto start = std::chrono::steady_clock::now();
      expect(!pipes[2].consumer_wait_until(start + 2ms), "a timed wait cannot end well");
      expect(std::chrono::steady_clock::now() - start >= 2ms, "a timed wait lasts its time");
      pipes[producer].producer_commit();
    }
    for (int consumer = 2; consumer < 5; ++consumer) {
      expect(pipes[consumer].consumer_wait_for(0s), "all have committed");
      pipes[consumer].consumer_wait();
      pipes[consumer].consumer_release();
    }
  }
}
void waits() {
  wait_for_all<ring<cuda::thread_scope_block, 1>>();
  wait_for_all<ring<cuda::thread_scope_block, 4>>();
  wait_for_all<ring<cuda::thread_scope_device, 3>>();
}

// --- Copies ---

// Memory that ends here cannot be read any further.
unsigned char* end_of_memory() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(pages != MAP_FAILED, "there is memory");
  unsigned char* const end = static_cast<unsigned char*>(pages) + page;
  expect(mprotect(end, page, PROT_NONE) == 0, "it can be protected");
  return end;
}

// From the last bytes of memory into guarded ones; zero_filled_size or its like is the size.
template <class Size>
void copy_guarded(Size size, std::size_t valid, std::size_t bytes) {
  static unsigned char* const end = end_of_memory();
  unsigned char* const source = end - valid;
  unsigned char destination[96];
  std::fill_n(source, valid, static_cast<unsigned char>(0x17));
  std::fill_n(destination, 96, static_cast<unsigned char>(0xfe));
  cuda::barrier<cuda::thread_scope_block> bar(1);
  cuda::memcpy_async(destination + 16, source, size, bar);
  bar.arrive_and_wait();
  for (std::size_t at = 0; at < 96; ++at) {
    const int expected = at < 16 || at >= 16 + bytes ? 0xfe : at < 16 + valid ? 0x17 : 0;
    expect(destination[at] == expected, "a copy writes its bytes, then its zeros, and nothing else");
  }
}
void copies() {
  for (std::size_t size = 0; size <= 64; ++size) {
    copy_guarded(size, size, size);
    for (std::size_t valid = 0; valid <= size; ++valid)
      copy_guarded(cudasync::zero_filled_size(size, valid), valid, size);
  }
  copy_guarded(cuda::aligned_size_t<16>(48), 48, 48);
  copy_guarded(cudasync::zero_filled_size(cuda::aligned_size_t<16>(48), 32), 32, 48);
}

// By a group of threads, for a barrier and for a pipeline.
void copies_of_a_group() {
  cuda::std::barrier<> bar(threads);
  cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  std::atomic<int> arrivals{0};
  int source[100];
  int by_barrier[2][8] = {};
  int by_pipeline[2][8] = {};
  for (int at = 0; at < 100; ++at)
    source[at] = at + 1;
  run_threads([&](int rank) {
    const all_threads group(arrivals, rank);
    auto pipe = cuda::make_pipeline(group, &state);
    for (int round = 0; round < 90; ++round) {
      int* const first = by_barrier[round % 2];
      int* const second = by_pipeline[round % 2];
      pipe.producer_acquire();
      const int count = 7 - round % 3;
      const std::size_t size = unknown(count * sizeof(int));
      cuda::memcpy_async(group, second, source + round, size, pipe);
      cuda::memcpy_async(group, first, source + round, cudasync::zero_filled_size(size + sizeof(int), size), bar);
      pipe.producer_commit();
      bar.arrive_and_wait();
      for (int at = 0; at <= count; ++at)
        expect(first[at] == (at < count ? source[round + at] : 0), "a barrier waits for a copy");
      pipe.consumer_wait();
      for (int at = 0; at < count; ++at)
        expect(second[at] == source[round + at], "a pipeline waits for a copy");
      pipe.consumer_release();
    }
  });
}

// --- The pipeline of one thread ---

// On the host nothing is ever under way, so that only the handle's two bytes show what it would wait for.
int pending(const cuda::pipeline<cuda::thread_scope_thread>& pipe) {
  std::uint16_t count = 0;
  static_assert(sizeof pipe == sizeof count);
  std::memcpy(&count, &pipe, sizeof count);
  return count;
}
void one_thread() {
  auto pipe = cuda::make_pipeline();
  pipe.consumer_wait();
  expect(pending(pipe) == 0, "nothing is pending at first");
  for (int stage = 1; stage <= 300; ++stage) {
    pipe.producer_acquire();
    pipe.producer_commit();
    expect(pending(pipe) == stage, "commits add up");
  }
  expect(pipe.consumer_wait_until(std::chrono::steady_clock::now()) && pending(pipe) == 299, "a wait is for one stage");
  expect(pipe.consumer_wait_for(0s) && pending(pipe) == 298, "each wait is for one stage");
  cuda::pipeline_consumer_wait_prior<3>(pipe);
  expect(pending(pipe) == 3, "all but the latest have been waited for");
  cuda::pipeline_consumer_wait_prior<5>(pipe);
  expect(pending(pipe) == 3, "no more than there are are left");
  for (int stage = 3; stage < 1 << 16; ++stage)
    pipe.producer_commit();
  pipe.consumer_wait();
  expect(pending(pipe) == 0, "a wait after 65,536 commits is for all stages");
  cuda::barrier<cuda::thread_scope_block> bar(1);
  cuda::pipeline_producer_commit(pipe, bar);
  expect(!bar.try_wait_parity(false), "holding a phase is no arrival");
  expect(pipe.quit(), "one thread is the last to leave");
}

}  // namespace

int main(int, char** arguments) {
  const char* name = arguments[1];
  CHECKS
}
