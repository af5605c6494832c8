// Misuse with <cuda/barrier>, <cudasync/cluster_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

// misuse: addition_of_float
// The instruction adds integers.
// ERROR: remote_barrier: red.async has operations on integers of 4 bytes, and the addition of 8 bytes
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, float* cell) {
  there.add_async(cell, 1.0f);
}
#else
__device__ void send(cudasync::remote_barrier there, int* cell) {
  there.add_async(cell, 1);
}
#endif

// misuse: addition_of_short
// The instruction adds 4 or 8 bytes.
// ERROR: remote_barrier: red.async has operations on integers of 4 bytes, and the addition of 8 bytes
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, short* cell) {
  there.add_async(cell, 1);
}
#else
__device__ void send(cudasync::remote_barrier there, int* cell) {
  there.add_async(cell, 1);
}
#endif

// misuse: below_sm90
// Before sm_90 a block cannot reach another's shared memory.
// ERROR: barrier<thread_scope_cluster> needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#if defined(CUDASYNC_EXPECT_ERROR)
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void arrive(barrier_of_cluster& bar) {
  cudasync::remote_barrier(bar, 1).arrive();
}
#else
__device__ void arrive(cuda::barrier<cuda::thread_scope_device>& bar) {
  static_cast<void>(bar.arrive());
}
#endif

// misuse: bits_of_8_bytes
// Of 8 bytes there is only the addition.
// ERROR: remote_barrier: red.async has operations on integers of 4 bytes, and the addition of 8 bytes
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, unsigned long long* cell) {
  there.or_async(cell, 1);
}
#else
__device__ void send(cudasync::remote_barrier there, unsigned* cell) {
  there.or_async(cell, 1);
}
#endif

// misuse: block_scope
// What a block's barrier orders, it orders within the block.
// ERROR: remote_barrier needs barrier<thread_scope_cluster>: a barrier of block scope orders nothing between blocks
// COMPILERS: nvrtc nvcc
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;    // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_cluster>;  // right

__device__ void arrive(shared_barrier& bar) {
  cudasync::remote_barrier(bar, 1).arrive();
}

// misuse: const_destination
// What is const is not copied to.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx|no matching (member )?function
using element = const int;  // wrong
using element = int;        // right

__device__ void send(cudasync::remote_barrier there, element* destination, const int* source) {
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024));
}

// misuse: device_scope
// A device's barrier lies in memory that all blocks reach.
// ERROR: remote_barrier needs barrier<thread_scope_cluster>: a barrier of block scope orders nothing between blocks
__device__ void arrive([[maybe_unused]] cuda::barrier<cuda::thread_scope_device>& bar) {
  cudasync::remote_barrier(bar, 1).arrive();  // wrong
  static_cast<void>(bar.arrive());            // right
}

// misuse: minimum_of_8_bytes
// Of 8 bytes there is only the addition.
// ERROR: remote_barrier: red.async has operations on integers of 4 bytes, and the addition of 8 bytes
__device__ void send(cudasync::remote_barrier there, long long* cell) {
  there.min_async(cell, 1);  // wrong
  there.add_async(cell, 1);  // right
}

// misuse: not_trivially_copyable
// Bytes are copied, and constructors do not run.
// ERROR: remote_barrier::memcpy_async_tx needs a trivially copyable type, because it copies bytes
// COMPILERS: nvrtc nvcc
struct alignas(16) plain {
  int values[4];
};
struct alignas(16) counted {
  int values[4];
  __device__ counted(const counted& other) : values{other.values[0]} {}
};

using element = counted;  // wrong
using element = plain;    // right

__device__ void send(cudasync::remote_barrier there, element* destination, const element* source) {
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(sizeof(element)));
}

// misuse: store_of_12_bytes
// An instruction stores 4, 8 or 16 bytes.
// ERROR: remote_barrier::store_async stores 4, 8 or 16 bytes: st.async has no other sizes
struct three {
  float values[3];
};
struct alignas(16) four {
  float values[4];
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, three* cell, three value) {
  there.store_async(cell, value);
}
#else
__device__ void send(cudasync::remote_barrier there, four* cell, four value) {
  there.store_async(cell, value);
}
#endif

