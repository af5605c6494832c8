// The report of a hang at a barrier of GPUs names the missing rank or host and the phase. Blocks of one grid are the ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cudasync/grid_barrier.h>
#include <cudasync/peer_barrier.h>
#include <cudasync/world_barrier.h>

using part = cudasync::peer_part<>;
using cudasync::participant;

__device__ part parts[3][2];
__device__ part* addresses[3] = {parts[0], parts[1], parts[2]};
__device__ cudasync::peer_signal sign;

// The argument is 0. It hides wrong values from the compiler.

__global__ void rank_that_does_not_come(int) {
  if (blockIdx.x == 2) return;
  cudasync::peer_barrier bar(addresses, blockIdx.x, 3);
  bar.arrive_and_wait(participant{0, 1});  // <wait>
}
__global__ void rank_with_one_phase_less(int) {
  cudasync::peer_block_barrier bar(addresses, blockIdx.x, 3, 1);
  for (unsigned round = 0; round < (blockIdx.x == 1 ? 4u : 5u); ++round)
    bar.arrive_and_wait();  // <wait>
}
__global__ void block_of_a_gpu_that_does_not_come(int) {
  cudasync::peer_barrier bar(addresses, 0, 1);
  if (blockIdx.x == 1) return;
  bar.arrive_and_wait();  // <wait>
}
__global__ void signal_that_nobody_sends(int) {
  sign.wait(7);  // <wait>
}

__device__ cudasync::peer_signal of_both[2];
__global__ void signals_that_nobody_begins(int) {
  of_both[blockIdx.x].wait(1);  // <wait>
  of_both[1 - blockIdx.x].signal(1);
}

// Each block should signal the object of its own number in the memory of the other one.
__device__ cudasync::peer_signal of_ranks[2][2];
__global__ void signal_to_the_neighbor(int) {
  const unsigned other = 1 - blockIdx.x;
  of_ranks[other][other].signal(1);     // <signal>
  of_ranks[blockIdx.x][other].wait(1);  // <wait>
}

__device__ cudasync::peer_mailbox<unsigned, 4> box;
__global__ void message_that_nobody_puts(int) {
  if (threadIdx.x == 0) box.put(1, 3, 7u);
  if (threadIdx.x == 1) static_cast<void>(box.take(3, 3));  // <take>
}
__global__ void message_that_is_overwritten(int) {
  if (threadIdx.x == 0) {
    box.put(1, 2, 7u);
    box.put(2, 2, 8u);
    box.put(3, 2, 9u);
  }
  __syncwarp();
  if (threadIdx.x == 1) static_cast<void>(box.take(1, 2));  // <take>
}
__global__ void signal_that_does_not_rise(int) {
  sign.signal(2);
  sign.signal(1);  // <second>
}
__device__ part* without_a_path[2] = {parts[0], nullptr};
__global__ void peer_without_a_path(int) {
  cudasync::peer_barrier bar(without_a_path, 0, 2);  // <make>
  bar.arrive_and_wait(participant{0, 1});
}
__global__ void block_of_a_peer_without_a_path(int) {
  cudasync::peer_block_barrier bar(without_a_path, 1, 2, 0);  // <make>
  bar.arrive_and_wait();
}
__global__ void signal_to_a_peer_without_a_path(int) {
  cudasync::peer_signal* const there = reinterpret_cast<cudasync::peer_signal*>(without_a_path[1]);
  there->signal(1);
}

__device__ cudasync::grid_barrier<> of_grid;
// The third participant never comes, and the first comes twice.
__global__ void block_that_arrives_twice_at_a_grid_barrier(int) {
  auto first = of_grid.arrive(participant{blockIdx.x, 3});
  if (blockIdx.x == 1) return;
  auto second = of_grid.arrive(participant{0, 3});  // <second>
  of_grid.wait(static_cast<decltype(second)&&>(second), participant{0, 3});
  static_cast<void>(first);
}
__global__ void block_that_does_not_wait_for_its_arrival(int) {
  static_cast<void>(of_grid.arrive(participant{blockIdx.x, 3}));
  if (blockIdx.x == 0) of_grid.arrive_and_wait(participant{0, 3});  // <second>
}
__global__ void block_that_arrives_twice_at_a_peer_barrier(int) {
  cudasync::peer_barrier bar(addresses, 0, 2);
  auto first = bar.arrive(participant{0, 1});
  auto second = bar.arrive(participant{0, 1});  // <second>
  static_cast<void>(first);
  static_cast<void>(second);
}
__global__ void far_too_many_blocks_of_a_peer(int) {
  cudasync::peer_barrier bar(addresses, 0, 1);
  bar.arrive_and_wait();
}

__global__ void signal_in_shared_memory(int) {
  __shared__ cudasync::peer_signal own;
  own.signal(1);
}

// Three hosts, and the first has two blocks: host 1 makes one phase less.
__device__ cudasync::world_part<> world_parts[3];
__device__ unsigned long long signals[3][2];
struct rail_in_memory {
  unsigned host;
  __device__ unsigned rank() const { return host; }
  __device__ unsigned count() const { return 3; }
  __device__ unsigned radix() const { return 3; }
  __device__ void complete() const {}
  __device__ void raise(unsigned signal, unsigned long long, unsigned other) const {
    __threadfence_system();
    atomicAdd_system(&signals[other][signal], 1ull);
  }
  __device__ bool is_raised(unsigned signal, unsigned long long number) const {
    return *static_cast<const volatile unsigned long long*>(&signals[host][signal]) >= number;
  }
  __device__ void wait(unsigned, unsigned long long) const { __threadfence_system(); }
};
__global__ void host_with_one_phase_less(int) {
  const unsigned host = blockIdx.x == 3 ? 0 : blockIdx.x;
  cudasync::world_part<>* parts[1] = {&world_parts[host]};
  cudasync::world_barrier bar(rail_in_memory{host}, parts, 0, 1);
  for (unsigned round = 0; round < (host == 1 ? 4u : 5u); ++round)
    bar.arrive_and_wait(participant{blockIdx.x == 3, host == 0 ? 2u : 1u});  // <wait>
}

