// What bulk_pipeline requires: of the target, of the consumers, and of the arguments of copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_BULK_CHECKS_H
#define CUDASYNC_PIPELINE_BULK_CHECKS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// For the template arguments of a bulk_pipeline.
template <class Consumers, uint32 Blocks>
struct bulk_checks {
  template <class Here = target::here>
  CUDASYNC_DEVICE static void require_copy_engine() {
    static_assert(
        !target::lacks<Here, target::sm90>,
        "bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile "
        "with -arch=sm_90 or newer");
  }

  template <class Here = target::here>
  CUDASYNC_DEVICE static void require_threads() {
    require_copy_engine();
    static_assert(!Consumers::uses_tensor_cores || !is_same<Here, Here>,
                  "bulk_pipeline::consumer_release: the reads of tensor cores may be under way; call consumer_commit");
  }

  template <class Here = target::here>
  CUDASYNC_DEVICE static void require_tensor_cores() {
    static_assert(Consumers::uses_tensor_cores || !is_same<Here, Here>,
                  "bulk_pipeline::consumer_commit is for tensor cores, which are still reading when their instructions "
                  "have returned; call consumer_release, or let consumer_warpgroups<n> consume the stages");
    if constexpr (Consumers::uses_tensor_cores) Consumers::template require_tensor_cores<Here>();
  }

  template <size_t Alignment>
  CUDASYNC_DEVICE static void check_copy([[maybe_unused]] const void* destination, [[maybe_unused]] const void* source,
                                         [[maybe_unused]] size_t size, [[maybe_unused]] ptx::shared_address bar,
                                         [[maybe_unused]] caller where = caller::here()) {
    require_copy_engine();
    static_assert(
        !Consumers::is_pair || Alignment == 0,
        "bulk_pipeline::copy of bytes cannot complete in the other block of a pair; copy boxes of a tensor map");
    static_assert(Alignment >= 16,
                  "bulk_pipeline::copy needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both "
                  "buffers and the size to 16 bytes");
    CUDASYNC_ASSERT(checked::is_place_for_copy(destination, size, bar),
                    "bulk_pipeline::copy: the destination must be in shared memory, as a whole, and not over barriers");
    CUDASYNC_ASSERT(ptx::is_global(source), "bulk_pipeline::copy: the source must be in global memory");
    CUDASYNC_ASSERT(least_aligned<Alignment>(destination, source) % Alignment == 0,
                    "bulk_pipeline::copy: destination and source must be aligned as aligned_size_t promises");
  }

  template <size_t Rank>
  CUDASYNC_DEVICE static void check_box([[maybe_unused]] const void* destination,
                                        [[maybe_unused]] caller where = caller::here()) {
    require_copy_engine();
    static_assert(Rank <= 5, "bulk_pipeline::copy: a tensor map has 1 to 5 dimensions; give as many coordinates");
    CUDASYNC_ASSERT(ptx::is_shared_to_assert(destination),
                    "bulk_pipeline::copy: the destination must be in shared memory; declare it __shared__");
    CUDASYNC_ASSERT(reinterpret_cast<uintptr>(destination) % 128 == 0,
                    "bulk_pipeline::copy: a box's destination must be aligned to 128 bytes; declare it alignas(128)");
  }

  CUDASYNC_DEVICE static void check_blocks() {
    static_assert(!Consumers::is_pair,
                  "bulk_pipeline::copy_to_blocks: each block of a pair copies its own part of a stage; call copy");
    static_assert(
        Blocks > 1,
        "bulk_pipeline::copy_to_blocks needs the number of blocks in the cluster as the third template argument, "
        "because the consumers of all of them must release a stage");
  }

  // The offsets of a place in the filter.
  template <size_t Rank, size_t Offsets>
  CUDASYNC_DEVICE static void check_offsets([[maybe_unused]] const uint16 (&offsets)[Offsets],
                                            [[maybe_unused]] caller where = caller::here()) {
    static_assert(
        Rank >= 3 && Offsets == Rank - 2,
        "bulk_pipeline::copy_im2col: a map of N, W and C takes 3 coordinates and 1 offset, one with H as well 4 "
        "and 2, one with H and D 5 and 3; give as many");
    [[maybe_unused]] constexpr uint32 most = Offsets == 1 ? 65535 : Offsets == 2 ? 255 : 31;
    for ([[maybe_unused]] const uint16 offset : offsets)
      CUDASYNC_ASSERT(offset <= most,
                      "bulk_pipeline::copy_im2col: an offset is at most 65535, of two 255, of three 31");
  }
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
