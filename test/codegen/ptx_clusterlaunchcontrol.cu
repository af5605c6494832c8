// Each function of ptx/clusterlaunchcontrol.h is exactly its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 100a 103f 120a
// NVCC: 100a
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: cancel:
// SASS: UGETNEXTWORKID.SELFCAST
// SASS-LABEL: cancel_multicast:
// SASS: UGETNEXTWORKID.BROADCAST
// SASS-LABEL: load:
// SASS: LDS.128
#include <cudasync/ptx/clusterlaunchcontrol.h>

using namespace cudasync;
using namespace cudasync::ptx;

// PTX-LABEL: .entry cancel(
// PTX: clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [{{%r[0-9]+}}], [{{%r[0-9]+}}];
// PTX-NOT: clusterlaunchcontrol
extern "C" __global__ void cancel(uint32 response, uint32 bar) {
  clusterlaunchcontrol_try_cancel({response}, {bar});
}

// PTX-LABEL: .entry cancel_multicast(
// PTX: clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [{{%r[0-9]+}}], [{{%r[0-9]+}}];
// PTX-NOT: clusterlaunchcontrol
extern "C" __global__ void cancel_multicast(uint32 response, uint32 bar) {
  clusterlaunchcontrol_try_cancel_multicast({response}, {bar});
}

// PTX-LABEL: .entry load(
// PTX: ld.shared.v2.b64 {{{%rd[0-9]+, %rd[0-9]+}}}, [{{%r[0-9]+}}];
// PTX-NOT: ld.shared
extern "C" __global__ void load(uint64* out, uint32 response) {
  const uint128 value = ld_shared_v2({response});
  out[0] = value.low;
  out[1] = value.high;
}

// PTX-LABEL: .entry query(
// PTX: mov.b128 response, {{{%rd[0-9]+, %rd[0-9]+}}};
// PTX-SAME: clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled, response;
// PTX-NOT: clusterlaunchcontrol
extern "C" __global__ void query(int* out, uint64 low, uint64 high) {
  *out = clusterlaunchcontrol_query_cancel_is_canceled({low, high});
}

// PTX-LABEL: .entry query_first_block(
// PTX: clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 {{%r[0-9]+}}, response;
// PTX: clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 {{%r[0-9]+}}, response;
// PTX: clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 {{%r[0-9]+}}, response;
// PTX-NOT: clusterlaunchcontrol
extern "C" __global__ void query_first_block(uint32* out, uint64 low, uint64 high) {
  out[0] = clusterlaunchcontrol_query_cancel_get_first_ctaid_x({low, high});
  out[1] = clusterlaunchcontrol_query_cancel_get_first_ctaid_y({low, high});
  out[2] = clusterlaunchcontrol_query_cancel_get_first_ctaid_z({low, high});
}

// PTX-LABEL: .entry query_whole_index(
// PTX: clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {{{%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+}}}, response;
// PTX-NOT: clusterlaunchcontrol
extern "C" __global__ void query_whole_index(uint32* out, uint64 low, uint64 high) {
  uint32 index[4];
  clusterlaunchcontrol_query_cancel_get_first_ctaid(index, {low, high});
  for (int each = 0; each < 3; ++each)
    out[each] = index[each];
}
