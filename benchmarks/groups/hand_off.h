// The kernel that measures a channel between two halves of a block, for any contestant: cycles between two hand-offs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_HAND_OFF_H
#define CUDASYNC_BENCHMARKS_GROUPS_HAND_OFF_H

#include "../harness.h"

// The barriers of libcu++ have a constructor, which nvcc does not call for a __shared__ variable.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace bench {

inline constexpr int hand_off_threads[] = {256, 1024};  // of a block
inline constexpr const char* hand_off_name = "two halves of a block exchange a value";

// A contestant is a class:
//   struct shared                is in shared memory           static void init(shared&)      one thread calls it
//   class producer(shared&)      void acquire()                void commit()
//   class consumer(shared&)      void wait()                   void release()
// Each thread shares a value with a thread of the other half. The two threads add to the value alternately.
template <class Channel, int Threads>
__global__ void __launch_bounds__(Threads)
    hand_offs(unsigned warm_up, unsigned count, long long* cycles, unsigned* results) {
  constexpr unsigned half_of_block = Threads / 2;
  __shared__ typename Channel::shared shared;
  __shared__ unsigned values[half_of_block];
  if (threadIdx.x == 0) Channel::init(shared);
  if (threadIdx.x < half_of_block) values[threadIdx.x] = 0;
  __syncthreads();
  unsigned& value = values[threadIdx.x % half_of_block];
  if (threadIdx.x < half_of_block) {
    typename Channel::producer side(shared);
    long long start = 0;
#pragma unroll 1
    for (unsigned round = 0; round < warm_up + count; ++round) {
      if (round == warm_up) start = clock64();
      side.acquire();
      value += 1;
      side.commit();
    }
    const long long end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
  } else {
    typename Channel::consumer side(shared);
#pragma unroll 1
    for (unsigned round = 0; round < warm_up + count; ++round) {
      side.wait();
      value += 1;
      side.release();
    }
  }
  __syncthreads();
  if (threadIdx.x < half_of_block) results[blockIdx.x * half_of_block + threadIdx.x] = value;
}

// A free function, because a member named init would hide the function of the library.
template <class Barrier>
__device__ __forceinline__ void initialize_for_half(Barrier* bar) {
  init(bar, static_cast<std::ptrdiff_t>(blockDim.x / 2));
}

// Two barriers in shared memory. At each of them, one half arrives and the other half waits. Barrier: a cuda::barrier
// of block scope.
template <class Barrier>
struct barrier_channel {
  struct shared {
    Barrier full;
    Barrier empty;
  };

  static __device__ __forceinline__ void init(shared& bars) {
    initialize_for_half(&bars.full);
    initialize_for_half(&bars.empty);
  }

  struct producer {
    shared& bars;
    bool parity = true;

    __device__ __forceinline__ explicit producer(shared& of) : bars(of) {}
    __device__ __forceinline__ void acquire() { bars.empty.wait_parity(parity); }
    __device__ __forceinline__ void commit() {
      static_cast<void>(bars.full.arrive());
      parity = !parity;
    }
  };

  struct consumer {
    shared& bars;
    bool parity = false;

    __device__ __forceinline__ explicit consumer(shared& of) : bars(of) {}
    __device__ __forceinline__ void wait() { bars.full.wait_parity(parity); }
    __device__ __forceinline__ void release() {
      static_cast<void>(bars.empty.arrive());
      parity = !parity;
    }
  };
};

// Channel<Threads> is the channel in a block of this many threads.
template <template <int> class Channel>
void enroll_hand_off(const std::string& name, const std::string& kind, const std::string& path) {
  contestant who{"hand_off", hand_off_name, name, kind, path, nullptr, nullptr};
  who.kernels = {reinterpret_cast<const void*>(&hand_offs<Channel<256>, 256>),
                 reinterpret_cast<const void*>(&hand_offs<Channel<1024>, 1024>)};
  contestants().push_back(who);
}

}  // namespace bench

#endif
