// Misuse with <cuda/ptx>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/ptx>

// common:
namespace ptx = cuda::ptx;

// misuse: ignore_oob_old_toolkit
// CUDA 13.0 does not assemble .ignore_oob.
// ERROR: this function of cuda::ptx needs PTX ISA 9.2: compile with CUDA 13.2 or newer
__device__ void use(void* tile, const void* source, cuda::std::uint64_t* bar) {
  ptx::cp_async_bulk_ignore_oob(ptx::space_shared, ptx::space_global, tile, source, 16, 1, 2, bar);  // wrong
  ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, source, 16, bar);                   // right
}

// misuse: red_async_wide_minimum
// red.async has no minimum of 8 bytes.
// ERROR: red_async has no such operation on values of this type: .* takes the minimum and the maximum of integers of 4 bytes
__device__ void use(unsigned* place, cuda::std::uint64_t* bar) {
  ptx::red_async(ptx::op_min, reinterpret_cast<cuda::std::uint64_t*>(place), 1, bar);  // wrong
  ptx::red_async(ptx::op_min, place, 1, bar);                                          // right
}

// misuse: reduce_float_minimum
// cp.reduce.async.bulk has no minimum of float.
// ERROR: cp_reduce_async_bulk has no such operation on this type in global memory: it adds integers
__device__ void use(float* place, const float* source) {
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, place, source, 16);  // wrong
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, place, source, 16);  // right
}

// misuse: reduce_wide_in_cluster
// In shared memory cp.reduce.async.bulk has no minimum of 8 bytes.
// ERROR: cp_reduce_async_bulk has no such operation on this type in shared memory: .* reduce to space_global
__device__ void use(cuda::std::uint64_t* place, const cuda::std::uint64_t* source, cuda::std::uint64_t* bar) {
  ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_min, place, source, 16, bar);  // wrong
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, place, source, 16);        // right
}

// misuse: scatter4_elsewhere
// Only targets with tcgen05 have stores of four rows.
// ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
// ARCHS: 100 120a
__device__ void use(const void* map, const void* tile) {
  ptx::cp_async_bulk_tensor_tile_scatter4(ptx::space_global, ptx::space_shared, map, {0, 1, 3, 5, 7}, tile);  // wrong
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {0, 1}, tile);                         // right
}

// misuse: st_bulk_below_sm100
// st.bulk does not exist before sm_100.
// ERROR: this function of cuda::ptx needs sm_100: compile with -arch=sm_100 or newer
// ARCHS: 80 90 90a
__device__ void use(cuda::std::uint64_t* place) {
  ptx::st_bulk(place, 8, ptx::n32_t<0>{});  // wrong
  *place = 0;                               // right
}

// misuse: st_bulk_nonzero
// st.bulk stores only zeros.
// ERROR: st_bulk stores only zeros: pass n32_t<0>
// ARCHS: 100
__device__ void use(void* place) {
  ptx::st_bulk(place, 8, ptx::n32_t<1>{});  // wrong
  ptx::st_bulk(place, 8, ptx::n32_t<0>{});  // right
}

// misuse: tensormap_copy_size
// A tensor map has 128 bytes.
// ERROR: a tensor map has 128 bytes: pass n32_t<128>
__device__ void use(void* map, const void* copy) {
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, copy, ptx::n32_t<64>{});   // wrong
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, copy, ptx::n32_t<128>{});  // right
}

// common:
namespace ptx = cuda::ptx;

__device__ void use(cuda::std::uint64_t* bar) {
  // misuse: cp_async_arrive_below_sm80
  // cp.async does not exist before sm_80.
  // ERROR: this function of cuda::ptx needs sm_80: compile with -arch=sm_80 or newer, or use cuda::pipeline
  // ARCHS: 75
  ptx::cp_async_mbarrier_arrive(bar);  // wrong
  *bar = 0;                            // right

  // misuse: tcgen05_commit_elsewhere
  // Only sm_100a, sm_103a, sm_110a and their families have the tensor cores of tcgen05.
  // ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
  // ARCHS: 90a 100 120a
  ptx::tcgen05_commit(ptx::cta_group_1, bar);  // wrong
  ptx::mbarrier_arrive(bar);                   // right
}

// common:
namespace ptx = cuda::ptx;

__device__ void use(void* tile, const void* map, cuda::std::uint64_t* bar) {
  // misuse: cta_group_elsewhere
  // Only targets with tcgen05 have copies for pairs of blocks.
  // ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
  // ARCHS: 90a 100 120a
  ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, ptx::cta_group_2, tile, map, {0, 1}, bar);  // wrong
  ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, tile, map, {0, 1}, bar);                    // right

  // misuse: gather4_below_sm100
  // Copies of four rows do not exist before sm_100.
  // ERROR: this function of cuda::ptx needs sm_100: compile with -arch=sm_100 or newer
  // ARCHS: 90
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_shared, ptx::space_global, tile, map, {0, 1, 3, 5, 7}, bar);
#else
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, {0, 1}, bar);
#endif
}

// common:
namespace ptx = cuda::ptx;

