// Misuse with <cudasync/grid_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/grid_barrier.h>

// misuse: assigned
// A barrier is begun anew by init, and not by an assignment.
// ERROR: deleted
__device__ void restart(cudasync::grid_barrier<>& bar) {
  bar = cudasync::grid_barrier<>();  // wrong
  init(&bar);                        // right
}

// misuse: block_scope
// A block's scope holds one block.
// ERROR: grid_barrier: blocks meet at device scope, or at system scope with other GPUs and the host; for a cluster use cluster_barrier
// COMPILERS: nvrtc nvcc
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_block>;   // wrong
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_device>;  // right

__device__ void meet(blocks_meet& bar) {
  bar.arrive_and_wait();
}

// misuse: cluster_scope
// A cluster has a barrier in hardware.
// ERROR: grid_barrier: blocks meet at device scope, or at system scope with other GPUs and the host; for a cluster use cluster_barrier
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_cluster>;  // wrong
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_device>;   // right

__device__ void meet(blocks_meet& bar) {
  bar.arrive_and_wait();
}

// misuse: copied
// A barrier is where its memory is, and has no copies.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)|deleted
// COMPILERS: nvrtc nvcc
__device__ void meet(cudasync::grid_barrier<>& bar) {
  cudasync::grid_barrier<> other(bar);    // wrong
  cudasync::grid_barrier<>& other = bar;  // right
  other.arrive_and_wait();
}

// misuse: host_without_participant
// A host thread is in no grid, and says who it is.
// ERROR: no matching function|too few arguments
// COMPILERS: host
void meet(cudasync::grid_barrier<cudasync::thread_scope_system>& bar) {
  bar.arrive_and_wait();                             // wrong
  bar.arrive_and_wait(cudasync::participant{0, 2});  // right
}

// misuse: thread_scope
// One thread meets nobody.
// ERROR: grid_barrier: blocks meet at device scope, or at system scope with other GPUs and the host; for a cluster use cluster_barrier
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_thread>;  // wrong
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_device>;  // right

__device__ void meet(blocks_meet& bar) {
  bar.arrive_and_wait();
}

// misuse: token_default_made
// Only an arrival makes a token.
// ERROR: no default constructor exists|no matching function
__device__ void meet(cudasync::grid_barrier<>& bar) {
  cudasync::grid_barrier<>::arrival_token token;                 // wrong
  cudasync::grid_barrier<>::arrival_token token = bar.arrive();  // right
  bar.wait(static_cast<decltype(token)&&>(token));
}

// misuse: wait_with_lvalue
// A wait consumes the token: the phase that it names is over.
// ERROR: an rvalue reference cannot be bound to an lvalue|cannot bind rvalue reference|no instance of (overloaded )?function.*wait
__device__ void meet(cudasync::grid_barrier<>& bar) {
  auto token = bar.arrive();
  bar.wait(token);                                  // wrong
  bar.wait(static_cast<decltype(token)&&>(token));  // right
}

// common:
__device__ void meet(cudasync::grid_barrier<>& bar) {
  // misuse: group_of_one_block
  // Who meets at a barrier of blocks says which of how many it is.
  // ERROR: has no member \"block_rank\"|has no member named .block_rank.
  bar.arrive_and_wait(cudasync::this_thread_block());  // wrong
  bar.arrive_and_wait(cudasync::this_grid());          // right

  // misuse: number_for_token
  // A number is no token.
  // ERROR: inaccessible|is private|no instance of
  bar.wait(cudasync::grid_barrier<>::arrival_token(0u));  // wrong
  bar.wait(bar.arrive());                                 // right

  // misuse: wait_without_token
  // Who has not arrived does not wait.
  // ERROR: no instance of (overloaded )?function.*wait|no matching function
  bar.wait();              // wrong
  bar.wait(bar.arrive());  // right
}
