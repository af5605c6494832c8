// A read-modify-write whose result nothing uses still acquires, wherever its object lies, and with a fence behind it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/atomic>

// One thread stores data and releases a bit of an object. Another acquires in a second bit, and then loads the data. If
// the first bit came first, the data must be there. The other blocks of its cluster, which are near it, make the object's
// memory slow, so that a load that does not wait for the read-modify-write is ahead of it. Without the wait, 9 to 480 of
// 65,536 loads were (H200).
namespace {

constexpr unsigned rounds = 2048, lanes = 32, blocks = 8, threads = 256;
constexpr long long most_cycles = 4000000000;

struct alignas(128) line {
  unsigned words[32];
};

// Of each lane in each round. The pointer to an object is loaded, so that the compiler does not know its memory.
struct memory {
  line objects[rounds * lanes], data[rounds * lanes];
  unsigned* places[rounds * lanes];
  unsigned before[rounds * lanes], seen[rounds * lanes], arrived[rounds];
  volatile unsigned current;
};

template <class Value>
using device_ref = cuda::atomic_ref<Value, cuda::thread_scope_device>;

struct by_acquire {
  static __device__ void acquire(unsigned& place) {
    device_ref<unsigned>(place).fetch_or(2, cuda::memory_order_acquire);
  }
};
struct by_default_order {
  static __device__ void acquire(unsigned& place) { device_ref<unsigned>(place).fetch_add(2); }
};
struct by_floats {
  static __device__ void acquire(unsigned& place) {
    device_ref<float>(reinterpret_cast<float&>(place)).fetch_add(1, cuda::memory_order_acquire);
  }
};
struct by_fence {
  static __device__ void acquire(unsigned& place) {
    device_ref<unsigned>(place).fetch_or(2, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  }
};

__device__ bool meet(unsigned& arrived, long long start) {
  bool is_met = true;
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1u);
    while (is_met && *static_cast<volatile unsigned*>(&arrived) < 2)
      is_met = clock64() - start < most_cycles;
  }
  return __shfl_sync(~0u, is_met, 0);
}

__device__ void wait_for(unsigned cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__device__ void make_noise(memory& all, long long start) {
  for (unsigned round = all.current; round < rounds && clock64() - start < most_cycles; round = all.current)
    for (unsigned each = 0; each < 16; ++each)
      atomicAdd(&all.objects[round * lanes + (threadIdx.x + each) % lanes].words[1 + threadIdx.x % 7], 1u);
}

template <class How>
__global__ void hand_over(memory* of, unsigned most_skew) {
  memory& all = *of;
  const long long start = clock64();
  const bool is_acquiring = blockIdx.x / blocks == 0;
  if (blockIdx.x % blocks != 0) return is_acquiring ? make_noise(all, start) : void();
  if (threadIdx.x >= lanes) return;
  unsigned random = blockIdx.x + 1;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned at = round * lanes + threadIdx.x;
    unsigned& data = all.data[at].words[0];
    unsigned* const place = all.places[at];
    static_cast<void>(*static_cast<volatile unsigned*>(&data));  // an old line of the cache
    if (is_acquiring && threadIdx.x == 0) all.current = round;
    if (!meet(all.arrived[round], start)) return;
    random = random * 1664525 + 1013904223;
    if (!is_acquiring) {
      wait_for((random >> 16) % most_skew);
      device_ref<unsigned>(data).store(1, cuda::memory_order_relaxed);
      all.before[at] = device_ref<unsigned>(*place).fetch_add(1, cuda::memory_order_release) + 1;
    } else {
      wait_for((random >> 16) % 64 + most_skew / 4);
      How::acquire(*place);
      all.seen[at] = device_ref<unsigned>(data).load(cuda::memory_order_relaxed) + 1;
    }
  }
  if (is_acquiring) all.current = rounds;
}

__global__ void prepare(memory* all) {
  for (unsigned at = threadIdx.x; at < rounds * lanes; at += blockDim.x)
    all->places[at] = &all->objects[at].words[0];
}

template <class How>
void check() {
  memory* all = nullptr;
  CHECK(cudaMalloc(&all, sizeof(memory)) == cudaSuccess);
  std::vector<unsigned> before(rounds * lanes), seen(rounds * lanes);
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  gpu_test::shape how;
  how.grid = 2 * blocks;
  how.block = threads;
  how.cluster = major >= 9 ? blocks : 1;
  unsigned all_first = 0;
  for (const unsigned most_skew : {512u, 4096u, 16384u}) {
    CHECK(cudaMemset(all, 0, sizeof(memory)) == cudaSuccess);
    gpu_test::run(prepare, {1, 1024}, all);
    gpu_test::run(hand_over<How>, how, all, most_skew);
    CHECK(cudaMemcpy(before.data(), all->before, 4 * before.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(cudaMemcpy(seen.data(), all->seen, 4 * seen.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
    unsigned missed = 0, played = 0;
    for (unsigned at = 0; at < rounds * lanes; ++at) {
      const bool is_first = before[at] == 1;
      played += before[at] != 0 && seen[at] != 0;
      all_first += is_first;
      missed += is_first && seen[at] == 1;
    }
    CHECK(played == rounds * lanes);
    CHECK(missed == 0);
  }
  CHECK(all_first != 0);
  cudaFree(all);
}

}  // namespace

TEST(unused_result_of_an_acquire) {
  check<by_acquire>();
}
TEST(unused_result_of_the_default_order) {
  check<by_default_order>();
}
TEST(unused_sum_of_floats) {
  check<by_floats>();
}
TEST(unused_result_before_a_fence) {
  check<by_fence>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
