// Integer types, identical to those of <cstdint> and <cstddef>, without including them (NVRTC has neither).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_INTEGERS_H
#define CUDASYNC_CORE_INTEGERS_H

#include <cudasync/core/config.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

using int8 = signed char;
using int16 = short;
using int32 = int;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
#if defined(__UINT64_TYPE__)
using int64 = __INT64_TYPE__;
using uint64 = __UINT64_TYPE__;
#else
using int64 = long long;
using uint64 = unsigned long long;
#endif
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_uint;
#endif
using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using uintptr = size_t;

}}  // namespace cudasync::CUDASYNC_ABI

#endif
