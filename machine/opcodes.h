// The instructions and special registers that the machine knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_OPCODES_H
#define CUDASYNC_MACHINE_OPCODES_H

#include <cstdint>

namespace model {

enum class opcode : uint16_t {
  unknown,
  // Arithmetic: arithmetic.cpp computes the results
  abs,
  add,
  addc,
  and_,
  bfe,
  bfi,
  bfind,
  bmsk,
  brev,
  clz,
  cnot,
  copysign,
  cos,
  cvt,
  div,
  dp2a,
  dp4a,
  ex2,
  fma,
  fns,
  lg2,
  lop3,
  mad,
  mad24,
  madc,
  max,
  min,
  mov,
  mul,
  mul24,
  neg,
  not_,
  or_,
  popc,
  prmt,
  rcp,
  rem,
  rsqrt,
  sad,
  selp,
  shf,
  shl,
  shr,
  sin,
  slct,
  sqrt,
  sub,
  subc,
  szext,
  tanh,
  testp,
  vabsdiff2,
  vabsdiff4,
  xor_,
  last_arithmetic = xor_,
  // Comparisons and addresses
  cvta,
  set,
  setp,
  // Control
  bra,
  brx,
  call,
  exit,
  ret,
  trap,
  nanosleep,
  setmaxnreg,
  griddepcontrol,
  nop,
  stack_alloca,
  stack_save,
  stack_restore,
  // Memory
  ld,
  st,
  atom,
  red,
  texture,
  surface_ld,
  surface_st,
  fence,
  multimem_st,
  isspacep,
  mapa,
  getctarank,
  // Warps
  activemask,
  bar_warp_sync,
  elect,
  match,
  redux,
  shfl,
  vote,
  // Matrices, by whole warps
  ldmatrix,
  stmatrix,
  movmatrix,
  mma,
  wmma_load,
  wmma_mma,
  wmma_store,
  wgmma_mma,
  // Barriers of blocks and clusters
  bar_arrive,
  bar_red,
  bar_sync,
  cluster_arrive,
  cluster_wait,
  // mbarriers
  mbarrier_arrive,
  mbarrier_arrive_drop,
  mbarrier_complete_tx,
  mbarrier_expect_tx,
  mbarrier_init,
  mbarrier_inval,
  mbarrier_pending_count,
  mbarrier_test_wait,
  mbarrier_try_wait,
  // Copies
  async_red,
  async_st,
  cp_async,
  cp_async_commit,
  cp_async_mbarrier_arrive,
  cp_async_wait,
  cp_bulk,
  cp_bulk_commit,
  cp_bulk_tensor,
  cp_bulk_wait,
  cp_reduce_bulk,
  cp_reduce_tensor,
  tensormap_copy,
  tensormap_replace,
  // Tensor cores
  tensor_commit,
  tensor_fence,
  tensor_alloc,
  tensor_dealloc,
  tensor_relinquish,
  tensor_ld,
  tensor_mma,
  tensor_st,
  tensor_wait,
  wgmma_commit,
  wgmma_fence,
  wgmma_wait,
  // Launches of clusters
  launch_query_cancel,
  launch_try_cancel,
};

constexpr bool is_of_matrices(opcode what) {
  return what >= opcode::ldmatrix && what <= opcode::wgmma_mma;
}

constexpr bool is_of_tensor_memory(opcode what) {
  return what >= opcode::tensor_alloc && what <= opcode::tensor_relinquish;
}

// All that the instruction names do it together.
constexpr bool is_of_several_lanes(opcode what) {
  return (what >= opcode::bar_warp_sync && what <= opcode::wgmma_mma) || is_of_tensor_memory(what) ||
         what == opcode::tensor_wait || what == opcode::tensormap_copy;
}

// Not of memory as it is, but as it was before the kernel.
constexpr bool is_read_of_textures(opcode what) {
  return what == opcode::texture || what == opcode::surface_ld;
}

enum class special : int {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  cluster_ctarank,
  cluster_nctarank,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  is_explicit_cluster,
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  envreg1,
  envreg2,
  warp_size,
  zero,  // registers that mean nothing here
};

enum class comparison : uint8_t { eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };

enum class operation : uint8_t { none, add, sub, inc, dec, min, max, and_, or_, xor_, exch, cas, popc };

}  // namespace model

#endif
