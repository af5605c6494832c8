// make_pipeline on shared state, and memcpy_async on pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MAKE_PIPELINE_H
#define CUDASYNC_MAKE_PIPELINE_H

#include <cudasync/checked/meeting.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/memcpy_async.h>
#include <cudasync/pipeline.h>
#include <cudasync/pipeline/pipeline_stage.h>
#include <cudasync/thread_pipeline.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Returns the group. Its last overload is for what is no group: no_group keeps its message the only one.
template <class Group>
CUDASYNC_API constexpr auto require_group(const Group& group, int)
    -> decltype(group.thread_rank(), group.size(), group.sync(), (group)) {
  return group;
}
template <class Group>
CUDASYNC_API constexpr no_group require_group(const Group&, long) {
  static_assert(
      sizeof(Group) == 0,
      "make_pipeline needs a group, which has thread_rank(), size() and sync(); give this_thread_block() or a "
      "group of cooperative_groups");
  return {};
}

// --- make_pipeline ---

// If no thread is a consumer, producers fill each stage once. If no thread is a producer, consumers wait forever.

// Makes a unified pipeline: every thread is a producer and a consumer. All threads of the group call it, with the same
// state, which no thread uses yet. It synchronizes the group. Group: a type with thread_rank(), size() and sync(), such
// as this_thread_block() or a group of cooperative groups, of at most 2^21 - 1 threads. Source: libcu++.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Group, thread_scope Scope, uint8 Stages>
CUDASYNC_API pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                           caller where = caller::here()) {
  const auto& members = require_group(group, 0);
  const uint32 threads = static_cast<uint32>(members.size());
  CUDASYNC_ASSERT(threads <= most_members, "make_pipeline: a group has at most 2^21 - 1 threads; take a smaller group");
  if (members.thread_rank() == 0) state->start(members_word(threads, threads, threads), threads, threads, where);
  checked::sync_users(members, where);
  return {*state, true, true};
}

// Makes a partitioned pipeline: the first producer_count threads of the group are producers, the others are consumers.
// The group calls it as for a unified pipeline. producer_count: 0 to the group's size; the checked build reports more.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Group, thread_scope Scope, uint8 Stages, class Count>
CUDASYNC_API pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                           Count producer_count, caller where = caller::here()) {
  static_assert(!is_same<Count, bool>, "make_pipeline takes a pipeline_role or the number of producers, not a bool");
  const auto& members = require_group(group, 0);
  const uint32 threads = static_cast<uint32>(members.size());
  CUDASYNC_ASSERT(threads <= most_members, "make_pipeline: a group has at most 2^21 - 1 threads; take a smaller group");
  const uint32 producers = static_cast<uint32>(producer_count);
  CUDASYNC_ASSERT(static_cast<size_t>(producer_count) <= threads,
                  "make_pipeline: more producers than threads; give a producer_count of at most the group's size");
  if (members.thread_rank() == 0)
    state->start(members_word(threads, producers, threads - producers), arrivals_of(producers),
                 arrivals_of(threads - producers), where);
  checked::sync_users(members, where);
  const bool is_producer = static_cast<uint32>(members.thread_rank()) < producers;
  return {*state, is_producer, !is_producer};
}

// Makes a partitioned pipeline: every thread passes its role. The group calls it as for a unified pipeline.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Group, thread_scope Scope, uint8 Stages>
CUDASYNC_API pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                           pipeline_role role, caller where = caller::here()) {
  const auto& members = require_group(group, 0);
  const uint32 threads = static_cast<uint32>(members.size());
  CUDASYNC_ASSERT(threads <= most_members, "make_pipeline: a group has at most 2^21 - 1 threads; take a smaller group");
  const bool is_producer = role == pipeline_role::producer;
  if (members.thread_rank() == 0) state->start_counting();
  checked::sync_users(members, where);
  if (is_producer) state->count_producer();
  checked::sync_users(members, where);
  if (members.thread_rank() == 0) {
    const uint32 producers = state->producers();
    state->start(members_word(threads, producers, threads - producers), arrivals_of(producers),
                 arrivals_of(threads - producers), where);
  }
  checked::sync_users(members, where);
  return {*state, is_producer, !is_producer};
}

// Fails to compile: make_pipeline takes a pointer. The message has the remedy.
template <class Group, thread_scope Scope, uint8 Stages, class... Role>
CUDASYNC_API pipeline<Scope> make_pipeline(const Group&, pipeline_shared_state<Scope, Stages>&, Role...) {
  static_assert(sizeof(Group) == 0, "make_pipeline takes the address of the state: make_pipeline(group, &state)");
}

// --- memcpy_async ---

// Copies size bytes to the stage that this thread has acquired, shared by the threads of the group. All of them call
// it, between producer_acquire and producer_commit; the checked build reports a call by a consumer. A wait for the
// stage returns after the copy. Until then, no thread may access the destination or write the source. The sizes, the
// alignment and the kinds of copies are those of memcpy_async with a barrier (memcpy_async.h).
template <class Group, class Value, class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(const Group& group, Value* destination, const Value* source,
                                                     Size size, pipeline<Scope>& pipe) {
  check_copied_type<Value>();
  return copy_tracked_by<alignof(Value)>(pipe, group, destination, source, extent_of(size));
}
// Copies size bytes to the stage, shared by the threads of the group, without a promise about the alignment.
template <class Group, class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(const Group& group, void* destination, const void* source,
                                                     Size size, pipeline<Scope>& pipe) {
  return copy_tracked_by<1>(pipe, group, destination, source, extent_of(size));
}
// Copies size bytes to the stage that this thread has acquired, in the calling thread alone, otherwise as with a group.
template <class Value, class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(Value* destination, const Value* source, Size size,
                                                     pipeline<Scope>& pipe) {
  check_copied_type<Value>();
  return copy_tracked_by<alignof(Value)>(pipe, no_group{}, destination, source, extent_of(size));
}
// Copies size bytes to the stage in the calling thread alone, without a promise about the alignment.
template <class Size, thread_scope Scope>
CUDASYNC_API async_contract_fulfillment memcpy_async(void* destination, const void* source, Size size,
                                                     pipeline<Scope>& pipe) {
  return copy_tracked_by<1>(pipe, no_group{}, destination, source, extent_of(size));
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
