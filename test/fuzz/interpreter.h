// Executes a random program: the steps of one agent, on host threads and on the device alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_FUZZ_INTERPRETER_H
#define CUDASYNC_TEST_FUZZ_INTERPRETER_H

#include "program.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#if defined __CUDACC__
#include <cudasync/cluster_barrier.h>
#include <cudasync/named_barrier.h>
#endif

#if defined __CUDACC__
#define FUZZ_FUNCTION __device__
#else
#define FUZZ_FUNCTION inline
#endif

namespace fuzz {

using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

struct millisecond {
  struct period {
    static constexpr long long num = 1, den = 1000;
  };
  FUZZ_FUNCTION constexpr long long count() const { return 1; }
};

// Runs once for each phase, after all that came before the arrivals.
struct completion {
  int* count;
  FUZZ_FUNCTION void operator()() const { ++*count; }
};

template <cuda::thread_scope Scope>
struct objects {
  cuda::barrier<Scope> plain[completing_bar];
  cuda::barrier<Scope, completion> completing;
  cuda::latch<Scope> downs[latches];
  cuda::counting_semaphore<Scope> permits[signals];
  cuda::binary_semaphore<Scope> lock;
  cuda::atomic<int, Scope> raised[flags], counted[counters];
  cuda::atomic<int, Scope> last_quits;
  cudasync::grid_barrier<> grid;
  alignas(16) int data[cells][row];
  alignas(16) int tiles[stages][agents][row];
  int guarded[2], completions;

  FUZZ_FUNCTION void prepare(const settings_of_program& with) {
    const auto lanes = static_cast<int>(with.lanes);
    for (uint32_t index = 0; index < completing_bar; ++index)
      init(&plain[index], static_cast<int>(with.members[index]) * lanes);
    completions = 0;
    init(&completing, static_cast<int>(with.members[completing_bar]) * lanes, completion{&completions});
    for (uint32_t index = 0; index < latches; ++index)
      init(&downs[index], static_cast<int>(with.downs[index]) * lanes);
    for (auto& each : permits)
      init(&each, 0);
    init(&lock, 1);
    for (auto& each : raised)
      initialize(&each, 0);
    for (auto& each : counted)
      initialize(&each, 0);
    initialize(&last_quits, 0);
    init(&grid);
    for (auto& of : data)
      for (int& each : of)
        each = 0;
    guarded[0] = guarded[1] = 0;
  }
};

// Member functions of Lanes: rank(), count(), sync(), and those of barriers that are no objects. Pipe is a cuda::pipeline, or
// void* where there is none. Others executes the steps of the copy engine and of clusters. Report is called with the number
// of the step and what was found there.
template <cuda::thread_scope Scope, class Lanes, class Pipe, class Others, class Report>
class runner {
 public:
  using here = typename Lanes::here;

  FUZZ_FUNCTION runner(objects<Scope>& of, const Lanes& lanes, Pipe& pipe, Others& others, int (*source)[row],
                       Report report)
      : all_(of), lanes_(lanes), pipe_(pipe), others_(others), source_(source), report_(report) {}

  FUZZ_FUNCTION void run(const step* steps, uint32_t count) {
    for (uint32_t index = 0; index < count; ++index) {
      index_ = index;
      one(steps[index]);
      lanes_.sync();
    }
  }

  FUZZ_FUNCTION const Lanes& lanes() const { return lanes_; }
  FUZZ_FUNCTION bool is_leader() const { return lanes_.rank() == 0; }
  FUZZ_FUNCTION int* cell(uint32_t index) { return index < cells ? all_.data[index] : source_[index - cells]; }
  FUZZ_FUNCTION static int word(uint32_t value, uint32_t index) {
    return value == 0 ? 0 : static_cast<int>(value * row + index);
  }
  FUZZ_FUNCTION void write(int* to, uint32_t value) {
    for (uint32_t index = lanes_.rank(); index < row; index += lanes_.count())
      to[index] = word(value, index);
  }
  // Each lane reads words that other lanes have written, too.
  FUZZ_FUNCTION void check(const int* from, uint32_t value) {
    for (uint32_t index = lanes_.rank(); index < row; index += lanes_.count()) {
      const uint32_t other = row - 1 - index;
      if (from[other] != word(value, other)) report_(index_, static_cast<uint32_t>(from[other]));
    }
  }

 private:
  static constexpr bool has_pipe = !cudasync::is_same<Pipe, void*>;

  FUZZ_FUNCTION void expect(uint32_t found, uint32_t expected) {
    if (found != expected) report_(index_, found);
  }

