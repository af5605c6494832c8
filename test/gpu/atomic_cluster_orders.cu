// Litmus tests among the blocks of a cluster, over each other's shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/atomic_cluster.h"
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

using namespace cluster_memory;

using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using gpu_test::device_array;

// Ways to send a message's number by a flag, and to wait for it.
template <cuda::thread_scope Scope>
struct by_loads_and_stores {
  using flag = cuda::atomic<int, Scope>;
  static __device__ void send(flag& place, int number) { place.store(number, memory_order_release); }
  static __device__ bool receive(flag& place, int number) {
    return place.wait_for(number - 1, seconds{5}, memory_order_acquire);
  }
};
template <cuda::thread_scope Scope>
struct by_fences {
  using flag = cuda::atomic<int, Scope>;
  static __device__ void send(flag& place, int number) {
    cuda::atomic_thread_fence(memory_order_release, Scope);
    place.store(number, memory_order_relaxed);
  }
  static __device__ bool receive(flag& place, int number) {
    const bool came = place.wait_for(number - 1, seconds{5}, memory_order_relaxed);
    cuda::atomic_thread_fence(memory_order_acquire, Scope);
    return came;
  }
};
// Of these ptxas makes loops, in shared memory, and other ones in another block's.
template <class Value, cuda::thread_scope Scope>
struct by_read_modify_writes {
  using flag = cuda::atomic<Value, Scope>;
  static __device__ void send(flag& place, int number) {
    if (number % 2 == 0)
      place.store_add(static_cast<Value>(1), memory_order_release);
    else
      place.fetch_max(static_cast<Value>(number), memory_order_release);
  }
  static __device__ bool receive(flag& place, int number) {
    for (unsigned polls = 0; polls < 1u << 20; ++polls)
      if (place.fetch_add(static_cast<Value>(0), memory_order_acquire) == static_cast<Value>(number)) return true;
    return false;
  }
};

// Message passing around the cluster: each thread writes data, which is plain, and then a flag in the next block's
// shared memory. The data lies there, and in global memory, where a number beside it is read before, so that its line
// is in the first-level cache. Forbidden: the flag is new and the data is old.
struct alignas(128) message {
  int data;
  int beside;
};
template <class How>
struct mailbox {
  typename How::flag flag, answer;
  int data;
};
template <class How>
__global__ void pass_messages(message* messages, int rounds) {
  __shared__ mailbox<How> own_boxes[threads];
  mailbox<How>& own = own_boxes[threadIdx.x];
  mailbox<How>& next = of_block(own, rank_in_cluster() + 1);
  atomic_init(&own.flag, {});
  atomic_init(&own.answer, {});
  const unsigned first = blockIdx.x - rank_in_cluster();
  message& own_message = messages[blockIdx.x * threads + threadIdx.x];
  message& next_message = messages[(first + (rank_in_cluster() + 1) % blocks) * threads + threadIdx.x];
  sync_cluster();
  for (int round = 1; round <= rounds; ++round) {
    const int line_is_cached = own_message.beside;
    next.data = round;
    next_message.data = round;
    How::send(next.flag, round);
    const bool came = How::receive(own.flag, round);
    DEVICE_CHECK(came);
    DEVICE_CHECK(own.data == round);
    DEVICE_CHECK(own_message.data + line_is_cached == round);
    // The reader has read: the writer may write again.
    How::send(own.answer, round);
    const bool is_answered = How::receive(next.answer, round);
    DEVICE_CHECK(is_answered);
    if (!came || !is_answered) break;
  }
  sync_cluster();  // nobody leaves while others use its memory
}
template <class How>
void run_messages(int rounds) {
  const gpu_test::shape how = in_clusters();
  const device_array<message> messages(how.grid.x * threads);
  gpu_test::run(pass_messages<How>, how, messages.get(), rounds);
}
TEST(messages_by_loads_and_stores) {
  run_messages<by_loads_and_stores<cluster_scope>>(200);
  run_messages<by_loads_and_stores<system_scope>>(100);
}
TEST(messages_by_fences) {
  run_messages<by_fences<cluster_scope>>(200);
}
TEST(messages_by_read_modify_writes) {
  run_messages<by_read_modify_writes<int, cluster_scope>>(200);
  run_messages<by_read_modify_writes<unsigned long, cluster_scope>>(200);
  run_messages<by_read_modify_writes<float, cluster_scope>>(200);
  run_messages<by_read_modify_writes<double, cluster_scope>>(100);
  run_messages<by_read_modify_writes<unsigned char, cluster_scope>>(100);
}

// Store buffering over two blocks' shared memory. Forbidden: both threads read old numbers.
template <bool WithFences>
__global__ void buffer_stores(int* seen, int rounds) {
  __shared__ int places[threads], arrivals[threads];
  places[threadIdx.x] = arrivals[threadIdx.x] = 0;
  sync_cluster();
  using reference = cuda::atomic_ref<int, cluster_scope>;
  const unsigned role = rank_in_cluster() % 2, first = rank_in_cluster() - role;
  int& own = of_block(places[threadIdx.x], first + 1 - role);  // each writes to the other's block
  int& other = places[threadIdx.x];
  int& meeting = of_block(arrivals[threadIdx.x], first);
  for (int round = 1; round <= rounds; ++round) {
    reference(meeting).fetch_add(1, memory_order_relaxed);
    const bool is_met =
        reference(meeting).wait_for([=](int count) { return count >= 2 * round; }, seconds{5}, memory_order_relaxed);
    DEVICE_CHECK(is_met);
    if (!is_met) break;
    int number = 0;
    if constexpr (WithFences) {
      reference(own).store(round, memory_order_relaxed);
      cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cluster_scope);
      number = reference(other).load(memory_order_relaxed);
    } else {
      reference(own).store(round);
      number = reference(other).load();
    }
    const unsigned pair = (blockIdx.x - role) / 2 * threads + threadIdx.x;
    seen[(pair * static_cast<unsigned>(rounds) + static_cast<unsigned>(round) - 1) * 2 + role] = number >= round;
  }
  sync_cluster();
}
template <bool WithFences>
void run_store_buffering() {
  constexpr int rounds = 200;
  const gpu_test::shape how = in_clusters();
  const device_array<int> seen(how.grid.x * threads * rounds);
  gpu_test::run(buffer_stores<WithFences>, how, seen.get(), rounds);
  const std::vector<int> all = seen.values();
  unsigned forbidden = 0;
  for (size_t index = 0; index < all.size(); index += 2)
    forbidden += all[index] + all[index + 1] == 0 ? 1 : 0;
  CHECK(forbidden == 0);
}
TEST(store_buffering_over_two_blocks) {
  run_store_buffering<false>();
  run_store_buffering<true>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
