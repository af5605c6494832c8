// What the two halves of a program offer: one is compiled with our headers, the other with CCCL's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_ABI_PARTS_H
#define CUDASYNC_TEST_ABI_PARTS_H

#include <string>
#include <vector>

// Of a type its size and alignment, of a constant its value and 0.
struct layout {
  std::string name;
  long long size;
  unsigned long long alignment;
};

constexpr unsigned threads_of_rotation = 128;

#define DECLARE_PART(NAME)                                                                          \
  namespace NAME {                                                                                  \
  std::vector<layout> layouts();                                                                    \
  /* object: a cuda::atomic<int>, initialized by either part. Returns what it was. */               \
  int add(void* object, int value);                                                                 \
  void construct_atomic(void* object, int value);                                                   \
  /* data, in global memory: result[thread] = the value of its neighbour, by a template of both. */ \
  void launch_rotation(const int* values, int* result);                                             \
  }

DECLARE_PART(ours)
DECLARE_PART(theirs)

#endif
