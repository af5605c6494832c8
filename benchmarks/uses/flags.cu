// Uses of flags between blocks and warps: look-back, messages, turns, the last block, locks, queues and wavefronts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.h"

namespace bench { namespace {

// Waits in a loop of loads, or with the member function wait.
template <bool IsWait, class Atomic>
__device__ __forceinline__ void wait_for(Atomic& flag, u32 wanted) {
  if constexpr (IsWait) {
    for (u32 now; (now = flag.load(acquire)) != wanted;)
      flag.wait(now, acquire);
  } else {
    while (flag.load(acquire) != wanted) {
    }
  }
}

// --- Decoupled look-back: the sum of all tiles before a tile ---

enum : u32 { is_missing, is_sum_of_tile, is_prefix };
constexpr u32 most_tiles = 1 << 19;

// The first warp looks at 32 tiles at a time, whose state and value are in one word.
struct packed_states {
  device_atomic<u64>* const states;

  __device__ __forceinline__ explicit packed_states(const memory* of)
      : states(of->state_as<device_atomic<u64>>(1024)) {}

  __device__ __forceinline__ void put(u32 tile, u32 state, u32 value) {
    states[tile].store(u64{state} << 32 | value, relaxed);
  }
  __device__ __forceinline__ u32 prefix_of(u32 tile, u32 sum) {
    const int lane = threadIdx.x;
    u32 prefix = 0;
    if (lane == 0) put(tile, tile == 0 ? is_prefix : is_sum_of_tile, sum);
    for (int last = static_cast<int>(tile) - 1; last >= 0; last -= 32) {
      u64 seen = last >= lane ? states[last - lane].load(relaxed) : u64{is_prefix} << 32;
      while (__any_sync(~0u, seen >> 32 == is_missing))
        if (seen >> 32 == is_missing) seen = states[last - lane].load(relaxed);
      const u32 prefixes = __ballot_sync(~0u, seen >> 32 == is_prefix);
      const int nearest = prefixes != 0 ? __ffs(prefixes) - 1 : 31;
      prefix += __reduce_add_sync(~0u, lane <= nearest ? static_cast<u32>(seen) : 0);
      if (prefixes != 0) break;
    }
    if (lane == 0 && tile != 0) put(tile, is_prefix, prefix + sum);
    return prefix;
  }
};

// One thread looks at a tile at a time, whose flag protects the values.
struct flagged_values {
  u32* const flags;

  __device__ __forceinline__ explicit flagged_values(const memory* of) : flags(of->state_as<u32>(1024)) {}

