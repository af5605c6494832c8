// The kernels of the example of a matrix product: the instructions of its rings, which its source determines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90a 100a
// One for A and one for B. Hopper: four boxes of 64 columns. Blackwell: two boxes of 64 columns, because each warp has
// half of the columns.
// COUNT: product sm_90+ UTMALDG 2
// COUNT: product_in_cluster sm_90+ UTMALDG 2
// COUNT: product_in_cluster sm_90+ UTMALDG.2D.MULTICAST 1
// COUNT: product sm_90 UTMASTG 4
// COUNT: product sm_100 UTMASTG 2
// Four slices of 16 elements; four loads of 32 columns; the release of a stage and that of an accumulator; and no fence
// at device scope.
// COUNT: product sm_100 UTCHMMA 4
// COUNT: product sm_100 LDTM 4
// COUNT: product sm_100 UTCBAR 2
// COUNT: product sm_100 MEMBAR.ALL.GPU 0
// COUNT: product_in_cluster sm_100 UTCHMMA 4
// COUNT: product_in_cluster sm_100 UTCBAR 2
// COUNT: product_in_cluster sm_100 UTCBAR.MULTICAST 1
// Arrivals: with bytes by the producer and by the scheduler, for an answer of the queue by all three kinds of warps that
// take it, and for an accumulator. In the cluster, the scheduler expects its bytes in both blocks by one more.
// COUNT: product sm_100 SYNCS.ARRIVE 6
// One request for tiles.
// COUNT: product sm_100 UGETNEXTWORKID 1
// COUNT: product_in_cluster sm_100 UGETNEXTWORKID.BROADCAST 1
// The operands of a multiplication: a descriptor with a swizzle of 128 bytes (2 << 61), the constant 1 << 46 and 1024
// bytes between groups of eight rows (64 << 32), and the description of the product: 128 rows (8 << 24) and 256 columns
// (32 << 17) of float (1 << 4) from bf16 (1 << 7 and 1 << 10).
// PTX-SM100-LABEL: .entry product(
// PTX-SM100: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32
// PTX-SM100: or.b64 {{.*}}, 4611756662049538048;
// PTX-SM100: 138413200
// PTX-SM100: tcgen05.mma.cta_group::1.kind::f16
// PTX-SM100: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// PTX-SM100: tcgen05.dealloc.cta_group::1.sync.aligned.b32
#if defined(__CUDACC_RTC__)
struct alignas(64) CUtensorMap_st {
  unsigned long long opaque[16];
};
#endif
#include "../../examples/tensor_core_product.h"

template <unsigned Blocks>
__device__ void compute_for_this_target(const problem& what) {
  if constexpr (is_blackwell)
    compute_tiles<blackwell_design<Blocks>>(what);
  else
    compute_tiles<hopper_design<false, 4, Blocks>>(what);
}

extern "C" {

__global__ void __launch_bounds__(threads, 1) product(const __grid_constant__ problem what) {
  compute_for_this_target<1>(what);
}
__global__ void __launch_bounds__(threads, 1) product_in_cluster(const __grid_constant__ problem what) {
  compute_for_this_target<2>(what);
}

}  // extern "C"
