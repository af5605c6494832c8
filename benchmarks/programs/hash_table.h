// A hash table in global memory that counts keys: 2^22 keys of 2^19 values are inserted, then all values are looked up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_PROGRAMS_HASH_TABLE_H
#define CUDASYNC_BENCHMARKS_PROGRAMS_HASH_TABLE_H

#include "../atomics/updates.h"

namespace bench {

inline constexpr const char* table_name = "hash table, 2^22 keys";
inline constexpr u32 table_slots = 1u << 20;
inline constexpr u32 table_values = 1u << 19;
inline constexpr u32 table_keys = 1u << 22;

struct table_slot {
  u32 key;  // 0: the slot is free
  u32 count;
};

// A contestant is a class of static functions, relaxed at device scope:
//   u32 load(u32* word)      bool claim(u32* word, u32& expected, u32 desired), a compare-exchange
//   void add_one(u32* word)
template <class Way>
__device__ __forceinline__ table_slot* slot_of(table_slot* table, u32 key) {
  for (u32 at = mixed(key) % table_slots;; at = (at + 1) % table_slots) {
    u32 found = Way::load(&table[at].key);
    if (found == 0 && Way::claim(&table[at].key, found, key)) return table + at;
    if (found == key) return table + at;
  }
}

template <class Way>
__global__ void insert_keys(table_slot* table) {
  for (u32 number = blockIdx.x * blockDim.x + threadIdx.x; number < table_keys; number += gridDim.x * blockDim.x)
    Way::add_one(&slot_of<Way>(table, 1 + mixed(number) % table_values)->count);
}

// Adds up the product of each key and its count.
template <class Way>
__global__ void look_up_keys(table_slot* table, u64* sum) {
  u64 own = 0;
  for (u32 key = 1 + blockIdx.x * blockDim.x + threadIdx.x; key <= table_values; key += gridDim.x * blockDim.x)
    for (u32 at = mixed(key) % table_slots; table[at].key != 0; at = (at + 1) % table_slots)
      if (table[at].key == key) {
        own += u64{key} * table[at].count;
        break;
      }
  atomicAdd(sum, own);
}

template <class Way>
void enroll_hash_table(const std::string& name, const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&insert_keys<Way>);
  const void* const verify = reinterpret_cast<const void*>(&look_up_keys<Way>);
  contestants().push_back({"programs", table_name, name, kind, "native", kernel, nullptr, verify});
}

}  // namespace bench

#endif
