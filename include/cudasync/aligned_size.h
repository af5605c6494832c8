// cuda::aligned_size_t: a size in bytes that promises its own alignment and that of the pointers passed with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ALIGNED_SIZE_H
#define CUDASYNC_ALIGNED_SIZE_H

#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Promises that a size is a multiple of Alignment, and that the source and destination of the copy are aligned to it.
template <size_t Alignment>
struct aligned_size_t {
  static_assert(Alignment != 0 && (Alignment & (Alignment - 1)) == 0,
                "aligned_size_t needs an alignment that is a power of two, in bytes: for example aligned_size_t<16>");

  // The alignment, in bytes.
  static constexpr size_t align = Alignment;
  // The size, in bytes.
  size_t value;  // bytes

  // A size in bytes. bytes: a multiple of Alignment; the checked build reports others.
  CUDASYNC_API explicit constexpr aligned_size_t(size_t bytes, [[maybe_unused]] caller where = caller::here())
      : value(bytes) {
    CUDASYNC_ASSERT(bytes % Alignment == 0, "aligned_size_t: the size must be a multiple of the alignment");
  }

  // Returns the size, in bytes.
  CUDASYNC_API constexpr operator size_t() const { return value; }
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
