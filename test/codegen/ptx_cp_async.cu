// Each function of ptx/cp_async*.h and ptx/cp_reduce_async_bulk.h is exactly its instruction, and so is mapa.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
#include <cudasync/ptx/cp_async.h>

#if __CUDA_ARCH__ >= 900
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/cp_async_bulk_tensor.h>
#include <cudasync/ptx/cp_reduce_async_bulk.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/tags.h>
#endif

using cudasync::int32;
using cudasync::uint16;
using cudasync::uint32;
using cudasync::uint64;
using namespace cudasync::ptx;

// The SASS of the kernels, in the order of their names:
// SASS-SM90+-LABEL: add_bf16:
// SASS-SM90+: UBLKRED
// SASS-SM90+-LABEL: add_f16:
// SASS-SM90+: UBLKRED
// SASS-SM90+-LABEL: add_f32:
// SASS-SM90+: UBLKRED
// SASS-SM90+-LABEL: add_f64:
// SASS-SM90+: UBLKRED
// SASS-SM90+-LABEL: add_s32:
// SASS-SM90+: UBLKRED
// SASS-SM90+-LABEL: add_u32:
// SASS-SM90+: UBLKRED
// SASS-SM90+-LABEL: add_u64:
// SASS-SM90+: UBLKRED
// SASS-LABEL: barrier_arrive:
// SASS: ARRIVES.LDGSTSBAR.64
// SASS-LABEL: barrier_arrive_noinc:
// SASS: ARRIVES.LDGSTSBAR.64
// SASS-SM90+-LABEL: bulk_commit_group:
// SASS-SM90+: UTMACMDFLUSH
// SASS-SM90+-LABEL: bulk_prefetch:
// SASS-SM90+: UBLKPF
// SASS-SM90+-LABEL: bulk_to_cluster:
// SASS-SM90+: UBLKCP
// SASS-SM90+-LABEL: bulk_to_global:
// SASS-SM90+: UBLKCP
// SASS-LABEL: commit_group:
// SASS: LDGDEPBAR
// SASS-LABEL: copy_16:
// SASS: LDGSTS.E.BYPASS.128 [
// SASS-LABEL: copy_4:
// SASS: LDGSTS.E [
// SASS-LABEL: copy_4_of_some:
// SASS: LDGSTS.E.ZFILL [
// SASS-LABEL: copy_8:
// SASS: LDGSTS.E.64 [
// SASS-SM90+-LABEL: tensor_map:
// SASS-SM90+: UTMACCTL.PF
// SASS-SM90+-LABEL: tensor_to_cluster:
// SASS-SM90+: UTMALDG.1D
// SASS-SM90+: UTMALDG.5D
// SASS-LABEL: wait_group_0:
// SASS: DEPBAR.LE SB0, 0x0
// SASS-LABEL: wait_group_3:
// SASS: DEPBAR.LE SB0, 0x3

// PTX-LABEL: .entry copy_4(
// PTX: cp.async.ca.shared.global [{{%r[0-9]+}}], [{{%rd[0-9]+}}], 4;
// PTX-NOT: cp.async
extern "C" __global__ void copy_4(uint32 destination, const void* source) {
  cp_async(n32_t<4>{}, shared_address{destination}, source);
}

// PTX-LABEL: .entry copy_4_of_some(
// PTX: cp.async.ca.shared.global [{{%r[0-9]+}}], [{{%rd[0-9]+}}], 4, {{%r[0-9]+}};
// PTX-NOT: cp.async
extern "C" __global__ void copy_4_of_some(uint32 destination, const void* source, uint32 size) {
  cp_async(n32_t<4>{}, shared_address{destination}, source, size);
}

// PTX-LABEL: .entry copy_8(
// PTX: cp.async.ca.shared.global [{{%r[0-9]+}}], [{{%rd[0-9]+}}], 8;
// PTX-NOT: cp.async
extern "C" __global__ void copy_8(uint32 destination, const void* source) {
  cp_async(n32_t<8>{}, shared_address{destination}, source);
}

