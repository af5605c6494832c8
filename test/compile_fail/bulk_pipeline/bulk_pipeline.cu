// Misuse with <cuda/pipeline>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>

// misuse: box_to_blocks_of_one
// Boxes for several blocks need a ring that all of them release.
// ERROR: bulk_pipeline::copy_to_blocks needs the number of blocks in the cluster as the third template argument
// ARCHS: 90a
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;     // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;  // right

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const CUtensorMap* map) {
  pipe.copy_to_blocks(at, tile, map, {0, 0}, 3);
}

// misuse: copy_to_blocks_of_one
// Copies to several blocks need a ring that all of them release.
// ERROR: bulk_pipeline::copy_to_blocks needs the number of blocks in the cluster as the third template argument
// ARCHS: 90a
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;     // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;  // right

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.copy_to_blocks(at, tile, source, cuda::aligned_size_t<16>(1024), 3);
}

// misuse: im2col_to_blocks_of_one
// A ring that does not know of the other blocks cannot share copies with them.
// ERROR: bulk_pipeline::copy_to_blocks needs the number of blocks in the cluster as the third template argument
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;     // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;  // right

__device__ void copy(ring& pipe, ring::producer_state at, void* pixels, const CUtensorMap* map) {
  pipe.copy_im2col_to_blocks(at, pixels, map, {0, 7, 7, 1}, {1, 2}, 3);
}

// misuse: number_for_consumers
// The compiler asks for a type, and shows this line of the class.
// ERROR: bulk_pipeline<n, consumers>: no consumers; give consumer_warps<1> or more
// COMPILERS: nvrtc nvcc
using ring = cudasync::bulk_pipeline<4, 8>;                            // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<8>>;  // right

static_assert(sizeof(ring) != 0);

// misuse: no_second_argument
// The second argument says who consumes.
// ERROR: bulk_pipeline<n, consumers>: the second argument is who consumes; give consumer_warps<n>
using ring = cudasync::bulk_pipeline<4>;                               // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;  // right

static_assert(sizeof(ring) != 0);

// misuse: threads_as_warps
// The number of threads is given where that of warps is needed.
// ERROR: consumer_warps<n>: n counts warps, not threads, and a block has at most 32 of them
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<256>>;  // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<8>>;    // right

static_assert(sizeof(ring) != 0);

// misuse: number_type_for_consumers
// The second argument says who consumes.
// ERROR: bulk_pipeline<n, consumers>: the second argument is who consumes; give consumer_warps<n>
// COMPILERS: nvrtc nvcc
using ring = cudasync::bulk_pipeline<4, int>;                          // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;  // right

static_assert(sizeof(ring) != 0);

// misuse: no_blocks
// A cluster has 1 to 16 blocks.
// ERROR: bulk_pipeline<n, consumers, blocks>: a cluster has 1 to 16 blocks
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 0>;   // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 16>;  // right

static_assert(sizeof(ring) != 0);

// misuse: no_consumer_threads
// A stage that nobody releases is never empty again.
// ERROR: bulk_pipeline<n, consumers>: no consumers; give consumer_warps<1> or more
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_threads<0>>;  // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_threads<1>>;  // right

static_assert(sizeof(ring) != 0);

// misuse: no_consumer_warps
// A stage that nobody releases is never empty again.
// ERROR: bulk_pipeline<n, consumers>: no consumers; give consumer_warps<1> or more
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<0>>;  // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<1>>;  // right

static_assert(sizeof(ring) != 0);

// misuse: no_stages
// A ring has a stage.
// ERROR: bulk_pipeline<n, consumers>: a ring has at least one stage
// COMPILERS: nvrtc nvcc
using ring = cudasync::bulk_pipeline<0, cudasync::consumer_warps<2>>;  // wrong
using ring = cudasync::bulk_pipeline<1, cudasync::consumer_warps<2>>;  // right

static_assert(sizeof(ring) != 0);

// misuse: state_of_other_ring
// A state counts the stages of its own ring.
// ERROR: cannot be called with the given argument list
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;
using longer_ring = cudasync::bulk_pipeline<5, cudasync::consumer_warps<2>>;

__device__ void misuse(ring& pipe, [[maybe_unused]] longer_ring::consumer_state other,
                       [[maybe_unused]] ring::consumer_state at) {
  pipe.consumer_wait(other);  // wrong
  pipe.consumer_wait(at);     // right
}

// misuse: too_many_blocks
// A cluster has 1 to 16 blocks.
// ERROR: bulk_pipeline<n, consumers, blocks>: a cluster has 1 to 16 blocks
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 17>;  // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 16>;  // right

static_assert(sizeof(ring) != 0);

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

