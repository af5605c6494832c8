// The source location of the user's call: the last parameter of public functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_CALLER_H
#define CUDASYNC_CORE_CALLER_H

#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Whether preconditions are assertions, and hangs are reported.
enum : bool { is_checked = CUDASYNC_CHECKED };

// A public function ends its parameters with `caller where = caller::here()`, and passes `where` on. Assertions,
// reports of hangs and traces show it.
#if CUDASYNC_CHECKED || CUDASYNC_TRACE
// A file and a line of the user's code.
struct caller {
  const char* file;
  uint32 line;

#if !CUDASYNC_HAS_HOST && __CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ < 9
  // Older versions of NVRTC do not say where a function is called.
  CUDASYNC_API static constexpr caller here() { return {"unknown", 0}; }
#else
  CUDASYNC_API static constexpr caller here(const char* file = __builtin_FILE(),
                                            uint32 line = static_cast<uint32>(__builtin_LINE())) {
    return {file, line};
  }
#endif
};

// What `where` names in a function without the parameter.
enum no_caller { where };
#else
// Empty in a build that shows no locations: the generated code is that of functions without the parameter.
struct caller {
  using here = caller;  // caller::here() is a constructor: no function to inline
};
#endif

}}  // namespace cudasync::CUDASYNC_ABI

#endif
