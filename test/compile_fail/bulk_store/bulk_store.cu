// Misuse with <cuda/pipeline>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>

// misuse: addition_of_char
// The copy engine does not add bytes.
// ERROR: bulk_store_add needs elements that the copy engine can add: integers of 4 or 8 bytes, float, double, __half or __nv_bfloat16
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void add(char* destination, const char* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void add(int* destination, const int* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif

// misuse: addition_of_int2
// The copy engine adds numbers, not structs.
// ERROR: bulk_store_add needs elements that the copy engine can add: integers of 4 or 8 bytes, float, double, __half or __nv_bfloat16
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void add(int2* destination, const int2* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void add(int* destination, const int* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif

// misuse: addition_of_short
// The copy engine does not add integers of two bytes.
// ERROR: bulk_store_add needs elements that the copy engine can add: integers of 4 or 8 bytes, float, double, __half or __nv_bfloat16
// COMPILERS: nvrtc nvcc
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void add(short* destination, const short* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void add(int* destination, const int* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif

// misuse: addition_of_two_types
// Source and destination are of one type.
// ERROR: no instance of (overloaded )?function (template )?.*bulk_store_add
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void add(int* destination, const float* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void add(float* destination, const float* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif

// misuse: commit_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store() {
  cudasync::device::bulk_commit();
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif

// misuse: const_destination
// What is const is not written.
// ERROR: (no instance of|is incompatible with parameter)
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store(const float* destination, const float* source) {
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void store(float* destination, const float* source) {
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif

// misuse: fence_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store() {
  cudasync::device::fence_before_bulk_copy();
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif

// misuse: prefetch_alignment_below_16
// The copy engine moves 16 bytes at a time, to the cache as elsewhere.
// ERROR: prefetch_to_l2 needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align the buffer
__device__ void prefetch(const float* source) {
  cudasync::device::prefetch_to_l2(source, cuda::aligned_size_t<8>(1024));   // wrong
  cudasync::device::prefetch_to_l2(source, cuda::aligned_size_t<16>(1024));  // right
}

// misuse: prefetch_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store(const float* source) {
  cudasync::device::prefetch_to_l2(source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif

// misuse: ring_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store(cudasync::bulk_store_ring<2>& ring) {
  ring.acquire();
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif

// misuse: six_coordinates
// A tensor has five dimensions at most.
// ERROR: bulk_store: a tensor map has 1 to 5 dimensions; give as many coordinates
__device__ void store(const CUtensorMap* map, const float* source) {
  cudasync::device::bulk_store(map, {0, 0, 0, 0, 0, 0}, source);  // wrong
  cudasync::device::bulk_store(map, {0, 0, 0, 0, 0}, source);     // right
}

// misuse: store_box_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store(const CUtensorMap* map, const float* source) {
  cudasync::device::bulk_store(map, {0, 0}, source);
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif

// misuse: wait_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store() {
  cudasync::device::bulk_wait();
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif

// misuse: wait_read_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store() {
  cudasync::device::bulk_wait_read<1>();
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif

// common:
__device__ void store(float* destination, const float* source) {
  // misuse: alignment_below_16
  // The copy engine moves 16 bytes at a time.
  // ERROR: bulk_store needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
  // COMPILERS: nvrtc nvcc
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<8>(1024));   // wrong
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));  // right

  // misuse: alignment_below_16_in_addition
  // The copy engine adds 16 bytes at a time.
  // ERROR: bulk_store needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<8>(1024));   // wrong
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));  // right

  // misuse: plain_size
  // A plain size promises no alignment.
  // ERROR: bulk_store needs a size that is a multiple of 16 bytes, as aligned_size_t<16>.bytes.
  cudasync::device::bulk_store(destination, source, 4096);                            // wrong
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));  // right

  // misuse: store_add_below_sm90
  // Before sm_90 there is no copy engine.
  // ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
  // ARCHS: 80
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));  // wrong
  destination[threadIdx.x] = source[threadIdx.x];                                         // right

  // misuse: store_below_sm90
  // Before sm_90 there is no copy engine.
  // ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
  // ARCHS: 75 80
  // COMPILERS: nvrtc nvcc
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));  // wrong
  destination[threadIdx.x] = source[threadIdx.x];                                     // right
}