  FUZZ_FUNCTION void one(const step& now) {
    switch (now.what) {
    case write_cell:
      return write(cell(now.object), now.value);
    case read_cell:
      return check(cell(now.object), now.value);
    case bar_arrive:
    case bar_wait:
    case bar_arrive_and_wait:
    case bar_drop:
      if (now.object != completing_bar) return use(all_.plain[now.object], now);
      use(all_.completing, now);
      if (now.what == bar_wait || now.what == bar_arrive_and_wait) {
        lanes_.sync();
        expect(static_cast<uint32_t>(all_.completions), now.value);
      }
      return;
    case bar_copy:
    case bar_copy_tx:
      return copy(now);
    case latch_down:
    case latch_wait:
    case latch_arrive_and_wait:
      return use_latch(all_.downs[now.object], now);
    case signal_release:
    case signal_acquire:
    case locked:
      return use_semaphore(now);
    case flag_raise:
      if (is_leader()) raise(all_.raised[now.object], static_cast<int>(now.value), now.way);
      return;
    case flag_await:
      if (is_leader()) await(all_.raised[now.object], static_cast<int>(now.value), now.way);
      return;
    case counter_add:
    case counter_await:
      if (is_leader()) count(all_.counted[now.object], now);
      return;
    case pipe_acquire:
    case pipe_fill:
    case pipe_commit:
    case pipe_wait:
    case pipe_read:
    case pipe_release:
    case pipe_quit:
      if constexpr (has_pipe) use_pipe(now);
      return;
    default:
      if (now.what >= first_of_copy_engine) return others_.use(now, *this);
      lanes_.meet(now, all_.grid);
    }
  }

  template <class Bar>
  FUZZ_FUNCTION void use(Bar& bar, const step& now) {
    if (now.what == bar_arrive_and_wait) return bar.arrive_and_wait();
    if (now.what == bar_drop) return bar.arrive_and_drop();
    auto& token = tokens_[now.object];
    if (now.what == bar_arrive) {
      if (now.way == 0) token = bar.arrive();
      if (now.way == 1 && is_leader()) token = bar.arrive(static_cast<int>(lanes_.count()));
      return;
    }
    if (now.other != 0 && !is_leader()) return;  // one lane arrived for all, and waits for all
    const bool parity = now.parity != 0;
    switch (now.way) {
    case 0:
      return bar.wait(static_cast<typename Bar::arrival_token&&>(token));
    case 1:
      return bar.wait_parity(parity);
    case 2:
      while (!bar.try_wait(token))
        lanes_.yield();
      return;
    case 3:
      while (!bar.try_wait_parity(parity))
        lanes_.yield();
      return;
    default:
      while (!bar.try_wait_for(token, millisecond{})) {
      }
    }
  }

  FUZZ_FUNCTION void copy(const step& now) {
    cuda::barrier<Scope>& bar = all_.plain[now.object];
    int* const to = all_.data[now.other];
    const int* const from = cell(now.value);
    constexpr cuda::aligned_size_t<16> size(sizeof(int) * row);
    if (now.what == bar_copy_tx) {
      if (is_leader()) tokens_[now.object] = lanes_.copy_and_arrive(bar, to, from, size);
    } else if (now.way == 0) {
      cuda::memcpy_async(lanes_, to, from, size, bar);
    } else if (is_leader()) {
      cuda::memcpy_async(to, from, size, bar);
    }
  }

  FUZZ_FUNCTION void use_latch(cuda::latch<Scope>& latch, const step& now) {
    if (now.what == latch_arrive_and_wait) return latch.arrive_and_wait();
    if (now.what == latch_down) {
      if (now.way == 0) latch.count_down();
      if (now.way == 1 && is_leader()) latch.count_down(static_cast<int>(lanes_.count()));
      return;
    }
    if (now.way == 0) return latch.wait();
    while (!(now.way == 1 ? latch.try_wait() : latch.try_wait_for(millisecond{})))
      lanes_.yield();
  }

  FUZZ_FUNCTION void use_semaphore(const step& now) {
    if (!is_leader()) return;
    if (now.what == locked) {
      if (now.way == 0) {
        all_.lock.acquire();
      } else {
        while (!all_.lock.try_acquire())
          lanes_.yield();
      }
      expect(static_cast<uint32_t>(all_.guarded[1]), static_cast<uint32_t>(all_.guarded[0]));
      ++all_.guarded[0];
      ++all_.guarded[1];
      return all_.lock.release();
    }
    auto& permits = all_.permits[now.object];
    if (now.what == signal_release) return permits.release(static_cast<int>(now.value));
    if (now.way == 0) return permits.acquire();
    while (!(now.way == 1 ? permits.try_acquire() : permits.try_acquire_for(millisecond{})))
      lanes_.yield();
  }

