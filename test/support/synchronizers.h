// Every way to synchronize threads over an object, and an exchange of numbers in plain memory by it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_SYNCHRONIZERS_H
#define CUDASYNC_TEST_SUPPORT_SYNCHRONIZERS_H

#include "gpu_test.h"

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/barrier>

constexpr unsigned most_members = 256;
constexpr unsigned exchange_rounds = 500;

// --- The ways to synchronize: init_for by one thread, then sync by each of them, with what it keeps for itself ---

struct keeps_nothing {
  template <class Way>
  __device__ explicit keeps_nothing(Way&) {}
};

struct nothing {
  __device__ void operator()() {}
};

// One form of arriving and waiting a kernel: with several of them in a loop, ptxas leaves stores where they are that it else
// moves behind an arrival without order.
enum class form { together, by_token, by_parity };

template <class Barrier, form Form>
struct barrier_of {
  using own = keeps_nothing;
  Barrier bar;

  __device__ void init_for(unsigned threads) { init(&bar, threads); }
  __device__ void sync(own&, [[maybe_unused]] unsigned round, unsigned, unsigned) {
    if constexpr (Form == form::together) {
      bar.arrive_and_wait();
    } else if constexpr (Form == form::by_token) {
      bar.wait(bar.arrive());
    } else {
      static_cast<void>(bar.arrive());
      while (!bar.try_wait_parity(round % 2 != 0)) {
      }
    }
  }
};

// A latch serves once.
template <cuda::thread_scope Scope, form Form>
struct latches_of {
  using own = keeps_nothing;
  cuda::latch<Scope> latches[exchange_rounds];

  __device__ void init_for(unsigned threads) {
    for (cuda::latch<Scope>& latch : latches)
      init(&latch, threads);
  }
  __device__ void sync(own&, unsigned round, unsigned, unsigned) {
    if constexpr (Form == form::together) {
      latches[round].arrive_and_wait();
    } else {
      latches[round].count_down();
      latches[round].wait();
    }
  }
};

// The first thread takes a permit of each, then gives one to each. Two of both, so that nobody takes one of the next round.
template <cuda::thread_scope Scope>
struct semaphores_of {
  using own = keeps_nothing;
  cuda::counting_semaphore<Scope> here[2], on[2];

  __device__ void init_for(unsigned) {
    for (unsigned index = 0; index < 2; ++index) {
      init(&here[index], 0);
      init(&on[index], 0);
    }
  }
  __device__ void sync(own&, unsigned round, unsigned rank, unsigned threads) {
    here[round % 2].release();
    if (rank == 0) {
      for (unsigned count = 0; count < threads; ++count)
        here[round % 2].acquire();
      on[round % 2].release(threads);
    }
    on[round % 2].acquire();
  }
};

// A permit goes from thread to thread, and back.
template <cuda::thread_scope Scope>
struct binary_semaphores_of {
  using own = keeps_nothing;
  cuda::binary_semaphore<Scope> up[most_members], down[most_members];

  __device__ void init_for(unsigned threads) {
    for (unsigned index = 0; index < threads; ++index) {
      init(&up[index], index == 0 ? 1 : 0);
      init(&down[index], 0);
    }
  }
  __device__ void sync(own&, unsigned, unsigned rank, unsigned threads) {
    up[rank].acquire();
    (rank + 1 == threads ? down[rank] : up[rank + 1]).release();
    down[rank].acquire();
    (rank == 0 ? up[0] : down[rank - 1]).release();
  }
};

// A round is a stage of which every thread is a producer and a consumer.
template <cuda::thread_scope Scope>
struct pipeline_of {
  struct own {
    __device__ explicit own(pipeline_of& way) : pipe(way.state, true, true) {}
    cuda::pipeline<Scope> pipe;
  };
  cuda::pipeline_shared_state<Scope, 2> state;

  __device__ void init_for(unsigned threads) {
    state.start(threads * (cudasync::one_member + cudasync::one_producer + cudasync::one_consumer), threads, threads);
  }
  __device__ void sync(own& handle, unsigned, unsigned, unsigned) {
    handle.pipe.producer_acquire();
    handle.pipe.producer_commit();
    handle.pipe.consumer_wait();
    handle.pipe.consumer_release();
  }
};

// --- Exchange: a stale read shows as a number of an earlier round ---

__device__ __forceinline__ unsigned number(unsigned round, unsigned rank) {
  return round * most_members + rank;
}

// data: two words for each thread. Looks at the other's word as soon as it may: a store that is late is not late by much.
template <class Way>
__device__ void exchange(Way& way, unsigned* data, unsigned rank, unsigned threads) {
  typename Way::own own(way);
  const unsigned other = (rank + 33) % threads;  // of another warp, but in one
  unsigned* now = data;
  unsigned* then = data + threads;
  for (unsigned round = 0; round < exchange_rounds; ++round) {
    now[rank] = number(round, rank);
    way.sync(own, round, rank, threads);
    DEVICE_CHECK(now[other] == number(round, other));
    unsigned* const next = then;
    then = now;
    now = next;
  }
}

#endif
