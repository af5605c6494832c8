// init_barriers: initializes any number of barriers in one thread, with the necessary fences and synchronization.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_INIT_BARRIERS_H
#define CUDASYNC_INIT_BARRIERS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/barrier.h>
#include <cudasync/checked/meeting.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>
#include <cudasync/thread_block.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Barriers, and the number of arrivals that complete a phase of each of them.
template <class Barrier>
struct expected_arrivals {
  Barrier* first;
  size_t barriers;
  ptrdiff_t expected;
  caller from;
  Barrier* others = nullptr;
  size_t number_of_others = 0;
};

// A barrier and the number of arrivals that complete a phase of it, for init_barriers. arrivals: 0 to bar.max(); the
// checked build reports other numbers.
template <thread_scope Scope>
[[nodiscard]] CUDASYNC_DEVICE expected_arrivals<barrier<Scope>> expects(barrier<Scope>& bar, ptrdiff_t arrivals,
                                                                        caller where = caller::here()) {
  return {&bar, 1, arrivals, where};
}
// An array of barriers and the number of arrivals that complete a phase of each of them: 0 to bar.max().
template <thread_scope Scope, size_t Count>
[[nodiscard]] CUDASYNC_DEVICE expected_arrivals<barrier<Scope>>
expects(barrier<Scope> (&bars)[Count], ptrdiff_t arrivals, caller where = caller::here()) {
  return {bars, Count, arrivals, where};
}

// A barrier's type, also of an array's elements.
template <class Barrier>
struct barrier_of {
  using type = Barrier;
};
template <class Barrier, size_t Count>
struct barrier_of<Barrier[Count]> : barrier_of<Barrier> {};

// Fails to compile: an address is no barrier. The message has the remedy.
template <ptrdiff_t Arrivals, class Barrier>
CUDASYNC_DEVICE expected_arrivals<Barrier> expects(Barrier*&&) {
  static_assert(sizeof(Barrier) == 0, "expects<n>(bar) takes the barrier or the array itself, not its address");
  return {};
}
// A barrier or an array of barriers, and the number of arrivals that complete a phase, for init_barriers. The compiler
// checks the number: expects<128>(bar).
template <ptrdiff_t Arrivals, class Barriers>
[[nodiscard]] CUDASYNC_DEVICE expected_arrivals<typename barrier_of<Barriers>::type>
expects(Barriers& bars, caller where = caller::here()) {
  static_assert(Arrivals > 0, "expects<n>(bar): a phase needs at least one arrival; give 1 to bar.max()");
  static_assert(
      Arrivals <= (barrier_of<Barriers>::type::max)(),
      "expects<n>(bar): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2^20 - "
      "1, barriers of wider scopes to 2^30 - 1");
  return expects(bars, Arrivals, where);
}
// Two barriers or arrays of barriers of the same scope, as for one: expects<128>(full, empty).
template <ptrdiff_t Arrivals, class Barriers, class Others>
[[nodiscard]] CUDASYNC_DEVICE expected_arrivals<typename barrier_of<Barriers>::type>
expects(Barriers& bars, Others& others, caller where = caller::here()) {
  static_assert(is_same<typename barrier_of<Barriers>::type, typename barrier_of<Others>::type>,
                "expects<n>(a, b): the barriers must have the same scope; write expects<n>(a), expects<n>(b)");
  const auto one = expects<Arrivals>(bars, where);
  const auto other = expects<Arrivals>(others, where);
  return {one.first, one.barriers, Arrivals, where, other.first, other.barriers};
}

// Of a group of several blocks, such as cooperative_groups::cluster_group. Then each block has its own barriers.
template <class Group>
using block_rank_of = decltype(declval<const Group&>().block_rank());
template <class Group>
inline constexpr bool has_blocks = is_valid<block_rank_of, Group>;
template <class Group>
using group_members = decltype(declval<const Group&>().thread_rank(), declval<const Group&>().sync());

template <class Group>
CUDASYNC_DEVICE bool initializes_barriers(const Group& group) {
  if constexpr (has_blocks<Group>)
    return thread_block::thread_rank() == 0;
  else
    return group.thread_rank() == 0;
}

template <class Barrier>
CUDASYNC_DEVICE void init_all(expected_arrivals<Barrier> barriers) {
  for (size_t index = 0; index < barriers.barriers; ++index)
    init(barriers.first + index, barriers.expected, barriers.from);
  for (size_t index = 0; index < barriers.number_of_others; ++index)
    init(barriers.others + index, barriers.expected, barriers.from);
}

// Initializes barriers in one thread of the group (of each block, for a group of several blocks), then synchronizes the
// group. After the call, every thread of the group may arrive, wait and begin copies. All threads of the group call it:
//   init_barriers(this_thread_block(), expects<1>(full), expects(empty, consumers));
// Group: a type with thread_rank() and sync(), such as this_thread_block() or a group of cooperative_groups. No thread
// may use the barriers' memory before the call.
template <class Group, class... Barriers>
CUDASYNC_DEVICE void init_barriers(const Group& group, expected_arrivals<Barriers>... barriers) {
  static_assert(
      ((Barriers::scope != thread_scope_cluster || has_blocks<Group>) && ...),
      "init_barriers: threads of other blocks arrive at a cluster's barrier, and must not arrive before it is "
      "initialized; pass this_cluster()");
  static_assert(is_valid<group_members, Group>,
                "init_barriers needs the group first, which has thread_rank() and sync(): "
                "init_barriers(this_thread_block(), expects<256>(bar))");
  if (initializes_barriers(group)) {
    (init_all(barriers), ...);
    backend::publish_initialized_barriers(target::here{});
  }
  checked::sync_members(group, barriers.from...);
}
// Fails to compile: the group is missing. The message has the remedy.
template <class Barriers>
CUDASYNC_DEVICE void init_barriers(Barriers&, ptrdiff_t) {
  static_assert(!is_same<Barriers, Barriers>,
                "init_barriers needs the group and what each barrier expects: init_barriers(this_thread_block(), "
                "expects<256>(bar))");
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