  FUZZ_FUNCTION void raise(cuda::atomic<int, Scope>& flag, int value, uint32_t way) {
    int before = value - 1;
    switch (way) {
    case 0:
      flag.store(value, memory_order_release);
      break;
    case 1:
      flag.store(value);
      break;
    case 2:
      expect(static_cast<uint32_t>(flag.exchange(value, memory_order_acq_rel)), static_cast<uint32_t>(before));
      break;
    case 3:
      expect(static_cast<uint32_t>(flag.fetch_add(1, memory_order_release)), static_cast<uint32_t>(before));
      break;
    case 4:
      flag.store_add(1, memory_order_release);
      break;
    case 5:
      expect(flag.compare_exchange_strong(before, value, memory_order_release, memory_order_relaxed), 1);
      break;
    default:
      if (!Lanes::has_fences) return raise(flag, value, 0);
      cuda::atomic_thread_fence(memory_order_release, Scope);
      flag.store(value, memory_order_relaxed);
    }
    flag.notify_all();
  }

  FUZZ_FUNCTION void await(cuda::atomic<int, Scope>& flag, int value, uint32_t way) {
    switch (way) {
    case 0:
      while (flag.load(memory_order_acquire) < value)
        lanes_.yield();
      return;
    case 1:
      while (flag.load() < value)
        lanes_.yield();
      return;
    case 2:
      for (int seen = flag.load(memory_order_acquire); seen < value; seen = flag.load(memory_order_acquire))
        flag.wait(seen, memory_order_acquire);
      return;
    case 3:
      while (flag.fetch_or(0, memory_order_acquire) < value)
        lanes_.yield();
      return;
    case 4:
      if (!Lanes::has_fences) return await(flag, value, 0);
      while (flag.load(memory_order_relaxed) < value)
        lanes_.yield();
      cuda::atomic_thread_fence(memory_order_acquire, Scope);
      return;
    default:
      for (int seen = -1;;) {  // a compare-exchange that fails acquires
        flag.compare_exchange_strong(seen, 0, memory_order_relaxed, memory_order_acquire);
        if (seen >= value) return;
        seen = -1;
        lanes_.yield();
      }
    }
  }

  FUZZ_FUNCTION void count(cuda::atomic<int, Scope>& counter, const step& now) {
    const auto value = static_cast<int>(now.value);
    if (now.what == counter_add) {
      if (now.way == 0) counter.fetch_add(1, memory_order_release);
      if (now.way == 1) counter.fetch_add(1, memory_order_acq_rel);
      if (now.way == 2) counter.store_add(1, memory_order_relaxed);
      counter.notify_all();
    } else if (now.way == 0) {
      while (counter.load(memory_order_acquire) < value)
        lanes_.yield();
    } else {
      const at_least condition{value};
      counter.wait(condition, memory_order_acquire);
    }
  }
  struct at_least {
    int value;
    FUZZ_FUNCTION bool operator()(int now) const { return now >= value; }
  };

  FUZZ_FUNCTION void use_pipe(const step& now) {
    constexpr cuda::aligned_size_t<16> size(sizeof(int) * row);
    switch (now.what) {
    case pipe_acquire:
      return pipe_.producer_acquire();
    case pipe_fill: {
      int* const to = all_.tiles[now.object][lanes_.agent()];
      const int* const from = cell(now.other);
      if (now.way == 0) {
        cuda::memcpy_async(lanes_, to, from, size, pipe_);
      } else if (now.way == 2) {
        write(to, now.value);
      } else if (is_leader()) {
        cuda::memcpy_async(to, from, size, pipe_);
      }
      return;
    }
    case pipe_commit:
      return pipe_.producer_commit();
    case pipe_wait:
      if (now.way == 0) return pipe_.consumer_wait();
      while (!pipe_.consumer_wait_for(millisecond{})) {
      }
      return;
    case pipe_read:
      return check(all_.tiles[now.object][now.other], now.value);
    case pipe_quit:
      if (pipe_.quit()) all_.last_quits.store_add(1, memory_order_relaxed);
      return;
    default:
      return pipe_.consumer_release();
    }
  }

  objects<Scope>& all_;
  Lanes lanes_;
  Pipe& pipe_;
  Others& others_;
  int (*source_)[row];
  Report report_;
  uint32_t index_ = 0;
  cudasync::uint64 tokens_[bars];
};

}  // namespace fuzz

#endif
