// What copies are checked by: bytes that tell where they come from, between zones that nobody may write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_COPIED_BYTES_H
#define CUDASYNC_TEST_SUPPORT_COPIED_BYTES_H

#include "gpu_test.h"

#include <stdio.h>

constexpr unsigned guard_bytes = 48;
constexpr unsigned char guard_byte = 0xa5;

// The byte at this place of a source.
__host__ __device__ inline unsigned char byte_at(size_t index) {
  return static_cast<unsigned char>(index * 31 + index / 256 * 7 + index / 65536 * 13);
}

inline std::vector<unsigned char> source_bytes(size_t size) {
  std::vector<unsigned char> bytes(size);
  for (size_t index = 0; index < size; ++index)
    bytes[index] = byte_at(index);
  return bytes;
}

// Threads that share work, by rank.
struct thread_group {
  unsigned rank, threads;

  __device__ unsigned thread_rank() const { return rank; }
  __device__ unsigned size() const { return threads; }
};

__device__ inline void paint(unsigned char* bytes, unsigned size, thread_group who) {
  for (unsigned index = who.rank; index < size; index += who.threads)
    bytes[index] = guard_byte;
}

// Where a copy lies in a painted buffer, and what must be in it.
struct copied {
  unsigned begin;     // of the copy, in the buffer
  unsigned size;      // bytes
  size_t source;      // the place of its first byte in the source
  unsigned valid;     // bytes of the source; zeros follow
  unsigned buffer;    // bytes of the whole buffer
  unsigned reported;  // beside a failure, to find the case
};

static __device__ int is_explained;

static __device__ __noinline__ void explain_difference(const copied& what, unsigned place, unsigned found,
                                                       unsigned wanted) {
  if (atomicExch(&is_explained, 1) == 0)
    printf("  size %u, valid %u, source %llu, destination %u, case %u: byte %d is %#x, should be %#x\n", what.size,
           what.valid, static_cast<unsigned long long>(what.source), what.begin, what.reported,
           static_cast<int>(place - what.begin), found, wanted);
}

// Every byte of the buffer is right: the copy's own and those around it.
static __device__ __noinline__ bool is_right(const unsigned char* buffer, const copied& what, thread_group who) {
  bool right = true;
  for (unsigned index = who.rank; index < what.buffer; index += who.threads) {
    const unsigned place = index - what.begin;  // huge before the copy
    const unsigned wanted = place >= what.size ? guard_byte : place >= what.valid ? 0 : byte_at(what.source + place);
    const unsigned found = buffer[index];
    if (found != wanted) {
      if (right) explain_difference(what, index, found, wanted);
      right = false;
    }
  }
  return right;
}

#endif
