// Litmus tests of messages and of coherence: what an acquire sees, by every way to release and to acquire.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_litmus.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

#include <type_traits>

using namespace litmus;

using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using gpu_test::device_array;

struct by_release_and_acquire {
  template <cuda::thread_scope Scope>
  static __device__ void send(int& flag, int number) {
    cuda::atomic_ref<int, Scope>(flag).store(number, memory_order_release);
  }
  template <cuda::thread_scope Scope>
  static __device__ int receive(int& flag) {
    return cuda::atomic_ref<int, Scope>(flag).load(memory_order_acquire);
  }
};
struct by_fences {
  template <cuda::thread_scope Scope>
  static __device__ void send(int& flag, int number) {
    cuda::atomic_thread_fence(memory_order_release, Scope);
    cuda::atomic_ref<int, Scope>(flag).store(number, memory_order_relaxed);
  }
  template <cuda::thread_scope Scope>
  static __device__ int receive(int& flag) {
    const int number = cuda::atomic_ref<int, Scope>(flag).load(memory_order_relaxed);
    cuda::atomic_thread_fence(memory_order_acquire, Scope);
    return number;
  }
};
struct by_sequential_consistency {
  template <cuda::thread_scope Scope>
  static __device__ void send(int& flag, int number) {
    cuda::atomic_ref<int, Scope>(flag).store(number);
  }
  template <cuda::thread_scope Scope>
  static __device__ int receive(int& flag) {
    return cuda::atomic_ref<int, Scope>(flag).load();
  }
};
struct by_read_modify_writes {
  template <cuda::thread_scope Scope>
  static __device__ void send(int& flag, int number) {
    if (number % 2 == 0)
      cuda::atomic_ref<int, Scope>(flag).store_add(1, memory_order_release);
    else
      cuda::atomic_ref<int, Scope>(flag).exchange(number, memory_order_acq_rel);
  }
  template <cuda::thread_scope Scope>
  static __device__ int receive(int& flag) {
    return cuda::atomic_ref<int, Scope>(flag).fetch_or(0, memory_order_acquire);
  }
};

// One that fails acquires, too.
struct by_compare_exchanges {
  template <cuda::thread_scope Scope>
  static __device__ void send(int& flag, int number) {
    int expected = number - 1;
    DEVICE_CHECK(cuda::atomic_ref<int, Scope>(flag).compare_exchange_strong(expected, number, memory_order_release,
                                                                            memory_order_relaxed));
  }
  template <cuda::thread_scope Scope>
  static __device__ int receive(int& flag) {
    int expected = -1;
    DEVICE_CHECK(!cuda::atomic_ref<int, Scope>(flag).compare_exchange_strong(expected, 0, memory_order_relaxed,
                                                                             memory_order_acquire));
    return expected;
  }
};

// Small atomics, whose read-modify-writes are loops.
struct by_bytes {
  template <cuda::thread_scope Scope>
  static __device__ void send(int& flag, int number) {
    auto& byte = reinterpret_cast<unsigned char&>(flag);
    if (number % 256 == 0)
      cuda::atomic_ref<int, Scope>(flag).store(number, memory_order_release);
    else if (number % 2 == 0)
      cuda::atomic_ref<unsigned char, Scope>(byte).store_add(1, memory_order_release);
    else
      cuda::atomic_ref<unsigned char, Scope>(byte).fetch_max(static_cast<unsigned char>(number), memory_order_release);
  }
  template <cuda::thread_scope Scope>
  static __device__ int receive(int& flag) {
    auto& byte = reinterpret_cast<unsigned char&>(flag);
    const int number = cuda::atomic_ref<int, Scope>(flag).load(memory_order_relaxed);
    static_cast<void>(cuda::atomic_ref<unsigned char, Scope>(byte).fetch_min(255, memory_order_acquire));
    return number;
  }
};

// Message passing. One thread writes data, which is plain, and then the flag; the other reads the flag and then the
// data. Forbidden: the flag is new and the data is old.
template <class How>
struct message {
  static constexpr unsigned members = 2;
  static bool is_allowed(const unsigned char* is_old) { return is_old[1] == 0; }

