// Misuse with <cuda/barrier>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// misuse: cluster_scope_below_sm90
// Before sm_90 there are no clusters whose threads could meet.
// ERROR: barrier<thread_scope_cluster> needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
__device__ void meet() {
  extern __shared__ cuda::barrier<cuda::thread_scope_cluster> bars[];  // wrong
  extern __shared__ cuda::barrier<cuda::thread_scope_block> bars[];    // right
  bars[0].arrive_and_wait();
}

// misuse: cluster_scope_copied
// Other blocks find a barrier by its place.
// ERROR: deleted
using cluster_barrier = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void share(cluster_barrier& bar) {
  cluster_barrier other(bar);    // wrong
  cluster_barrier& other = bar;  // right
  other.arrive_and_wait();
}

// misuse: cluster_scope_with_completion
// An arrival from another block is one instruction there, which runs no function.
// ERROR: a cluster's barrier cannot have a completion function, because arrivals from other blocks cannot run one; do its work in one thread after the wait
// COMPILERS: nvrtc nvcc
struct completion {
  __device__ void operator()() {}
};

__device__ void meet() {
  extern __shared__ cuda::barrier<cuda::thread_scope_cluster, completion> bars[];  // wrong
  extern __shared__ cuda::barrier<cuda::thread_scope_cluster> bars[];              // right
  bars[0].arrive_and_wait();
}

// misuse: wait_with_lvalue
// A wait consumes the token: it is moved, and the phase it names is over.
// ERROR: barrier::wait consumes the token: pass std::move\(token\)
// COMPILERS: nvrtc nvcc
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

struct kept_token {
  block_barrier::arrival_token token;
  __device__ operator block_barrier::arrival_token() const { return token; }
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void cross(block_barrier& bar) {
  auto token = bar.arrive();
  bar.wait(token);
}
#else
__device__ void cross(block_barrier& bar) {
  auto token = bar.arrive();
  bar.wait(static_cast<block_barrier::arrival_token&&>(token));
  const kept_token kept{bar.arrive()};
  bar.wait(kept);  // converts to a token
}
#endif

// misuse: init_with_reference
// What init begins has no lifetime yet, and is named by its address.
// ERROR: init takes the address of the barrier: init\(&bar, n\)
// COMPILERS: nvrtc nvcc
__host__ __device__ void start(cuda::barrier<cuda::thread_scope_device>& bar) {
  init(bar, 256);   // wrong
  init(&bar, 256);  // right
}

// misuse: init_with_array
// init begins one barrier; init_barriers takes an array.
// ERROR: init takes the address of one barrier: call init\(&bars\[i\], n\) for each, or init_barriers
// COMPILERS: nvrtc nvcc
__device__ void start() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bars[4];
  init(&bars, 256);  // wrong
  for (int i = 0; i < 4; ++i)
    init(&bars[i], 256);  // right
}

// misuse: completion_with_argument
// What completes a phase is called without arguments.
// ERROR: the completion function of a barrier is called without arguments, in the last thread that arrives; give a type with operator\(\)\(\)
#if defined(CUDASYNC_EXPECT_ERROR)
struct completion {
  __device__ void operator()(int) {}
};
#else
struct completion {
  __device__ void operator()() {}
};
#endif

__device__ void meet(cuda::barrier<cuda::thread_scope_block, completion>& bar) {
  bar.arrive_and_wait();
}

// misuse: without_scope
// Who takes part is never a default.
// ERROR: a barrier needs a scope: cuda::barrier<cuda::thread_scope_block> for the threads of a block
// COMPILERS: nvrtc nvcc
__device__ void start() {
  __shared__ cuda::barrier bar;                            // wrong
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;  // right
  init(&bar, 1);
}

// misuse: wait_with_number
// A token names a phase; what is computed from it does not.
// ERROR: barrier::wait takes the token that arrive returned, not another number; pass the token with std::move
// COMPILERS: nvrtc nvcc
using system_barrier = cuda::barrier<cuda::thread_scope_system>;

