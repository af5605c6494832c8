// register_budget: the registers that the warpgroups of a block share, checked at compile time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_REGISTER_BUDGET_H
#define CUDASYNC_REGISTER_BUDGET_H

#include <cudasync/compat/include_order.h>

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/warpgroup.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// A number of threads of a block, and the number of registers that each of them needs.
template <uint32 Threads, uint32 Registers>
struct register_role {
  static_assert(Threads > 0 && Threads % 128 == 0,
                "register_role: a warpgroup changes its registers as a whole; give a multiple of 128 threads");
  static_assert(Registers >= 24 && Registers <= 256 && Registers % 8 == 0,
                "register_role: setmaxnreg takes 24 to 256 registers, a multiple of 8");
  // The threads of the role.
  static constexpr uint32 threads = Threads;
  // The registers of each of them.
  static constexpr uint32 registers = Registers;
};

// Returns the number of registers that a thread has at the launch of a kernel that has a multiprocessor to itself, as
// with __launch_bounds__(threads, 1): its share of 65,536, rounded down to a multiple of 8, and at most 248.
[[nodiscard]] CUDASYNC_API constexpr uint32 registers_at_launch(uint32 threads) {
  const uint32 share = 65536 / threads / 8 * 8;
  return share < 248 ? share : 248;
}

// The roles of a kernel whose warpgroups specialize: producers give registers back, so that consumers have more.
//
//   using producer = cudasync::register_role<128, 40>;
//   using consumer = cudasync::register_role<256, 232>;
//   using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;
//
//   __global__ void __launch_bounds__(budget::threads, 1) kernel(...) {
//     if (threadIdx.x < 128) {
//       budget::enter<producer>();
//
// AtLaunch: the number of registers that the kernel is compiled with, as ptxas -v reports. If the number is different,
// ptxas may ignore the instructions, with a warning, or a role may wait for registers that no warpgroup gives back.
//
// Source: PTX, setmaxnreg. It needs sm_90a, sm_100a, sm_100f and so on; plain architectures do not have it.
template <uint32 AtLaunch, class... Roles>
class register_budget {
  static_assert(AtLaunch % 8 == 0,
                "register_budget: registers are allocated in units of 8; give the number that ptxas -v reports");
  static_assert(
      (uint32{0} + ... + (Roles::threads * Roles::registers)) <= AtLaunch * (uint32{0} + ... + Roles::threads),
      "register_budget: the roles need more registers than the block has, so one of them would wait forever; lower "
      "the number of another role");

 public:
  // The threads of all roles together: those of the block.
  static constexpr uint32 threads = (uint32{0} + ... + Roles::threads);
  // The registers of each thread at the launch.
  static constexpr uint32 registers = AtLaunch;

  // Takes the registers of the role, and blocks until they are available; or gives back the registers that the role
  // does not need. All warps of a warpgroup call it, converged, once, at the beginning of the role's code. A role that
  // is not in the budget fails to compile. setmaxnreg.
  template <class Role, class Here = target::here>
  CUDASYNC_DEVICE static void enter() {
    static_assert((is_same<Role, Roles> || ...),
                  "register_budget::enter: not a role of this budget; add it to the list");
    static_assert(
        target::has_setmaxnreg || target::is_at_least<Here, target::host>,
        "register_budget needs setmaxnreg, which plain architectures lack; compile with -gencode "
        "arch=compute_90a,code=sm_90a, or 100a and so on: -arch=sm_90a also adds PTX for the plain architecture");
    if constexpr (Role::registers > AtLaunch)
      ptx::setmaxnreg_inc<Role::registers>();
    else if constexpr (Role::registers < AtLaunch)
      ptx::setmaxnreg_dec<Role::registers>();
  }
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
