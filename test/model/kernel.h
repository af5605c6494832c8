// What the kernels have in common that the machine runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_MODEL_KERNEL_H
#define CUDASYNC_TEST_MODEL_KERNEL_H

// The line above a kernel says how it runs: "// run: grid=2 block=64 cluster=2 shared=1024 seeds=8 needs=90". Its parameters
// are a count of failures, and 64 KiB of zeros. With "words=7 each=64", seven words of these are 64 at the end. With
// "persistent=4", the grid has four blocks where launches cannot be canceled. With "races=0", races are not reported, for
// accesses that race on purpose: only the values show a fault. With "traps=1", the kernel must end with a trap.

#define EXPECT(...) ((__VA_ARGS__) ? void() : static_cast<void>(atomicAdd(failures, 1u)))

// A duration, as a user's own library might have one.
struct nanoseconds {
  struct period {
    static constexpr long long num = 1, den = 1000000000;
  };
  long long ticks;
  __device__ constexpr long long count() const { return ticks; }
};
constexpr nanoseconds shortest{-0x7fffffffffffffff - 1}, longest{0x7fffffffffffffff};

// The multicast address of objects of several GPUs. The machine has them 8 KiB apart.
template <class Object>
__device__ Object* everywhere(Object* first, unsigned gpus) {
  return reinterpret_cast<Object*>(1ull << 58 | static_cast<unsigned long long>(gpus) << 48 |
                                   reinterpret_cast<unsigned long long>(first));
}

// Threads write their slots, meet, and read those of three others.
template <class Meet>
__device__ void write_and_meet(unsigned* failures, int* slots, unsigned threads, unsigned rank, int phases, Meet meet) {
  for (int phase = 1; phase <= phases; ++phase) {
    int* const now = slots + phase % 2 * threads;
    now[rank] = phase;
    meet(phase);
    EXPECT(now[(rank + 1) % threads] == phase);
    EXPECT(now[(rank + threads / 2) % threads] == phase);
    EXPECT(now[threads - 1 - rank] == phase);
  }
}

// One thread of the grid prepares what all then use.
template <class Prepare>
__device__ void start_together(int* flag, Prepare prepare) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    prepare();
    __threadfence();
    atomicExch(flag, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

#endif
