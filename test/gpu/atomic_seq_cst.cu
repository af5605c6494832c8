// Litmus tests of sequential consistency: all threads agree on one order of all operations, and of fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_litmus.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

using namespace litmus;

using cuda::memory_order_relaxed;
using cuda::memory_order_seq_cst;

struct by_loads_and_stores {
  template <cuda::thread_scope Scope>
  static __device__ void write(int& place, int number) {
    cuda::atomic_ref<int, Scope>(place).store(number);
  }
  template <cuda::thread_scope Scope>
  static __device__ int read(int& place) {
    return cuda::atomic_ref<int, Scope>(place).load();
  }
  template <cuda::thread_scope>
  static __device__ void between() {}
};
struct by_read_modify_writes {
  template <cuda::thread_scope Scope>
  static __device__ void write(int& place, int number) {
    if (number % 2 == 0)
      cuda::atomic_ref<int, Scope>(place).exchange(number);
    else
      cuda::atomic_ref<int, Scope>(place).store_max(number);
  }
  template <cuda::thread_scope Scope>
  static __device__ int read(int& place) {
    int expected = -1;
    cuda::atomic_ref<int, Scope>(place).compare_exchange_strong(expected, 0);
    return expected;
  }
  template <cuda::thread_scope>
  static __device__ void between() {}
};
struct by_mixed_operations {
  template <cuda::thread_scope Scope>
  static __device__ void write(int& place, int number) {
    by_read_modify_writes::write<Scope>(place, number);
  }
  template <cuda::thread_scope Scope>
  static __device__ int read(int& place) {
    return cuda::atomic_ref<int, Scope>(place).load();
  }
  template <cuda::thread_scope>
  static __device__ void between() {}
};
struct by_fences {
  template <cuda::thread_scope Scope>
  static __device__ void write(int& place, int number) {
    cuda::atomic_ref<int, Scope>(place).store(number, memory_order_relaxed);
  }
  template <cuda::thread_scope Scope>
  static __device__ int read(int& place) {
    return cuda::atomic_ref<int, Scope>(place).load(memory_order_relaxed);
  }
  template <cuda::thread_scope Scope>
  static __device__ void between() {
    cuda::atomic_thread_fence(memory_order_seq_cst, Scope);
  }
};
// Small objects, whose read-modify-writes are loops. Rounds are counted modulo 256 in the first byte of the place; a
// new number is the round's, any other is old.
struct by_bytes {
  template <cuda::thread_scope Scope>
  static __device__ void write(int& place, int number) {
    auto& byte = reinterpret_cast<unsigned char&>(place);
    cuda::atomic_ref<unsigned char, Scope>(byte).fetch_add(1);
    static_cast<void>(number);
  }
  template <cuda::thread_scope Scope>
  static __device__ int read(int& place) {
    auto& byte = reinterpret_cast<unsigned char&>(place);
    return cuda::atomic_ref<unsigned char, Scope>(byte).load();
  }
  template <cuda::thread_scope>
  static __device__ void between() {}
};

// Whether a number that was read is this round's or, by a member that is ahead already, the next one's.
__device__ bool is_new(int number, int round) {
  return static_cast<unsigned char>(number - round) < 128;
}

// Store buffering: each of two threads writes a place and reads the other's. Forbidden: both read old numbers.
template <class How>
struct store_buffering {
  static constexpr unsigned members = 2;
  static bool is_allowed(const unsigned char* sees_new) { return sees_new[0] + sees_new[1] > 0; }

  template <cuda::thread_scope Scope>
  static __device__ void play(places& group, unsigned role, int rounds, unsigned char* sees_new) {
    int& own = role == 0 ? group.first.number : group.second.number;
    int& other = role == 0 ? group.second.number : group.first.number;
    for (int round = 1; round <= rounds; ++round, sees_new += members) {
      if (!meet<Scope>(group, members, round)) return;
      How::template write<Scope>(own, round);
      How::template between<Scope>();
      *sees_new = is_new(How::template read<Scope>(other), round);
    }
  }
};

