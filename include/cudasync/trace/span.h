// The time in which a thread arrives, waits or copies: recorded with CUDASYNC_TRACE, otherwise it generates no code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TRACE_SPAN_H
#define CUDASYNC_TRACE_SPAN_H

#include <cudasync/core/caller.h>
#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>

#if CUDASYNC_TRACE && CUDASYNC_CUDA
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/trace/event.h>
#include <cudasync/trace/rings_device.h>
#endif

// An algorithm needs one line to record it:
//   const trace::span traced(trace::action::wait, {&phase}, where);
// Host threads record nothing.
namespace cudasync { inline namespace CUDASYNC_ABI {
namespace ptx {
struct shared_address;
struct cluster_address;
}  // namespace ptx

namespace trace {

enum class action : uint8 {
  // barriers
  arrive,
  arrive_tx,  // with bytes that the phase expects
  arrive_and_drop,
  wait,
  arrive_and_wait,
  expect_tx,
  copy,
  // pipelines
  producer_acquire,
  producer_commit,
  consumer_wait,
  consumer_release,
  // other objects
  named_sync,
  named_arrive,
  cluster_arrive,
  cluster_wait,
  grid_arrive,
  grid_wait,
  grid_arrive_and_wait,
  latch_count_down,
  latch_wait,
  latch_arrive_and_wait,
  semaphore_acquire,
  semaphore_release,
  atomic_wait,
  count,
};

enum : uint8 { no_stage = 255 };

#if CUDASYNC_TRACE && CUDASYNC_CUDA

// The object of an event, and its data: the number, the stage and the state space.
struct subject {
  uint64 address;
  uint32 number;
  uint8 stage;
  bool is_shared;

  CUDASYNC_API subject(const volatile void* object, uint64 number = 1, uint32 stage = no_stage)
      : subject(reinterpret_cast<uintptr>(object), number, stage, false) {
    use_offset(target::here{}, const_cast<const void*>(object));
  }
  CUDASYNC_DEVICE subject(ptx::shared_address object, uint64 number = 1, uint32 stage = no_stage)
      : subject(object.value, number, stage, true) {}
  CUDASYNC_DEVICE subject(ptx::cluster_address object, uint64 number = 1)
      : subject(object.value, number, no_stage, true) {}
  CUDASYNC_API explicit subject(uint32 id) : subject(id, 1, no_stage, false) {}

 private:
  CUDASYNC_API subject(uint64 where, uint64 how_many, uint32 which, bool is_in_shared)
      : address(where), number(static_cast<uint32>(how_many)),
        stage(static_cast<uint8>(which < no_stage ? which : static_cast<uint32>(no_stage))), is_shared(is_in_shared) {}

  CUDASYNC_API void use_offset(target::host, const void*) {}
  CUDASYNC_DEVICE void use_offset(target::sm70, const void* object) {
    if (!ptx::is_shared(object)) return;
    address = ptx::offset_in_shared(object);
    is_shared = true;
  }
};

class __attribute__((unused)) span {
 public:
  CUDASYNC_API span(action what, subject about, caller where) : span(what, about, where.file, where.line) {}
  CUDASYNC_API span(action what, subject about, no_caller = where) : span(what, about, nullptr, 0) {}
  span(const span&) = delete;
  span& operator=(const span&) = delete;
  CUDASYNC_API ~span() { end(target::here{}); }

 private:
  CUDASYNC_API span(action what, subject about, const char* file, uint32 line) : about_(about) {
    event_.what = what;
    event_.place = (reinterpret_cast<uintptr>(file) & low_48) | uint64{line < 0xffff ? line : 0xffff} << 48;
    begin(target::here{});
  }

  CUDASYNC_API void begin(target::host) {}
  CUDASYNC_API void end(target::host) {}
  CUDASYNC_DEVICE void begin(target::sm70) { event_.begin = ptx::get_sreg_globaltimer(); }
  CUDASYNC_DEVICE void end(target::sm70) {
    // After bar.sync, a warp reads a timer before it blocks. It does not load before it continues.
    static_cast<void>(*const_cast<const volatile uint32*>(&recorded.taken));
    const uint64 took = ptx::get_sreg_globaltimer() - event_.begin;
    event_.nanoseconds = took < ~uint32{0} ? static_cast<uint32>(took) : ~uint32{0};
    event_.object = about_.address & low_48;
    event_.number = about_.number;
    event_.stage = about_.stage;
    event_.is_shared = about_.is_shared;
    CUDASYNC_LANES_HERE(lanes);
    record(event_, lanes);
  }

  static constexpr uint64 low_48 = 0xffffffffffff;

  subject about_;
  event event_{};
};

#else

// Not templates: compilers would generate and remove a function for each type.
struct subject {
  CUDASYNC_API constexpr subject(const volatile void*, uint64 = 1, uint32 = no_stage) {}
  CUDASYNC_API constexpr subject(const ptx::shared_address&, uint64 = 1, uint32 = no_stage) {}
  CUDASYNC_API constexpr subject(const ptx::cluster_address&, uint64 = 1) {}
  CUDASYNC_API constexpr explicit subject(uint32) {}
};

class __attribute__((unused)) span {
 public:
  CUDASYNC_API constexpr span(action, subject, caller = {}) {}
};

#endif

}  // namespace trace
}}  // namespace cudasync::CUDASYNC_ABI

#endif
