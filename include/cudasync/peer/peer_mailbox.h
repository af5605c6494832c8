// peer_mailbox: messages of small values to another GPU, each value with its number in one word, without fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PEER_PEER_MAILBOX_H
#define CUDASYNC_PEER_PEER_MAILBOX_H

#include <cudasync/backend/grid/peer_number.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/watch.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// A ring of messages in the memory of the GPU that receives them. A message is Size values. Each value is in one word
// with the number of its message, so both arrive together. A message needs no fence and no flag after the data, but
// twice the bytes. Use it for messages of up to about 100 KB, for which latency matters more than bandwidth.
//
// Message 1 is the first, and message 0 follows message 2^32 - 1. Message n is in stage n modulo Stages. A thread may
// put a value of message n only after the value of the same index of message n - Stages was taken; of message 0, if
// Stages is not a power of two, after those of all messages. If two GPUs exchange messages of the same numbers, and the
// thread that takes an index also puts that index, two stages are enough: what it takes shows that its last value was
// taken. Otherwise, use a peer_signal in the other direction.
//
//   box_of_peer->put(step, index, value);
//   sum += own_box->take(step, index);
//
// Ordering: none. put and take are relaxed; only the values themselves are passed.
//
// Value: a trivially copyable type of 4 bytes, which takes a word of 8 bytes, or of 8 bytes, which takes a word of 16.
// The latter needs CUDA 12.4 on the device, and libatomic on the host. An object whose bytes are all zero is ready.
template <class Value, uint32 Size, uint32 Stages = 2>
class peer_mailbox {
  static_assert(is_trivially_copyable<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8),
                "peer_mailbox: the value must be trivially copyable and have 4 or 8 bytes; pack smaller values");
  static_assert(0 < Size && 0 < Stages, "peer_mailbox: a message needs at least one value, and the ring one stage");

 public:
  // The type of a value.
  using value_type = Value;
  // The number of values of a message.
  static constexpr uint32 size = Size;
  // The number of messages of the ring.
  static constexpr uint32 stages = Stages;

  // Trivial: the object is not initialized, except in static storage, where its bytes are zero.
  peer_mailbox() = default;
  peer_mailbox(const peer_mailbox&) = delete;
  peer_mailbox& operator=(const peer_mailbox&) = delete;

  // Stores the value of this index, 0 to Size - 1, of a message. Relaxed. Any thread calls it, once for each index.
  CUDASYNC_API void put(uint32 number, uint32 index, const Value& value, caller where = caller::here()) {
    CUDASYNC_ASSERT(index < Size, "peer_mailbox: the index must be below Size");
    backend::put_numbered(target::here{}, cells_[number % Stages][index], number, value, where);
  }

  // Blocks until the value has come, and returns it. Relaxed. Any number of threads call it. Hangs are reported.
  [[nodiscard]] CUDASYNC_API Value take(uint32 number, uint32 index, caller where = caller::here()) const {
    checked::note(target::here{}, where);
    CUDASYNC_ASSERT(index < Size, "peer_mailbox: the index must be below Size");
    return backend::take_numbered(target::here{}, cells_[number % Stages][index], number, index);
  }

 private:
  backend::numbered<Value> cells_[Stages][Size];
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
