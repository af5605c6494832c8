// An event of the trace, as it is stored in device memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TRACE_EVENT_H
#define CUDASYNC_TRACE_EVENT_H

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace trace {

enum class action : uint8;  // span.h

// 48 bytes. The lowest of the lanes that act together writes it.
struct alignas(16) event {
  uint64 begin;        // the global timer at the beginning, in nanoseconds
  uint64 place;        // the address of the caller's file name in bits 47..0, the line in bits 63..48
  uint64 object;       // the object's address in bits 47..0, or its id
  uint32 nanoseconds;  // the duration, at most 2^32 - 1
  uint32 lanes;        // a mask of the lanes that acted together
  uint32 number;       // per lane: bytes that are copied or expected, otherwise arrivals or permits
  uint32 block;        // the rank of the block in the grid
  uint16 grid;
  uint16 multiprocessor;
  uint8 warp;  // the rank of the warp in the block
  uint8 stage;
  action what;
  bool is_shared;  // the address is an offset in shared memory
};
static_assert(sizeof(event) == 48, "an event must have 48 bytes: it is written by three stores of 16 bytes");

}}}  // namespace cudasync::CUDASYNC_ABI::trace

#endif
