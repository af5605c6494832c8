// Each function of ptx/red.h for several elements is exactly its instruction; the rest of atom, red, ld and st is in atomic_matrix.cu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/red.h>
#include <cudasync/ptx/tags.h>

using namespace cudasync::ptx;

// PTX-LABEL: .entry add_four(
// PTX: red.relaxed.cluster.global.add.v4.f32
// PTX-NOT: {{red|atom}}.
// SASS-LABEL: add_four:
// SASS: RED{{G?}}.E.ADD.F32x4
extern "C" __global__ void add_four(float4* place, float4 operand) {
  red_v4_f32(sem_relaxed, scope_cluster, op_add_t{}, to_global_pointer(place), operand);
}

// PTX-LABEL: .entry add_two(
// PTX: red.relaxed.gpu.global.add.v2.f32 [{{%rd[0-9]+}}], {{{%f[0-9]+|%r[0-9]+}}, {{%f[0-9]+|%r[0-9]+}}};
// PTX-NOT: {{red|atom}}.
// SASS-LABEL: add_two:
// SASS: RED{{G?}}.E.ADD.F32x2
extern "C" __global__ void add_two(float2* place, float2 operand) {
  red_v2_f32(sem_relaxed, scope_gpu, op_add_t{}, to_global_pointer(place), operand);
}

// PTX-LABEL: .entry add_two_bfloats(
// PTX: red.relaxed.sys.global.add.noftz.bf16x2 [{{%rd[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{red|atom}}.
// SASS-LABEL: add_two_bfloats:
// SASS: RED{{G?}}.E.ADD.BF16
extern "C" __global__ void add_two_bfloats(cudasync::uint32* place, cudasync::uint32 operand) {
  red(sem_relaxed, scope_sys, op_add_bf16x2_t{}, to_global_pointer(place), operand);
}
