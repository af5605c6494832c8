// Misuse with <cuda/barrier>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// misuse: device_scope
// A bulk copy completes on a barrier that counts bytes.
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
// COMPILERS: nvrtc nvcc
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;  // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;   // right

__device__ void copy(int* destination, const int* source, shared_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);
}

// misuse: to_blocks_below_sm90
// Before sm_90 there are neither a copy engine nor clusters.
// ERROR: memcpy_async_tx needs sm_90: older architectures have no bulk copies
// ARCHS: 75 80
#if defined(CUDASYNC_EXPECT_ERROR)
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void copy(int* destination, const int* source, barrier_of_cluster& bar) {
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);
}
#else
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  destination[threadIdx.x] = source[threadIdx.x];
  bar.arrive_and_wait();
}
#endif

// misuse: to_blocks_not_trivially_copyable
// Bytes are copied to other blocks, and constructors do not run there.
// ERROR: memcpy_async_tx needs a trivially copyable type, because it copies bytes; copy other types by assignment
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

struct alignas(16) plain {
  int values[4];
};
struct alignas(16) counted {
  int values[4];
  __device__ counted(const counted& other) : values{other.values[0]} {}
};

using element = counted;  // wrong
using element = plain;    // right

__device__ void copy(element* destination, const element* source, barrier_of_cluster& bar) {
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(sizeof(element)), bar, 3);
}

// misuse: to_blocks_with_block_scope
// Bytes that come to other blocks complete on barriers of the cluster.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx_to_blocks
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;    // wrong
using shared_barrier = cuda::barrier<cuda::thread_scope_cluster>;  // right

__device__ void copy(int* destination, const int* source, shared_barrier& bar) {
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);
}

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// misuse: not_trivially_copyable
// Bytes are copied, and constructors do not run.
// ERROR: memcpy_async_tx needs a trivially copyable type, because it copies bytes; copy other types by assignment
struct alignas(16) plain {
  int values[4];
};
struct alignas(16) counted {
  int values[4];
  __device__ counted(const counted& other) : values{other.values[0]} {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(counted* destination, const counted* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(sizeof(counted)), bar);
}
#else
__device__ void copy(plain* destination, const plain* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(sizeof(plain)), bar);
}
#endif

// misuse: two_types
// Source and destination are of one type.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(float* destination, const int* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);
}
#else
__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);
}
#endif

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  // misuse: alignment_below_16
  // The copy engine moves 16 bytes at a time.
  // ERROR: memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
  // COMPILERS: nvrtc nvcc
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<8>(1024), bar);   // wrong
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);  // right

  // misuse: alignment_below_16_with_hint
  // The copy engine moves 16 bytes at a time, with a cache hint as without.
  // ERROR: memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<8>(1024), bar,
                                cudasync::l2_cache_hint::evict_first());
#else
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar,
                                cudasync::l2_cache_hint::evict_first());
#endif

  // misuse: below_sm90
  // Before sm_90 there is no bulk copy.
  // ERROR: memcpy_async_tx needs sm_90: older architectures have no bulk copies; copy by assignment there, or compile with
  // ARCHS: 75 80
  // COMPILERS: nvrtc nvcc
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);  // wrong
  destination[threadIdx.x] = source[threadIdx.x];                                           // right
  bar.arrive_and_wait();                                                                    // right

  // misuse: plain_size
  // A plain size promises no alignment.
  // ERROR: memcpy_async_tx needs a size that is a multiple of 16 bytes, as aligned_size_t<16>\(bytes\): cp.async.bulk moves 16-byte units
  // COMPILERS: nvrtc nvcc
  cuda::device::memcpy_async_tx(destination, source, 1024, bar);                            // wrong
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);  // right
}

// common:
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void copy(int* destination, const int* source, barrier_of_cluster& bar) {
  // misuse: to_blocks_alignment_below_16
  // The copy engine moves 16 bytes at a time, to several blocks as to one.
  // ERROR: memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<8>(1024), bar, 3);   // wrong
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);  // right

  // misuse: to_blocks_plain_size
  // A plain size promises no alignment, to several blocks neither.
  // ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx_to_blocks
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, 1024, bar, 3);                            // wrong
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);  // right
}
