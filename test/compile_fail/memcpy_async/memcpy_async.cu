// Misuse with <cuda/pipeline>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>

// misuse: const_destination_on_pipeline
// What is const is not written, on a pipeline as with a barrier.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(const int* destination, const int* source, block_pipeline& pipe) {
  cuda::memcpy_async(destination, source, sizeof(int), pipe);
}
#else
__device__ void copy(int* destination, const int* source, block_pipeline& pipe) {
  cuda::memcpy_async(destination, source, sizeof(int), pipe);
}
#endif

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// misuse: alignment_of_3
// An alignment is a power of two, in a size as elsewhere.
// ERROR: aligned_size_t needs an alignment that is a power of two, in bytes: for example aligned_size_t<16>
__device__ void copy(char* destination, const char* source, block_barrier& bar) {
  cuda::memcpy_async(destination, source, cuda::aligned_size_t<3>(9), bar);  // wrong
  cuda::memcpy_async(destination, source, cuda::aligned_size_t<4>(8), bar);  // right
}

// misuse: const_barrier
// The copy changes the barrier.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
__device__ void copy(int* destination, const int* source, [[maybe_unused]] const block_barrier& read_only,
                     block_barrier& bar) {
  cuda::memcpy_async(destination, source, sizeof(int), read_only);  // wrong
  bar.arrive_and_wait();                                            // wrong
  cuda::memcpy_async(destination, source, sizeof(int), bar);        // right
}

// misuse: const_destination
// What is const is not written.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(const int* destination, const int* source, block_barrier& bar) {
  cuda::memcpy_async(destination, source, sizeof(int), bar);
}
#else
__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  cuda::memcpy_async(destination, source, sizeof(int), bar);
}
#endif

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

struct plain {
  int value;
};
struct counted {
  int value;
  __host__ __device__ counted(const counted& other) : value(other.value) {}
};

// misuse: not_trivially_copyable
// Bytes are copied, and constructors do not run: by a thread alone.
// ERROR: memcpy_async needs a trivially copyable type, because it copies bytes; copy other types by assignment
// COMPILERS: nvrtc nvcc
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(counted* destination, const counted* source, block_barrier& bar) {
  cuda::memcpy_async(destination, source, sizeof(counted), bar);
}
#else
__device__ void copy(plain* destination, const plain* source, block_barrier& bar) {
  cuda::memcpy_async(destination, source, sizeof(plain), bar);
}
#endif

// misuse: not_trivially_copyable_in_group
// Bytes are copied, and constructors do not run: by a group.
// ERROR: memcpy_async needs a trivially copyable type, because it copies bytes; copy other types by assignment
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(counted* destination, const counted* source, block_barrier& bar) {
  cuda::memcpy_async(cudasync::this_thread_block(), destination, source, sizeof(counted), bar);
}
#else
__device__ void copy(plain* destination, const plain* source, block_barrier& bar) {
  cuda::memcpy_async(cudasync::this_thread_block(), destination, source, sizeof(plain), bar);
}
#endif

// common:
using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

struct plain {
  int value;
};
struct counted {
  int value;
  __host__ __device__ counted(const counted& other) : value(other.value) {}
};

// misuse: not_trivially_copyable_in_group_on_pipeline
// Bytes are copied, and constructors do not run: by a group on a pipeline.
// ERROR: memcpy_async needs a trivially copyable type, because it copies bytes; copy other types by assignment
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(counted* destination, const counted* source, block_pipeline& pipe) {
  cuda::memcpy_async(cudasync::this_thread_block(), destination, source, sizeof(counted), pipe);
}
#else
__device__ void copy(plain* destination, const plain* source, block_pipeline& pipe) {
  cuda::memcpy_async(cudasync::this_thread_block(), destination, source, sizeof(plain), pipe);
}
#endif

// misuse: not_trivially_copyable_on_pipeline
// Bytes are copied, and constructors do not run: by a thread alone on a pipeline.
// ERROR: memcpy_async needs a trivially copyable type, because it copies bytes; copy other types by assignment
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(counted* destination, const counted* source, block_pipeline& pipe) {
  cuda::memcpy_async(destination, source, sizeof(counted), pipe);
}
#else
__device__ void copy(plain* destination, const plain* source, block_pipeline& pipe) {
  cuda::memcpy_async(destination, source, sizeof(plain), pipe);
}
#endif

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  // misuse: no_tracker
  // Somebody must be told when the copy is complete.
  // ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
  cuda::memcpy_async(destination, source, sizeof(int));       // wrong
  bar.arrive_and_wait();                                      // wrong
  cuda::memcpy_async(destination, source, sizeof(int), bar);  // right

  // misuse: token_as_tracker
  // A copy completes on the barrier, not on a token of it.
  // ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
  auto token = bar.arrive();                                    // wrong
  cuda::memcpy_async(destination, source, sizeof(int), token);  // wrong
  cuda::memcpy_async(destination, source, sizeof(int), bar);    // right
  auto token = bar.arrive();                                    // right
  bar.wait(static_cast<decltype(token)&&>(token));              // right
}
