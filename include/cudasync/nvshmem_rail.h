// nvshmem_rail: the connection of a world_barrier to other hosts, by signals of NVSHMEM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_NVSHMEM_RAIL_H
#define CUDASYNC_NVSHMEM_RAIL_H

#include <cudasync/compat/include_order.h>

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_HAS_HOST && __has_include(<nvshmem.h>) && __has_include(<nvshmemx.h>)

#include <nvshmem.h>
#include <nvshmemx.h>

#include <cudasync/backend/grid/rail_phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/world_barrier.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Connects a GPU with the GPUs of its rank on the other hosts, for a world_barrier. The PEs are numbered by host: the
// PE of a GPU is host * gpus_of_host + its rank. Hosts is a name for groups of PEs of equal size: with gpus_of_host =
// 1, the PEs of one host also use NVSHMEM's signals.
//
// Ordering: arrive calls nvshmem_quiet once on each GPU. So everything that the GPU has put before is complete in the
// memory of the target and visible to the threads of the target.
class nvshmem_rail {
 public:
  // The number of signals that each PE needs, for a number of hosts.
  CUDASYNC_API static constexpr uint32 signal_count(uint32 hosts) { return backend::signals_of_rail(hosts, radix_); }

  // words: signal_count(hosts) zeros on the symmetric heap, at the same offset on each PE. gpus_of_host: the number of
  // PEs of each host, which divides the number of all PEs.
  CUDASYNC_DEVICE nvshmem_rail(uint64_t* words, uint32 gpus_of_host)
      : words_(words), stride_(gpus_of_host), pe_(static_cast<uint32>(nvshmem_my_pe())),
        pes_(static_cast<uint32>(nvshmem_n_pes())) {}

  // The host of this GPU.
  CUDASYNC_DEVICE uint32 rank() const { return pe_ / stride_; }
  // The number of hosts.
  CUDASYNC_DEVICE uint32 count() const { return pes_ / stride_; }
  // The number of hosts that a round joins.
  CUDASYNC_DEVICE uint32 radix() const { return radix_; }

  // Blocks until everything that this GPU has put is complete.
  CUDASYNC_DEVICE void complete() const { nvshmem_quiet(); }

  // Sets the signal of the GPU of this rank on the host. Each signal has one sender, and complete comes between two
  // phases. So a plain store over NVLink, or a write over the network, is sufficient. Releases at system scope.
  CUDASYNC_DEVICE void raise(uint32 signal, uint64 number, uint32 host) const {
    __threadfence_system();
    nvshmemx_signal_op(words_ + signal, number, NVSHMEM_SIGNAL_SET, static_cast<int>(host * stride_ + pe_ % stride_));
  }

  // Whether the signal of this GPU has the number or a greater one. Relaxed.
  CUDASYNC_DEVICE bool is_raised(uint32 signal, uint64 number) const {
    return nvshmem_signal_fetch(words_ + signal) >= number;
  }

  // Blocks until the signal of this GPU has the number or a greater one. Acquires at system scope.
  CUDASYNC_DEVICE void wait(uint32 signal, uint64 number) const {
    nvshmem_signal_wait_until(words_ + signal, NVSHMEM_CMP_GE, number);
    __threadfence_system();
  }

 private:
  static constexpr uint32 radix_ = 8;

  uint64_t* words_;
  uint32 stride_;
  uint32 pe_;
  uint32 pes_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