// misuse: store_of_not_trivially_copyable
// Bytes are copied, and constructors do not run.
// ERROR: remote_barrier::store_async needs a trivially copyable type, because it copies bytes
struct counted {
  int count;
  __device__ counted(const counted& other) : count(other.count + 1) {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, counted* cell, const counted& value) {
  there.store_async(cell, value);
}
#else
__device__ void send(cudasync::remote_barrier there, int* cell, const int& value) {
  there.store_async(cell, value);
}
#endif

// misuse: store_of_unaligned
// The address of 8 bytes is a multiple of 8.
// ERROR: remote_barrier::store_async needs a type that is aligned to its size; declare it with alignas\(8\) or alignas\(16\)
struct loose {
  float first, second;
};
struct alignas(8) tight {
  float first, second;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, loose* cell, loose value) {
  there.store_async(cell, value);
}
#else
__device__ void send(cudasync::remote_barrier there, tight* cell, tight value) {
  there.store_async(cell, value);
}
#endif

// misuse: store_to_const
// A constant is not written.
// ERROR: remote_barrier::store_async writes to the destination, which is const
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, const int* cell) {
  there.store_async(cell, 1);
}
#else
__device__ void send(cudasync::remote_barrier there, int* cell) {
  there.store_async(cell, 1);
}
#endif

// misuse: two_types
// Source and destination are of one type.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx|no matching (member )?function
using element = float;  // wrong
using element = int;    // right

__device__ void send(cudasync::remote_barrier there, element* destination, const int* source) {
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024));
}

// common:
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

// misuse: default_constructed
// A handle is that of a barrier.
// ERROR: no default constructor exists|no matching function
__device__ void arrive([[maybe_unused]] barrier_of_cluster& bar) {
  const cudasync::remote_barrier there;          // wrong
  const cudasync::remote_barrier there(bar, 1);  // right
  there.arrive();
}

// misuse: token
// An arrival in another block returns no token, since nobody could wait with it.
// ERROR: a value of type \"void\"|void value
__device__ void arrive([[maybe_unused]] barrier_of_cluster& bar, [[maybe_unused]] cudasync::remote_barrier there) {
  barrier_of_cluster::arrival_token token = there.arrive();  // wrong
  barrier_of_cluster::arrival_token token = bar.arrive();    // right
  static_cast<void>(token);
}

// common:
__device__ void send(cudasync::remote_barrier there, int* destination, const int* source) {
  // misuse: alignment_below_16
  // The copy engine moves 16 bytes at a time.
  // ERROR: remote_barrier::memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size to 16 bytes
  // COMPILERS: nvrtc nvcc
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<8>(1024));   // wrong
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024));  // right

  // misuse: plain_size
  // A plain size promises no alignment.
  // ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx|no matching (member )?function
  there.memcpy_async_tx(destination, source, 1024);                            // wrong
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024));  // right
}

// common:
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void meet([[maybe_unused]] barrier_of_cluster& bar, [[maybe_unused]] cudasync::remote_barrier there) {
  // misuse: arrive_and_wait
  // Who arrives in another block waits in its own.
  // ERROR: has no member \"arrive_and_wait\"|has no member named .arrive_and_wait.
  there.arrive_and_wait();  // wrong
  there.arrive();           // right
  bar.arrive_and_wait();    // right

  // misuse: try_wait
  // Nobody can ask whether a barrier of another block has completed its phase.
  // ERROR: has no member \"try_wait\"|has no member named .try_wait.
#if defined(CUDASYNC_EXPECT_ERROR)
  while (!there.try_wait(bar.arrive())) {
  }
#else
  while (!bar.try_wait(bar.arrive())) {
  }
#endif

  // misuse: wait
  // Nobody can wait for a barrier of another block.
  // ERROR: has no member \"wait\"|has no member named .wait.
  there.wait(bar.arrive());  // wrong
  bar.wait(bar.arrive());    // right

  // misuse: wait_parity
  // Nobody can wait for a barrier of another block, by parity neither.
  // ERROR: has no member \"wait_parity\"|has no member named .wait_parity.
  there.wait_parity(false);  // wrong
  bar.wait_parity(false);    // right
}