// PTX-LABEL: .entry copy_16(
// PTX: cp.async.cg.shared.global [{{%r[0-9]+}}], [{{%rd[0-9]+}}], 16;
// PTX-NOT: cp.async
extern "C" __global__ void copy_16(uint32 destination, const void* source) {
  cp_async(n32_t<16>{}, shared_address{destination}, source);
}

// PTX-LABEL: .entry commit_group(
// PTX: cp.async.commit_group;
// PTX-NOT: cp.async
extern "C" __global__ void commit_group() {
  cp_async_commit_group();
}

// PTX-LABEL: .entry wait_group_0(
// PTX: cp.async.wait_group 0;
// PTX-NOT: cp.async
extern "C" __global__ void wait_group_0() {
  cp_async_wait_group<0>();
}

// PTX-LABEL: .entry wait_group_3(
// PTX: cp.async.wait_group 3;
// PTX-NOT: cp.async
extern "C" __global__ void wait_group_3() {
  cp_async_wait_group<3>();
}

// PTX-LABEL: .entry wait_all(
// PTX: cp.async.wait_all;
// PTX-NOT: cp.async
extern "C" __global__ void wait_all() {
  cp_async_wait_all();
}

// PTX-LABEL: .entry barrier_arrive(
// PTX: cp.async.mbarrier.arrive.shared.b64 [{{%r[0-9]+}}];
// PTX-NOT: cp.async
extern "C" __global__ void barrier_arrive(uint32 bar) {
  cp_async_mbarrier_arrive({bar});
}

// PTX-LABEL: .entry barrier_arrive_noinc(
// PTX: cp.async.mbarrier.arrive.noinc.shared.b64 [{{%r[0-9]+}}];
// PTX-NOT: cp.async
extern "C" __global__ void barrier_arrive_noinc(uint32 bar) {
  cp_async_mbarrier_arrive_noinc({bar});
}

#if __CUDA_ARCH__ >= 900

// PTX-SM90+-LABEL: .entry bulk_to_cluster(
// PTX-SM90+: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_to_cluster(uint32 destination, const void* source, uint32 size, uint32 bar) {
  cp_async_bulk(cluster_address(destination), source, size, cluster_address(bar));
}

// PTX-SM90+-LABEL: .entry bulk_to_cluster_hint(
// PTX-SM90+: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_to_cluster_hint(uint32 destination, const void* source, uint32 size, uint32 bar,
                                                uint64 policy) {
  cp_async_bulk(cluster_address(destination), source, size, cluster_address(bar), policy);
}

// PTX-SM90+-LABEL: .entry bulk_to_block(
// PTX-SM90+: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_to_block(uint32 destination, const void* source, uint32 size, uint32 bar) {
  cp_async_bulk(shared_address{destination}, source, size, shared_address{bar});
}

// PTX-SM90+-LABEL: .entry bulk_to_block_hint(
// PTX-SM90+: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_to_block_hint(uint32 destination, const void* source, uint32 size, uint32 bar,
                                              uint64 policy) {
  cp_async_bulk(shared_address{destination}, source, size, shared_address{bar}, policy);
}

// PTX-SM90+-LABEL: .entry bulk_between_blocks(
// PTX-SM90+: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_between_blocks(uint32 destination, uint32 source, uint32 size, uint32 bar) {
  cp_async_bulk(cluster_address(destination), shared_address{source}, size, cluster_address(bar));
}

// PTX-SM90+-LABEL: .entry bulk_to_global(
// PTX-SM90+: cp.async.bulk.global.shared::cta.bulk_group [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_to_global(void* destination, uint32 source, uint32 size) {
  cp_async_bulk(destination, {source}, size);
}

// PTX-SM90+-LABEL: .entry bulk_to_global_hint(
// PTX-SM90+: cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}}, {{%rd[0-9]+}};
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_to_global_hint(void* destination, uint32 source, uint32 size, uint64 policy) {
  cp_async_bulk(destination, {source}, size, policy);
}

// PTX-SM90+-LABEL: .entry bulk_prefetch(
// PTX-SM90+: cp.async.bulk.prefetch.L2.global [{{%rd[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_prefetch(const void* source, uint32 size) {
  cp_async_bulk_prefetch_L2(source, size);
}

