// Which versions of the PTX ISA the toolkit assembles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ISA_H
#define CUDASYNC_PTX_ISA_H

#include <cudasync/core/config.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// Whether the toolkit assembles PTX of this version, major * 10 + minor.
template <int Version>
inline constexpr bool has_isa = CUDASYNC_PTX_ISA >= Version;

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
