// The storage of the trace: ring buffers of events in device memory, one for each thread slot of the GPU that records.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TRACE_RINGS_DEVICE_H
#define CUDASYNC_TRACE_RINGS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_TRACE

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread/elect.h>
#include <cudasync/trace/event.h>

// The number of events in a ring, of 48 bytes each. A ring keeps the newest events; the others are only counted.
#if !defined(CUDASYNC_TRACE_EVENTS)
#define CUDASYNC_TRACE_EVENTS 256
#endif
// The number of rings. A warp takes a ring when it first records an event, and takes more only if its lanes diverge.
// Warps that run later in the same place of the multiprocessor use the same ring. If no ring is left, events are only
// counted.
#if !defined(CUDASYNC_TRACE_RINGS)
#define CUDASYNC_TRACE_RINGS 2048
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace trace {

// The ring of a thread slot. The slot is the place of the warp on the multiprocessor, and the lane. Only one thread at
// a time uses a slot, so no atomic operation is needed, which would take longer than the operations that are measured;
// the count comes from the L1 cache. A thread sees what an earlier block has written for the same slot, because those
// writes went through the same cache.
struct alignas(8) owner {
  uint32 ring;   // numbered from 1; 0: none yet
  uint32 count;  // all events so far
};

inline constexpr uint32 warps_of_multiprocessor = 64;
inline constexpr uint32 most_warps = 16384;  // of a GPU
static_assert(CUDASYNC_TRACE_EVENTS > 0 && CUDASYNC_TRACE_RINGS > 0,
              "CUDASYNC_TRACE_EVENTS and CUDASYNC_TRACE_RINGS must be 1 or more");

struct owners_and_rings {
  owner owners[most_warps][32];
  event rings[CUDASYNC_TRACE_RINGS][CUDASYNC_TRACE_EVENTS];
  uint32 taken;  // rings taken, and further attempts to take one
};

CUDASYNC_DEVICE_VARIABLE owners_and_rings recorded;

inline __device__ __noinline__ uint32 take_ring() {
  const uint32 before = atomicAdd(&recorded.taken, 1u);
  return before < CUDASYNC_TRACE_RINGS ? before + 1 : ~uint32{0};
}

CUDASYNC_DEVICE void record(event made, uint32 lanes) {
  if ((lanes & ptx::get_sreg_lanemask_lt()) == 0) {
    const uint32 multiprocessor = ptx::get_sreg_smid();
    owner& mine = recorded.owners[(multiprocessor * warps_of_multiprocessor + ptx::get_sreg_warpid()) % most_warps]
                                 [ptx::get_sreg_laneid()];
    owner now = mine;
    if (now.ring == 0) now.ring = take_ring();
    made.lanes = lanes;
    made.block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    made.grid = static_cast<uint16>(ptx::get_sreg_gridid());
    made.multiprocessor = static_cast<uint16>(multiprocessor);
    made.warp = static_cast<uint8>(backend::rank_in_block() / 32);
    if (now.ring <= CUDASYNC_TRACE_RINGS) {
      uint64 words[6];
      copy_bytes(words, &made, sizeof words);
      const uint64 place = ptx::offset_in_global(&recorded.rings[now.ring - 1][now.count % CUDASYNC_TRACE_EVENTS]);
      ptx::st_volatile(place, words[0], words[1]);
      ptx::st_volatile(place + 16, words[2], words[3]);
      ptx::st_volatile(place + 32, words[4], words[5]);
    }
    mine = {now.ring, now.count + 1};
  }
}

#if CUDASYNC_HAS_HOST

// A list for the host. Before main, each translation unit adds its rings; with -rdc=true, the program has only one set.
struct module_of_rings {
  const void* symbol;
  uint32 rings;
  uint32 events;
  module_of_rings* next;
};
inline module_of_rings* first_module = nullptr;

class registration {
 public:
  template <class Variable>
  explicit registration(const Variable& variable) {
    for (const module_of_rings* each = first_module; each != nullptr; each = each->next)
      if (each->symbol == &variable) return;
    module_ = {&variable, CUDASYNC_TRACE_RINGS, CUDASYNC_TRACE_EVENTS, first_module};
    first_module = &module_;
  }

 private:
  module_of_rings module_{};
};
[[maybe_unused]] static const registration registered(recorded);

#endif

}}}  // namespace cudasync::CUDASYNC_ABI::trace

#endif  // CUDASYNC_CUDA && CUDASYNC_TRACE

#endif