// PTX-SM90+-LABEL: .entry bulk_commit_group(
// PTX-SM90+: cp.async.bulk.commit_group;
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_commit_group() {
  cp_async_bulk_commit_group();
}

// PTX-SM90+-LABEL: .entry bulk_wait_group(
// PTX-SM90+: cp.async.bulk.wait_group 0;
// PTX-SM90+: cp.async.bulk.wait_group 5;
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_wait_group() {
  cp_async_bulk_wait_group<0>();
  cp_async_bulk_wait_group<5>();
}

// PTX-SM90+-LABEL: .entry bulk_wait_group_read(
// PTX-SM90+: cp.async.bulk.wait_group.read 0;
// PTX-SM90+: cp.async.bulk.wait_group.read 5;
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void bulk_wait_group_read() {
  cp_async_bulk_wait_group_read<0>();
  cp_async_bulk_wait_group_read<5>();
}

// PTX-SM90+-LABEL: .entry policies(
// PTX-SM90+: createpolicy.fractional.L2::evict_first.b64 {{%rd[0-9]+}}, {{1.0|0f3F800000}};
// PTX-SM90+: createpolicy.fractional.L2::evict_last.b64 {{%rd[0-9]+}}, {{1.0|0f3F800000}};
// PTX-SM90+-NOT: createpolicy
extern "C" __global__ void policies(uint64* out) {
  out[0] = createpolicy_evict_first();
  out[1] = createpolicy_evict_last();
}

// --- Tensors, of each rank ---

struct place {
  int32 x, y, z, v, w;
};

// PTX-SM90+-LABEL: .entry tensor_to_cluster(
// PTX-SM90+: cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void tensor_to_cluster(uint32 destination, const void* map, place at, uint32 bar) {
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x}, cluster_address(bar));
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y}, cluster_address(bar));
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z}, cluster_address(bar));
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v}, cluster_address(bar));
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v, at.w}, cluster_address(bar));
}

// PTX-SM90+-LABEL: .entry tensor_to_cluster_hint(
// PTX-SM90+: cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void tensor_to_cluster_hint(uint32 destination, const void* map, place at, uint32 bar,
                                                  uint64 policy) {
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x}, cluster_address(bar), policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y}, cluster_address(bar), policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z}, cluster_address(bar), policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v}, cluster_address(bar), policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v, at.w}, cluster_address(bar), policy);
}

// PTX-SM90+-LABEL: .entry tensor_to_block(
// PTX-SM90+: cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void tensor_to_block(uint32 destination, const void* map, place at, uint32 bar) {
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x}, shared_address{bar});
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y}, shared_address{bar});
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y, at.z}, shared_address{bar});
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y, at.z, at.v}, shared_address{bar});
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y, at.z, at.v, at.w}, shared_address{bar});
}

// PTX-SM90+-LABEL: .entry tensor_to_block_hint(
// PTX-SM90+: cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+: cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void tensor_to_block_hint(uint32 destination, const void* map, place at, uint32 bar,
                                                uint64 policy) {
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x}, shared_address{bar}, policy);
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y}, shared_address{bar}, policy);
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y, at.z}, shared_address{bar}, policy);
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y, at.z, at.v}, shared_address{bar}, policy);
  cp_async_bulk_tensor(shared_address{destination}, map, {at.x, at.y, at.z, at.v, at.w}, shared_address{bar}, policy);
}

// PTX-SM90+-LABEL: .entry tensor_to_global(
// PTX-SM90+: cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+: cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}];
// PTX-SM90+-NOT: cp.async
extern "C" __global__ void tensor_to_global(const void* map, place at, uint32 source) {
  cp_async_bulk_tensor(map, {at.x}, {source});
  cp_async_bulk_tensor(map, {at.x, at.y}, {source});
  cp_async_bulk_tensor(map, {at.x, at.y, at.z}, {source});
  cp_async_bulk_tensor(map, {at.x, at.y, at.z, at.v}, {source});
  cp_async_bulk_tensor(map, {at.x, at.y, at.z, at.v, at.w}, {source});
}

// PTX-SM90+-LABEL: .entry tensor_map(
// PTX-SM90+: prefetch.tensormap [{{%rd[0-9]+}}];
// PTX-SM90+-NOT: prefetch
extern "C" __global__ void tensor_map(const void* map) {
  prefetch_tensormap(map);
}

