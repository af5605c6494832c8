// Fills the report's data: objects, waits, the cause with its numbers and threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_RECORD_DATA_DEVICE_H
#define CUDASYNC_HANG_RECORD_DATA_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/object_history_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/ptx/special_registers.h>

#if CUDASYNC_HAS_HOST
#include <stdio.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Begins a report: no text, and no data but what is true of each.
inline __device__ __noinline__ void begin_report(incident what) {
  auto* const words = reinterpret_cast<uint32*>(&report_text);
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < sizeof report_text / sizeof *words; ++index)
    words[index] = 0;
  reporting_block = tag_of_block();
  report_data& data = report_text.data;
  data.version = report_version;
  data.what = what;
  data.threads = threads_of_block();
  data.block[0] = ptx::get_sreg_ctaid_x();
  data.block[1] = ptx::get_sreg_ctaid_y();
  data.block[2] = ptx::get_sreg_ctaid_z();
  data.why.object = not_counted;
  data.other.object = not_counted;
  data.further.object = not_counted;
  put("cudasync: ");
  begin(data.headline);
}

// Adds a number, or threads, to the data of the cause that is being written. Returns them, for the text.
inline __device__ __noinline__ uint64 record_number(number what, uint64 value) {
  reported_cause& why = current_cause();
  if (why.numbers_used != sizeof why.numbers / sizeof why.numbers[0])
    why.numbers[why.numbers_used++] = {value, what, 0};
  return value;
}
inline __device__ __noinline__ const thread_set* record_threads(const thread_set& set) {
  copy_words(current_cause().warps, set.warps, 32);
  return &set;
}

template <class... More>
CUDASYNC_DEVICE void record_numbers(number what, uint64 value, More... more) {
  record_number(what, value);
  if constexpr (sizeof...(More) != 0) record_numbers(more...);
}

inline __device__ __noinline__ uint32 index_of_object(subject what) {
  const report_data& data = report_text.data;
  uint32 index = 0;
  while (index < data.objects_used &&
         (data.objects[index].address != what.address() || data.objects[index].what != what.what()))
    ++index;
  return index < data.objects_used ? index : not_counted;
}

inline __device__ __noinline__ void record_cause(cause what, subject object) {
  current_cause().what = what;
  current_cause().object = index_of_object(object);
}

inline __device__ __noinline__ reported_object& record_object(const waiting_group& at) {
  report_data& data = report_text.data;
  reported_object& object = data.objects[data.objects_used++];
  object.address = at.what.address();
  object.what = at.what.what();
  object.who = at.what.who();
  object.stage = at.what.stage();
  // The state is that of this block's barrier.
  const bool is_here = at.threads != 0 || find_group([&at](const waiting_group& each) {
                                            return each.threads != 0 && each.what.is_same_object(at.what);
                                          }) != nullptr;
  object.has_phase = is_here && at.record != nullptr && at.state.is_known && !is_overwritten(at);
  if (object.has_phase == 0) return object;
  object.expected = at.state.expected != 0 ? at.state.expected : at.record->expected - at.record->drops;
  object.arrived = object.expected - at.state.pending;
  object.parity = at.state.parity;
  object.bytes = at.state.bytes;
  return object;
}

// Adds threads that wait for the last object.
inline __device__ __noinline__ reported_wait& record_wait_of(const waiting_group& at) {
  report_data& data = report_text.data;
  reported_wait& wait = data.waits[data.waits_used++];
  wait.object = data.objects_used - 1;
  const bool has_parity = at.what.is_parity_known() && !(at.record != nullptr && is_of_turns(*at.record));
  wait.parity = has_parity ? uint32{at.what.parity()} : not_counted;
  wait.threads = at.threads;
  wait.others = at.others;
  copy_words(wait.warps, at.set.warps, 32);
  return wait;
}

// The missing threads of a group wait elsewhere: also for this group, if all threads of a group make that call.
inline __device__ __noinline__ void say_wait_of_missing(const waiting_group& other, const waiting_group& at) {
  if (other.what.what() == kind::group) mark_as_explained(other.what);
  if (other.what.is_cluster())
    return say("; {t} {waits|wait} at {f} for {i}, and so also for {t}"
               "{R}let all threads of the cluster that have not exited come to its barrier before they wait for "
               "others that do; or let the threads that take part synchronize by a barrier of cluster scope "
               "(remote_barrier){.}",
               &other.set, other.from, other.what, &at.set);
  if (other.what.what() == kind::group)
    return say("; {t} {waits|wait} for {i} at {f}, but threads that wait here cannot make it"
               "{R}let the threads that are counted arrive before that call, or let all threads of the group make it, "
               "in no branch, before any of them waits for another one{.}",
               &other.set, other.what, other.from);
  say(": {t} {waits|wait} for {o} at {f}"
      "{R}find out why that wait does not end, or let these threads arrive before it{.}",
      &other.set, other.what, other.from);
}

inline __device__ __noinline__ void say_waiting(const waiting_group& at) {
  if (at.threads == 0) return say("{n} {thread|threads} of other blocks {waits|wait} at ", at.others);
  say(at.what.what() == kind::named_barrier ? "{w} {waits|wait} at " : "{t} {waits|wait} at ", &at.set);
}

// --- The end of a report ---

// Prints the text, and writes it and the data to the host's memory.
inline __device__ __noinline__ void publish() {
  if (CUDASYNC_SHAKE != 0)
    say("cudasync:   Threads were delayed at random: CUDASYNC_SHAKE={n}.\n", uint64{CUDASYNC_SHAKE});
  printf("%s", report_text.words.bytes);
  host_report* const host = controls.host;
  if (host == nullptr) return;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index <= report_text.words.length; ++index)
    shared_by_all(host->words.bytes[index]) = report_text.words.bytes[index];
  shared_by_all(host->words.length) = report_text.words.length;
  copy_words(reinterpret_cast<uint32*>(&host->data), reinterpret_cast<const uint32*>(&report_text.data),
             sizeof report_text.data / sizeof(uint32));
  __threadfence_system();
  shared_by_all(host->is_complete) = 1;
  __threadfence_system();
}

// Traps after 1 ms, so that the text reaches the host first.
[[noreturn]] CUDASYNC_DEVICE void end_kernel() {
  __nanosleep(1000000);
  for (;;)
    __trap();
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
