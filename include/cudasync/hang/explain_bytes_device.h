// Causes of hangs: bytes of copies that a phase waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_BYTES_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_BYTES_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline __device__ __noinline__ void say_bytes(const byte_count& expects, const byte_count& copied) {
  say(expects.bytes == 0 ? "{C}since init, no bytes were expected" : "{C}since init, {n} bytes were expected (at {f})",
      expects.bytes, expects.from);
  if (copied.bytes == 0 && copied.from != 0)
    return say(", and the copies at {f} are for other blocks of the cluster alone", copied.from);
  say(copied.bytes == 0 ? ", and no copy was started on this barrier"
                        : ", and copies of {n} bytes were started (at {f})",
      copied.bytes, copied.from);
}

inline __device__ __noinline__ void say_bytes_of_other_blocks(const waiting_group& at) {
  say("{C}all arrivals have been made, but {n} bytes {s}; copies of other blocks, or of boxes of a tensor map, "
      "complete on this barrier",
      static_cast<uint32>(at.state.bytes < 0 ? -at.state.bytes : at.state.bytes),
      at.state.bytes < 0 ? "more have been copied than expected" : "are missing");
  const waiting_group* const other = group_of_other_blocks(at.what);
  if (other != nullptr)
    return say(
        ", and {n} {thread|threads} of other blocks {waits|wait} for their {i} at {f}"
        "{R}find out why that wait does not end; or, if the bytes of this phase keep them waiting, let each block "
        "expect exactly the bytes that are copied to it{.}",
        other->others, other->what, other->from);
  releases_of_cluster arrivals;
  count_releases(arrivals, at.record->address);
  if (arrivals.fewest != arrivals.most) {
    say(": block {b} has {s} {n} {time|times}, and block {b} {n} {time|times}", arrivals.other,
        at.what.who() != role::none ? "acquired this stage" : "arrived at its own barrier of this address",
        arrivals.most, arrivals.block, arrivals.fewest);
    say_last_call_in_block(arrivals.block, arrivals.rank);
    return say("{R}let the copying threads of all blocks make the same number of rounds; and let each block expect "
               "exactly the bytes that are copied to it{.}");
  }
  say("{R}let each block expect exactly the bytes that are copied to it; check the blocks in the mask of each copy; a "
      "box counts in full, even if it extends beyond the edge of the tensor{.}");
}

inline __device__ __noinline__ void say_bytes_at_other_barrier(const object_record& record) {
  const object_record& other = *barrier_with_foreign_bytes(record);
  say("; {o} got copies of {n} bytes that it does not expect (at {f})"
      "{R}give each copy the barrier of the stage that expects its bytes{.}",
      subject::of(kind::barrier, other.address), other.copied.bytes - other.expects.bytes, other.copied.from);
}

inline __device__ __noinline__ void say_bytes_differ(const byte_count& expects, const byte_count& copied) {
  if (copied.bytes - expects.bytes + 15 < 31) say("; the size was rounded in one of the two places");
  if (expects.times > copied.times && copied.bytes != 0 && expects.bytes / expects.times * copied.times == copied.bytes)
    return say("; {n} calls expect bytes, and {n} {copies|copy} them"
               "{R}let one thread expect the bytes of a copy, once; or add the missing copy{.}",
               expects.times, copied.times);
  if (copied.bytes == 0 && copied.from != 0)
    return say("{R}set the bit of this block's rank in the mask of the copy; or do not expect its bytes here{.}");
  say("{R}expect exactly the bytes that the copies move, and start every copy on the barrier that expects its "
      "bytes{.}");
}

// No thread has arrived in the phase, and bytes have come.
inline __device__ __noinline__ void say_bytes_without_arrival(const waiting_group& at) {
  const object_record& record = *at.record;
  say("{C}copies have written {n} bytes that {i} does not expect", static_cast<uint32>(-at.state.bytes), at.what);
  if (record.copied.bytes > record.expects.bytes)
    say(" (at {f})", record.copied.from);
  else if (record.is_of_cluster != 0 || record.remote != 0)
    say(": they are copies of other blocks of the cluster (multicast)");
  say(at.what.who() != role::none
          ? ", and no thread of this block has acquired the stage"
            "{R}let the producer of every block that receives bytes call producer_acquire, with the bytes of all "
            "copies to this block{.}"
          : ", and no thread of this block has arrived in this phase"
            "{R}let one thread of every block that receives bytes call barrier_arrive_tx, with the bytes of all "
            "copies to this block{.}");
}

inline __device__ __noinline__ void explain_bytes(cause why, const waiting_group& at) {
  if (why == cause::bytes_not_expected && at.state.pending != 0) return say_bytes_without_arrival(at);
  if (why == cause::bytes_of_other_blocks) return say_bytes_of_other_blocks(at);
  const byte_count& expects = at.record->expects;
  const byte_count& copied = at.record->copied;
  if (why == cause::expected_without_arrival)
    return say("{C}{n} {byte is|bytes are} expected (at {f}), but no thread has arrived in this phase"
               "{R}barrier_expect_tx does not arrive: call barrier_arrive_tx, or arrive as well{.}",
               expects.bytes / expects.times, expects.from);
  record_number(number::bytes_expected, expects.bytes);
  record_number(number::bytes_copied, copied.bytes);
  say_bytes(expects, copied);
  if (why == cause::bytes_at_other_barrier) return say_bytes_at_other_barrier(*at.record);
  if (why == cause::bytes_differ) return say_bytes_differ(expects, copied);
  say(why == cause::bytes_not_expected
          ? "{R}arrive with barrier_arrive_tx, or call barrier_expect_tx before the last arrival, with the bytes of "
            "all copies{.}"
          : "; a copy has not completed, or bytes of one phase were counted in another"
            "{R}expect exactly the bytes that the copies move, and start every copy on the barrier that expects its "
            "bytes; let each phase expect its own bytes{.}");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
