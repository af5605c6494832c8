// Uses of atomics: scattered sums, extremes, hash tables, free lists, flags, queues of work and small counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.h"

namespace bench { namespace {

// Additions to three arrays at the same random index.
template <class Value, int Stride, int Threads>
__global__ void scatter(const memory* of, int rounds) {
  Value* const sums[] = {of->results_as<Value>(), of->results_as<Value>(2 << 20), of->results_as<Value>(4 << 20)};
  const u32 mask = of->given.mask;
  u32 at = thread_of_grid<Threads>();
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    const u32 index = (of->indices[at & 0xfffff] & mask) * Stride;
    device_ref<Value>(sums[0][index]).fetch_add(Value(1), relaxed);
    device_ref<Value>(sums[1][index]).fetch_add(Value(2), relaxed);
    device_ref<Value>(sums[2][index]).fetch_add(Value(3), relaxed);
  }
}

// The minimum and the maximum of each of 64 buckets.
template <class Value, int Threads>
__global__ void extremes(const memory* of, int rounds) {
  __shared__ Value low[64], high[64];
  const int thread = threadIdx.x;
  if (thread < 64) low[thread] = high[thread] = 0;
  __syncthreads();
  u32 at = thread_of_grid<Threads>();
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    const u32 number = of->data_as<u32>()[at % data_words];
    const Value value = static_cast<Value>(static_cast<int>(number >> 8) - (1 << 23));
    block_ref<Value>(high[number & 63]).fetch_max(value, relaxed);
    block_ref<Value>(low[number & 63]).fetch_min(value, relaxed);
  }
  __syncthreads();
  if (thread < 128) of->results_as<Value>()[blockIdx.x * 128 + thread] = thread < 64 ? low[thread] : high[thread - 64];
}

// The number of values of a block, their sum, minimum and maximum.
template <int Threads>
__global__ void statistics(const memory* of, int rounds) {
  __shared__ u32 count, total, low, high;
  if (threadIdx.x == 0) {
    count = total = high = 0;
    low = ~0u;
  }
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const u32 value = of->data_as<u32>()[(thread_of_grid<Threads>() + round * gridDim.x * Threads) % data_words] >> 8;
    block_ref<u32>(count).fetch_add(1, relaxed);
    block_ref<u32>(total).fetch_add(value, relaxed);
    block_ref<u32>(low).fetch_min(value, relaxed);
    block_ref<u32>(high).fetch_max(value, relaxed);
  }
  __syncthreads();
  of->results_as<u32>()[thread_of_grid<Threads>()] = count * 3 + total * 5 + low * 7 + high;
}

// The largest value of each bucket, and where it is, in one atomic of 8 bytes.
struct alignas(8) found_maximum {
  float value;
  int index;

  __device__ __forceinline__ bool is_better_than(const found_maximum& other) const {
    return value > other.value || (value == other.value && index < other.index);
  }
};
template <int Buckets, int Threads>
__global__ void index_of_maximum(const memory* of, int rounds) {
  u32 at = thread_of_grid<Threads>();
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    const int index = static_cast<int>(at % data_words);
    const u32 number = of->data_as<u32>()[index];
    const found_maximum mine{static_cast<float>(number >> 8), index};
    const device_ref<found_maximum> best(of->results_as<found_maximum>()[number % Buckets]);
    found_maximum old = best.load(relaxed);
    while (mine.is_better_than(old))
      if (best.compare_exchange_weak(old, mine, relaxed, relaxed)) break;
  }
}

// A hash table that counts keys, with linear probing.
constexpr u32 capacity = 1 << 17;

__device__ __forceinline__ u32 key_at(const memory* of, u32 at) {
  return of->data_as<u32>()[at % data_words] % 60000 + 1;
}
template <int Threads>
__global__ void count_keys(const memory* of, int rounds) {
  u32* const keys = of->state_as<u32>();
  u32* const counts = keys + capacity;
  u32 at = thread_of_grid<Threads>();
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    const u32 key = key_at(of, at);
    for (u32 slot = mixed(key) % capacity;; slot = (slot + 1) % capacity) {
      u32 found = 0;
      if (device_ref<u32>(keys[slot]).compare_exchange_strong(found, key, relaxed, relaxed) || found == key) {
        device_ref<u32>(counts[slot]).fetch_add(1, relaxed);
        break;
      }
    }
  }
}
__global__ void sum_of_counts(const memory* of, int) {
  const u32* const keys = of->state_as<u32>();
  for (u32 slot = blockIdx.x * blockDim.x + threadIdx.x; slot < capacity; slot += gridDim.x * blockDim.x)
    if (keys[slot] != 0) atomicAdd(of->results_as<u32>(), mixed(keys[slot]) * keys[slot + capacity]);
}