// The innermost coordinate comes first.
// PTX-SM90+-LABEL: .entry tensor_order(
// PTX-SM90+: mov.{{[bu]}}32 [[X:%r[0-9]+]], 11;
// PTX-SM90+-NEXT: mov.{{[bu]}}32 [[Y:%r[0-9]+]], 12;
// PTX-SM90+-NEXT: mov.{{[bu]}}32 [[Z:%r[0-9]+]], 13;
// PTX-SM90+: cp.async.bulk.tensor.3d.shared::cluster.global{{.*}} {{[{]}}[[X]], [[Y]], [[Z]]{{[}]}}]
extern "C" __global__ void tensor_order(uint32 destination, const void* map, uint32 bar) {
  cp_async_bulk_tensor(cluster_address(destination), map, {11, 12, 13}, cluster_address(bar));
}

// --- Additions ---

// PTX-SM90+-LABEL: .entry add_u32(
// PTX-SM90+: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.reduce
extern "C" __global__ void add_u32(uint32* destination, uint32 source, uint32 size) {
  cp_reduce_async_bulk_add(destination, {source}, size);
}

// PTX-SM90+-LABEL: .entry add_s32(
// PTX-SM90+: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.reduce
extern "C" __global__ void add_s32(int32* destination, uint32 source, uint32 size) {
  cp_reduce_async_bulk_add(destination, {source}, size);
}

// PTX-SM90+-LABEL: .entry add_u64(
// PTX-SM90+: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.reduce
extern "C" __global__ void add_u64(uint64* destination, uint32 source, uint32 size) {
  cp_reduce_async_bulk_add(destination, {source}, size);
}

// PTX-SM90+-LABEL: .entry add_f32(
// PTX-SM90+: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.reduce
extern "C" __global__ void add_f32(float* destination, uint32 source, uint32 size) {
  cp_reduce_async_bulk_add(destination, {source}, size);
}

// PTX-SM90+-LABEL: .entry add_f64(
// PTX-SM90+: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.reduce
extern "C" __global__ void add_f64(double* destination, uint32 source, uint32 size) {
  cp_reduce_async_bulk_add(destination, {source}, size);
}

// PTX-SM90+-LABEL: .entry add_f16(
// PTX-SM90+: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.reduce
extern "C" __global__ void add_f16(f16_element* destination, uint32 source, uint32 size) {
  cp_reduce_async_bulk_add(destination, {source}, size);
}

// PTX-SM90+-LABEL: .entry add_bf16(
// PTX-SM90+: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [{{%rd[0-9]+}}], [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: cp.reduce
extern "C" __global__ void add_bf16(bf16_element* destination, uint32 source, uint32 size) {
  cp_reduce_async_bulk_add(destination, {source}, size);
}

// --- Addresses in the cluster ---

// PTX-SM90+-LABEL: .entry mapa_shared(
// PTX-SM90+: mapa.shared::cluster.u32 {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-SM90+-NOT: mapa
extern "C" __global__ void mapa_shared(uint32 own, uint32 rank, uint32* out) {
  *out = mapa({own}, rank).value;
}

// PTX-SM90+-LABEL: .entry rank_of(
// PTX-SM90+: getctarank.shared::cluster.u32 {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-SM90+-NOT: getctarank
extern "C" __global__ void rank_of(uint32 address, uint32* out) {
  *out = getctarank(cluster_address(address));
}

// PTX-SM90+-LABEL: .entry arrive_remote(
// PTX-SM90+: mapa.shared::cluster.u32 [[B:%r[0-9]+]], {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-SM90+: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [[[B]]], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void arrive_remote(uint32 bar, uint32 rank) {
  mbarrier_arrive(sem_release, scope_cluster, mapa({bar}, rank), 1);
}

// PTX-SM90+-LABEL: .entry wait_cluster(
// PTX-SM90+: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void wait_cluster(uint32 bar, uint32 parity, bool* out) {
  *out = mbarrier_try_wait_parity(sem_acquire, scope_cluster, {bar}, parity);
}

#endif
