// Copies and fills of memory, which streams and graphs have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_MEMORY_H
#define CUDASYNC_MACHINE_RUNTIME_MEMORY_H

#include "runtime.h"

// What the runtime has the name for alone: memory in the order of rows.
struct cudaArray {
  void* start;
  cudaChannelFormatDesc format;
  cudaExtent extent;  // in texels; as it was given, so 0 for what it has not
  unsigned flags;
  size_t texel_bytes;

  size_t pitch() const { return extent.width * texel_bytes; }
  size_t slice() const { return pitch() * (extent.height == 0 ? 1 : extent.height); }
};

namespace model {

// Slices of rows.
struct copy_of_rows {
  uint8_t* to = nullptr;
  const uint8_t* from = nullptr;
  size_t width = 0, height = 1, depth = 1;  // width in bytes
  size_t to_pitch = 0, from_pitch = 0, to_slice = 0, from_slice = 0;

  static copy_of_rows of(void* to, const void* from, size_t bytes);
  static copy_of_rows of(const cudaMemcpy3DParms& what);
  size_t from_bytes() const { return bytes(from_pitch, from_slice); }
  size_t to_bytes() const { return bytes(to_pitch, to_slice); }
  void run() const;

 private:
  size_t bytes(size_t pitch, size_t slice) const {
    return width * height * depth == 0 ? 0 : (depth - 1) * slice + (height - 1) * pitch + width;
  }
};

// Also once the work has begun that comes before it.
void fill(const cudaMemsetParams& what);
// Of an allocation: all of it is accessed by this function.
void note_whole(const void* start, uint64_t bytes, const char* name, const char* what);

action action_of_allocation(graph& by, void* pointer, size_t bytes);  // of a node
action action_of_free(void* pointer);

// Memory that the host may write while a kernel runs: pinned, registered or managed.
void share_with_host();
bool shares_with_host();

void* address_of_symbol(const void* host, uint64_t* bytes);  // nullptr for an unknown one

}  // namespace model

#endif
