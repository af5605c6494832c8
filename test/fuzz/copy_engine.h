// Executes the steps that use the copy engine, and those of clusters, on sm_90 and newer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_FUZZ_COPY_ENGINE_H
#define CUDASYNC_TEST_FUZZ_COPY_ENGINE_H

#include "interpreter.h"

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cudasync/cluster_barrier.h>

namespace fuzz {

// What uses the copy engine depends on a template parameter, because other architectures compile this file, too.

constexpr cuda::aligned_size_t<16> size_of_row(sizeof(int) * row);

// By one lane of each warp: the others may have ended.
inline __device__ void clear(int* words, uint32_t count) {
  if (threadIdx.x % 32 != 0) return;
  for (uint32_t index = threadIdx.x / 32; index < count; index += blockDim.x / 32)
    words[index] = 0;
}

// A ring and its stages. In each stage there is a row for each agent.
template <uint32_t Ring, class Consumers, uint32_t Blocks = 1>
struct ring_of_rows {
  using pipeline = cudasync::bulk_pipeline<stages_of_ring[Ring], Consumers, Blocks>;

  alignas(16) int rows[stages_of_ring[Ring]][agents][row];
  pipeline pipe;

  template <class Group>
  __device__ void prepare(const Group& group) {
    clear(&rows[0][0][0], sizeof rows / sizeof(int));
    pipe.init(group);
  }
};

// What an agent has of a ring: one of its lanes produces, or all of them consume.
template <uint32_t Ring, class Consumers, uint32_t Blocks = 1>
class side_of_ring {
 public:
  using rows = ring_of_rows<Ring, Consumers, Blocks>;
  using pipeline = typename rows::pipeline;

  __device__ explicit side_of_ring(rows& of) : of_(of) {}

  template <class Runner>
  __device__ void use(const step& now, Runner& in) {
    pipeline& pipe = of_.pipe;
    switch (now.what) {
    case ring_acquire:
      if (is_filling_) in_.advance();
      is_filling_ = true;
      if (in.is_leader()) acquire(now, in);
      return;
    case ring_copy:
    case ring_cast:
      if (in.is_leader()) copy(now, in);
      return;
    case ring_wait:
      if (now.way == 0) return pipe.consumer_wait(out_);
      while (!pipe.try_consumer_wait(out_)) {
      }
      return;
    case ring_read:
      return in.check(of_.rows[now.parity][now.other], now.value);
    case ring_write:
      return in.write(of_.rows[now.parity][now.other], now.value);
    case ring_release:
      release(in);
      return out_.advance();
    default:
      if (is_filling_) in_.advance();
      is_filling_ = false;
      if (in.is_leader()) pipe.producer_tail(in_);
    }
  }

 private:
  template <class Runner>
  __device__ void acquire(const step& now, Runner& in) {
    const uint32_t bytes = now.other * static_cast<uint32_t>(size_of_row);
    if (now.way == 0) return of_.pipe.producer_acquire(in_, bytes);
    if (now.way == 2)
      return of_.pipe.acquire_and_copy(in_, of_.rows[in_.index()][now.other], in.cell(now.value), size_of_row);
    while (!of_.pipe.try_producer_acquire(in_, bytes)) {
    }
  }
  template <class Runner>
  __device__ void copy(const step& now, Runner& in) {
    if (now.way == 1) cudasync::device::fence_before_bulk_copy<typename Runner::here>();
    int* const to = of_.rows[in_.index()][now.other];
    if (now.what == ring_copy) return of_.pipe.copy(in_, to, in.cell(now.value), size_of_row);
    if constexpr (Blocks > 1)
      of_.pipe.copy_to_blocks(in_, to, in.cell(now.value), size_of_row, static_cast<cudasync::uint16>(now.parity));
  }
  // All lanes, of which one arrives; or one lane for the group.
  template <class Runner>
  __device__ void release(Runner& in) {
    if constexpr (Consumers::threads == 32) {
      of_.pipe.consumer_release(out_);
    } else {
      if constexpr (Blocks > 1) {
        if (!in.is_leader()) cudasync::device::fence_before_bulk_copy<typename Runner::here>();
      }
      in.lanes().sync();
      if (in.is_leader()) of_.pipe.consumer_release(out_);
    }
  }

