// A hash table: a thread claims the key with a compare-exchange and writes the value later. Another one finds the key first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

struct alignas(8) entry {
  unsigned key, value;
};

extern "C" __global__ void value_after_key(entry* table) {
  const unsigned key = 1 + threadIdx.x / 2, value = 1 + threadIdx.x;
  entry& mine = table[key];
  unsigned found = value;
  const unsigned old = atomicCAS(&mine.key, 0u, key);  // wrong
  if (old == 0) mine.value = value;                    // wrong, reported
  if (old != 0) found = mine.value;                    // wrong, reported
  // right: const unsigned long long both = static_cast<unsigned long long>(value) << 32 | key;
  // right: const unsigned long long old = atomicCAS(reinterpret_cast<unsigned long long*>(&mine), 0ull, both);
  // right: if (old != 0) found = static_cast<unsigned>(old >> 32);
  table[64 + 64 * blockIdx.x + threadIdx.x].value = found;
}

int main() {
  return launch(value_after_key, 2, 64);
}
