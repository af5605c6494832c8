// With CUDASYNC_DROP_IN: what libcu++'s headers for synchronization include, from the CCCL on the include path.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_DROP_IN_H
#define CUDASYNC_COMPAT_DROP_IN_H

#include <cudasync/compat/cccl_macros.h>
#include <cudasync/core/config.h>

#if !__has_include(<cuda/std/version>)
#error \
    "cudasync: CUDASYNC_DROP_IN includes headers of CCCL, and no CCCL is on the include path; add its folder behind \
cudasync's, or leave the macro out"
#endif

#include <cuda/std/chrono>
#include <cuda/std/climits>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/version>
#if CUDASYNC_CCCL_VERSION >= 3000000  // before, libcu++ had no such header
#include <cuda/std/cstring>
#endif

#include <nv/target>

#if CUDASYNC_HAS_HOST
#include <cassert>
#include <cctype>
#include <cerrno>
#include <cfloat>
#include <chrono>
#include <climits>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <exception>
#include <iosfwd>
#include <iterator>
#include <ratio>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>
#if __has_include(<version>)  // C++20
#include <version>
#endif
#endif

// libcu++'s latches, semaphores and barriers include its atomics.
#include <cuda/std/atomic>

#endif
