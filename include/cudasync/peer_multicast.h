// multicast_part and multicast_signal: one store through a multicast address tells all GPUs of a host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PEER_MULTICAST_H
#define CUDASYNC_PEER_MULTICAST_H

#include <cudasync/compat/include_order.h>

#include <cudasync/backend/grid/multicast_phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/hang/watch.h>
#include <cudasync/peer/peer_signal.h>
#include <cudasync/peer_barrier.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The part of this GPU, and the address through which one store reaches the parts of all GPUs: that of a multicast
// object (cuMulticastCreate) to which each GPU has bound the memory of its part, at the same offset. A peer_barrier or
// a peer_block_barrier takes it in place of the addresses of all parts. An arrival is then one multimem.st.
//
//   cudasync::peer_barrier bar(cudasync::multicast_part(own, everywhere), rank, gpus);
//
// Needs sm_90 and GPUs that are connected by NVSwitch. Host threads cannot arrive through it.
template <uint32 MostPeers = 8>
class multicast_part {
 public:
  // own_part: the part of this GPU, or its first, by its ordinary address. all_parts: by the multicast address.
  CUDASYNC_API constexpr multicast_part(peer_part<MostPeers>* own_part, peer_part<MostPeers>* all_parts)
      : own(own_part), everywhere(all_parts) {}

  // The part of this GPU, or the first of its parts, through its ordinary address.
  peer_part<MostPeers>* own;
  // The parts of all GPUs, through the multicast address, which no load and no ordinary store may access.
  peer_part<MostPeers>* everywhere;

 private:
  friend CUDASYNC_API backend::multicast_team<peer_part<MostPeers>> make_team(const multicast_part& parts, uint32 rank,
                                                                              uint32 count, uint32 index) {
    return {parts.own + index, parts.everywhere + index, rank, count};
  }
};

template <uint32 MostPeers>
peer_barrier(multicast_part<MostPeers>, uint32, uint32) -> peer_barrier<MostPeers, multicast_part<MostPeers>>;
template <uint32 MostPeers>
peer_block_barrier(multicast_part<MostPeers>, uint32, uint32, uint32)
    -> peer_block_barrier<MostPeers, multicast_part<MostPeers>>;

// The signals of all GPUs, through the multicast address of a peer_signal. One block signals, and the blocks of all
// GPUs wait for the peer_signal in their own memory.
//
//   cudasync::multicast_signal(everywhere).signal(step);
//   own->wait(step);
//
// Needs sm_90 and GPUs that are connected by NVSwitch. Host threads cannot signal through it.
class multicast_signal {
 public:
  // everywhere: the multicast address of the signals.
  CUDASYNC_API constexpr explicit multicast_signal(peer_signal* everywhere) : everywhere_(everywhere) {}

  // Sets the number on all GPUs, which must be greater than the one before. The threads of the block wait for each
  // other. Releases at system scope. All threads of the block call it, converged.
  template <class Here = target::here>
  CUDASYNC_API void signal(uint32 number, caller where = caller::here()) const {
    checked::note(target::here{}, where);
    backend::raise_number_everywhere(Here{}, number_of(*everywhere_), number);
  }

 private:
  peer_signal* everywhere_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