  template <cuda::thread_scope Scope>
  static __device__ void play(places& group, unsigned role, int rounds, unsigned char* is_old) {
    const cuda::atomic_ref<int, Scope> answer(group.answer.number);
    for (int round = 1; round <= rounds; ++round, is_old += members) {
      if (role == 0) {
        group.first.number = round;
        How::template send<Scope>(group.second.number, round);
        if (!await_round(round, [&] { return answer.load(memory_order_acquire); })) return;
      } else {
        const int line_is_cached = group.first.other;
        const auto receive = [&] { return How::template receive<Scope>(group.second.number); };
        if (!await_round(round, receive)) return;
        *is_old = group.first.number + line_is_cached != round;
        answer.store(round, memory_order_release);
      }
    }
  }
};
template <class How>
void pass_messages() {
  play<message<How>, cuda::thread_scope_device>(where::among_blocks, 400);
  play<message<How>, cuda::thread_scope_system>(where::among_blocks, 200);
  play<message<How>, cuda::thread_scope_block>(where::in_block, 1000);
  play<message<How>, cuda::thread_scope_block>(where::in_shared_memory, 1000);
}
TEST(message_by_release_and_acquire) {
  pass_messages<by_release_and_acquire>();
}
TEST(message_by_fences) {
  pass_messages<by_fences>();
}
TEST(message_by_sequential_consistency) {
  pass_messages<by_sequential_consistency>();
}
TEST(message_by_read_modify_writes) {
  pass_messages<by_read_modify_writes>();
}
TEST(message_by_compare_exchanges) {
  pass_messages<by_compare_exchanges>();
}
TEST(message_by_bytes) {
  pass_messages<by_bytes>();
}

// Over a third thread: it changes the flag of the first without an order of its own (a release sequence), or it
// passes the message on by another flag (cumulativity). Forbidden: the last thread reads old data.
template <bool IsPassedOn>
struct relayed_message {
  static constexpr unsigned members = 3;
  static bool is_allowed(const unsigned char* is_old) { return is_old[2] == 0; }

  template <cuda::thread_scope Scope>
  static __device__ void play(places& group, unsigned role, int rounds, unsigned char* is_old) {
    const cuda::atomic_ref<int, Scope> flag(group.second.number), answer(group.answer.number);
    const cuda::atomic_ref<int, Scope> last_flag(IsPassedOn ? group.meeting.number : group.second.number);
    const int step = IsPassedOn ? 1 : 2;  // the first and the second thread count in turn
    for (int round = 1; round <= rounds; ++round, is_old += members) {
      if (role == 0) {
        group.first.number = round;
        flag.fetch_add(1, memory_order_release);
        if (!await_round(round, [&] { return answer.load(memory_order_acquire); })) return;
      } else if (role == 1) {
        const auto order =
            std::conditional_t<IsPassedOn, decltype(memory_order_acquire), decltype(memory_order_relaxed)>{};
        if (!await_round(step * round - (step - 1), [&] { return flag.load(order); })) return;
        if (IsPassedOn)
          last_flag.store(round, memory_order_release);
        else
          flag.fetch_add(1, memory_order_relaxed);
        // The next round begins once the last thread has answered.
        if (!await_round(round, [&] { return answer.load(memory_order_acquire); })) return;
      } else {
        const int line_is_cached = group.first.other;
        if (!await_round(step * round, [&] { return last_flag.load(memory_order_acquire); })) return;
        *is_old = group.first.number + line_is_cached != round;
        answer.store(round, memory_order_release);
      }
    }
  }
};
TEST(message_by_release_sequence) {
  play<relayed_message<false>, cuda::thread_scope_device>(where::among_blocks, 300);
  play<relayed_message<false>, cuda::thread_scope_block>(where::in_block, 300);
}
TEST(message_by_cumulativity) {
  play<relayed_message<true>, cuda::thread_scope_device>(where::among_blocks, 300);
  play<relayed_message<true>, cuda::thread_scope_block>(where::in_block, 300);
}

// Coherence of one place: some threads write or add, others read. Forbidden: a thread reads a number that is smaller
// than one it read or wrote before.
template <class Value, cuda::thread_scope Scope>
__global__ void watch(Value* shared_place, unsigned rounds) {
  const cuda::atomic_ref<Value, Scope> place(*shared_place);
  Value last = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    Value now;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      now = static_cast<Value>(place.fetch_add(1, memory_order_relaxed) + 1);
      DEVICE_CHECK(place.load(memory_order_relaxed) == now);  // the only writer
    } else if (threadIdx.x % 2 == 0) {
      now = place.fetch_max(last, memory_order_relaxed);
    } else {
      now = place.load(memory_order_relaxed);
    }
    DEVICE_CHECK(now >= last);
    last = now;
  }
}
template <class Value>
void run_watch(unsigned rounds) {
  const device_array<Value> place(1);
  gpu_test::run(watch<Value, cuda::thread_scope_device>, {64, 32}, place.get(), rounds);
  CHECK(place.values()[0] == static_cast<Value>(rounds));
}
TEST(numbers_never_decrease) {
  run_watch<unsigned char>(200);
  run_watch<unsigned short>(2000);
  run_watch<unsigned>(2000);
  run_watch<unsigned long>(2000);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