__device__ void use(int* place) {
  // misuse: multimem_float
  // cuda::ptx has no multimem operations on float.
  // ERROR: multimem has no such operation on this type: cuda::ptx adds, or takes the minimum or the maximum of, integers
  ptx::multimem_red(ptx::sem_relaxed, ptx::scope_sys, ptx::op_add, reinterpret_cast<float*>(place), 1.0F);  // wrong
  ptx::multimem_red(ptx::sem_relaxed, ptx::scope_sys, ptx::op_add, place, 1);                               // right

  // misuse: multimem_load_releases
  // A load does not release.
  // ERROR: multimem_ld_reduce is relaxed or acquires: use sem_relaxed or sem_acquire, or sem_weak without a scope
  *place = ptx::multimem_ld_reduce(ptx::sem_release, ptx::scope_sys, ptx::op_add, place);  // wrong
  *place = ptx::multimem_ld_reduce(ptx::sem_acquire, ptx::scope_sys, ptx::op_add, place);  // right

  // misuse: multimem_red_acquires
  // A reduction does not acquire.
  // ERROR: multimem_red is relaxed or releases: use sem_relaxed or sem_release
  ptx::multimem_red(ptx::sem_acquire, ptx::scope_sys, ptx::op_add, place, 1);  // wrong
  ptx::multimem_red(ptx::sem_release, ptx::scope_sys, ptx::op_add, place, 1);  // right

  // misuse: multimem_store_acquires
  // A store does not acquire.
  // ERROR: multimem_st is relaxed or releases: use sem_relaxed or sem_release, or sem_weak without a scope
  ptx::multimem_st(ptx::sem_acquire, ptx::scope_sys, place, 1);  // wrong
  ptx::multimem_st(ptx::sem_release, ptx::scope_sys, place, 1);  // right
}

// common:
namespace ptx = cuda::ptx;

__device__ void use(int* place, cuda::std::uint64_t* bar) {
  // misuse: red_async_float
  // red.async adds no floating-point numbers.
  // ERROR: red_async has no such operation on values of this type: it adds integers of 4 or 8 bytes
  ptx::red_async(ptx::op_add, reinterpret_cast<float*>(place), 1.0F, bar);  // wrong
  ptx::red_async(ptx::op_add, place, 1, bar);                               // right

  // misuse: st_async_below_sm90
  // st.async does not exist before sm_90.
  // ERROR: this function of cuda::ptx needs sm_90: compile with -arch=sm_90 or newer
  // ARCHS: 75 80
  ptx::st_async(place, 1, bar);  // wrong
  *place = 1;                    // right

  // misuse: st_async_three_values
  // st.async stores one, two or four values.
  // ERROR: st_async stores one value, two values of 4 or 8 bytes, or four of 4 bytes: use several calls
  const int values[3] = {1, 2, 3};    // wrong
  ptx::st_async(place, values, bar);  // wrong
  const int values[2] = {1, 2};       // right
  ptx::st_async(place, values, bar);  // right
  ptx::st_async(place + 2, 3, bar);   // right

  // misuse: st_async_two_bytes
  // st.async has no type of 2 bytes.
  // ERROR: this operand of cuda::ptx has the wrong size: convert it to an integer of 4 or 8 bytes
  short value = 1;                                             // wrong
  ptx::st_async(reinterpret_cast<short*>(place), value, bar);  // wrong
  ptx::st_async(place, 1, bar);                                // right
}

// common:
namespace ptx = cuda::ptx;

__device__ void use() {
  // misuse: setmaxnreg_plain
  // setmaxnreg needs a target with a or f.
  // ERROR: setmaxnreg needs the target of one architecture or family: compile with -arch=sm_90a, sm_100a, sm_120a
  // ARCHS: 90 100 120
  ptx::setmaxnreg_dec(ptx::n32_t<40>{});  // wrong
  __syncwarp();                           // right

  // misuse: tcgen05_wait_elsewhere
  // Only sm_100a, sm_103a, sm_110a and their families have tcgen05.wait.
  // ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
  // ARCHS: 90a 120
  ptx::tcgen05_wait_ld();  // wrong
  __syncwarp();            // right
}

// common:
namespace ptx = cuda::ptx;

__device__ void use(void* map) {
  // misuse: swizzle_atomicity_below_sm100
  // The atomicity of swizzling does not exist before sm_100.
  // ERROR: this function of cuda::ptx needs sm_100
  // ARCHS: 90a
  ptx::tensormap_replace_swizzle_atomicity(ptx::space_global, map, ptx::n32_t<1>{});  // wrong
  ptx::tensormap_replace_swizzle_mode(ptx::space_global, map, ptx::n32_t<1>{});       // right

  // misuse: tensormap_replace_plain
  // tensormap.replace needs a target with a or f.
  // ERROR: tensormap.replace needs the target of one architecture or family: compile with -arch=sm_90a, sm_100a, sm_103a, sm_110a, sm_120a or sm_121a, or sm_100f to sm_121f
  // ARCHS: 90 100
  ptx::tensormap_replace_rank(ptx::space_global, map, 1);                                        // wrong
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});  // right

  // misuse: tensormap_size
  // A tensor map has 128 bytes.
  // ERROR: a tensor map has 128 bytes: pass n32_t<128>
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<64>{});   // wrong
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});  // right
}
