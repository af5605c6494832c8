// Copies of pixels by an im2col map are their instruction, in one block, in several blocks and with a hint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90 100
// OPTIONS: --ptxas-options=-w
// Without the option ptxas advises against multicast on targets that lack the suffix "a" or "f": it may be slow there.
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: ours_line:
// SASS: UTMALDG.3D.IM2COL
// SASS-LABEL: ours_pixels:
// SASS: UTMALDG.4D.IM2COL
// SASS-LABEL: ours_pixels_to_blocks:
// SASS: UTMALDG.4D.IM2COL.MULTICAST
// SASS-LABEL: ours_volume:
// SASS: UTMALDG.5D.IM2COL
#include <cuda/pipeline>

constexpr unsigned stages = 4;
using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<4>>;
using shared_ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<4>, 2>;

template <class Ring>
__device__ Ring& ring_of() {
  __shared__ Ring pipe;
  return pipe;
}
__device__ float* stage() {
  alignas(128) __shared__ float values[1024];
  return values;
}
__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1207
#define HAND_SPACE "shared::cta"
#else
#define HAND_SPACE "shared::cluster"
#endif

extern "C" {

// PTX-LABEL: .entry ours_line(
// PTX: cp.async.bulk.tensor.3d.shared::{{cta|cluster}}.global.im2col.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{[{]}}{{%rs[0-9]+}}{{[}]}};
__global__ void ours_line(const CUtensorMap* map, int x, unsigned short offset) {
  ring_of<ring>().copy_im2col(ring::producer_state(), stage(), map, {0, x, 1}, {offset});
}
__global__ void hand_line(const CUtensorMap* map, int x, unsigned short offset) {
  asm volatile("cp.async.bulk.tensor.3d." HAND_SPACE ".global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
               "%5}], [%2], {%6};" ::"r"(address_of(stage())),
               "l"(map), "r"(address_of(&ring_of<ring>())), "r"(0), "r"(x), "r"(1), "h"(offset)
               : "memory");
}

// PTX-LABEL: .entry ours_pixels(
// PTX: cp.async.bulk.tensor.4d.shared::{{cta|cluster}}.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint {{.*}}, {{[{]}}{{%rs[0-9]+}}, {{%rs[0-9]+}}{{[}]}}, {{%rd[0-9]+}};
__global__ void ours_pixels(const CUtensorMap* map, int x, int y, unsigned short right, unsigned short down,
                            unsigned long long policy) {
  ring_of<ring>().copy_im2col(ring::producer_state(), stage(), map, {0, x, y, 1}, {right, down},
                              cudasync::l2_cache_hint(policy));
}
__global__ void hand_pixels(const CUtensorMap* map, int x, int y, unsigned short right, unsigned short down,
                            unsigned long long policy) {
  asm volatile("cp.async.bulk.tensor.4d." HAND_SPACE ".global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
               "[%1, {%3, %4, %5, %6}], [%2], {%7, %8}, %9;" ::"r"(address_of(stage())),
               "l"(map), "r"(address_of(&ring_of<ring>())), "r"(0), "r"(x), "r"(y), "r"(1), "h"(right), "h"(down),
               "l"(policy)
               : "memory");
}

// PTX-LABEL: .entry ours_volume(
// PTX: cp.async.bulk.tensor.5d.shared::{{cta|cluster}}.global.im2col.mbarrier::complete_tx::bytes {{.*}}, {{[{]}}{{%rs[0-9]+}}, {{%rs[0-9]+}}, {{%rs[0-9]+}}{{[}]}};
__global__ void ours_volume(const CUtensorMap* map, int x, int y, int z) {
  ring_of<ring>().copy_im2col(ring::producer_state(), stage(), map, {0, x, y, z, 1}, {1, 2, 3});
}
__global__ void hand_volume(const CUtensorMap* map, int x, int y, int z) {
  const unsigned short right = 1, down = 2, back = 3;
  asm volatile("cp.async.bulk.tensor.5d." HAND_SPACE ".global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
               "%5, %6, %7}], [%2], {%8, %9, %10};" ::"r"(address_of(stage())),
               "l"(map), "r"(address_of(&ring_of<ring>())), "r"(0), "r"(x), "r"(y), "r"(z), "r"(1), "h"(right),
               "h"(down), "h"(back)
               : "memory");
}

// PTX-LABEL: .entry ours_pixels_to_blocks(
// PTX: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster {{.*}}, {{[{]}}{{%rs[0-9]+}}, {{%rs[0-9]+}}{{[}]}}, {{%rs[0-9]+}};
// PTX: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint {{.*}}, {{[{]}}{{%rs[0-9]+}}, {{%rs[0-9]+}}{{[}]}}, {{%rs[0-9]+}}, {{%rd[0-9]+}};
__global__ void ours_pixels_to_blocks(const CUtensorMap* map, int x, int y, unsigned long long policy) {
  shared_ring& pipe = ring_of<shared_ring>();
  pipe.copy_im2col_to_blocks(shared_ring::producer_state(), stage(), map, {0, x, y, 1}, {1, 2}, 3);
  pipe.copy_im2col_to_blocks(shared_ring::producer_state(), stage(), map, {0, x, y, 1}, {1, 2}, 3,
                             cudasync::l2_cache_hint(policy));
}
__global__ void hand_pixels_to_blocks(const CUtensorMap* map, int x, int y, unsigned long long policy) {
  const unsigned short right = 1, down = 2, blocks = 3;
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8}, %9;" ::"r"(address_of(stage())),
               "l"(map), "r"(address_of(&ring_of<shared_ring>())), "r"(0), "r"(x), "r"(y), "r"(1), "h"(right),
               "h"(down), "h"(blocks)
               : "memory");
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"
               ".L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8}, %9, %10;" ::"r"(address_of(stage())),
               "l"(map), "r"(address_of(&ring_of<shared_ring>())), "r"(0), "r"(x), "r"(y), "r"(1), "h"(right),
               "h"(down), "h"(blocks), "l"(policy)
               : "memory");
}

}  // extern "C"
