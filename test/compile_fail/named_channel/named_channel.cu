// Misuse with <cudasync/named_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/named_barrier.h>

// common:
using cudasync::named_barrier;

// misuse: different_threads
// The same threads meet at both barriers.
// ERROR: named_channel: both sides use both barriers; give each barrier the number of threads of the producer and the consumer together
// COMPILERS: nvrtc nvcc
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<2, 128>>;  // wrong
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<2, 256>>;  // right

__device__ void produce() {
  channel::producer out;
  out.acquire();
  out.commit();
}

// misuse: one_warp
// A warp that produces and one that consumes are two.
// ERROR: named_channel: both sides use both barriers; give each barrier the number of threads of the producer and the consumer together
using channel = cudasync::named_channel<named_barrier<1, 32>, named_barrier<2, 32>>;  // wrong
using channel = cudasync::named_channel<named_barrier<1, 64>, named_barrier<2, 64>>;  // right

__device__ void produce() {
  channel::producer out;
  out.acquire();
  out.commit();
}

// misuse: same_ids
// Full and empty are two conditions.
// ERROR: named_channel needs two barriers: give Full and Empty different ids
// COMPILERS: nvrtc nvcc
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<1, 256>>;  // wrong
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<2, 256>>;  // right

__device__ void produce() {
  channel::producer out;
  out.acquire();
  out.commit();
}

// misuse: without_threads
// Where some threads only arrive, their number is needed.
// ERROR: named_channel: both sides use both barriers; give each barrier the number of threads of the producer and the consumer together
using channel = cudasync::named_channel<named_barrier<1>, named_barrier<2>>;            // wrong
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<2, 256>>;  // right

__device__ void produce() {
  channel::producer out;
  out.acquire();
  out.commit();
}

// common:
using channel = cudasync::named_channel<cudasync::named_barrier<1, 256>, cudasync::named_barrier<2, 256>>;

__device__ void consume(channel::consumer& in) {
  // misuse: consumer_assigned
  // A consumer is not begun anew.
  // ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
  in = channel::consumer();  // wrong
  in.wait();                 // right

  // misuse: consumer_commits
  // The producer commits, and the consumer releases.
  // ERROR: has no member \"commit\"|has no member named .commit.
  in.commit();   // wrong
  in.release();  // right

  // misuse: consumer_copied
  // A thread of a side has one object.
  // ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
  channel::consumer copy(in);     // wrong
  copy.wait();                    // wrong
  channel::consumer& alias = in;  // right
  alias.wait();                   // right
}

// common:
using channel = cudasync::named_channel<cudasync::named_barrier<1, 256>, cudasync::named_barrier<2, 256>>;

__device__ void produce(channel::producer& out) {
  // misuse: producer_assigned
  // A producer is not begun anew.
  // ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
  out = channel::producer();  // wrong
  out.acquire();              // right

  // misuse: producer_copied
  // Each copy would wait for the last release at its end.
  // ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
  // COMPILERS: nvrtc nvcc
  channel::producer copy(out);     // wrong
  copy.acquire();                  // wrong
  channel::producer& alias = out;  // right
  alias.acquire();                 // right

  // misuse: producer_releases
  // The consumer releases, and the producer commits.
  // ERROR: has no member \"release\"|has no member named .release.
  out.release();  // wrong
  out.commit();   // right
}
