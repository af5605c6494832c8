// named_channel: a buffer that two groups of warps pass to each other, with two named barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_NAMED_NAMED_CHANNEL_H
#define CUDASYNC_NAMED_NAMED_CHANNEL_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/caller.h>
#include <cudasync/named/named_barrier.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Some warps of a block produce data and other warps consume it, one buffer at a time. Full and Empty are named
// barriers for the threads of both sides together.
//
//   using channel = cudasync::named_channel<ids::barrier<full, 256>, ids::barrier<empty, 256>>;
//   if (threadIdx.x < 128) {                    } else {
//     channel::producer out;                      channel::consumer in;
//     for (...) {                                 for (...) {
//       out.acquire();                              in.wait();
//       buffer[...] = ...;                          ... buffer[...] ...
//       out.commit();                               in.release();
//     }                                           }
//   }                                           }
//
// All threads of a side construct their object, call its functions alternately and as often as the other side, and
// destroy it. Each warp does so converged. The buffer is empty at first. The producer's destructor waits for the last
// release, and the consumer's destructor waits for the producer's. So arrivals and waits alternate on each barrier, and
// no warp arrives twice in a phase. After the destructors, both barriers are in the same state as before, and another
// channel may use them. If its sides are not the same warps, synchronize the block between the two: otherwise a warp
// that is ahead could arrive for the next channel in a phase of this one.
//
// Ordering: what the producer wrote before commit is visible to the consumer after wait; what the consumer read before
// release comes before what the producer writes after its next acquire.
template <class Full, class Empty>
class named_channel {
  static_assert(Full::id != Empty::id, "named_channel needs two barriers: give Full and Empty different ids");
  static_assert(
      Full::threads == Empty::threads && Full::threads >= 64,
      "named_channel: both sides use both barriers; give each barrier the number of threads of the producer and the "
      "consumer together");

 public:
  // The side that fills the buffer.
  class producer {
   public:
    // Does nothing. The checked build remembers the line, for the destructor.
    CUDASYNC_DEVICE producer(caller where = caller::here()) : from{where} {}
    producer(const producer&) = delete;
    producer& operator=(const producer&) = delete;
    // Waits for the last release. A report of a hang here names the line of the constructor.
    CUDASYNC_DEVICE ~producer() {
      Empty::sync(from);
      Full::arrive(from);
    }

    // Blocks until the buffer is empty. What the consumer read before its release is complete.
    CUDASYNC_DEVICE void acquire(caller where = caller::here()) { Empty::sync(where); }
    // Marks the buffer as full. Does not block. What this thread wrote is visible to the consumer after its wait.
    CUDASYNC_DEVICE void commit(caller where = caller::here()) { Full::arrive(where); }

   private:
    caller from;
  };

  // The side that empties the buffer.
  class consumer {
   public:
    // Marks the buffer as empty at first. Does not block.
    CUDASYNC_DEVICE consumer(caller where = caller::here()) : from{where} { Empty::arrive(where); }
    consumer(const consumer&) = delete;
    consumer& operator=(const consumer&) = delete;
    // Waits for the producer's destructor. A report of a hang here names the line of the constructor.
    CUDASYNC_DEVICE ~consumer() { Full::sync(from); }

    // Blocks until the buffer is full. What the producer wrote before its commit is visible.
    CUDASYNC_DEVICE void wait(caller where = caller::here()) { Full::sync(where); }
    // Marks the buffer as empty. Does not block. The producer may then overwrite what this thread has read.
    CUDASYNC_DEVICE void release(caller where = caller::here()) { Empty::arrive(where); }

   private:
    caller from;
  };
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
