// Whether some order of atomic operations explains the values that they returned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_ATOMIC_HISTORY_H
#define CUDASYNC_TEST_SUPPORT_ATOMIC_HISTORY_H

#include "gpu_test.h"

#include <stdint.h>

#include <functional>
#include <unordered_map>

// Reproducible ones, for each thread its own: splitmix64.
struct random_numbers {
  uint64_t state;
  __host__ __device__ explicit random_numbers(uint64_t seed) : state(seed * 0x94d049bb133111eb) {}
  __host__ __device__ uint64_t next() {
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }
};

// Values are vertices of a graph, and an operation that found one value and left another is an edge from it to the
// other. An order of the operations in which each finds what its predecessor left is a path that takes every edge
// once: an Eulerian path. There is one from the first value to the last if every other value is left as often as it
// is reached, the first once more, the last once less, and if all edges hang together. An update that got lost, or an
// operation that was torn apart, leaves a value that was left once too often.
template <class Value, class Hash = std::hash<Value>>
class history {
 public:
  void add(const Value& before, const Value& after) {
    ++balance_[index_of(before)];
    --balance_[index_of(after)];
    join(index_of(before), index_of(after));
  }

  bool is_explained(const Value& first, const Value& last) {
    --balance_[index_of(first)];
    ++balance_[index_of(last)];
    const size_t root = root_of(index_of(first));
    for (size_t index = 0; index < balance_.size(); ++index) {
      if (balance_[index] == 0 && root_of(index) == root) continue;
      printf("%s\n", balance_[index] != 0 ? "a value was not left as often as it was reached"
                                          : "a value was seen to which no operation leads");
      return false;
    }
    return true;
  }

 private:
  size_t index_of(const Value& value) {
    const auto place = indices_.emplace(value, balance_.size());
    if (place.second) {
      balance_.push_back(0);
      parents_.push_back(parents_.size());
    }
    return place.first->second;
  }
  size_t root_of(size_t index) {
    while (parents_[index] != index)
      index = parents_[index] = parents_[parents_[index]];
    return index;
  }
  void join(size_t left, size_t right) { parents_[root_of(left)] = root_of(right); }

  std::unordered_map<Value, size_t, Hash> indices_;
  std::vector<long> balance_;  // times left, less times reached
  std::vector<size_t> parents_;
};

#endif
