// Misuse with <cudasync/peer_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/peer_barrier.h>

// misuse: empty_message
// A message of no values has nothing to wait for.
// ERROR: peer_mailbox: a message needs at least one value, and the ring one stage
// COMPILERS: nvrtc nvcc
using box = cudasync::peer_mailbox<int, 64, 0>;  // wrong
using box = cudasync::peer_mailbox<int, 64, 1>;  // right

__device__ int take(box& own) {
  return own.take(1, threadIdx.x);
}

// misuse: no_gpus
// A part without slots is for nobody.
// ERROR: peer_part: the number of GPUs must be 1 to 1024
// COMPILERS: nvrtc nvcc
using part = cudasync::peer_part<0>;  // wrong
using part = cudasync::peer_part<1>;  // right

__device__ void meet(part* const* parts) {
  cudasync::peer_barrier bar(parts, 0, 1);
  bar.arrive_and_wait();
}

// misuse: part_copied
// The other GPUs know where a part is, and it has no copies.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)|deleted
// COMPILERS: nvrtc nvcc
__device__ bool is_there(cudasync::peer_part<>& part) {
  cudasync::peer_part<> other(part);    // wrong
  cudasync::peer_part<>& other = part;  // right
  return &other == &part;
}

// misuse: token_of_blocks
// The token of one block's phase is not that of all blocks.
// ERROR: (no suitable user-defined conversion|cannot be called with the given argument list|an rvalue reference cannot be bound|could not convert|cannot convert|a reference of type)
// COMPILERS: nvrtc nvcc
__device__ void meet(cudasync::peer_barrier<>& all, cudasync::peer_block_barrier<>& block) {
  all.wait(block.arrive());    // wrong
  all.wait(all.arrive());      // right
  block.wait(block.arrive());  // right
}

// misuse: value_of_2_bytes
// A value of two bytes would take a word of its own for nothing.
// ERROR: peer_mailbox: the value must be trivially copyable and have 4 or 8 bytes; pack smaller values
// COMPILERS: nvrtc nvcc
using box = cudasync::peer_mailbox<short, 64>;   // wrong
using box = cudasync::peer_mailbox<short2, 64>;  // right

__device__ void take(box& own, box::value_type* values) {
  values[threadIdx.x] = own.take(1, threadIdx.x);
}
