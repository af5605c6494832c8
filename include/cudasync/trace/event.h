// What the trace records: an event as it is kept in device memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TRACE_EVENT_H
#define CUDASYNC_TRACE_EVENT_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace trace {

enum class action : uint8;  // span.h

// 48 bytes, which the lowest lane of those that acted together writes.
struct alignas(16) event {
  uint64 begin;        // of the global timer, in nanoseconds
  uint64 place;        // the address of the caller's file name in bits 47..0, and the line above
  uint64 object;       // its address in bits 47..0, or an id
  uint32 nanoseconds;  // how long it took, at most 2^32 - 1
  uint32 lanes;        // a mask
  uint32 number;       // for each lane: bytes of copies and expectations, else arrivals or permits
  uint32 block;        // its rank in the grid
  uint16 grid;
  uint16 multiprocessor;
  uint8 warp;  // of the block
  uint8 stage;
  action what;
  bool is_shared;  // the object's address is one in shared memory
};
static_assert(sizeof(event) == 48, "an event is three stores of 16 bytes");

}  // namespace trace
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