// A hash table whose slots are atomics of 8 bytes: a key and a value.
struct alignas(8) key_and_value {
  u32 key, value;
};
template <int Threads>
__global__ void insert_pairs(const memory* of, int rounds) {
  u32 at = thread_of_grid<Threads>();
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    const u32 key = key_at(of, at);
    for (u32 slot = mixed(key) % capacity;; slot = (slot + 1) % capacity) {
      const device_ref<key_and_value> place(of->state_as<key_and_value>()[slot]);
      key_and_value found = place.load(relaxed);
      if (found.key == 0 && place.compare_exchange_strong(found, key_and_value{key, key * 3}, relaxed, relaxed))
        found = {key, key * 3};
      if (found.key == key) {
        sum += found.value;
        break;
      }
    }
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// A stack of indices, whose head has a tag. One thread of each block pushes and pops.
struct alignas(8) tagged_index {
  u32 index, tag;
};
__global__ void free_list(const memory* of, int rounds) {
  auto& head = *of->state_as<device_atomic<tagged_index>>();
  u32 mine = blockIdx.x + 1;
  for (int round = 0; round < rounds && threadIdx.x == 0; ++round) {
    volatile u32* const next = of->state_as<u32>(1024);
    tagged_index old = head.load(relaxed);
    do {
      next[mine] = old.index;
    } while (!head.compare_exchange_weak(old, tagged_index{mine, old.tag + 1}, release, relaxed));
    old = head.load(acquire);
    while (old.index == 0 ||
           !head.compare_exchange_weak(old, tagged_index{next[old.index], old.tag + 1}, acquire, acquire))
      if (old.index == 0) old = head.load(acquire);
    mine = old.index;
  }
  of->results_as<u32>()[thread_of_grid<32>()] = mine > 0 && mine <= gridDim.x;
}

// Flags of visited vertices: the old value says who was first.
template <class Flag, int Threads>
__global__ void visit(const memory* of, int rounds) {
  u32 at = thread_of_grid<Threads>();
  u32 first = 0;
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    const u32 vertex = of->data_as<u32>()[at % data_words] & 0x3ffff;
    constexpr u32 width = sizeof(Flag) * 8;
    const Flag bit = static_cast<Flag>(Flag{1} << vertex % width);
    first += (device_ref<Flag>(of->state_as<Flag>()[vertex / width]).fetch_or(bit, relaxed) & bit) == 0;
  }
  if (first != 0) atomicAdd(of->results_as<u32>(), first);
}

// The items of a queue: a thread takes the next one, or one of each warp takes 32.
template <bool IsByWarp, int Threads>
__global__ void take_items(const memory* of, int rounds) {
  const device_ref<u32> next(*of->state_as<u32>());
  u32 sum = 0;
  for (;;) {
    u32 item = 0;
    if constexpr (IsByWarp) {
      if (threadIdx.x % 32 == 0) item = next.fetch_add(32, relaxed);
      item = __shfl_sync(~0u, item, 0) + threadIdx.x % 32;
    } else {
      item = next.fetch_add(1);
    }
    if (item >= static_cast<u32>(rounds) * 4096) break;
    sum += work<8>(of->data_as<u32>()[item % data_words]);
  }
  atomicAdd(of->results_as<u32>(), sum);
}