// Independent reads of independent writes: two threads write a place each; two others read both, in different orders.
// Forbidden: each reader sees the write that it looked for first, and not the other one.
template <class How>
struct independent_reads {
  static constexpr unsigned members = 4;
  static bool is_allowed(const unsigned char* sees_first_alone) {
    return !(sees_first_alone[2] == 1 && sees_first_alone[3] == 1);
  }

  template <cuda::thread_scope Scope>
  static __device__ void play(places& group, unsigned role, int rounds, unsigned char* sees_first_alone) {
    int& one = role % 2 == 0 ? group.first.number : group.second.number;
    int& other = role % 2 == 0 ? group.second.number : group.first.number;
    for (int round = 1; round <= rounds; ++round, sees_first_alone += members) {
      if (!meet<Scope>(group, members, round)) return;
      if (role < 2) {
        How::template write<Scope>(one, round);
      } else {
        const bool is_first_new = is_new(How::template read<Scope>(one), round);
        How::template between<Scope>();
        *sees_first_alone = is_first_new && !is_new(How::template read<Scope>(other), round);
      }
    }
  }
};

// Two threads write both places, in different orders. Forbidden: each place ends with what its first writer wrote, as
// if both second writes came before both first ones.
template <class How>
struct two_writes_each {
  static constexpr unsigned members = 2;
  static bool is_allowed(const unsigned char* keeps_first) { return keeps_first[0] + keeps_first[1] < 2; }

  template <cuda::thread_scope Scope>
  static __device__ void play(places& group, unsigned role, int rounds, unsigned char* keeps_first) {
    int& one = role == 0 ? group.first.number : group.second.number;
    int& other = role == 0 ? group.second.number : group.first.number;
    for (int round = 1; round <= rounds; ++round, keeps_first += members) {
      if (!meet<Scope>(group, members, 2 * round - 1)) return;
      How::template write<Scope>(one, 4 * round + 1);
      How::template between<Scope>();
      How::template write<Scope>(other, 4 * round + 2);
      cuda::atomic_thread_fence(memory_order_seq_cst, Scope);
      if (!meet<Scope>(group, members, 2 * round)) return;
      cuda::atomic_thread_fence(memory_order_seq_cst, Scope);
      *keeps_first = cuda::atomic_ref<int, Scope>(one).load(memory_order_relaxed) % 4 == 1;
    }
  }
};

template <template <class> class Test, class How>
void play_everywhere() {
  play<Test<How>, cuda::thread_scope_device>(where::among_blocks, 600);
  play<Test<How>, cuda::thread_scope_system>(where::among_blocks, 100);
  play<Test<How>, cuda::thread_scope_block>(where::in_block, 600);
  play<Test<How>, cuda::thread_scope_block>(where::in_shared_memory, 600);
}

TEST(store_buffering_by_loads_and_stores) {
  play_everywhere<store_buffering, by_loads_and_stores>();
}
TEST(store_buffering_by_read_modify_writes) {
  play_everywhere<store_buffering, by_read_modify_writes>();
}
TEST(store_buffering_by_mixed_operations) {
  play_everywhere<store_buffering, by_mixed_operations>();
}
TEST(store_buffering_by_fences) {
  play_everywhere<store_buffering, by_fences>();
}
TEST(store_buffering_by_bytes) {
  play_everywhere<store_buffering, by_bytes>();
}
TEST(independent_reads_by_loads_and_stores) {
  play_everywhere<independent_reads, by_loads_and_stores>();
}
TEST(independent_reads_by_mixed_operations) {
  play_everywhere<independent_reads, by_mixed_operations>();
}
TEST(independent_reads_by_fences) {
  play_everywhere<independent_reads, by_fences>();
}
TEST(two_writes_each_by_stores) {
  play_everywhere<two_writes_each, by_loads_and_stores>();
}
TEST(two_writes_each_by_fences) {
  play_everywhere<two_writes_each, by_fences>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
