// unaligned: a tag for barrier calls that the threads of a warp may make separately, after they have diverged.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_ALIGNMENT_H
#define CUDASYNC_CORE_ALIGNMENT_H

#include <cudasync/core/config.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Example: bar.sync(unaligned). Each thread of the warp that has not exited must still make the call, but each may make
// it by itself. Without the tag, all of them must make it together, as PTX's .aligned requires.
struct unaligned_t {};
struct aligned_t {};
inline constexpr unaligned_t unaligned{};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
