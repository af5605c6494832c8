// peer_signal: a number that one block raises and a block of another GPU waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PEER_PEER_SIGNAL_H
#define CUDASYNC_PEER_PEER_SIGNAL_H

#include <cudasync/backend/grid/peer_number.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/watch.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// A number in the memory of the GPU that waits. One block, or host thread, signals 1, 2, 3 and so on; any number of
// blocks wait. All threads of a block call the functions, converged, and are also synchronized with each other.
//
//   to_right->signal(step);      // in the memory of the next GPU: the data of this step is there
//   from_left->wait(step);       // in this GPU's memory
//
// With a second object in the other direction, the two blocks have a ring: the receiver signals when it has read a
// stage, and the sender waits for step - stages before it writes the stage again.
//
// Ordering: what the block's threads wrote before signal(n) is visible at system scope to a block after wait(n).
//
// If all of its 4 bytes are zero, it is ready for use. Numbers wrap around; a wait must be less than 2^31 behind.
class peer_signal {
 public:
  // Trivial: the object is not initialized, except in static storage, where its bytes are zero.
  peer_signal() = default;
  peer_signal(const peer_signal&) = delete;
  peer_signal& operator=(const peer_signal&) = delete;

  // Sets the number, which must be greater than the one before; the checked build reports others. The threads of the
  // block wait for each other. Releases at system scope. All threads of the block call it, converged.
  CUDASYNC_API void signal(uint32 number, caller where = caller::here()) {
    checked::note(target::here{}, where);
    if constexpr (checked::is_on) checked::note_stored(target::here{}, this, number, where);
    backend::raise_number(target::here{}, number_, number, where);
  }

  // Blocks until the number is at least this one. Acquires at system scope. All threads of the block call it,
  // converged. The checked build reports a wait that does not end.
  CUDASYNC_API void wait(uint32 number, caller where = caller::here()) const {
    checked::note(target::here{}, where);
    backend::await_number(target::here{}, number_, number);
  }

 private:
  friend CUDASYNC_API uint32& number_of(peer_signal& object) { return object.number_; }

  uint32 number_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
