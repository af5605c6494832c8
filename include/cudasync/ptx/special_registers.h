// Special registers: the position of a thread in its grid, the hardware that runs it, and the election of a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_SPECIAL_REGISTERS_H
#define CUDASYNC_PTX_SPECIAL_REGISTERS_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/global_timer.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {
inline namespace special_registers {

// clang-format off
#define CUDASYNC_SREG(FUNCTION, INSTRUCTION, VALUE, REGISTER)                                  \
  CUDASYNC_DEVICE VALUE FUNCTION() {                                                           \
    VALUE value;                                                                               \
    asm(INSTRUCTION ";" : "=" REGISTER(value));                                                \
    return value;                                                                              \
  }
#define CUDASYNC_SREG_XYZ(FUNCTION, INSTRUCTION, VALUE, REGISTER)                              \
  CUDASYNC_SREG(FUNCTION##_x, INSTRUCTION ".x", VALUE, REGISTER)                               \
  CUDASYNC_SREG(FUNCTION##_y, INSTRUCTION ".y", VALUE, REGISTER)                               \
  CUDASYNC_SREG(FUNCTION##_z, INSTRUCTION ".z", VALUE, REGISTER)
#define CUDASYNC_SREG_VARYING(FUNCTION, INSTRUCTION, VALUE, REGISTER)                            \
  CUDASYNC_DEVICE VALUE FUNCTION() {                                                           \
    VALUE value;                                                                               \
    asm volatile(INSTRUCTION ";" : "=" REGISTER(value) :: "memory");                           \
    return value;                                                                              \
  }

//                    function                    instruction                            value
// PTX 2.0, sm_70. Returns the special register of this name, for example %laneid for get_sreg_laneid.
CUDASYNC_SREG_XYZ    (get_sreg_tid,              "mov.u32 %0, %%tid",                   uint32, "r")
CUDASYNC_SREG_XYZ    (get_sreg_ntid,             "mov.u32 %0, %%ntid",                  uint32, "r")
CUDASYNC_SREG_XYZ    (get_sreg_ctaid,            "mov.u32 %0, %%ctaid",                 uint32, "r")
CUDASYNC_SREG_XYZ    (get_sreg_nctaid,           "mov.u32 %0, %%nctaid",                uint32, "r")
CUDASYNC_SREG        (get_sreg_laneid,            "mov.u32 %0, %%laneid",                uint32, "r")
CUDASYNC_SREG        (get_sreg_lanemask_eq,       "mov.u32 %0, %%lanemask_eq",           uint32, "r")
CUDASYNC_SREG        (get_sreg_lanemask_le,       "mov.u32 %0, %%lanemask_le",           uint32, "r")
CUDASYNC_SREG        (get_sreg_lanemask_lt,       "mov.u32 %0, %%lanemask_lt",           uint32, "r")
CUDASYNC_SREG        (get_sreg_lanemask_ge,       "mov.u32 %0, %%lanemask_ge",           uint32, "r")
CUDASYNC_SREG        (get_sreg_lanemask_gt,       "mov.u32 %0, %%lanemask_gt",           uint32, "r")
CUDASYNC_SREG_VARYING(get_sreg_warpid,            "mov.u32 %0, %%warpid",                uint32, "r")
CUDASYNC_SREG        (get_sreg_nwarpid,           "mov.u32 %0, %%nwarpid",               uint32, "r")
CUDASYNC_SREG_VARYING(get_sreg_smid,              "mov.u32 %0, %%smid",                  uint32, "r")
CUDASYNC_SREG        (get_sreg_nsmid,             "mov.u32 %0, %%nsmid",                 uint32, "r")
CUDASYNC_SREG_VARYING(get_sreg_clock,             "mov.u32 %0, %%clock",                 uint32, "r")
CUDASYNC_SREG_VARYING(get_sreg_clock64,           "mov.u64 %0, %%clock64",               uint64, "l")
// PTX 3.0, sm_70. Returns the special register of this name.
CUDASYNC_SREG        (get_sreg_gridid,            "mov.u64 %0, %%gridid",                uint64, "l")
// PTX 3.1, sm_70. Returns the special register of this name.
CUDASYNC_SREG_VARYING(get_sreg_globaltimer_lo,    "mov.u32 %0, %%globaltimer_lo",        uint32, "r")
CUDASYNC_SREG_VARYING(get_sreg_globaltimer_hi,    "mov.u32 %0, %%globaltimer_hi",        uint32, "r")
// PTX 4.1, sm_70. Returns the special register of this name.
CUDASYNC_SREG        (get_sreg_total_smem_size,   "mov.u32 %0, %%total_smem_size",       uint32, "r")
CUDASYNC_SREG        (get_sreg_dynamic_smem_size, "mov.u32 %0, %%dynamic_smem_size",     uint32, "r")
// PTX 5.0, sm_70. Returns the special register of this name.
CUDASYNC_SREG_VARYING(get_sreg_clock_hi,          "mov.u32 %0, %%clock_hi",              uint32, "r")
// PTX 8.0, sm_70. Returns the special register of this name.
CUDASYNC_SREG        (get_sreg_current_graph_exec, "mov.u64 %0, %%current_graph_exec",   uint64, "l")
// PTX 8.1, sm_90. Returns the special register of this name.
CUDASYNC_SREG        (get_sreg_aggr_smem_size,    "mov.u32 %0, %%aggr_smem_size",        uint32, "r")
// PTX 7.8, sm_90. Returns the special register of this name.
CUDASYNC_SREG_XYZ    (get_sreg_clusterid,        "mov.u32 %0, %%clusterid",             uint32, "r")
CUDASYNC_SREG_XYZ    (get_sreg_nclusterid,       "mov.u32 %0, %%nclusterid",            uint32, "r")
CUDASYNC_SREG_XYZ    (get_sreg_cluster_ctaid,    "mov.u32 %0, %%cluster_ctaid",         uint32, "r")
CUDASYNC_SREG_XYZ    (get_sreg_cluster_nctaid,   "mov.u32 %0, %%cluster_nctaid",        uint32, "r")
CUDASYNC_SREG        (get_sreg_cluster_ctarank,   "mov.u32 %0, %%cluster_ctarank",       uint32, "r")
CUDASYNC_SREG        (get_sreg_cluster_nctarank,  "mov.u32 %0, %%cluster_nctarank",      uint32, "r")
#undef CUDASYNC_SREG
#undef CUDASYNC_SREG_XYZ
#undef CUDASYNC_SREG_VARYING

// PTX 6.2: lanes that are here together. Those in a function may be of several callers (nvcc -Ofc=max inlines none).
#define CUDASYNC_LANES_HERE(LANES) uint32 LANES; asm volatile("activemask.b32 %0;" : "=r"(LANES))
// clang-format on

// PTX 7.8, sm_90. Returns whether the kernel was launched with clusters.
CUDASYNC_DEVICE bool get_sreg_is_explicit_cluster() {
  uint32 value;
  asm("{ .reg .pred is_explicit; mov.pred is_explicit, %%is_explicit_cluster; selp.u32 %0, 1, 0, is_explicit; }"
      : "=r"(value));
  return value != 0;
}

}  // namespace special_registers

// PTX 2.0, sm_70. The multiprocessor that runs the thread. The compiler may assume that the value never changes. The
// system can move a thread, but rarely does.
CUDASYNC_DEVICE uint32 steady_smid() {
  uint32 value;
  asm("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}

// PTX 2.0, sm_70. The place of the warp on the multiprocessor, with the same assumption as for steady_smid.
CUDASYNC_DEVICE uint32 steady_warpid() {
  uint32 value;
  asm("mov.u32 %0, %%warpid;" : "=r"(value));
  return value;
}

// PTX 8.0, sm_90. Returns true in one thread of the member mask; in practice, in the same one at each call.
CUDASYNC_DEVICE bool elect_sync(const uint32& mask) {
  uint32 elected;
  asm volatile("{ .reg .pred elected; elect.sync _|elected, %1; selp.u32 %0, 1, 0, elected; }"
               : "=r"(elected)
               : "r"(mask));
  return elected != 0;
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
