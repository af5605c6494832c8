// The source location of the user's call: the last parameter of public functions, in checked and traced builds only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_CALLER_H
#define CUDASYNC_CORE_CALLER_H

#include <cudasync/core/config.h>

// CUDASYNC_CALLER        at the end of a parameter list
// CUDASYNC_ONLY_CALLER   as the whole parameter list
// CUDASYNC_PASS_CALLER   at the end of the argument list of a call to another such function
// CUDASYNC_PASS_ONLY_CALLER   as the whole argument list
// CUDASYNC_FRIEND_CALLER, CUDASYNC_PASS_FRIEND_CALLER   the first and the third for friends, whose default arguments
//                                                       nvcc loses in its host pass
// CUDASYNC_CALLER_MEMBER, CUDASYNC_PASS_FRIEND_CALLER_OF(object)   a member that stores the location, and the argument
//                                                                  that passes it on
// CUDASYNC_KEEP_CALLER, CUDASYNC_PASS_ONLY_KEPT_CALLER   the initializer of that member in a constructor, and the whole
//                                                        argument list of a call in the destructor
#if CUDASYNC_CHECKED || CUDASYNC_TRACE

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// A file and a line of the user's code.
struct caller {
  const char* file;
  uint32 line;

  CUDASYNC_API static constexpr caller here(const char* file = __builtin_FILE(),
                                            uint32 line = static_cast<uint32>(__builtin_LINE())) {
    return {file, line};
  }
};

// Assertions and traces use the name called_from. In functions without the parameter, it is this enumerator.
enum no_caller { called_from };

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#define CUDASYNC_CALLER , [[maybe_unused]] ::cudasync::caller called_from = ::cudasync::caller::here()
#define CUDASYNC_ONLY_CALLER [[maybe_unused]] ::cudasync::caller called_from = ::cudasync::caller::here()
#define CUDASYNC_PASS_CALLER , called_from
#define CUDASYNC_PASS_ONLY_CALLER called_from
#if defined(__NVCC__) && !CUDASYNC_DEVICE_PASS
#define CUDASYNC_FRIEND_CALLER
#define CUDASYNC_PASS_FRIEND_CALLER
#define CUDASYNC_PASS_FRIEND_CALLER_OF(object)
#else
#define CUDASYNC_FRIEND_CALLER CUDASYNC_CALLER
#define CUDASYNC_PASS_FRIEND_CALLER CUDASYNC_PASS_CALLER
#define CUDASYNC_PASS_FRIEND_CALLER_OF(object) , (object).from
#endif
#define CUDASYNC_CALLER_MEMBER ::cudasync::caller from;
#define CUDASYNC_KEEP_CALLER : from{ \
    called_from                      \
  }
#define CUDASYNC_PASS_ONLY_KEPT_CALLER from

#else

#define CUDASYNC_CALLER
#define CUDASYNC_ONLY_CALLER
#define CUDASYNC_PASS_CALLER
#define CUDASYNC_PASS_ONLY_CALLER
#define CUDASYNC_FRIEND_CALLER
#define CUDASYNC_PASS_FRIEND_CALLER
#define CUDASYNC_PASS_FRIEND_CALLER_OF(object)
#define CUDASYNC_CALLER_MEMBER
#define CUDASYNC_KEEP_CALLER
#define CUDASYNC_PASS_ONLY_KEPT_CALLER

#endif

#endif