// misuse: acquire_and_copy_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.acquire_and_copy(at, tile, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: const_destination
// What is const is not written.
// ERROR: (no instance of|is incompatible with parameter)
__device__ void copy(ring& pipe, ring::producer_state at, [[maybe_unused]] const void* read_only,
                     [[maybe_unused]] void* tile, const void* source) {
  pipe.copy(at, read_only, source, cuda::aligned_size_t<16>(1024));  // wrong
  pipe.copy(at, tile, source, cuda::aligned_size_t<16>(1024));       // right
}

// misuse: consumer_release_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::consumer_state out) {
  pipe.consumer_release(out);
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: consumer_wait_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::consumer_state out) {
  pipe.consumer_wait(out);
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: copied
// Barriers stay where they are.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
__device__ void misuse(ring& pipe) {
  ring other = pipe;   // wrong
  ring& other = pipe;  // right
  other.init(cudasync::this_thread_block());
}

// misuse: copy_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.copy(at, tile, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: copy_box_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.copy(at, tile, static_cast<const CUtensorMap*>(source), {0, 0});
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: im2col_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at, void* pixels, const void* source) {
  pipe.copy_im2col(at, pixels, static_cast<const CUtensorMap*>(source), {0, 7, 7, 1}, {1, 2});
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: init_with_count
// The ring knows how many threads consume; it does not know who synchronizes.
// ERROR: init_barriers needs the group first
__device__ void start(ring& pipe) {
  pipe.init(256);                            // wrong
  pipe.init(cudasync::this_thread_block());  // right
}

// misuse: init_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe) {
  pipe.init(cudasync::this_thread_block());
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: producer_acquire_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at) {
  pipe.producer_acquire(at, 1024);
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: producer_tail_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at) {
  pipe.producer_tail(at);
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: try_consumer_wait_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::consumer_state out) {
  while (!pipe.try_consumer_wait(out)) {
  }
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: try_producer_acquire_below_sm90
// Before sm_90 there is no copy engine.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at) {
  while (!pipe.try_producer_acquire(at, 1024)) {
  }
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;

// misuse: copy_box_to_blocks_below_sm90
// Before sm_90 there are neither a copy engine nor clusters.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.copy_to_blocks(at, tile, static_cast<const CUtensorMap*>(source), {0, 0}, 3);
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: copy_to_blocks_below_sm90
// Before sm_90 there are neither a copy engine nor clusters.
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.copy_to_blocks(at, tile, source, cuda::aligned_size_t<16>(1024), 3);
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif

// misuse: im2col_of_matrix
// A matrix has no pixels.
// ERROR: bulk_pipeline::copy_im2col: a map of N, W and C takes 3 coordinates and 1 offset, one with H as well 4 and 2, one with H and D 5 and 3; give as many
__device__ void copy(ring& pipe, ring::producer_state at, void* pixels, const CUtensorMap* map) {
  pipe.copy_im2col_to_blocks(at, pixels, map, {0, 7}, {1}, 3);  // wrong
  pipe.copy_to_blocks(at, pixels, map, {0, 7}, 3);              // right
}

// misuse: init_by_one_block
// The blocks of a cluster begin together.
// ERROR: bulk_pipeline::init needs a group of the whole cluster, because its blocks arrive in each other's memory; pass this_cluster
// COMPILERS: nvrtc nvcc
__device__ void misuse(ring& pipe) {
  pipe.init(cudasync::this_thread_block());  // wrong
  pipe.init(cudasync::this_cluster());       // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  // misuse: acquire_and_copy_alignment_below_16
  // The copy engine moves 16 bytes at a time.
  // ERROR: bulk_pipeline::copy needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
  pipe.acquire_and_copy(at, tile, source, cuda::aligned_size_t<8>(1024));   // wrong
  pipe.acquire_and_copy(at, tile, source, cuda::aligned_size_t<16>(1024));  // right

  // misuse: alignment_below_16
  // The copy engine moves 16 bytes at a time.
  // ERROR: bulk_pipeline::copy needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
  // COMPILERS: nvrtc nvcc
  pipe.copy(at, tile, source, cuda::aligned_size_t<8>(1024));   // wrong
  pipe.copy(at, tile, source, cuda::aligned_size_t<16>(1024));  // right

  // misuse: plain_size
  // A plain size promises no alignment.
  // ERROR: bulk_pipeline::copy needs a size that is a multiple of 16 bytes, as aligned_size_t<16>.bytes.
  pipe.copy(at, tile, source, 1024);                            // wrong
  pipe.copy(at, tile, source, cuda::aligned_size_t<16>(1024));  // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  // misuse: alignment_below_16_to_blocks
  // The copy engine moves 16 bytes at a time, to several blocks as to one.
  // ERROR: bulk_pipeline::copy needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
  // ARCHS: 90a
  pipe.copy_to_blocks(at, tile, source, cuda::aligned_size_t<8>(1024), 3);   // wrong
  pipe.copy_to_blocks(at, tile, source, cuda::aligned_size_t<16>(1024), 3);  // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void misuse(ring& pipe, [[maybe_unused]] ring::consumer_state consumer,
                       [[maybe_unused]] ring::producer_state producer) {
  // misuse: consumer_state_for_producer_acquire
  // The rounds of the two sides are not in step, and hence their states are of different types.
  // ERROR: cannot be called with the given argument list
  pipe.producer_acquire(consumer, 1024);  // wrong
  pipe.producer_acquire(producer, 1024);  // right

  // misuse: consumer_state_for_producer_tail
  // The rounds of the two sides are not in step, and hence their states are of different types.
  // ERROR: cannot be called with the given argument list
  pipe.producer_tail(consumer);  // wrong
  pipe.producer_tail(producer);  // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* pixels, const CUtensorMap* map) {
  // misuse: im2col_offsets
  // A map of images has an offset for W and one for H.
  // ERROR: bulk_pipeline::copy_im2col: a map of N, W and C takes 3 coordinates and 1 offset, one with H as well 4 and 2, one with H and D 5 and 3; give as many
  pipe.copy_im2col(at, pixels, map, {0, 7, 7, 1}, {1, 2, 3});  // wrong
  pipe.copy_im2col(at, pixels, map, {0, 7, 7, 1}, {1, 2});     // right

  // misuse: im2col_offsets_of_lines
  // A map of lines has one offset.
  // ERROR: bulk_pipeline::copy_im2col: a map of N, W and C takes 3 coordinates and 1 offset, one with H as well 4 and 2, one with H and D 5 and 3; give as many
  pipe.copy_im2col(at, pixels, map, {0, 7, 1}, {1, 2});  // wrong
  pipe.copy_im2col(at, pixels, map, {0, 7, 1}, {1});     // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void misuse(ring& pipe, [[maybe_unused]] ring::producer_state producer,
                       [[maybe_unused]] ring::consumer_state consumer) {
  // misuse: producer_state_for_consumer_release
  // The rounds of the two sides are not in step, and hence their states are of different types.
  // ERROR: cannot be called with the given argument list
  pipe.consumer_release(producer);  // wrong
  pipe.consumer_release(consumer);  // right

  // misuse: producer_state_for_consumer_wait
  // The rounds of the two sides are not in step, and hence their states are of different types.
  // ERROR: cannot be called with the given argument list
  pipe.consumer_wait(producer);  // wrong
  pipe.consumer_wait(consumer);  // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const CUtensorMap* map) {
  // misuse: six_coordinates
  // A tensor has five dimensions at most.
  // ERROR: bulk_pipeline::copy: a tensor map has 1 to 5 dimensions; give as many coordinates
  pipe.copy(at, tile, map, {0, 0, 0, 0, 0, 0});  // wrong
  pipe.copy(at, tile, map, {0, 0, 0, 0, 0});     // right

  // misuse: six_coordinates_with_hint
  // A tensor has five dimensions at most, with a cache hint as without.
  // ERROR: bulk_pipeline::copy: a tensor map has 1 to 5 dimensions; give as many coordinates
  pipe.copy(at, tile, map, {0, 0, 0, 0, 0, 0}, cudasync::l2_cache_hint::evict_last());  // wrong
  pipe.copy(at, tile, map, {0, 0, 0, 0, 0}, cudasync::l2_cache_hint::evict_last());     // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const CUtensorMap* map) {
  // misuse: six_coordinates_to_blocks
  // A tensor has five dimensions at most, for several blocks as for one.
  // ERROR: bulk_pipeline::copy: a tensor map has 1 to 5 dimensions; give as many coordinates
  // ARCHS: 90a
  pipe.copy_to_blocks(at, tile, map, {0, 0, 0, 0, 0, 0}, 3);  // wrong
  pipe.copy_to_blocks(at, tile, map, {0, 0, 0, 0, 0}, 3);     // right

  // misuse: six_coordinates_to_blocks_with_hint
  // A tensor has five dimensions at most, for several blocks and with a cache hint as else.
  // ERROR: bulk_pipeline::copy: a tensor map has 1 to 5 dimensions; give as many coordinates
  // ARCHS: 90a
  pipe.copy_to_blocks(at, tile, map, {0, 0, 0, 0, 0, 0}, 3, cudasync::l2_cache_hint::evict_last());  // wrong
  pipe.copy_to_blocks(at, tile, map, {0, 0, 0, 0, 0}, 3, cudasync::l2_cache_hint::evict_last());     // right
}
