// st_async and red_async of ptx/st_async.h: each is exactly its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: add_s32:
// SASS: REDAS.ADD.S32
// SASS-LABEL: add_u32:
// SASS: REDAS.ADD
// SASS-LABEL: add_u64:
// SASS: REDAS.ADD.64
// SASS-LABEL: and_b32:
// SASS: REDAS.AND
// SASS-LABEL: dec_u32:
// SASS: REDAS.DEC
// SASS-LABEL: inc_u32:
// SASS: REDAS.INC
// SASS-LABEL: max_s32:
// SASS: REDAS.MAX.S32
// SASS-LABEL: max_u32:
// SASS: REDAS.MAX
// SASS-LABEL: min_s32:
// SASS: REDAS.MIN.S32
// SASS-LABEL: min_u32:
// SASS: REDAS.MIN
// SASS-LABEL: or_b32:
// SASS: REDAS.OR
// SASS-LABEL: store_b32:
// SASS: STAS
// SASS-LABEL: store_b64:
// SASS: STAS.64
// SASS-LABEL: store_v2_b32:
// SASS: STAS.64
// SASS-LABEL: store_v2_b64:
// SASS: STAS.128
// SASS-LABEL: store_v4_b32:
// SASS: STAS.128
// SASS-LABEL: xor_b32:
// SASS: REDAS.XOR
#include <cudasync/ptx/st_async.h>

using cudasync::int32;
using cudasync::uint32;
using cudasync::uint64;
using namespace cudasync::ptx;

// PTX-LABEL: .entry store_b32(
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void store_b32(uint32 to, uint32 bar, uint32 value) {
  st_async(cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry store_b64(
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [{{%r[0-9]+}}], {{%rd[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void store_b64(uint32 to, uint32 bar, uint64 value) {
  st_async(cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry store_v2_b32(
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [{{%r[0-9]+}}], {{{%r[0-9]+}}, {{%r[0-9]+}}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void store_v2_b32(uint32 to, uint32 bar, uint32 value) {
  const uint32 both[2] = {value, value + 1};
  st_async(cluster_address(to), both, cluster_address(bar));
}

// PTX-LABEL: .entry store_v2_b64(
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [{{%r[0-9]+}}], {{{%rd[0-9]+}}, {{%rd[0-9]+}}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void store_v2_b64(uint32 to, uint32 bar, uint64 value) {
  const uint64 both[2] = {value, value + 1};
  st_async(cluster_address(to), both, cluster_address(bar));
}

// PTX-LABEL: .entry store_v4_b32(
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [{{%r[0-9]+}}], {{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void store_v4_b32(uint32 to, uint32 bar, uint32 value) {
  const uint32 all[4] = {value, value + 1, value + 2, value + 3};
  st_async(cluster_address(to), all, cluster_address(bar));
}

// PTX-LABEL: .entry inc_u32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void inc_u32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_inc_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry dec_u32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.dec.u32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void dec_u32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_dec_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry min_u32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void min_u32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_min_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry max_u32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void max_u32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_max_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry add_u32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void add_u32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_add_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry min_s32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void min_s32(uint32 to, uint32 bar, int32 value) {
  red_async(op_min_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry max_s32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void max_s32(uint32 to, uint32 bar, int32 value) {
  red_async(op_max_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry add_s32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void add_s32(uint32 to, uint32 bar, int32 value) {
  red_async(op_add_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry and_b32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void and_b32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_and_op_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry or_b32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void or_b32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_or_op_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry xor_b32(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void xor_b32(uint32 to, uint32 bar, uint32 value) {
  red_async(op_xor_op_t{}, cluster_address(to), value, cluster_address(bar));
}

// PTX-LABEL: .entry add_u64(
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [{{%r[0-9]+}}], {{%rd[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: {{st[.]async|red[.]async}}
extern "C" __global__ void add_u64(uint32 to, uint32 bar, uint64 value) {
  red_async(op_add_t{}, cluster_address(to), value, cluster_address(bar));
}
