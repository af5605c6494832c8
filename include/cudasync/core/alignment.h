// unaligned: for calls of barriers where the threads of a warp may have gone different ways.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_ALIGNMENT_H
#define CUDASYNC_CORE_ALIGNMENT_H

#include <cudasync/core/config.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// bar.sync(unaligned). Each thread of the warp that has not exited still makes the call, by itself. Without the tag all of
// them make it together, PTX's .aligned.
struct unaligned_t {};
struct aligned_t {};
inline constexpr unaligned_t unaligned{};

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
