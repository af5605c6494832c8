// Groups of threads that meet again and again over a few places in memory: the ground of litmus tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_ATOMIC_LITMUS_H
#define CUDASYNC_TEST_SUPPORT_ATOMIC_LITMUS_H

#include "gpu_test.h"

#include <cuda/atomic>

namespace litmus {

// A number, and another one in the same cache line. Who reads the other brings the number into the first-level cache,
// where it grows old.
struct alignas(128) line {
  int number;
  int other;
};

// What a group shares. In each round its members write the round's number: smaller numbers are old.
struct places {
  line first, second, answer, meeting;
};

// Nobody waits forever.
constexpr unsigned patience = 1u << 20;

template <class Receive>
__device__ bool await_round(int round, const Receive& receive) {
  for (unsigned polls = 0; polls < patience; ++polls)
    if (receive() >= round) return true;
  DEVICE_CHECK(false);
  return false;
}

// Lets the members of a group start at the same time, without any order.
template <cuda::thread_scope Scope>
__device__ bool meet(places& group, int members, int round) {
  const cuda::atomic_ref<int, Scope> arrivals(group.meeting.number);
  arrivals.fetch_add(1, cuda::memory_order_relaxed);
  return await_round(members * round, [&] { return arrivals.load(cuda::memory_order_relaxed); });
}

// Which group a thread belongs to, and what it does there. Threads that are left over have a role beyond the last.
struct membership {
  unsigned group, role;
};
__device__ inline membership in_different_blocks(unsigned members) {
  const unsigned rows = gridDim.x / members;
  return {blockIdx.x % rows * blockDim.x + threadIdx.x, blockIdx.x / rows};
}
__device__ inline membership in_different_warps(unsigned members) {
  const unsigned columns = blockDim.x / members / 32 * 32;  // all lanes of a warp have one role
  return {threadIdx.x % columns, threadIdx.x / columns};
}

// Test::play<Scope>(group, role, rounds, outcome) is called by all members. outcome points to the member's entry for
// the first round; the next one is Test::members further. The groups lie in global memory, or in the block's shared
// memory.
constexpr unsigned threads = 128, blocks = 64;
template <class Test>
constexpr unsigned groups_in_block = threads / Test::members / 32 * 32;

template <class Test, cuda::thread_scope Scope>
__device__ void play_in(places& group, unsigned index, unsigned role, unsigned char* outcomes, int rounds) {
  if (role < Test::members)
    Test::template play<Scope>(group, role, rounds,
                               outcomes + index * Test::members * static_cast<unsigned>(rounds) + role);
}
template <class Test, cuda::thread_scope Scope>
__global__ void play_among_blocks(places* groups, unsigned char* outcomes, int rounds) {
  const membership own = in_different_blocks(Test::members);
  play_in<Test, Scope>(groups[own.group], own.group, own.role, outcomes, rounds);
}
template <class Test, cuda::thread_scope Scope>
__global__ void play_in_block(places* groups, unsigned char* outcomes, int rounds) {
  const membership own = in_different_warps(Test::members);
  const unsigned index = blockIdx.x * groups_in_block<Test> + own.group;
  play_in<Test, Scope>(groups[index], index, own.role, outcomes, rounds);
}
template <class Test, cuda::thread_scope Scope>
__global__ void play_in_shared_memory(unsigned char* outcomes, int rounds) {
  __shared__ places groups[groups_in_block<Test>];
  const membership own = in_different_warps(Test::members);
  if (own.role == 0) memset(groups + own.group, 0, sizeof(places));
  __syncthreads();
  const unsigned index = blockIdx.x * groups_in_block<Test> + own.group;
  play_in<Test, Scope>(groups[own.group], index, own.role, outcomes, rounds);
}

// Test::is_allowed(outcomes of the members) is asked for each round of each group.
template <class Test>
void check_outcomes(const gpu_test::device_array<unsigned char>& outcomes) {
  const std::vector<unsigned char> all = outcomes.values();
  unsigned forbidden = 0;
  for (size_t index = 0; index < all.size(); index += Test::members)
    forbidden += Test::is_allowed(all.data() + index) ? 0 : 1;
  if (forbidden != 0) printf("forbidden in %u of %zu rounds\n", forbidden, all.size() / Test::members);
  CHECK(forbidden == 0);
}

enum class where { among_blocks, in_block, in_shared_memory };

template <class Test, cuda::thread_scope Scope>
void play(where place, int rounds) {
  gpu_test::shape how{blocks, threads};
  how.cooperative = true;
  const size_t count = place == where::among_blocks ? blocks / Test::members * threads : blocks * groups_in_block<Test>;
  const gpu_test::device_array<places> groups(count);
  const gpu_test::device_array<unsigned char> outcomes(count * Test::members * static_cast<size_t>(rounds));
  if (place == where::among_blocks)
    gpu_test::run(play_among_blocks<Test, Scope>, how, groups.get(), outcomes.get(), rounds);
  else if (place == where::in_block)
    gpu_test::run(play_in_block<Test, Scope>, how, groups.get(), outcomes.get(), rounds);
  else
    gpu_test::run(play_in_shared_memory<Test, Scope>, how, outcomes.get(), rounds);
  check_outcomes<Test>(outcomes);
}

}  // namespace litmus

#endif
