// The PTX instructions of the matrix product and of its hand-written rings, in addition to ../bandwidth/hand.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_TENSOR_CORES_HAND_H
#define CUDASYNC_BENCHMARKS_TENSOR_CORES_HAND_H

#include <cuda.h>

#include "../bandwidth/hand.h"

namespace bench { namespace ptx {

// --- Registers, named barriers and clusters ---

template <u32 Count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count) : "memory");
}
template <u32 Count>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count) : "memory");
}
template <u32 Id, u32 Threads>
__device__ __forceinline__ void synchronize() {
  asm volatile("bar.sync %0, %1;" ::"n"(Id), "n"(Threads) : "memory");
}
__device__ __forceinline__ u32 rank_in_cluster() {
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void synchronize_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// --- Barriers of other blocks ---

// A release at cluster scope is a fence at device scope. It is not needed after reads by tensor cores.
__device__ __forceinline__ void arrive_in_block(u32 bar, u32 block) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.relaxed.cluster.shared::cluster.b64 "
      "_, [there], 1; }" ::"r"(bar),
      "r"(block)
      : "memory");
}

// --- Boxes of tensor maps ---

__device__ __forceinline__ void copy_box(u32 destination, const CUtensorMap* map, int column, int row, u32 bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
               "[%2];" ::"r"(destination),
               "l"(map), "r"(bar), "r"(column), "r"(row)
               : "memory");
}
__device__ __forceinline__ void copy_box_to_blocks(u32 destination, const CUtensorMap* map, int column, int row,
                                                   u32 bar, u32 blocks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%4, %5}], [%2], %3;" ::"r"(destination),
               "l"(map), "r"(bar), "h"(static_cast<unsigned short>(blocks)), "r"(column), "r"(row)
               : "memory");
}
__device__ __forceinline__ void store_box(const CUtensorMap* map, int column, int row, u32 source) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(source), "r"(column), "r"(row)
               : "memory");
}
__device__ __forceinline__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <u32 Pending>
__device__ __forceinline__ void await_reads_of_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
__device__ __forceinline__ void await_stores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// --- wgmma ---

__device__ __forceinline__ void begin_multiplications() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit_multiplications() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <u32 Pending>
__device__ __forceinline__ void await_multiplications() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

}}  // namespace bench::ptx

#endif