  __device__ __forceinline__ u32 prefix_of(u32 tile, u32 sum) {
    if (threadIdx.x != 0) return 0;
    volatile u32* const sums = flags + most_tiles;
    volatile u32* const prefixes = sums + most_tiles;
    sums[tile] = sum;
    device_ref<u32>(flags[tile]).store(is_sum_of_tile, release);
    u32 prefix = 0;
    for (int before = static_cast<int>(tile) - 1; before >= 0;) {
      const u32 state = device_ref<u32>(flags[before]).load(acquire);
      if (state == is_missing) continue;
      prefix += state == is_prefix ? prefixes[before] : sums[before];
      if (state == is_prefix) break;
      --before;
    }
    prefixes[tile] = prefix + sum;
    device_ref<u32>(flags[tile]).store(is_prefix, release);
    return prefix;
  }
};

template <class States, int Threads>
__global__ void look_back(const memory* of, int rounds) {
  __shared__ u32 tile_of_block, prefix_of_block, of_warps[Threads / 32];
  const u32 tiles = min(static_cast<u32>(rounds) * gridDim.x, most_tiles);
  States states(of);
  u32 total = 0;
  for (;;) {
    if (threadIdx.x == 0) tile_of_block = device_ref<u32>(*of->state_as<u32>()).fetch_add(1, relaxed);
    __syncthreads();
    const u32 tile = tile_of_block;
    if (tile >= tiles) break;
    const u32 of_warp = __reduce_add_sync(~0u, tile & 7);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    if (threadIdx.x < 32) {
      const u32 sum = __reduce_add_sync(~0u, threadIdx.x < Threads / 32 ? of_warps[threadIdx.x] : 0);
      const u32 prefix = states.prefix_of(tile, sum);
      if (threadIdx.x == 0) prefix_of_block = prefix;
    }
    __syncthreads();
    total += (prefix_of_block + threadIdx.x) * mixed(tile);
  }
  atomicAdd(of->results_as<u32>(), total);
}

// --- Two blocks pass a message to and fro ---

struct by_loads {
  using flag = device_atomic<u32>;
  static __device__ __forceinline__ void put(flag& at, u32 value) { at.store(value, release); }
  static __device__ __forceinline__ void get(flag& at, u32 value) { wait_for<false>(at, value); }
};
struct by_fences : by_loads {
  static __device__ __forceinline__ void put(flag& at, u32 value) {
    device_fence(release);
    at.store(value, relaxed);
  }
  static __device__ __forceinline__ void get(flag& at, u32 value) {
    while (at.load(relaxed) != value) {
    }
    device_fence(acquire);
  }
};
template <class Flag>
struct by_wait {
  using flag = Flag;
  static __device__ __forceinline__ void put(flag& at, u32 value) {
    at.store(value, release);
    at.notify_one();
  }
  static __device__ __forceinline__ void get(flag& at, u32 value) { at.wait(value - 1, acquire); }
};
template <class How, bool IsAllLanes>
__global__ void to_and_fro(const memory* of, int rounds) {
  auto& flag = *of->state_as<typename How::flag>();
  volatile u32* const messages[2] = {of->state_as<u32>(512), of->state_as<u32>(640)};
  const u32 block = blockIdx.x;
  u32 sum = 0;
  if (!IsAllLanes && threadIdx.x != 0) return;
  const auto send = [&](u32 number) {
    if (threadIdx.x == 0) {
      *messages[block] = message(number, block);
      How::put(flag, number);
    }
    if (IsAllLanes) __syncwarp();
  };
  for (u32 round = 0; round < static_cast<u32>(rounds); ++round) {
    if (block == 0) send(2 * round + 1);
    How::get(flag, 2 * round + 1 + (block == 0));
    sum = sum * 3 + *messages[1 - block];
    if (IsAllLanes) __syncwarp();
    if (block == 1) send(2 * round + 2);
  }
  of->results_as<u32>()[thread_of_grid<32>()] = sum;
}

// --- One block and all others ---

// Block 0 publishes a value. All others wait for it, by one thread or all threads, and confirm.
template <bool IsWait, bool IsAllThreads, int Threads>
__global__ void publish(const memory* of, int rounds) {
  auto& published = *of->state_as<device_atomic<u32>>();
  auto& confirmed = *of->state_as<device_atomic<u32>>(256);
  volatile u32* const value = of->state_as<u32>(512);
  u32 sum = 0;
  for (u32 round = 0; round < static_cast<u32>(rounds); ++round) {
    if (blockIdx.x == 0) {
      if (threadIdx.x == 0) {
        *value = message(round, 0);
        published.store(round + 1, release);
        published.notify_all();
        wait_for<IsWait>(confirmed, (round + 1) * (gridDim.x - 1));
      }
      __syncthreads();
      sum = sum * 3 + message(round, 0);
    } else {
      if (IsAllThreads || threadIdx.x == 0) wait_for<IsWait>(published, round + 1);
      if (!IsAllThreads) __syncthreads();
      sum = sum * 3 + *value;
      __syncthreads();
      if (threadIdx.x == 0) {
        confirmed.fetch_add(1, release);
        confirmed.notify_one();
      }
    }
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// The last block adds up the results of all blocks.
struct with_acq_rel {
  static __device__ __forceinline__ u32 count(u32& blocks) { return device_ref<u32>(blocks).fetch_add(1, acq_rel); }
};
struct with_default_order {
  static __device__ __forceinline__ u32 count(u32& blocks) { return device_ref<u32>(blocks).fetch_add(1); }
};
struct with_fences {
  static __device__ __forceinline__ u32 count(u32& blocks) {
    device_fence(release);
    const u32 old = device_ref<u32>(blocks).fetch_add(1, relaxed);
    device_fence(acquire);
    return old;
  }
};
template <class How, int Threads>
__global__ void last_block(const memory* of, int rounds) {
  __shared__ bool is_last;
  u32 total = 0;
  for (u32 round = 0; round < static_cast<u32>(rounds) && (round + 1) * gridDim.x < most_tiles; ++round) {
    volatile u32* const parts = of->state_as<u32>(65536) + round * gridDim.x;
    if (threadIdx.x == 0) {
      parts[blockIdx.x] = mixed(round * gridDim.x + blockIdx.x);
      is_last = How::count(of->state_as<u32>()[round & 0x3fff]) == gridDim.x - 1;
    }
    __syncthreads();
    for (u32 block = threadIdx.x; is_last && block < gridDim.x; block += Threads)
      total += parts[block] * (round * 2 + 1);
    __syncthreads();
  }
  if (total != 0) atomicAdd(of->results_as<u32>(), total);
}

// Each block sets its flag, and each thread waits for the flag of another block.
template <bool IsWait, int Threads>
__global__ void all_to_all(const memory* of, int rounds) {
  auto* const flags = of->state_as<device_atomic<u32>>();
  const u32 thread = threadIdx.x;
  u32 sum = 0;
  for (u32 round = 0; round < static_cast<u32>(rounds); ++round) {
    volatile u32* const values = of->state_as<u32>(65536) + round % 2 * 1024;
    if (thread == 0) {
      values[blockIdx.x] = message(round, blockIdx.x);
      flags[blockIdx.x].store(round + 1, release);
      flags[blockIdx.x].notify_all();
    }
    if (thread < gridDim.x) {
      for (u32 now; (now = flags[thread].load(acquire)) <= round;)
        if constexpr (IsWait) flags[thread].wait(now, acquire);
      sum = sum * 3 + values[thread];
    }
    __syncthreads();
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// --- Turns ---

// Blocks add to a tile one after another, as in a stream-K product.
template <int Contributors, bool IsWait, int Threads>
__global__ void turns_of_blocks(const memory* of, int rounds) {
  const u32 tile = blockIdx.x / Contributors, number = blockIdx.x % Contributors;
  auto& turn = of->state_as<device_atomic<u32>>()[tile * 32];
  volatile u32* const sum = of->state_as<u32>(65536) + tile * Threads + threadIdx.x;
  for (u32 round = 0; round < static_cast<u32>(rounds); ++round) {
    const u32 mine = round * Contributors + number;
    const u32 value = work<32>(threadIdx.x + round);
    if (threadIdx.x == 0) wait_for<IsWait>(turn, mine);
    __syncthreads();
    *sum = *sum * 3 + number + value;
    __syncthreads();
    if (threadIdx.x == 0) {
      turn.store(mine + 1, release);
      turn.notify_all();
    }
  }
  if (number == Contributors - 1) of->results_as<u32>()[thread_of_grid<Threads>()] = *sum;
}

// The warps of a block pass a value around in shared memory.
template <bool IsWait, bool IsAllLanes, int Work, int Threads>
__global__ void turns_of_warps(const memory* of, int rounds) {
  __shared__ u32 value_of_block;
  __shared__ block_atomic<u32> turn;
  volatile u32& value = value_of_block;
  if (threadIdx.x == 0) {
    turn.store(0, relaxed);
    value = 1;
  }
  __syncthreads();
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  u32 sum = 0;
  for (u32 round = 0; round < static_cast<u32>(rounds); ++round) {
    const u32 mine = round * (Threads / 32) + warp;
    sum = work<Work>(sum);
    if (IsAllLanes || lane == 0) wait_for<IsWait>(turn, mine);
    __syncwarp();
    sum += value;
    __syncwarp();
    if (lane == 0) {
      value = message(round, warp);
      turn.store(mine + 1, release);
      turn.notify_all();
    }
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// --- Locks and a queue ---

struct spin_lock {
  device_atomic<int> is_locked;
  __device__ __forceinline__ bool try_lock() { return is_locked.exchange(1, acquire) == 0; }
  __device__ __forceinline__ void unlock() { is_locked.store(0, release); }
};
// A counter behind each of several locks. The threads of a warp compete too, or one thread of each block competes.
template <int Locks, bool IsAllThreads, int Threads>
__global__ void spin_locks(const memory* of, int rounds) {
  if (!IsAllThreads && threadIdx.x != 0) return;
  for (u32 round = 0; round < static_cast<u32>(rounds); ++round) {
    const u32 index = mixed(thread_of_grid<Threads>() + round * 7919) % Locks;
    spin_lock& lock = of->state_as<spin_lock>()[index];
    volatile u32* const count = of->results_as<u32>() + index;
    for (bool is_done = false; !is_done;)
      if (lock.try_lock()) {
        *count = *count + 1;
        lock.unlock();
        is_done = true;
      }
  }
}

// A bounded queue of many producers and consumers: a cell has twice the number of its use, and one more if it is full.
template <int Cells>
__global__ void bounded_queue(const memory* of, int rounds) {
  const device_ref<u32> tail(*of->state_as<u32>()), head(*of->state_as<u32>(256));
  auto* const cells = of->state_as<device_atomic<u32>>(1024);
  volatile u32* const values = of->state_as<u32>(65536);
  u32 sum = 0;
  for (u32 round = 0; round < static_cast<u32>(rounds) && threadIdx.x == 0; ++round) {
    const u32 put = tail.fetch_add(1, relaxed);
    wait_for<false>(cells[put % Cells], put / Cells * 2);
    values[put % Cells] = mixed(round * gridDim.x + blockIdx.x);
    cells[put % Cells].store(put / Cells * 2 + 1, release);
    const u32 taken = head.fetch_add(1, relaxed);
    wait_for<false>(cells[taken % Cells], taken / Cells * 2 + 1);
    sum += values[taken % Cells];
    cells[taken % Cells].store(taken / Cells * 2 + 2, release);
  }
  if (threadIdx.x == 0) atomicAdd(of->results_as<u32>(), sum);
}

// Each block computes a row of cells, and a cell waits for the one above it.
template <int Columns, int Threads>
__global__ void wavefront(const memory* of, int rounds) {
  const u32 row = blockIdx.x;
  auto& done = of->state_as<device_atomic<u32>>()[row * 32];
  auto& done_above = of->state_as<device_atomic<u32>>()[(row == 0 ? 0 : row - 1) * 32];
  volatile u32* const cells = of->state_as<u32>(65536) + row * 4096;
  u32 sum = 0;
  for (u32 cell = 1; cell <= static_cast<u32>(rounds) * Columns; ++cell) {
    if (row != 0 && threadIdx.x == 0)
      for (u32 now; static_cast<int>((now = done_above.load(acquire)) - cell) < 0;)
        done_above.wait(now, acquire);
    __syncthreads();
    if (row != 0) sum = sum * 3 + *(cells - 4096 + cell % 4096);
    if (threadIdx.x == 0) {
      cells[cell % 4096] = message(cell, row);
      done.fetch_add(1, release);
      done.notify_all();
    }
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

const bool is_enrolled = [] {
  using waiting = by_wait<device_atomic<u32>>;
  enroll("flags: look-back, packed",
         {{look_back<packed_states, 128>, 132, 128, 1}, {look_back<packed_states, 256>, 528, 256, 1}});
  enroll("flags: look-back, flags",
         {{look_back<flagged_values, 128>, 132, 128, 1}, {look_back<flagged_values, 512>, 264, 512, 1}});
  enroll("flags: to and fro, loads", {{to_and_fro<by_loads, false>, 2, 32}});
  enroll("flags: to and fro, loads by all lanes", {{to_and_fro<by_loads, true>, 2, 32}});
  enroll("flags: to and fro, wait", {{to_and_fro<waiting, false>, 2, 32}});
  enroll("flags: to and fro, wait by all lanes", {{to_and_fro<waiting, true>, 2, 32}});
  enroll("flags: to and fro, wait, system scope", {{to_and_fro<by_wait<system_atomic<u32>>, false>, 2, 32}});
  enroll("flags: to and fro, fences", {{to_and_fro<by_fences, false>, 2, 32}});
  enroll("flags: publish, loads", {{publish<false, false, 128>, 132, 128}});
  enroll("flags: publish, wait", {{publish<true, false, 128>, 132, 128}, {publish<true, false, 256>, 528, 256}});
  enroll("flags: publish, wait by all threads", {{publish<true, true, 64>, 132, 64}});
  enroll("flags: last block, acq_rel", {{last_block<with_acq_rel, 128>, 132, 128, 1}});
  enroll("flags: last block, default order", {{last_block<with_default_order, 256>, 528, 256, 1}});
  enroll("flags: last block, fences", {{last_block<with_fences, 64>, 132, 64, 1}});
  enroll("flags: all to all, loads", {{all_to_all<false, 160>, 132, 160}});
  enroll("flags: all to all, wait", {{all_to_all<true, 32>, 16, 32}, {all_to_all<true, 160>, 132, 160}});
  enroll("flags: turns of 4 blocks, loads", {{turns_of_blocks<4, false, 128>, 132, 128}});
  enroll("flags: turns of 11 blocks, wait", {{turns_of_blocks<11, true, 256>, 132, 256}});
  enroll("flags: turns of 2 blocks, wait", {{turns_of_blocks<2, true, 256>, 528, 256}});
  enroll("flags: turns of warps, loads", {{turns_of_warps<false, false, 0, 128>, 132, 128}});
  enroll("flags: turns of warps, wait", {{turns_of_warps<true, false, 0, 256>, 132, 256}});
  enroll("flags: turns of warps, wait by all lanes", {{turns_of_warps<true, true, 0, 128>, 132, 128}});
  enroll("flags: turns of warps, wait, work", {{turns_of_warps<true, false, 64, 512>, 132, 512}});
  enroll("flags: lock, exchange", {{spin_locks<1, false, 32>, 132, 32, 4096}});
  enroll("flags: 4096 locks, exchange, all threads", {{spin_locks<4096, true, 128>, 132, 128, 4096}});
  enroll("flags: bounded queue of 256", {{bounded_queue<256>, 132, 32, 1}});
  enroll("flags: bounded queue of 1024", {{bounded_queue<1024>, 528, 32, 1}});
  enroll("flags: wavefront", {{wavefront<64, 32>, 16, 32}, {wavefront<64, 128>, 132, 128}});
  return true;
}();

}}  // namespace bench