  rows& of_;
  typename pipeline::producer_state in_;
  typename pipeline::consumer_state out_;
  bool is_filling_ = false;
};

// --- In a block: rings, and stores to global memory ---

using wide_ring = ring_of_rows<0, cudasync::consumer_warps<3>>;
using narrow_ring = ring_of_rows<1, cudasync::consumer_threads<2>>;

class steps_of_block {
 public:
  __device__ steps_of_block(wide_ring& wide, narrow_ring& narrow) : wide_(wide), narrow_(narrow) {}

  template <class Runner>
  __device__ void use(const step& now, Runner& in) {
    if (now.what < store_begin) return now.object == 0 ? wide_.use(now, in) : narrow_.use(now, in);
    if (in.is_leader()) store(now, in);
  }

 private:
  template <class Runner>
  __device__ void store(const step& now, Runner& in) {
    namespace device = cudasync::device;
    using here = typename Runner::here;
    const bool is_whole = now.what == store_wait;
    if (now.what == store_begin) {
      device::fence_before_bulk_copy<here>();
      return device::bulk_store<here>(in.cell(now.other), in.cell(now.object), size_of_row);
    }
    if (now.what == store_commit) return device::bulk_commit<here>();
    if (now.object == 0) return is_whole ? device::bulk_wait<0, here>() : device::bulk_wait_read<0, here>();
    if (now.object == 1) return is_whole ? device::bulk_wait<1, here>() : device::bulk_wait_read<1, here>();
    return is_whole ? device::bulk_wait<2, here>() : device::bulk_wait_read<2, here>();
  }

  side_of_ring<0, cudasync::consumer_warps<3>> wide_;
  side_of_ring<1, cudasync::consumer_threads<2>> narrow_;
};

// --- In a cluster: memory and barriers of the other block, and a ring that both blocks fill ---

using cluster_rows = ring_of_rows<cluster_ring, cudasync::consumer_threads<1>, 2>;

template <class Here>
constexpr cuda::thread_scope cluster_scope = cuda::thread_scope_cluster;

template <class Here>
struct memory_of_cluster {
  cluster_rows ring;
  cuda::barrier<cluster_scope<Here>> bars[remotes / 2];
  int rows[nears / 2][row];

  template <class Group>
  __device__ void prepare(const Group& cluster, const settings_of_program& with) {
    clear(&rows[0][0], sizeof rows / sizeof(int));
    const uint32_t* const arrivals = &with.arrivals[cluster.block_rank() * (remotes / 2)];
    cudasync::init_barriers(cluster, cudasync::expects(bars[0], arrivals[0] * with.lanes),
                            cudasync::expects(bars[1], arrivals[1] * with.lanes));
    ring.prepare(cluster);
  }
};

template <class Here>
class steps_of_cluster {
 public:
  __device__ explicit steps_of_cluster(memory_of_cluster<Here>& of) : of_(of), ring_(of.ring) {}

  template <class Runner>
  __device__ void use(const step& now, Runner& in) {
    if (now.what < store_begin) return ring_.use(now, in);
    switch (now.what) {
    case near_write:
      return in.write(row_of(now.object), now.value);
    case near_read:
      return in.check(row_of(now.object), now.value);
    case remote_wait:
      return wait(of_.bars[now.object % 2], now);
    default:
      arrive(of_.bars[now.object % 2], now, in);
    }
  }

 private:
  template <class Index>
  __device__ int* row_of(Index index) const {
    const Index near = index - cells - sources;
    return static_cast<int*>(__cluster_map_shared_rank(of_.rows[near % 2], near / 2));
  }
  template <class Bar>
  __device__ static void wait(Bar& bar, const step& now) {
    const bool parity = now.parity != 0;
    if (now.way == 0) return bar.wait_parity(parity);
    while (!(now.way == 1 ? bar.try_wait_parity(parity) : bar.try_wait_parity_for(parity, millisecond{}))) {
    }
  }
  template <class Bar, class Runner>
  __device__ static void arrive(Bar& bar, const step& now, Runner& in) {
    const cudasync::remote_barrier there(bar, now.object / 2);
    const auto lanes = static_cast<int>(in.lanes().count());
    if (now.what == remote_drop) return there.arrive_and_drop();
    if (now.way == 0) return there.arrive();
    if (now.way == 2) return static_cast<void>(bar.arrive());
    if (in.is_leader()) there.arrive(lanes);
  }

  memory_of_cluster<Here>& of_;
  side_of_ring<cluster_ring, cudasync::consumer_threads<1>, 2> ring_;
};

// Without the copy engine there are no such steps.
struct no_others {
  template <class Runner>
  __device__ void use(const step&, const Runner&) const {}
};

}  // namespace fuzz

#endif