__global__ void first_block_that_does_not_wait(int) {
  cudasync::world_part<>* parts[1] = {&world_parts[2]};
  cudasync::world_barrier bar(rail_in_memory{2}, parts, 0, 1);
  auto token = bar.arrive(participant{blockIdx.x, 2});
  if (blockIdx.x == 1) bar.wait(static_cast<decltype(token)&&>(token));  // <wait>
}
__global__ void far_too_many_blocks_of_a_host(int) {
  cudasync::world_part<>* parts[1] = {&world_parts[2]};
  cudasync::world_barrier bar(rail_in_memory{2}, parts, 0, 1);
  bar.arrive_and_wait();
}

// --- The cases, and what each must print ---

constexpr gpu_test::shape four_blocks{4, 32}, two_blocks{2, 32}, three_blocks{3, 32}, one_warp{1, 32};

const misuse cases[] = {
    MISUSE_IN(three_blocks, rank_that_does_not_come, "peer_barrier at 0x", "at <wait>",
              "likely cause: rank 2 has not arrived in phase 1", "remedy: let every rank launch the kernel"),
    MISUSE_IN(three_blocks, rank_with_one_phase_less, "peer_barrier at 0x", "at <wait>",
              "likely cause: rank 1 has not arrived in phase 5", "remedy: let every rank launch the kernel"),
    MISUSE_IN(three_blocks, block_of_a_gpu_that_does_not_come, "peer_barrier at 0x", "at <wait>",
              "likely cause: rank 0, this GPU, has blocks that have not arrived in phase 1"),
    MISUSE_IN(four_blocks, host_with_one_phase_less, "world_barrier at 0x", "at <wait>",
              "likely cause: host 1 has not arrived in phase 5", "remedy: let every host launch the kernel"),
    MISUSE_IN(
        two_blocks, first_block_that_does_not_wait, "world_barrier at 0x", "at <wait>",
        "likely cause: host 2, this host: block 0 of this GPU has not exchanged signals with the other hosts in phase 1"),
    MISUSE_IN(one_warp, signal_that_nobody_sends, "peer_signal at 0x", "thread 0 waits at <wait>",
              "likely cause: the signal has number 0, and the wait is for number 7",
              "remedy: let all threads of the sending block call signal with this number"),
    MISUSE_IN((gpu_test::shape{2, 1}), signals_that_nobody_begins, "thread 0 waits at <wait>",
              "and the wait is for number 1; ", "; 1 thread of other blocks waits for peer_signal at 0x",
              "so this block and block (", ",0,0) wait for each other, unless another kernel or GPU sends",
              "let one of them signal or arrive before its wait"),
    MISUSE_IN(
        two_blocks, signal_to_the_neighbor, "at <wait>", "the signal has number 0, and the wait is for number 1; ",
        "no thread is known to have signaled it, but thread 0 of block (", " has last signaled peer_signal at 0x",
        ", 4 bytes ", " it, at <signal>",
        "remedy: check the index and the address in the call at <signal>: it must signal this object, in the memory "
        "of the GPU that waits",
        "!wait for each other"),
    MISUSE_IN(one_warp, message_that_nobody_puts, "cell of a peer_mailbox at 0x", "thread 1 waits at <take>",
              "likely cause: the cell of value 3 has message 1, and the wait is for message 3",
              "remedy: let the sender put every value"),
    MISUSE_IN(one_warp, message_that_is_overwritten, "thread 1 waits at <take>",
              "likely cause: the cell of value 2 has message 3, which the sender has put over the awaited message 1"),
    MISUSE_IN(one_warp, signal_that_does_not_rise, "<second>",
              "peer_signal::signal: the number must be greater than the one before"),
    MISUSE_IN(one_warp, peer_without_a_path, "<make>", "peer_barrier: the address of a part is null"),
    MISUSE_IN(one_warp, block_of_a_peer_without_a_path, "<make>", "peer_barrier: the address of a part is null"),
    MISUSE_IN(two_blocks, block_that_arrives_twice_at_a_grid_barrier, "<second>",
              "grid_barrier::arrive: this block has arrived already in a phase that is not complete"),
    MISUSE_IN(two_blocks, block_that_does_not_wait_for_its_arrival, "<second>",
              "grid_barrier::arrive: this block has arrived already in a phase that is not complete"),
    MISUSE_IN(one_warp, block_that_arrives_twice_at_a_peer_barrier, "<second>",
              "peer_barrier::arrive: this block has arrived already in a phase that is not complete"),
    MISUSE_IN((gpu_test::shape{60000, 1}), far_too_many_blocks_of_a_peer, "the GPU cannot hold so many blocks at once"),
    MISUSE_IN((gpu_test::shape{60000, 1}), far_too_many_blocks_of_a_host, "the GPU cannot hold so many blocks at once"),
    MISUSE_IN(one_warp, signal_to_a_peer_without_a_path, "an address near 0 is that of a peer without a direct path"),
    MISUSE_IN(one_warp, signal_in_shared_memory, "signals and mailboxes must be in global memory"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
