// cuda::aligned_size_t for CCCL's own headers, with the trait that returns the alignment of any size type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_ALIGNED_SIZE_H
#define CUDASYNC_COMPAT_ALIGNED_SIZE_H

#include <cudasync/aligned_size.h>

namespace cuda {

using cudasync::aligned_size_t;

inline namespace __4 {

template <class Size>
inline constexpr cudasync::size_t __get_size_align_v = 1;
template <cudasync::size_t Alignment>
inline constexpr cudasync::size_t __get_size_align_v<aligned_size_t<Alignment>> = Alignment;

}  // namespace __4
}  // namespace cuda

#endif
