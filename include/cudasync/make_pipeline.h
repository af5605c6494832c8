// make_pipeline on shared state, and memcpy_async on pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MAKE_PIPELINE_H
#define CUDASYNC_MAKE_PIPELINE_H

#include <cudasync/backend/block_phase.h>
#include <cudasync/backend/word.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/memcpy_async.h>
#include <cudasync/pipeline.h>
#include <cudasync/pipeline_stage.h>
#include <cudasync/thread_pipeline.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

template <class Group>
CUDASYNC_API constexpr auto is_group(int)
    -> decltype(declval<const Group&>().thread_rank(), declval<const Group&>().size(), declval<const Group&>().sync(),
                bool()) {
  return true;
}
template <class Group>
CUDASYNC_API constexpr bool is_group(long) {
  return false;
}
template <class Group>
CUDASYNC_API constexpr void require_group() {
  static_assert(
      is_group<Group>(0),
      "make_pipeline needs a group, which has thread_rank(), size() and sync(); give this_thread_block() or a "
      "group of cooperative_groups");
}

// --- make_pipeline ---

// All threads of the group call it, with the same state; it synchronizes the group. Group: anything with thread_rank(),
// size() and sync(), as this_thread_block() or a group of cooperative groups. Where no thread is a consumer, producers fill
// each stage once; where none is a producer, consumers wait for ever. Source: libcu++.

// Unified: every thread is a producer and a consumer.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Group, thread_scope Scope, uint8 Stages>
CUDASYNC_API pipeline<Scope> make_pipeline(const Group& group,
                                           pipeline_shared_state<Scope, Stages>* state CUDASYNC_CALLER) {
  require_group<Group>();
  const uint32 threads = static_cast<uint32>(group.size());
  CUDASYNC_ASSERT(threads <= most_members, "make_pipeline: a group has at most 2^21 - 1 threads");
  if (group.thread_rank() == 0)
    state->start(threads * (one_member + one_producer + one_consumer), threads, threads CUDASYNC_PASS_CALLER);
  group.sync();
  return {*state, true, true};
}

// Partitioned: the first producer_count threads of the group are producers, the others consumers.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Group, thread_scope Scope, uint8 Stages>
CUDASYNC_API pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                           size_t producer_count CUDASYNC_CALLER) {
  require_group<Group>();
  const uint32 threads = static_cast<uint32>(group.size());
  CUDASYNC_ASSERT(threads <= most_members, "make_pipeline: a group has at most 2^21 - 1 threads");
  const uint32 producers = static_cast<uint32>(producer_count);
  CUDASYNC_ASSERT(producer_count <= threads,
                  "make_pipeline: more producers than threads; give a producer_count of at most the group's size");
  if (group.thread_rank() == 0)
    state->start(members_word(threads, producers, threads - producers), arrivals_of(producers),
                 arrivals_of(threads - producers) CUDASYNC_PASS_CALLER);
  group.sync();
  const bool is_producer = static_cast<uint32>(group.thread_rank()) < producers;
  return {*state, is_producer, !is_producer};
}

// Partitioned: every thread passes its role.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Group, thread_scope Scope, uint8 Stages>
CUDASYNC_API pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                           pipeline_role role CUDASYNC_CALLER) {
  require_group<Group>();
  const uint32 threads = static_cast<uint32>(group.size());
  CUDASYNC_ASSERT(threads <= most_members, "make_pipeline: a group has at most 2^21 - 1 threads");
  const bool is_producer = role == pipeline_role::producer;
  if (group.thread_rank() == 0) state->start_counting();
  group.sync();
  if (is_producer) state->count_producer();
  group.sync();
  if (group.thread_rank() == 0) {
    const uint32 producers = state->producers();
    state->start(members_word(threads, producers, threads - producers), arrivals_of(producers),
                 arrivals_of(threads - producers) CUDASYNC_PASS_CALLER);
  }
  group.sync();
  return {*state, is_producer, !is_producer};
}

// --- memcpy_async ---

// As with a barrier (memcpy_async.h), but the stage that this thread has acquired is not produced before the copy: call it
// between producer_acquire and producer_commit. A block's pipeline in shared memory on sm_90 moves bulk copies.
template <class Group, class Value, class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(const Group& group, Value* destination, const Value* source,
                                                     Size size, pipeline<Scope>& pipe) {
  check_copied_type<Value>();
  return copy_tracked_by<alignof(Value)>(pipe, group, destination, source, extent_of(size));
}
// As above, for bytes.
template <class Group, class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(const Group& group, void* destination, const void* source,
                                                     Size size, pipeline<Scope>& pipe) {
  return copy_tracked_by<1>(pipe, group, destination, source, extent_of(size));
}
// As above, for the calling thread alone: it needs no group.
template <class Value, class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(Value* destination, const Value* source, Size size,
                                                     pipeline<Scope>& pipe) {
  check_copied_type<Value>();
  return copy_tracked_by<alignof(Value)>(pipe, no_group{}, destination, source, extent_of(size));
}
// As above, for bytes and the calling thread alone.
template <class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(void* destination, const void* source, Size size,
                                                     pipeline<Scope>& pipe) {
  return copy_tracked_by<1>(pipe, no_group{}, destination, source, extent_of(size));
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
