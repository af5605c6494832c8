// cuda::std::barrier: the barrier of the C++ standard, which is the one for all threads of the system.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_STD_BARRIER_H
#define CUDASYNC_STD_BARRIER_H

#include <cudasync/barrier.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace standard {

// A class of its own, so that barrier b(10) deduces its template argument in C++17. Source: [thread.barrier.class].
template <class Completion = empty_completion>
class barrier : public cudasync::barrier<thread_scope_system, Completion> {
 public:
  barrier() = default;
  CUDASYNC_API explicit barrier(ptrdiff_t expected, Completion completion = Completion())
      : cudasync::barrier<thread_scope_system, Completion>(expected, cudasync::move(completion)) {}
};

}  // namespace standard
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