__device__ void cross(system_barrier& bar) {
  auto token = bar.arrive();
  bar.wait(token + 0.5);                                          // wrong
  bar.wait(static_cast<system_barrier::arrival_token&&>(token));  // right
}

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// misuse: assigned
// A barrier is begun anew by init, and not by an assignment.
// ERROR: deleted
__device__ void restart(block_barrier& bar) {
  bar = block_barrier(32);  // wrong
  init(&bar, 32);           // right
}

// misuse: copied
// A barrier is where its memory is, and has no copies.
// ERROR: deleted
#if defined(CUDASYNC_EXPECT_ERROR)
__host__ __device__ void share(const block_barrier& bar) {
  block_barrier copy(bar);
  copy.arrive_and_wait();
}
#else
__host__ __device__ void share(block_barrier& bar) {
  block_barrier& alias = bar;
  alias.arrive_and_wait();
}
#endif

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void cross(block_barrier& bar) {
  // misuse: wait_with_zero
  // A number is no phase.
  // ERROR: barrier::wait takes the token that arrive returned, not another number; pass the token with std::move
  // COMPILERS: nvrtc nvcc
  bar.wait(0);             // wrong
  bar.wait(bar.arrive());  // right

  // misuse: try_wait_with_parity
  // Nor is a parity, which has a function of its own.
  // ERROR: barrier::try_wait takes the token that arrive returned; for a parity, call try_wait_parity
  // COMPILERS: nvrtc nvcc
  static_cast<void>(bar.try_wait(true));          // wrong
  static_cast<void>(bar.try_wait_parity(true));   // right
  static_cast<void>(bar.try_wait(bar.arrive()));  // right

  // misuse: try_wait_with_round
  // A round is not a token either.
  // ERROR: barrier::try_wait takes the token that arrive returned; for a parity, call try_wait_parity
  const int round = 0;
  static_cast<void>(bar.try_wait(round & 1));                // wrong
  static_cast<void>(bar.try_wait_parity((round & 1) != 0));  // right
}

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void wait(block_barrier& bar, block_barrier::arrival_token token, cuda::std::chrono::milliseconds limit) {
  // misuse: wait_with_pointer
  // A token is a value.
  // ERROR: barrier::wait takes the token that arrive returned, not another number; pass the token with std::move
  bar.wait(&token);                                              // wrong
  bar.wait(static_cast<block_barrier::arrival_token&&>(token));  // right

  // misuse: try_wait_with_pointer
  // A token is a value.
  // ERROR: barrier::try_wait takes the token that arrive returned
  static_cast<void>(bar.try_wait(&token));  // wrong
  static_cast<void>(bar.try_wait(token));   // right

  // misuse: wait_for_number
  // A number has no unit.
  // ERROR: a wait with a limit takes a duration, such as cuda::std::chrono::milliseconds\(5\), not a number or a time
  // COMPILERS: nvrtc nvcc
  static_cast<void>(bar.try_wait_for(token, 5));      // wrong
  static_cast<void>(bar.try_wait_for(token, limit));  // right

  // misuse: wait_for_time
  // A time is for the functions that end in until.
  // ERROR: a wait with a limit takes a duration, such as cuda::std::chrono::milliseconds\(5\), not a number or a time
  const auto end = cuda::std::chrono::system_clock::now() + limit;
  static_cast<void>(bar.try_wait_for(token, end));    // wrong
  static_cast<void>(bar.try_wait_until(token, end));  // right

  // misuse: wait_until_duration
  // A duration is for the functions that end in for.
  // ERROR: a wait that ends in _until takes a time, such as system_clock::now\(\) \+ limit; for a duration, there is _for
  // COMPILERS: nvrtc nvcc
  static_cast<void>(bar.try_wait_until(token, limit));  // wrong
  static_cast<void>(bar.try_wait_for(token, limit));    // right

  // misuse: wait_until_number
  // A number is no time.
  // ERROR: a wait that ends in _until takes a time, such as system_clock::now\(\) \+ limit; for a duration, there is _for
  static_cast<void>(bar.try_wait_until(token, 5));    // wrong
  static_cast<void>(bar.try_wait_for(token, limit));  // right
}