// One of three elements is kept, at the next place of the output: of each thread, or of the block's places.
template <bool IsByBlock, int Threads>
__global__ void compact(const memory* of, int rounds) {
  __shared__ u32 of_block, first_of_block;
  const device_ref<u32> count(*of->state_as<u32>());
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const u32 value = of->data_as<u32>()[(thread_of_grid<Threads>() + round * gridDim.x * Threads) % data_words];
    const bool is_kept = value % 3 == 0;
    u32 at = 0;
    if constexpr (IsByBlock) {
      if (threadIdx.x == 0) of_block = 0;
      __syncthreads();
      if (is_kept) at = block_ref<u32>(of_block).fetch_add(1, relaxed);
      __syncthreads();
      if (threadIdx.x == 0) first_of_block = count.fetch_add(of_block, relaxed);
      __syncthreads();
      at += first_of_block;
      __syncthreads();
    } else if (is_kept) {
      at = count.fetch_add(1, relaxed);
    }
    if (is_kept) of->state_as<u32>(16384)[at & 0xfffff] = value;
    sum += is_kept ? value : 0;
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// Small numbers in shared memory: counters that end at 3, or without an end.
template <class Value, bool HasEnd, int Threads>
__global__ void small_counters(const memory* of, int rounds) {
  __shared__ alignas(4) Value counts[512];
  for (int index = threadIdx.x; index < 512; index += Threads)
    counts[index] = 0;
  __syncthreads();
  u32 at = thread_of_grid<Threads>();
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    const block_ref<Value> count(counts[of->data_as<u32>()[at % data_words] & 511]);
    if constexpr (HasEnd) {
      Value old = count.load(relaxed);
      while (old < 3 && !count.compare_exchange_weak(old, static_cast<Value>(old + 1), relaxed, relaxed)) {
      }
    } else {
      count.fetch_add(Value{1}, relaxed);
    }
  }
  __syncthreads();
  u32 sum = 0;
  for (const Value count : counts)
    sum = sum * 3 + count;
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

const bool is_enrolled = [] {
  const numbers many{0, 0x3fff, 0}, few{0, 63, 0};
  constexpr int arrays = (6 << 20) / 4;
  enroll("atomics: scatter, float", {{scatter<float, 1, 256>, 528, 256, arrays, many}});
  enroll("atomics: scatter, double", {{scatter<double, 1, 128>, 132, 128, arrays, many}});
  enroll("atomics: scatter, u32, stride 16", {{scatter<u32, 16, 256>, 132, 256, arrays, many}});
  enroll("atomics: scatter, float, 64 places", {{scatter<float, 1, 256>, 132, 256, arrays, few}});
  enroll("atomics: extremes, float", {{extremes<float, 256>, 132, 256, 132 * 128}});
  enroll("atomics: extremes, int", {{extremes<int, 512>, 132, 512, 132 * 128}});
  enroll("atomics: extremes, double", {{extremes<double, 128>, 132, 128, 132 * 256}});
  enroll("atomics: statistics, shared", {{statistics<256>, 132, 256}, {statistics<1024>, 132, 1024}});
  enroll("atomics: index of the maximum, 64 buckets", {{index_of_maximum<64, 256>, 132, 256, 128}});
  enroll("atomics: index of the maximum, 1 bucket", {{index_of_maximum<1, 128>, 132, 128, 2}});
  enroll("atomics: count keys", {{count_keys<256>, 132, 256, 1, {}, 0, nullptr, sum_of_counts},
                                 {count_keys<256>, 528, 256, 1, {}, 0, nullptr, sum_of_counts}});
  enroll("atomics: insert pairs", {{insert_pairs<256>, 132, 256}, {insert_pairs<128>, 528, 128}});
  enroll("atomics: free list", {{free_list, 1, 32}, {free_list, 132, 32}});
  enroll("atomics: visit, u32", {{visit<u32, 256>, 132, 256, 1}});
  enroll("atomics: visit, u64", {{visit<u64, 256>, 528, 256, 1}});
  enroll("atomics: visit, u8", {{visit<unsigned char, 256>, 132, 256, 1}});
  enroll("atomics: take items, by warp", {{take_items<true, 256>, 132, 256, 1}});
  enroll("atomics: take items, by thread, default order", {{take_items<false, 128>, 528, 128, 1}});
  enroll("atomics: compact, by thread", {{compact<false, 256>, 528, 256}});
  enroll("atomics: compact, by block", {{compact<true, 256>, 132, 256}});
  enroll("atomics: counters, u8", {{small_counters<unsigned char, false, 256>, 132, 256}});
  enroll("atomics: counters that end, u16", {{small_counters<unsigned short, true, 128>, 132, 128}});
  return true;
}();

}}  // namespace bench
