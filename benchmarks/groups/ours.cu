// The contestant cudasync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>

#include "cluster.h"
#include "grid_barrier.h"
#include "hand_off.h"
#include "library.h"
#include "named_barrier.h"

namespace bench { namespace {

template <unsigned Threads>
struct immediates : cudasync::named_barrier<1, Threads> {
  __device__ __forceinline__ explicit immediates(unsigned) {}
};

template <unsigned>
struct immediate_id : cudasync::named_barrier<1> {
  __device__ __forceinline__ explicit immediate_id(unsigned) {}
};

template <unsigned>
struct registers : cudasync::dynamic_named_barrier {
  __device__ __forceinline__ explicit registers(unsigned id) : dynamic_named_barrier(id, blockDim.x) {}
};

template <int Threads>
using full_barrier = cudasync::named_barrier<1, Threads>;
template <int Threads>
using empty_barrier = cudasync::named_barrier<2, Threads>;

// The half of the consumer arrives once more than it waits, and the half of the producer waits for this arrival.
template <int Threads>
struct named_barriers {
  struct shared {};
  static __device__ __forceinline__ void init(shared&) {}

  struct producer {
    __device__ __forceinline__ explicit producer(shared&) {}
    __device__ __forceinline__ ~producer() { acquire(); }
    __device__ __forceinline__ void acquire() { empty_barrier<Threads>::sync(); }
    __device__ __forceinline__ void commit() { full_barrier<Threads>::arrive(); }
  };

  struct consumer {
    __device__ __forceinline__ explicit consumer(shared&) { release(); }
    __device__ __forceinline__ void wait() { full_barrier<Threads>::sync(); }
    __device__ __forceinline__ void release() { empty_barrier<Threads>::arrive(); }
  };
};

template <int Threads>
struct channel {
  using named = cudasync::named_channel<full_barrier<Threads>, empty_barrier<Threads>>;

  struct shared {};
  static __device__ __forceinline__ void init(shared&) {}

  struct producer : named::producer {
    __device__ __forceinline__ explicit producer(shared&) {}
  };
  struct consumer : named::consumer {
    __device__ __forceinline__ explicit consumer(shared&) {}
  };
};

// A free function, because a member named init would hide the function of the library.
template <class Barrier>
__device__ __forceinline__ void initialize_for_one(Barrier* bar) {
  init(bar, 1);
}

struct remote {
  cudasync::barrier<cudasync::thread_scope_cluster> bar;

  __device__ __forceinline__ void init() { initialize_for_one(&bar); }
  __device__ __forceinline__ cudasync::remote_barrier in_block(unsigned rank) {
    return cudasync::remote_barrier(bar, rank);
  }
  static __device__ __forceinline__ void arrive(const cudasync::remote_barrier& there) { there.arrive(); }
  __device__ __forceinline__ void wait_parity(unsigned phase) { bar.wait_parity((phase & 1) != 0); }
};

struct grid {
  cudasync::grid_barrier<> bar;

  __device__ __forceinline__ void arrive_and_wait() { bar.arrive_and_wait(); }
};

struct split_grid {
  cudasync::grid_barrier<> bar;

  __device__ __forceinline__ void arrive_and_wait() { bar.wait(bar.arrive()); }
};

const bool is_enrolled = [] {
  enroll_named_barrier<immediates>(id_and_threads_given, "cudasync", "ours");
  enroll_named_barrier<immediate_id>(id_given, "cudasync", "ours");
  enroll_named_barrier<registers>(nothing_given, "cudasync, dynamic_named_barrier", "ours");
  enroll_hand_off<named_barriers>("cudasync, named_barrier", "ours", "sm90");
  enroll_hand_off<channel>("cudasync, named_channel", "ours", "sm90");
  enroll_cluster_barrier<cudasync::cluster_barrier>("cudasync", "ours");
  enroll_remote_barrier<remote>("cudasync", "ours");
  enroll_grid_barrier<grid>("cudasync", "ours");
  enroll_grid_barrier<split_grid>("cudasync, arrive, then wait", "design");
  enroll_library("cudasync", "ours");
  return true;
}();

}}  // namespace bench
