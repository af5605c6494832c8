// Copies to several blocks of a cluster are exactly their instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// OPTIONS: --ptxas-options=-w
// Without the option ptxas advises against multicast on targets that lack the suffix "a" or "f": it may be slow there.
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/cp_async_bulk_tensor.h>

using cudasync::int32;
using cudasync::uint16;
using cudasync::uint32;
using cudasync::uint64;
using namespace cudasync::ptx;

// The SASS of the kernels, in the order of their names:
// SASS-LABEL: bulk_multicast:
// SASS: UBLKCP
// SASS-LABEL: tensor_multicast:
// SASS: UTMALDG.1D
// SASS: UTMALDG.5D

// PTX-LABEL: .entry bulk_multicast(
// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{{%r[0-9]+}}], [{{%rd[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}], {{%rs[0-9]+}};
// PTX-NOT: cp.async
extern "C" __global__ void bulk_multicast(uint32 destination, const void* source, uint32 size, uint32 bar,
                                          uint16 mask) {
  cp_async_bulk(cluster_address(destination), source, size, cluster_address(bar), mask);
}

// PTX-LABEL: .entry bulk_multicast_hint(
// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}], {{%rs[0-9]+}}, {{%rd[0-9]+}};
// PTX-NOT: cp.async
extern "C" __global__ void bulk_multicast_hint(uint32 destination, const void* source, uint32 size, uint32 bar,
                                               uint16 mask, uint64 policy) {
  cp_async_bulk(cluster_address(destination), source, size, cluster_address(bar), mask, policy);
}

// --- Tensors, of each rank ---

struct place {
  int32 x, y, z, v, w;
};

// PTX-LABEL: .entry tensor_multicast(
// PTX: cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}};
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}};
// PTX: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}};
// PTX: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}};
// PTX: cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}};
// PTX-NOT: cp.async
extern "C" __global__ void tensor_multicast(uint32 destination, const void* map, place at, uint32 bar, uint16 mask) {
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x}, cluster_address(bar), mask);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y}, cluster_address(bar), mask);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z}, cluster_address(bar), mask);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v}, cluster_address(bar), mask);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v, at.w}, cluster_address(bar), mask);
}

// PTX-LABEL: .entry tensor_multicast_hint(
// PTX: cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}}, {{%rd[0-9]+}};
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}}, {{%rd[0-9]+}};
// PTX: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}}, {{%rd[0-9]+}};
// PTX: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}}, {{%rd[0-9]+}};
// PTX: cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [{{%r[0-9]+}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [{{%r[0-9]+}}], {{%rs[0-9]+}}, {{%rd[0-9]+}};
// PTX-NOT: cp.async
extern "C" __global__ void tensor_multicast_hint(uint32 destination, const void* map, place at, uint32 bar, uint16 mask,
                                                 uint64 policy) {
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x}, cluster_address(bar), mask, policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y}, cluster_address(bar), mask, policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z}, cluster_address(bar), mask, policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v}, cluster_address(bar), mask, policy);
  cp_async_bulk_tensor(cluster_address(destination), map, {at.x, at.y, at.z, at.v, at.w}, cluster_address(bar), mask,
                       policy);
}
