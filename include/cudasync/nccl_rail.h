// nccl_rail: the connection of a world_barrier to other hosts, by signals of NCCL's device API for networks (GIN).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_NCCL_RAIL_H
#define CUDASYNC_NCCL_RAIL_H

#include <cudasync/compat/include_order.h>

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/world_barrier.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Connects a GPU with the GPUs of its rank on the other hosts, for a world_barrier. Its parameters are types of NCCL:
//
//   ncclGin network(comm, 0);
//   cudasync::nccl_rail rail(network, ncclTeamRail(comm), ncclGin_SignalInc{0}, ncclCoopThread());
//
// The first signal is one of ginSignalCount that were requested with the device communicator. The barrier uses
// signal_count(hosts) of them, beginning with this one, which nothing else uses or resets.
//
// Ordering: GIN orders a signal after earlier puts of the same context to the same GPU. So what a GPU has put into the
// memory of the GPUs of its rank, through the context of this rail, is visible to the threads of these GPUs. Puts to
// GPUs of other ranks, or through other contexts, are not ordered.
template <class Network, class Team, class Signal, class Thread>
class nccl_rail {
 public:
  // The number of signals that each GPU needs, for a number of hosts.
  CUDASYNC_API static constexpr uint32 signal_count(uint32 hosts) { return hosts < 2 ? 0 : hosts - 1; }

  // network: an ncclGin, which must outlive the rail. team: the GPUs of this rank on all hosts. first: the first
  // signal. thread: an ncclCoopThread.
  CUDASYNC_DEVICE nccl_rail(const Network& network, Team team, Signal first, Thread thread)
      : network_(&network), team_(team), first_(first), thread_(thread) {}

  // The host of this GPU.
  CUDASYNC_DEVICE uint32 rank() const { return static_cast<uint32>(team_.rank); }
  // The number of hosts.
  CUDASYNC_DEVICE uint32 count() const { return static_cast<uint32>(team_.nRanks); }
  // The number of hosts that a round joins: all of them.
  CUDASYNC_DEVICE uint32 radix() const { return count() < 2 ? 2 : count(); }

  // GIN cannot wait until puts are complete.
  CUDASYNC_DEVICE void complete() const {}

  // Raises the signal of the GPU of this rank on the host by 1. Releases at system scope.
  CUDASYNC_DEVICE void raise(uint32 signal, uint64, uint32 host) const {
    network_->signal(team_, static_cast<int>(host), Signal{first_.signal + signal}, thread_);
  }

  // Whether the signal of this GPU has the number or a greater one. Acquires.
  CUDASYNC_DEVICE bool is_raised(uint32 signal, uint64 number) const {
    return network_->readSignal(first_.signal + signal) >= number;
  }

  // Blocks until the signal of this GPU has the number or a greater one. Acquires.
  CUDASYNC_DEVICE void wait(uint32 signal, uint64 number) const {
    network_->waitSignal(thread_, first_.signal + signal, number);
  }

 private:
  const Network* network_;
  Team team_;
  Signal first_;
  Thread thread_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
