// Numbers that one GPU stores into the memory of another: alone, or next to a value in the same word.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_PEER_NUMBER_H
#define CUDASYNC_BACKEND_GRID_PEER_NUMBER_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/atomic/word.h>
#include <cudasync/backend/grid/first_warp.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/awaited_number.h>
#include <cudasync/hang/kind.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

struct is_at_least {
  uint32 number;
  uint32 last = 0;

  CUDASYNC_API bool operator()(uint32 found) {
    last = found;
    return static_cast<int32>(found - number) >= 0;
  }

  static constexpr checked::kind what = checked::kind::peer_signal;
  CUDASYNC_API uint64 missing() const { return checked::awaited_number{number, last}.packed(); }
};

// For a whole block, or a host thread. Releases.
template <class Unused = void>
CUDASYNC_API void raise_number(target::any, uint32& place, uint32 number,
                               [[maybe_unused]] caller where = caller::here()) {
  constexpr target::here here{};
  if constexpr (checked::is_on) checked::meet_lanes(here);
  meet_block(here);
  if (rank_in_first_warp(here) != 0) return;
  uint32& word = in_global_memory(here, place);
  CUDASYNC_ASSERT((static_cast<int32>(number - load<thread_scope_system>(here, word, memory_order_relaxed_t{})) > 0),
                  "peer_signal::signal: the number must be greater than the one before");
  store_release<thread_scope_system>(here, word, number);
  notify(here, &word);
}

// For a whole block, or a host thread. Acquires.
template <class Unused = void>
CUDASYNC_API void await_number(target::any, const uint32& place, uint32 number) {
  constexpr target::here here{};
  if (rank_in_first_warp(here) == 0) {
    is_at_least condition{number};
    await_value<thread_scope_system>(here, in_global_memory(here, place), condition, memory_order_acquire_t{}, forever);
  }
  meet_block(here);
}

// A value and the number of its message in one word, which is stored and loaded by one instruction. So a reader that
// finds the number has the value, and nothing needs to be ordered.
//
// Source: in the PTX memory model, an access with a scalar type is one memory operation. A vector access (v2, v4) is
// one for each element, in any order: the number may be first. So the word is a b64, or a b128, not a vector.
template <class Value>
struct alignas(sizeof(Value) == 4 ? 8 : 16) numbered {
  Value value;
  conditional<sizeof(Value) == 4, uint32, uint64> number;
};

// The condition that the message has come. It keeps what was read last.
template <class Value>
struct has_number {
  uint32 number;
  uint32 index;  // of the value in the message
  numbered<Value> last{};

  CUDASYNC_API bool operator()(const numbered<Value>& found) {
    last = found;
    return static_cast<uint32>(found.number) == number;
  }

  static constexpr checked::kind what = checked::kind::peer_mailbox;
  CUDASYNC_API uint64 missing() const {
    return checked::awaited_message{number, index, static_cast<uint32>(last.number)}.packed();
  }
};

template <class Value>
CUDASYNC_API void put_numbered(target::any, numbered<Value>& place, uint32 number, const Value& value,
                               [[maybe_unused]] caller where = caller::here()) {
  constexpr target::here here{};
  numbered<Value>& cell = in_global_memory(here, place);
  CUDASYNC_ASSERT(number != 0 || load<thread_scope_system>(here, cell, memory_order_relaxed_t{}).number != 0,
                  "peer_mailbox: the first message has the number 1; number the messages from 1 on");
  store<thread_scope_system>(here, cell, numbered<Value>{value, number}, memory_order_relaxed_t{});
  notify(here, &cell);
}

template <class Value>
[[nodiscard]] CUDASYNC_API Value take_numbered(target::any, const numbered<Value>& place, uint32 number, uint32 index) {
  constexpr target::here here{};
  has_number<Value> condition{number, index};
  await_value<thread_scope_system>(here, in_global_memory(here, place), condition, memory_order_relaxed_t{}, forever);
  return condition.last.value;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
