// Atomic operations on an element in the shared memory of another block compile, and those of 64 bits have a loop for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// Of 64 bits, the hardware has only exchange and compare-exchange there. ptxas makes a load and a store of others, which are
// therefore behind a test of the address. gpu/atomic_cluster.cu counts what they add.
// SASS-LABEL: add:
// SASS: ATOM.E.ADD.STRONG.{{SM|GPU}}
// SASS-NOT: ATOM.E.{{ADD|MIN|MAX|AND|OR|XOR|INC|DEC}}{{.*}}64
// SASS-LABEL: arrive_anywhere:
// SASS: ATOM.E.CAS.64
// SASS-LABEL: every_operation:
// SASS: QSPC.E.S
// SASS: ATOM.E.CAS.64
// SASS-LABEL: read:
// SASS: LD.E.STRONG.{{SM|GPU}}
// PTX-LABEL: .entry arrive_anywhere(
// PTX-NOT: atom.release.gpu.add.u64
// PTX-LABEL: .entry every_operation(
#include <cuda/atomic>
#include <cuda/barrier>

template <class Value>
using element = cuda::atomic_ref<Value, cuda::thread_scope_cluster>;

extern "C" __global__ void add(unsigned rank) {
  __shared__ unsigned cells[64];
  unsigned* const there = static_cast<unsigned*>(__cluster_map_shared_rank(cells, rank));
  element<unsigned>(there[threadIdx.x]).fetch_add(1, cuda::memory_order_relaxed);
}

extern "C" __global__ void arrive_anywhere(cuda::barrier<cuda::thread_scope_device>** bars) {
  static_cast<void>(bars[blockIdx.x]->arrive());
}

extern "C" __global__ void read(unsigned rank, unsigned* found) {
  __shared__ unsigned cells[64];
  unsigned* const there = static_cast<unsigned*>(__cluster_map_shared_rank(cells, rank));
  *found = element<unsigned>(there[threadIdx.x]).load(cuda::memory_order_relaxed);
}

template <class Value>
__device__ element<Value> of_other_block(unsigned rank) {
  __shared__ Value cells[64];
  return element<Value>(static_cast<Value*>(__cluster_map_shared_rank(cells, rank))[threadIdx.x]);
}

template <class Value>
__device__ void add_and_compare(unsigned rank, Value operand, Value* old) {
  const element<Value> it = of_other_block<Value>(rank);
  old[0] = it.fetch_add(operand, cuda::memory_order_relaxed);
  old[1] = it.fetch_sub(operand, cuda::memory_order_relaxed);
  old[2] = it.fetch_min(operand, cuda::memory_order_relaxed);
  old[3] = it.fetch_max(operand, cuda::memory_order_relaxed);
  old[4] = it.exchange(operand, cuda::memory_order_relaxed);
  it.store_add(operand, cuda::memory_order_relaxed);
  it.store_max(operand, cuda::memory_order_release);
}
template <class Value>
__device__ void change_bits(unsigned rank, Value operand, Value* old) {
  const element<Value> it = of_other_block<Value>(rank);
  old[5] = it.fetch_and(operand, cuda::memory_order_relaxed);
  old[6] = it.fetch_or(operand, cuda::memory_order_release);
  old[7] = it.fetch_xor(operand, cuda::memory_order_relaxed);
}
extern "C" __global__ void every_operation(unsigned rank, unsigned long long* words, long long* integers,
                                           double* numbers) {
  add_and_compare(rank, words[9], words);
  change_bits(rank, words[9], words);
  add_and_compare(rank, integers[9], integers);
  change_bits(rank, integers[9], integers);
  add_and_compare(rank, numbers[9], numbers);
}
