// The likely cause and the remedy of a hang at a latch, a semaphore, an atomic or a counter, for host and device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_CAUSES_H
#define CUDASYNC_HANG_CAUSES_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/awaited_number.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/report_data.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

CUDASYNC_API const char* name_of(kind what) {
  return what == kind::barrier           ? "barrier"
         : what == kind::counter_barrier ? "barrier (kept as a counter)"
         : what == kind::grid_barrier    ? "grid_barrier"
         : what == kind::peer_barrier    ? "peer_barrier"
         : what == kind::world_barrier   ? "world_barrier"
         : what == kind::named_barrier   ? "named barrier"
         : what == kind::latch           ? "latch"
         : what == kind::semaphore       ? "semaphore"
         : what == kind::atomic_lock     ? "lock of an atomic"
         : what == kind::peer_signal     ? "peer_signal"
         : what == kind::peer_mailbox    ? "cell of a peer_mailbox"
         : what == kind::group           ? "the rest of the group, in a call that all of its threads make"
                                         : "atomic";
}

struct explanation {
  cause what;
  const char* before;  // the number
  const char* one;     // after the number, if it is 1
  const char* many;
  const char* remedy;
};

inline constexpr bool is_for_host = is_same<target::here, target::host>;

// value: missing arrivals of a barrier or a latch, waiting threads of a semaphore, the value of an atomic.
CUDASYNC_API explanation explain(kind what) {
  switch (what) {
  case kind::latch:
    return {cause::arrivals_missing, "the latch still expects ", " arrival", " arrivals",
            "construct it with the number of arrivals that count_down and arrive_and_wait really make, and let every "
            "thread that is counted arrive at this latch; a latch cannot be used a second time"};
  case kind::semaphore:
    return {cause::no_permit, "no permit is left, and no thread releases one; ", " thread waits", " threads wait",
            "pair each acquire with a release, on every path out of the critical section, and construct the semaphore "
            "with the initial number of permits. A thread that holds the last permit must not acquire again"};
  case kind::grid_barrier:
    return {cause::participants_missing, "", " participant has not arrived", " participants have not arrived",
            "let every block arrive, in every round, and let all blocks end in the same round: decide it from a value "
            "that no block changes before all have read it; or let one that has finished arrive, too"};
  case kind::peer_barrier:  // the rank, and after that the phase; one: of this GPU
    return {
        cause::rank_missing, "rank ", ", this GPU, has blocks that have not arrived in phase ",
        " has not arrived in phase ",
        "let every rank launch the kernel, with the same number of GPUs, of phases and, for a peer_block_barrier, of "
        "blocks, and let all blocks of each GPU arrive and be resident together (cudaLaunchCooperativeKernel). Pass the parts of all ranks in the same "
        "order to each rank. Phases count from the time when the parts were zero, modulo 65536"};
  case kind::world_barrier:  // the host, and after that the phase; one: this host
    return {
        cause::host_missing, "host ",
        ", this host: block 0 of this GPU has not exchanged signals with the other hosts in phase ",
        " has not arrived in phase ",
        "let every host launch the kernel on all its GPUs, with the same number of phases, and let block 0 of each GPU wait "
        "without delay. Number the PEs or ranks by host, with the same number of GPUs in each. Phases count from the time "
        "when the parts were zero, modulo 65536"};
  case kind::counter_barrier:
    return {cause::arrivals_missing, "", " arrival of the phase is missing", " arrivals of the phase are missing",
            is_for_host
                ? "compare the count given to the constructor with the number of threads that arrive in each phase; a "
                  "thread that leaves early must call arrive_and_drop, one that waits by parity must flip it after "
                  "each wait, and all threads must make the same number of rounds"
                : "compare the count given to init with the number of threads, of all blocks, that arrive in a phase, "
                  "and the parity of the wait with that of the phase; no thread may arrive before init is visible to "
                  "it; blocks that wait for others must be resident together (cudaLaunchCooperativeKernel)"};
  case kind::peer_signal:  // the numbers follow
    return {
        cause::signal_missing, "the signal has number ", ", and the wait is for number ",
        ", and the wait is for number ",
        "let all threads of the sending block call signal with this number, through the address of this object: the "
        "one in the memory of the GPU that waits"};
  case kind::peer_mailbox:  // one: the sender has not put the message; many: it has put a later one
    return {
        cause::message_missing, "the cell of value ", ", and the wait is for message ",
        ", which the sender has put over the awaited message ",
        "let the sender put every value of the message, at the index of the receiver and with its numbers, beginning "
        "with 1, and only after the value of the same index of message number - Stages was taken (a peer_signal in "
        "the other direction tells it)"};
  case kind::atomic_lock:
    return {cause::lock_held, "no thread holds a lock for this long: the atomic is probably not initialized", nullptr,
            nullptr, "initialize it with a constructor or with atomic_init"};
  default:
    return {cause::value_unchanged, "the value stays ", ", and the wait is for another value",
            ", and the wait is for another value",
            is_for_host
                ? "find the thread that should store another value, or wait for the last value that is stored. Check "
                  "that this thread runs and does not wait itself. Call notify_all after the store"
                : "find the thread that should store another value, or wait for the last value that is stored. Check "
                  "that this thread runs and does not wait itself, and that the scope of the atomic includes both "
                  "threads"};
  }
}

template <uint32 Size>
CUDASYNC_API_OUT_OF_LINE void put_cause(text<Size>& out, kind what, uint64 value) {
  const explanation why = explain(what);
  out << why.before;
  if (what == kind::peer_barrier || what == kind::world_barrier) {
    const missing_peer who = missing_peer::of(value);
    out << who.rank << (who.is_own ? why.one : why.many) << who.phase;
  } else if (what == kind::peer_signal) {
    const awaited_number number = awaited_number::of(value);
    out << number.found << why.one << number.awaited;
  } else if (what == kind::peer_mailbox) {
    const awaited_message message = awaited_message::of(value);
    out << message.index << " has message " << message.found << (message.is_overwritten() ? why.many : why.one)
        << message.awaited;
  } else if (what == kind::semaphore) {
    const uint32 threads = queue_for_permit::of(value).threads;
    out << threads << (threads == 1 ? why.one : why.many);
  } else if (why.one != nullptr)
    out << value << (value == 1 ? why.one : why.many);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CHECKED

#endif
