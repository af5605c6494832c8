// The report of a hang: who waits for what, the most probable cause, and the remedy. One thread writes it, for all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_REPORT_DEVICE_H
#define CUDASYNC_CHECKED_REPORT_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/checked/barrier_device.h>
#include <cudasync/checked/causes.h>
#include <cudasync/checked/registry_device.h>
#include <cudasync/checked/text.h>
#include <cudasync/checked/watch_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/bits.h>
#include <cudasync/ptx/special_registers.h>

#if CUDASYNC_HAS_HOST
#include <stdio.h>
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// --- Sets of a block's threads ---

struct thread_set {
  uint32 warps[32];

  __device__ __noinline__ void clear() {
    CUDASYNC_NO_UNROLL
    for (uint32& each : warps)
      each = 0;
  }
  __device__ __noinline__ void add(uint32 rank) { warps[rank / 32 % 32] |= uint32{1} << rank % 32; }
  __device__ __noinline__ void add(const thread_set& others) {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      warps[warp] |= others.warps[warp];
  }
  __device__ __noinline__ bool meets(const thread_set& others) const {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if ((warps[warp] & others.warps[warp]) != 0) return true;
    return false;
  }
  CUDASYNC_DEVICE bool has_warp_of(uint32 rank) const { return warps[rank / 32 % 32] != 0; }
  __device__ __noinline__ void remove(const thread_set& others) {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      warps[warp] &= ~others.warps[warp];
  }
  __device__ __noinline__ bool has(uint32 rank) const { return (warps[rank / 32 % 32] >> rank % 32 & 1) != 0; }
  __device__ __noinline__ uint32 size() const {
    uint32 count = 0;
    CUDASYNC_NO_UNROLL
    for (const uint32 each : warps)
      count += static_cast<uint32>(ptx::popc(each));
    return count;
  }
  __device__ __noinline__ uint32 first() const {
    CUDASYNC_NO_UNROLL
    for (uint32 rank = 0; rank < most_threads; ++rank)
      if (has(rank)) return rank;
    return 0;
  }
  // Whether no two threads of it are in one warp.
  __device__ __noinline__ bool has_one_of_each_warp() const {
    CUDASYNC_NO_UNROLL
    for (const uint32 each : warps)
      if ((each & (each - 1)) != 0) return false;
    return true;
  }
  // The same, of several warps.
  CUDASYNC_DEVICE bool is_one_of_each_warp() const { return has_one_of_each_warp() && size() > 1; }
};

inline constexpr uint32 most_groups = 12;

// Threads that wait for the same thing at the same line.
struct waiting_group {
  uint64 what;
  const char* file;
  uint32 line;
  uint32 threads;  // of the block that reports
  uint32 others;   // of other blocks
  thread_set set;
};

using report_text = text<sizeof(host_report::words.bytes)>;

struct report_space {
  report_text words;
  waiting_group groups[most_groups];
  uint32 number_of_groups;
  uint32 left_out;  // threads in further groups
  uint32 others;    // that wait, of other blocks
  thread_set waiting, waiting_here, missing, twice, arrived, idle;
  subject reported;  // what the thread waits for that found the hang
  barrier_state states[most_groups];
};

CUDASYNC_DEVICE_VARIABLE report_space report;

inline __device__ __noinline__ void put_threads(report_text& out, const thread_set& set) {
  const uint32 size = set.size();
  out << (size == 1 ? "thread " : "threads ");
  uint32 ranges = 0;
  uint32 shown = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < most_threads; ++rank) {
    if (!set.has(rank)) continue;
    if (ranges == 6) break;
    uint32 last = rank;
    while (last + 1 < most_threads && set.has(last + 1))
      ++last;
    out << (ranges == 0 ? "" : ", ") << rank;
    if (last != rank) out << "-" << last;
    shown += last + 1 - rank;
    rank = last;
    ++ranges;
  }
  if (shown < size) out << " and " << size - shown << " more";
}

// The warps that have threads in the set: "warps 0-2, 5".
inline __device__ __noinline__ void put_warps(report_text& out, const thread_set& set) {
  uint32 size = 0;
  CUDASYNC_NO_UNROLL
  for (const uint32 each : set.warps)
    size += each != 0;
  out << (size == 1 ? "warp " : "warps ");
  bool is_first = true;
  CUDASYNC_NO_UNROLL
  for (uint32 warp = 0; warp < 32; ++warp) {
    if (set.warps[warp] == 0) continue;
    uint32 last = warp;
    while (last + 1 < 32 && set.warps[last + 1] != 0)
      ++last;
    out << (is_first ? "" : ", ") << warp;
    if (last != warp) out << "-" << last;
    is_first = false;
    warp = last;
  }
}

CUDASYNC_DEVICE const char* plural(uint32 size, const char* one, const char* many) {
  return size == 1 ? one : many;
}

CUDASYNC_DEVICE void put_block(report_text& out, uint64 number) {
  out << "(" << number % gridDim.x << "," << number / gridDim.x % gridDim.y << "," << number / gridDim.x / gridDim.y
      << ")";
}

// --- Who waits ---

inline __device__ __noinline__ void add_to_groups(uint64 what, const char* file, uint32 line, bool is_here,
                                                  uint32 rank) {
  // Objects in shared memory have the same addresses in all blocks.
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index) {
    waiting_group& group = report.groups[index];
    if (group.what != what || group.file != file || group.line != line) continue;
    if (is_here) group.set.add(rank);
    group.threads += is_here;
    group.others += !is_here;
    return;
  }
  if (report.number_of_groups == most_groups) {
    ++report.left_out;
    return;
  }
  waiting_group& group = report.groups[report.number_of_groups++];
  group.what = what;
  group.file = file;
  group.line = line;
  group.threads = is_here;
  group.others = !is_here;
  group.set.clear();
  if (is_here) group.set.add(rank);
}

// This block's threads first: they are all on this multiprocessor.
inline __device__ __noinline__ void collect_waits() {
  report.number_of_groups = 0;
  report.left_out = 0;
  report.others = 0;
  report.waiting.clear();
  const uint64 tag = identity_of_thread(0).tag();
  const uint32 first = ptx::get_sreg_smid() * 64;
  CUDASYNC_NO_UNROLL
  for (uint32 pass = 0; pass < 2; ++pass)
    CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS; ++index) {
    const bool is_near = index - first < 64;
    if (is_near != (pass == 0)) continue;
    const warp_record& warp = warps[index];
    if (shared_by_all(warp.waiting) == 0) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 lane = 0; lane < 32; ++lane) {
      const identity who{shared_by_all(warp.waits[lane].who)};
      if (who.bits == 0) continue;
      const bool is_here = who.tag() == tag;
      const uint64 what = shared_by_all(warp.waits[lane].what);
      const identity caller{shared_by_all(warp.threads[lane].who)};
      const bool is_known = caller.rank() == who.rank() && caller.tag() == who.tag();
      add_to_groups(what, is_known ? shared_by_all(warp.threads[lane].file) : nullptr, is_known ? caller.line() : 0,
                    is_here, who.rank());
      if (is_here)
        report.waiting.add(who.rank());
      else
        ++report.others;
    }
  }
}

// --- What it is ---

inline __device__ __noinline__ const object_record* find_initialized(uint32 address) {
  const object_record* const record = find(address);
  return record != nullptr && record->times != 0 ? record : nullptr;
}

// "barrier full[2]", or what else tells it from others.
inline __device__ __noinline__ void put_name(report_text& out, subject what, const object_record* record) {
  if (what.what() == kind::named_barrier) {
    out << "named barrier " << what.address();
    return;
  }
  if (what.who() != role::none) {
    out << "stage " << what.stage() << " (to be "
        << (what.who() == role::producer ? "released by its consumers)" : "committed by its producers)");
    return;
  }
  out << name_of(what.what()) << " ";
  if (record != nullptr && record->name != nullptr) {
    out << record->name;
    if (record->index != ~uint32{0}) out << "[" << record->index << "]";
  } else {
    out << "at ";
    out.hexadecimal(what.address());
  }
}

inline __device__ __noinline__ void put_state(report_text& out, const object_record* record,
                                              const barrier_state& state) {
  const uint32 expected = state.expected != 0 ? state.expected : record->expected - record->drops;
  out << "phase of parity " << uint32{state.parity} << ", ";
  out.count(expected - state.pending, "arrival", "arrivals") << " of " << expected;
  if (state.bytes > 0) {
    out << ", ";
    out.count(static_cast<uint32>(state.bytes), "byte", "bytes") << " outstanding";
  } else if (state.bytes < 0) {
    out << ", ";
    out.count(static_cast<uint32>(-state.bytes), "byte", "bytes") << " more than expected";
  }
}

// --- Why ---

struct finding {
  report_text& out;
  subject what;
  const waiting_group& group;
  const object_record* record;
  barrier_state state;

  __device__ __noinline__ report_text& cause() { return out << "cudasync:   likely cause: "; }
  __device__ __noinline__ report_text& remedy() { return out << ".\ncudasync:   remedy: "; }
};

CUDASYNC_DEVICE uint32 arrivals_of(const object_record& record, uint32 rank) {
  return shared_by_all(record.threads[rank].arrivals) & attendance::number_of_arrivals;
}
CUDASYNC_DEVICE bool has_flag(const object_record& record, uint32 rank, uint32 flag) {
  return (shared_by_all(record.threads[rank].arrivals) & flag) != 0;
}

// What the arrivals of this block's threads since init tell; report.arrived, missing and twice belong to it.
struct attendances {
  uint32 expected;
  uint32 now;       // in the phase that is not complete
  uint32 total;     // since init, by threads of this block
  uint32 arrivers;  // threads that have arrived since init
  uint32 usual;     // arrivals of a thread that keeps up with the others
  bool are_equal;   // all that arrived did as often
  uint32 complete;  // phases; not_counted: not known
  bool is_sure;     // that the missing threads are meant to arrive
};

// The most frequent number of arrivals of the threads that arrived.
inline __device__ __noinline__ uint32 usual_arrivals(const object_record& record, uint32 threads) {
  uint32 usual = 0;
  uint32 votes = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads; ++rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    if (arrivals == 0) continue;
    if (votes == 0) usual = arrivals;
    votes += arrivals == usual ? 1 : ~uint32{0};
  }
  return usual;
}

// Adds the threads that arrive at the same barrier of other stages.
inline __device__ __noinline__ void add_arrivals_at_other_stages(thread_set& set, const object_record& record) {
  const uint64 tag = tag_of_block();
  CUDASYNC_NO_UNROLL
  for (const object_record& other : objects) {
    if (shared_by_all(other.key) == 0 || other.block != tag || other.times == 0 || other.who != record.who) continue;
    if (other.file != record.file || other.line != record.line || other.expected != record.expected) continue;
    const uint32 distance =
        other.address < record.address ? record.address - other.address : other.address - record.address;
    if (distance > 4096) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 rank = 0; rank < threads_of_block(); ++rank)
      if (arrivals_of(other, rank) != 0) set.add(rank);
  }
}

// The threads that wait at an address.
inline __device__ __noinline__ void collect_waiters(thread_set& set, uint64 address) {
  set.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    if (subject{report.groups[index].what}.address() == address) set.add(report.groups[index].set);
}

inline __device__ __noinline__ attendances compare_arrivals(const object_record& record, const barrier_state& state) {
  const uint32 threads = threads_of_block();
  attendances found{};
  found.expected = state.expected != 0 ? state.expected : record.expected - record.drops;
  found.now = found.expected - state.pending;
  found.usual = usual_arrivals(record, threads);
  found.are_equal = true;
  report.arrived.clear();
  report.missing.clear();
  report.twice.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads; ++rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    found.total += arrivals;
    if (arrivals == 0) continue;
    report.arrived.add(rank);
    if (arrivals != found.usual) found.are_equal = false;
    if (has_flag(record, rank, attendance::twice_in_a_phase)) report.twice.add(rank);
  }
  found.arrivers = report.arrived.size();
  const bool is_alone = record.remote == 0 && record.is_of_cluster == 0;
  const bool is_whole =
      found.total >= found.now && found.expected != 0 && (found.total - found.now) % found.expected == 0;
  found.complete = is_alone && record.drops == 0 && is_whole ? (found.total - found.now) / found.expected
                   : record.is_of_cluster != 0 && !state.parity && found.total <= found.now ? 0
                                                                                            : not_counted;
  // Somebody has arrived once in each phase: the others should have.
  if (found.complete != not_counted && found.now != 0) CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads; ++rank)
    if (arrivals_of(record, rank) == found.complete + 1) found.usual = found.complete + 1;
  if (found.now == 0) {
    report.missing = report.arrived;
    found.is_sure = true;
    if (found.arrivers != 0) return found;
  }
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads; ++rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    if (arrivals != 0 && arrivals < found.usual && !has_flag(record, rank, attendance::has_dropped))
      report.missing.add(rank);
  }
  found.is_sure = report.missing.size() != 0;
  if (found.is_sure) return found;
  if (record.who != role::none) {
    add_arrivals_at_other_stages(report.missing, record);
    report.missing.remove(report.arrived);
    found.is_sure = report.missing.size() != 0;
    if (found.is_sure) return found;
  }
  // Those that have never arrived may be meant to; those that wait here are not, unless there arrived some that do.
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads; ++rank)
    if (!report.arrived.has(rank)) report.missing.add(rank);
  collect_waiters(report.waiting_here, record.address);
  if (!report.waiting_here.meets(report.arrived) && report.missing.size() > report.waiting_here.size())
    report.missing.remove(report.waiting_here);
  return found;
}

// Those of the missing threads that wait for something else.
inline __device__ __noinline__ const waiting_group* group_elsewhere(const thread_set& missing, uint64 address) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index) {
    const waiting_group& group = report.groups[index];
    if (subject{group.what}.address() == address || group.threads == 0) continue;
    if (group.set.meets(missing)) return &group;
  }
  return nullptr;
}

// The last call of a thread of this block that does not wait.
inline __device__ __noinline__ bool put_last_call(report_text& out, uint32 rank) {
  const uint64 tag = identity_of_thread(0).tag();
  const uint32 first = ptx::get_sreg_smid() * 64;
  CUDASYNC_NO_UNROLL
  for (uint32 index = first; index < first + 64 && index < CUDASYNC_CHECKED_WARPS; ++index)
    CUDASYNC_NO_UNROLL
  for (uint32 lane = 0; lane < 32; ++lane) {
    const identity who{shared_by_all(warps[index].threads[lane].who)};
    if (who.tag() != tag || who.rank() != rank) continue;
    out << " (last call of thread " << rank << ": ";
    out.place(shared_by_all(warps[index].threads[lane].file), who.line()) << ")";
    return true;
  }
  return false;
}

// "barrier full[2]", and where it was initialized if it has no name.
inline __device__ __noinline__ void put_object_of(report_text& out, subject what) {
  const object_record* const record =
      what.what() == kind::barrier ? find_initialized(static_cast<uint32>(what.address())) : nullptr;
  put_name(out, what, record);
  if (record == nullptr) return;
  out << " (initialized at ";
  out.place(record->file, record->line) << ")";
}

// Another barrier of the block whose copies bring more bytes than it expects.
inline __device__ __noinline__ const object_record* barrier_with_foreign_bytes(const object_record& mine) {
  const uint64 tag = tag_of_block();
  CUDASYNC_NO_UNROLL
  for (const object_record& other : objects)
    if (&other != &mine && shared_by_all(other.key) != 0 && other.block == tag && other.times != 0 &&
        other.copied_bytes > other.expected_bytes)
      return &other;
  return nullptr;
}

inline __device__ __noinline__ void explain_bytes(finding& at) {
  const object_record& record = *at.record;
  const uint64 expected = shared_by_all(record.expected_bytes);
  const uint64 copied = shared_by_all(record.copied_bytes);
  const char* const exact =
      "expect exactly the bytes that the copies move, and begin every copy with the barrier that expects them";
  at.cause();
  if (record.remote != 0) {
    at.out << "all arrivals have come, but "
           << (at.state.bytes < 0 ? "more bytes than are expected" : "bytes are missing")
           << "; copies of other blocks, or of boxes of a tensor map, complete on this barrier";
    at.remedy()
        << "let each block expect all bytes that come to it, and exactly these; a box counts in full, also beyond the "
           "edge of the tensor.\n";
    return;
  }
  if (expected == 0)
    at.out << "no bytes are expected";
  else {
    at.out.count(expected, "byte is", "bytes are") << " expected (at ";
    at.out.place(record.expected_file, record.expected_line) << ")";
  }
  if (copied == 0) {
    at.out << ", and no copy completes on this barrier";
  } else {
    at.out << ", and copies of " << copied << " bytes were begun (at ";
    at.out.place(record.copied_file, record.copied_line) << ")";
  }
  at.out << " since init";
  if (const object_record* other = copied < expected ? barrier_with_foreign_bytes(record) : nullptr) {
    at.out << "; ";
    put_object_of(at.out, subject::of(kind::barrier, other->address));
    at.out << " got copies of " << other->copied_bytes - other->expected_bytes << " bytes that it does not expect (at ";
    at.out.place(other->copied_file, other->copied_line) << ")";
    at.remedy() << "give each copy the barrier of the stage that expects its bytes.\n";
    return;
  }
  if (expected == 0) {
    at.remedy()
        << "arrive by barrier_arrive_tx, or call barrier_expect_tx before the last arrival, with the bytes of all copies.\n";
    return;
  }
  const uint64 difference = copied < expected ? expected - copied : copied - expected;
  if (copied == expected) {
    at.out << "; a copy has not completed, or bytes of one phase came in another";
    at.remedy() << exact << "; let each phase expect its own bytes.\n";
    return;
  }
  if (difference < 16) at.out << "; the size was rounded in one of the two places";
  if (record.times_expected > record.times_copied && copied != 0 &&
      expected / record.times_expected * record.times_copied == copied) {
    at.out << "; " << record.times_expected << " calls expect bytes, and " << record.times_copied
           << plural(record.times_copied, " copies", " copy") << " them";
    at.remedy() << "let one thread expect the bytes of a copy, once; or a copy is missing.\n";
    return;
  }
  at.remedy() << exact << ".\n";
}

inline __device__ __noinline__ void put_stage_remedy(finding& at) {
  if (at.what.who() == role::producer)
    at.remedy()
        << "let each consumer call consumer_release once a round, for as many rounds as the producers make, and make the "
           "pipeline with as many consumers as release; a thread that leaves early calls quit.\n";
  else
    at.remedy()
        << "let each producer call producer_commit once a round (a bulk_pipeline's: producer_acquire), for as many rounds as "
           "the consumers wait for, and make the pipeline with as many producers as commit; a thread that leaves early calls "
           "quit.\n";
}

inline __device__ __noinline__ void explain_missing_stage(finding& at, const attendances& found) {
  const bool is_producer = at.what.who() == role::producer;
  at.cause();
  if (found.now == 0) {
    at.out << (is_producer ? "no consumer has released stage " : "no producer has committed stage ") << at.what.stage()
           << (is_producer ? " since its last round" : " in this round");
    thread_set& others = report.missing;
    others = report.arrived;
    if (found.arrivers == 0) add_arrivals_at_other_stages(others, *at.record);
    if (others.size() != 0) put_last_call(at.out, others.first());
    return put_stage_remedy(at);
  }
  at.out << found.now << " of " << found.expected << (is_producer ? " consumers " : " producers ")
         << plural(found.now, "has ", "have ") << (is_producer ? "released stage " : "committed stage ")
         << at.what.stage();
  const bool are_warps = is_producer && report.arrived.has_one_of_each_warp() && found.expected <= 32 &&
                         report.missing.has_one_of_each_warp();
  const uint32 pending = found.expected - found.now;
  if (report.arrived.is_one_of_each_warp() && found.expected > 32 && found.arrivers == found.now) {
    at.out << ": one thread of each of " << found.arrivers << " warps";
  } else if (report.missing.size() != 0 && report.missing.size() <= pending) {
    at.out << "; ";
    if (are_warps)
      put_warps(at.out, report.missing);
    else
      put_threads(at.out, report.missing);
    at.out << plural(report.missing.size(), " has not", " have not");
    put_last_call(at.out, report.missing.first());
  }
  put_stage_remedy(at);
}

// Nobody has arrived in the phase that this wait is for.
inline __device__ __noinline__ void explain_parity(finding& at, const attendances& found) {
  const uint32 rank = at.group.set.first();
  const uint32 waits = shared_by_all(at.record->threads[rank].waits);
  const uint32 row = (waits & 0xffff) / 2;
  at.cause();
  if (row > 1) {
    at.out << "the parity was not flipped: this is wait number " << row << " for parity " << uint32{at.what.parity()}
           << " in a row";
    if (found.complete != not_counted) {
      at.out << ", and ";
      at.out.count(found.complete, "phase is", "phases are") << " complete";
    }
    at.remedy() << "flip the parity once after each wait, beginning with parity 0 for the first phase.\n";
    return;
  }
  if (found.complete != not_counted)
    at.out.count(found.complete, "phase is", "phases are") << " complete, and nobody has arrived in the next one";
  else
    at.out << "nobody has arrived in this phase";
  at.out << ", which is waited for";
  if (report.arrived.size() != 0) put_last_call(at.out, report.arrived.first());
  at.remedy()
      << "let the threads that arrive make as many rounds as those that wait, and flip the parity once after each wait.\n";
}

inline __device__ __noinline__ void explain_no_arrival(finding& at) {
  const object_record& record = *at.record;
  at.cause();
  if (record.expected_bytes != 0) {
    at.out.count(record.expected_bytes, "byte was", "bytes were") << " expected at ";
    at.out.place(record.expected_file, record.expected_line) << ", but nobody has arrived";
    at.remedy() << "barrier_expect_tx does not arrive: call barrier_arrive_tx, or arrive besides.\n";
    return;
  }
  if (!at.what.is_parity_known()) {
    at.out << "the token is of another barrier: ";
    put_threads(at.out, at.group.set);
    at.out << " never arrived at this one, nor did any other thread of the block";
    at.remedy() << "wait for each token at its own barrier.\n";
    return;
  }
  at.out << "no thread has arrived since init";
  at.remedy()
      << "let the threads that are counted arrive, on every path; if this wait is for the phase before the first one, as a "
         "producer's for an empty stage, begin with parity 1.\n";
}

inline __device__ __noinline__ void put_arriving_threads(report_text& out, uint32 arrivers) {
  if (arrivers == threads_of_block())
    out << "all " << arrivers << " threads of the block";
  else
    put_threads(out, report.arrived);
}

inline __device__ __noinline__ void explain_missing_arrivals(finding& at) {
  const object_record& record = *at.record;
  const uint32 threads = threads_of_block();
  const attendances found = compare_arrivals(record, at.state);
  if (record.arrived_before != 0 && found.complete == 0) {
    at.cause() << "the barrier was initialized again at ";
    at.out.place(record.file, record.line) << " while it was in use: ";
    at.out.count(record.arrived_before, "arrival of the phase is", "arrivals of the phase are") << " lost";
    at.remedy()
        << "initialize once, by one thread, before all threads synchronize; wait for the last phase before the memory is "
           "used again.\n";
    return;
  }
  if (record.early != 0) {
    at.cause();
    at.out.count(record.early, "arrival", "arrivals") << " came before init at ";
    at.out.place(record.file, record.line)
        << ", or when it was not visible to them, and " << plural(record.early, "is", "are") << " lost";
    at.remedy()
        << "let one thread call init(&bar, count), then synchronize the block, before any thread uses the barrier.\n";
    return;
  }
  if (at.what.who() != role::none) return explain_missing_stage(at, found);
  if (found.arrivers == 0 && found.now == 0 && record.remote == 0 && record.is_of_cluster == 0)
    return explain_no_arrival(at);
  if (record.is_of_cluster != 0) {
    at.cause();
    if (found.arrivers == 0) {
      at.out << "no thread of this block has arrived";
    } else {
      put_threads(at.out, report.arrived);
      at.out << plural(found.arrivers, " has", " have") << " arrived";
    }
    if (found.complete == 0 && found.now <= found.total)
      at.out << ", and no thread of another block has";
    else
      at.out << "; arrivals of other blocks complete the phase, or are missing";
    at.remedy()
        << "let the other blocks of the cluster arrive at this block's barrier (remote_barrier), or initialize with the number of "
           "arrivals that a phase gets from all blocks.\n";
    return;
  }
  if (found.now == 0 && at.what.is_parity_known()) return explain_parity(at, found);
  if (found.now == 0) {
    at.cause() << "the token is not of this phase, in which thread " << at.group.set.first()
               << " has not arrived: it is of an earlier phase or of another barrier";
    at.remedy() << "wait for each token at its own barrier, before the next arrival.\n";
    return;
  }
  const bool is_each_once = found.are_equal && found.usual == 1;
  if (found.complete != not_counted && found.complete != 0 && found.are_equal && found.usual <= found.complete) {
    at.cause();
    put_arriving_threads(at.out, found.arrivers);
    at.out << " arrive, but init was given " << found.expected;
    at.remedy() << "initialize with " << found.arrivers << ", the threads that arrive.\n";
    return;
  }
  if (report.arrived.is_one_of_each_warp() && found.usual == found.complete + 1) {
    at.cause() << "one thread of each of " << found.arrivers << " warps arrives, but init was given " << found.expected;
    at.remedy() << "initialize with " << found.arrivers << ", or let all threads arrive.\n";
    return;
  }
  if (found.complete == 0 && found.are_equal && found.usual > 1 && found.total == found.now) {
    at.cause();
    put_threads(at.out, report.arrived);
    at.out << plural(found.arrivers, " makes ", " make ") << found.usual
           << plural(found.arrivers, " arrivals", " arrivals each, ");
    if (found.arrivers != 1) at.out << found.total << " in all";
    at.out << ", but init was given " << found.expected;
    at.remedy() << "initialize with " << found.total << ", or let the updates of a phase add up to " << found.expected
                << ".\n";
    return;
  }
  if (found.expected > threads) {
    at.cause() << "init was given " << found.expected << ", but the block has only " << threads << " threads";
    if (is_each_once && found.arrivers != threads) at.out << ", of which " << found.arrivers << " arrive";
    at.remedy() << "initialize with " << found.now << ", the arrivals of this phase, if all of them have come.\n";
    return;
  }
  if (found.arrivers == 1 && found.now == 1) {
    at.cause() << "only thread " << report.arrived.first() << " arrives, but init was given " << found.expected;
    at.remedy() << "initialize with 1, or let all threads arrive that are counted.\n";
    return;
  }
  if (report.twice.size() != 0 && report.twice.size() < found.arrivers && !found.is_sure) {
    at.cause();
    put_threads(at.out, report.twice);
    at.out << plural(report.twice.size(), " has", " have")
           << " arrived more than once in one phase, so that phases completed without "
           << "threads that are counted";
    at.remedy() << "let each thread arrive once in a phase, and wait for it before the next";
    put_last_call(at.out, report.twice.first());
    at.out << ".\n";
    return;
  }
  report.idle = report.missing;
  report.idle.remove(report.waiting);
  if (!found.is_sure && report.idle.size() >= at.state.pending) report.missing = report.idle;
  const uint32 missing = report.missing.size();
  collect_waiters(report.waiting_here, at.what.address());
  if (!found.is_sure && !report.waiting_here.meets(report.arrived) && missing == report.waiting_here.size()) {
    at.cause();
    put_threads(at.out, report.arrived);
    at.out << plural(found.arrivers, " arrives", " arrive") << ", and ";
    put_threads(at.out, report.waiting_here);
    at.out << " only " << plural(report.waiting_here.size(), "waits", "wait") << ", but init was given "
           << found.expected;
    at.remedy() << "initialize with " << found.arrivers << ", or let all threads arrive that are counted.\n";
    return;
  }
  if (missing == 0) {
    at.cause() << "all " << threads << " threads of the block have arrived, and init was given " << found.expected;
    at.remedy() << "initialize with the number of arrivals that a phase gets.\n";
    return;
  }
  at.cause();
  if (at.group.what != report.reported.bits) {
    put_object_of(at.out, at.what);
    at.out << ": ";
  }
  put_threads(at.out, report.missing);
  at.out << plural(missing, " has", " have") << " not arrived in this phase: ";
  if (const waiting_group* other = group_elsewhere(report.missing, at.what.address())) {
    put_threads(at.out, other->set);
    at.out << plural(other->threads, " waits", " wait") << " for ";
    put_object_of(at.out, {other->what});
    at.out << " at ";
    at.out.place(other->file, other->line);
    at.remedy() << "see why that wait does not end, or let these threads arrive before it.\n";
    return;
  }
  at.out << plural(missing, "it", "they") << " exited, took a branch without the arrival, or "
         << plural(missing, "waits", "wait") << " by other means";
  put_last_call(at.out, report.missing.first());
  at.remedy()
      << "let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with the "
      << found.now << " that do.\n";
}

inline __device__ __noinline__ void explain_barrier(finding& at) {
  if (at.record == nullptr) {
    at.cause() << "the barrier is not initialized: no init by cudasync was seen in this block";
    if (at.state.early != 0) {
      at.out << ", but ";
      at.out.count(at.state.early, "arrival", "arrivals");
    }
    at.remedy()
        << "let one thread call init(&bar, count), then synchronize the block, before any thread uses it; in dynamic shared "
           "memory see that nothing else lies at its address.\n";
    return;
  }
  if (!at.state.is_known) {
    at.cause() << "arrivals or bytes are missing; this GPU does not let a program read how many";
    at.remedy()
        << "compare the arrivals made with the count given to init, and the parity waited for with the phase.\n";
    return;
  }
  if (at.state.pending == 0 && at.state.bytes != 0) return explain_bytes(at);
  explain_missing_arrivals(at);
}

// --- Who waits for whom ---

inline __device__ __noinline__ finding finding_of(const waiting_group& group) {
  const subject what{group.what};
  const object_record* const record =
      what.what() == kind::barrier ? find_initialized(static_cast<uint32>(what.address())) : nullptr;
  return {report.words, what, group, record, report.states[&group - report.groups]};
}

// The group that this one waits for, if its threads wait themselves, and no others are to blame.
inline __device__ __noinline__ const waiting_group* next_of(const waiting_group& group) {
  const finding at = finding_of(group);
  if (at.record == nullptr || !at.state.is_known || at.record->early != 0 || at.record->is_of_cluster != 0)
    return nullptr;
  if (at.state.pending == 0 && at.state.bytes != 0) return nullptr;
  if (at.record->expected_bytes != 0 && at.state.pending == at.record->expected && at.what.who() == role::none)
    return nullptr;
  const attendances found = compare_arrivals(*at.record, at.state);
  if (found.now != 0 || found.arrivers != 0) {
    report.idle = report.missing;
    report.idle.remove(report.waiting);
    if (found.now != 0 && found.is_sure && report.idle.size() != 0 && report.twice.size() == 0) return nullptr;
  }
  const waiting_group* const next = group_elsewhere(report.missing, at.what.address());
  return next != nullptr && subject{next->what}.what() == kind::barrier ? next : nullptr;
}

inline __device__ __noinline__ bool has_part_of_its_arrivals(const finding& at) {
  return at.record != nullptr && at.state.pending != 0 && at.state.pending < at.record->expected - at.record->drops;
}
// Whether threads that wait nowhere are as many as are missing.
inline __device__ __noinline__ bool lacks_idle_threads(const finding& at) {
  compare_arrivals(*at.record, at.state);
  report.idle = report.missing;
  report.idle.remove(report.waiting);
  return report.idle.size() >= at.state.pending;
}

inline __device__ __noinline__ void explain_circle(const waiting_group* const* groups, uint32 size) {
  report_text& out = report.words;
  bool is_ring = true;
  bool is_same_stage = true;
  bool has_begun = true;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < size; ++index) {
    const finding at = finding_of(*groups[index]);
    is_ring = is_ring && at.what.who() != role::none;
    is_same_stage = is_same_stage && at.what.stage() == subject{groups[0]->what}.stage();
    if (at.what.is_parity_known() && compare_arrivals(*at.record, at.state).total == 0) has_begun = false;
  }
  out << "cudasync:   likely cause: ";
  if (is_ring) {
    out << "producers and consumers wait for each other" << (is_same_stage ? "" : " at different stages");
  } else {
    CUDASYNC_NO_UNROLL
    for (uint32 index = 0; index < size; ++index) {
      out << (index == 0 ? "" : " and ");
      put_threads(out, groups[index]->set);
    }
    out << " wait for each other";
    if (!has_begun) out << ", and no phase was ever completed";
  }
  out << ": ";
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < size; ++index) {
    out << (index == 0 ? "" : ", ");
    put_threads(out, groups[index]->set);
    out << " at ";
    if (is_ring) out << "stage " << subject{groups[index]->what}.stage() << ", ";
    out.place(groups[index]->file, groups[index]->line);
  }
  out << ".\ncudasync:   remedy: "
      << (is_ring
              ? "advance once a tile on both sides, begin both at the same stage, and let both make the same number of rounds"
          : !has_begun
              ? "begin with parity 1 where the first wait is for the phase before the first one, as a producer's for an empty "
                "stage; else let one side arrive before it waits"
              : "let all threads use the barriers in the same order, and arrive at the one before they wait for the other")
      << ".\n";
}

// From one wait to the next, until nobody waits, or a circle is closed.
inline __device__ __noinline__ void explain_barriers(const waiting_group& first) {
  const waiting_group* path[most_groups];
  uint32 length = 0;
  uint32 circle = most_groups;
  CUDASYNC_NO_UNROLL
  for (const waiting_group* at = &first; at != nullptr && length < most_groups && circle == most_groups;) {
    path[length++] = at;
    at = next_of(*at);
    CUDASYNC_NO_UNROLL
    for (uint32 index = 0; index < length; ++index)
      if (path[index] == at) circle = index;
  }
  const waiting_group* root = path[length - 1];
  if (circle != most_groups) {
    const waiting_group* partial = nullptr;
    CUDASYNC_NO_UNROLL
    for (uint32 index = circle; index < length; ++index) {
      const finding at = finding_of(*path[index]);
      if (!has_part_of_its_arrivals(at)) continue;
      if (at.what.who() != role::none || lacks_idle_threads(at)) partial = path[index];
    }
    if (partial == nullptr) return explain_circle(path + circle, length - circle);
    root = partial;
  }
  finding at = finding_of(*root);
  explain_barrier(at);
}

// --- The other objects ---

inline __device__ __noinline__ void explain_value(finding& at, uint64 value) {
  if (at.what.what() != kind::named_barrier && at.what.who() == role::none)
    return put_explanation(at.out, at.what.what(), value);
  at.cause();
  if (at.what.who() != role::none) {
    const bool is_producer = at.what.who() == role::producer;
    at.out << value
           << (is_producer ? plural(static_cast<uint32>(value), " consumer has", " consumers have")
                           : plural(static_cast<uint32>(value), " producer has", " producers have"))
           << (is_producer ? " not released stage " : " not committed stage ") << at.what.stage();
    return put_stage_remedy(at);
  }
  at.out << "only " << (value >> 32) << " of " << (value & 0xffffffff) << " threads have come to the named barrier";
  thread_set& others = report.missing;
  others.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    if (!at.group.set.has_warp_of(rank)) others.add(rank);
  if (others.size() != 0) {
    at.out << "; ";
    put_threads(at.out, others);
    at.out << plural(others.size(), " does", " do") << " not wait there";
    put_last_call(at.out, others.first());
  }
  at.remedy()
      << "let all warps of the phase use the same id and the same number of threads, which must be that of all that sync or "
         "arrive; take another id for each group.\n";
}

// --- The report ---

CUDASYNC_DEVICE bool is_mine(subject what, const waiting_group& group) {
  return group.what == what.bits && group.threads != 0;
}

inline __device__ __noinline__ barrier_state state_for_report(subject what) {
  if (what.what() != kind::barrier) return {};
  const ptx::shared_address bar{static_cast<uint32>(what.address())};
  const object_record* const record = find(bar.value);
  const bool is_initialized = record != nullptr && record->times != 0;
  barrier_state state{};
  if (!is_initialized || record->is_readable != 0) {
    state = whole_state_of(barrier_target{}, bar);
    state.is_known = is_initialized;
  } else if (record->remote == 0 && record->is_of_cluster == 0 && record->drops == 0 && record->expected != 0 &&
             record->expected_bytes == 0) {
    // What the arrivals that were noted make.
    uint32 total = 0;
    CUDASYNC_NO_UNROLL
    for (uint32 rank = 0; rank < threads_of_block(); ++rank)
      total += arrivals_of(*record, rank);
    state.expected = record->expected;
    state.pending = record->expected - total % record->expected;
    state.parity = total / record->expected % 2 != 0;
    state.is_known = true;
  }
  state.early = record != nullptr ? record->early : 0;
  return state;
}

inline __device__ __noinline__ void put_object(const waiting_group& group) {
  report_text& out = report.words;
  const finding at = finding_of(group);
  out << "cudasync:   ";
  put_name(out, at.what, at.record);
  if (at.record != nullptr) {
    out << ", initialized at ";
    out.place(at.record->file, at.record->line) << " with " << at.record->expected;
    if (at.state.is_known) {
      out << ": ";
      put_state(out, at.record, at.state);
    }
  }
  out << "\n";
}

CUDASYNC_DEVICE void put_group(const waiting_group& group) {
  report_text& out = report.words;
  const subject what{group.what};
  out << "cudasync:     ";
  if (what.what() == kind::named_barrier && group.threads != 0) {
    put_warps(out, group.set);
    out << plural(group.threads, " waits at ", " wait at ");
  } else if (group.threads != 0) {
    put_threads(out, group.set);
    out << (group.threads == 1 ? " waits at " : " wait at ");
  } else {
    out << group.others << " threads of other blocks wait at ";
  }
  out.place(group.file, group.line);
  if (what.is_parity_known()) out << " for parity " << uint32{what.parity()};
  if (group.threads != 0 && group.others != 0) out << "; and " << group.others << " of other blocks";
  out << "\n";
}

// Gives the text to printf and to the host.
inline __device__ __noinline__ void publish() {
  printf("%s", report.words.bytes);
  host_report* const host = controls.host;
  if (host == nullptr) return;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index <= report.words.length; ++index)
    shared_by_all(host->words.bytes[index]) = report.words.bytes[index];
  shared_by_all(host->words.length) = report.words.length;
  __threadfence_system();
  shared_by_all(host->is_complete) = 1;
  __threadfence_system();
}

// A moment later, which lets the text arrive.
[[noreturn]] CUDASYNC_DEVICE void end_kernel() {
  __nanosleep(1000000);
  for (;;)
    __trap();
}

inline __device__ __noinline__ void end_or_go_on() {
  const after_report action = static_cast<after_report>(shared_by_all(reinterpret_cast<uint32&>(controls.action)));
  if (action == after_report::trap) end_kernel();
  if (action == after_report::drain) shared_by_all(controls.is_draining) = 1;
  __threadfence();
  shared_by_all(controls.reporters) = 0;
}

// A report is written in steps that do not return, so that the registers of one are free in the next.
CUDASYNC_ENDS_KERNEL_UNLESS_HANGS_RETURN inline __device__ __noinline__ void end_report() {
  report.words
      << "cudasync:   A kernel that works for longer without an arrival needs a longer time-out: CUDASYNC_HANG_TIMEOUT_MS, a "
         "macro or, with cudasync::hang_report, an environment variable.\n";
  publish();
#if CUDASYNC_HANG_RETURNS
  end_or_go_on();
#else
  end_kernel();
#endif
}

CUDASYNC_ENDS_KERNEL_UNLESS_HANGS_RETURN inline __device__ __noinline__ void explain_hang(const waiting_group& mine,
                                                                                          uint64 value) {
  if (report.reported.what() == kind::barrier) {
    explain_barriers(mine);
  } else {
    finding at = finding_of(mine);
    explain_value(at, value);
  }
  end_report();
}

CUDASYNC_ENDS_KERNEL_UNLESS_HANGS_RETURN inline __device__ __noinline__ void say_who_waits(uint64 value) {
  report_text& out = report.words;
  const subject what = report.reported;
  const waiting_group* mine = &report.groups[0];
  uint32 lines = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index) {
    waiting_group& group = report.groups[index];
    if (is_mine(what, group)) mine = &group;
    bool is_first = true;
    CUDASYNC_NO_UNROLL
    for (uint32 earlier = 0; earlier < index; ++earlier)
      is_first = is_first && subject{report.groups[earlier].what}.address() != subject{group.what}.address();
    if (!is_first || lines > 12) continue;
    put_object(group);
    ++lines;
    CUDASYNC_NO_UNROLL
    for (uint32 other = index; other < report.number_of_groups && lines <= 14; ++other)
      if (subject{report.groups[other].what}.address() == subject{group.what}.address()) {
        put_group(report.groups[other]);
        ++lines;
      }
  }
  if (report.left_out != 0) {
    out << "cudasync:     ... and ";
    out.count(report.left_out, "more thread waits", "more threads wait") << ", at other places.\n";
  }
  explain_hang(*mine, value);
}

CUDASYNC_ENDS_KERNEL_UNLESS_HANGS_RETURN inline __device__ __noinline__ void look_at_what_is_waited_for(uint64 value) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index) {
    uint32 first = index;
    CUDASYNC_NO_UNROLL
    for (uint32 earlier = 0; earlier < index; ++earlier)
      if (first == index &&
          subject{report.groups[earlier].what}.address() == subject{report.groups[index].what}.address())
        first = earlier;
    report.states[index] = first != index ? report.states[first] : state_for_report({report.groups[index].what});
  }
  say_who_waits(value);
}

CUDASYNC_ENDS_KERNEL_UNLESS_HANGS_RETURN CUDASYNC_REPORT void report_hang(subject what, uint64 value) {
  report_text& out = report.words;
  out.clear();
  collect_waits();
  out << "cudasync: hang: nothing has moved for " << timeout() / 1000000 << " ms. In block ";
  put_block(out, block_number());
  out << " of " << threads_of_block() << " threads:\n";
  report.reported = what;
  look_at_what_is_waited_for(value);
}

inline __device__ __noinline__ void explain_too_many(const object_record& record, barrier_state state, uint32 missing,
                                                     uint32 arrivals, const thread_set& now) {
  report_text& out = report.words;
  const attendances found = compare_arrivals(record, state);
  thread_set& dropped = report.waiting_here;
  dropped.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    if (has_flag(record, rank, attendance::arrived_after_drop)) dropped.add(rank);
  out << ", where only " << missing << " of " << found.expected << plural(missing, " is", " are")
      << " missing; init was given " << record.expected << " (at ";
  out.place(record.file, record.line) << ").\ncudasync:   likely cause: ";
  if (record.arrived_before != 0) {
    out << "the barrier was initialized again at ";
    out.place(record.file, record.line) << " while it was in use: ";
    out.count(record.arrived_before, "arrival of the phase is", "arrivals of the phase are")
        << " lost.\ncudasync:   remedy: initialize once, by one thread, before all threads synchronize.\n";
  } else if (record.early != 0) {
    out.count(record.early, "arrival", "arrivals") << " came before init at ";
    out.place(record.file, record.line)
        << ", or when it was not visible to them.\ncudasync:   remedy: let one thread call init(&bar, count), then "
           "synchronize the block, before any thread uses it.\n";
  } else if (dropped.size() != 0) {
    put_threads(out, dropped);
    out << plural(dropped.size(), " arrives", " arrive") << " again although "
        << plural(dropped.size(), "it has", "they have")
        << " called arrive_and_drop.\ncudasync:   remedy: call nothing of the barrier after arrive_and_drop.\n";
  } else if (missing == 0) {
    const uint64 expected = shared_by_all(record.expected_bytes);
    const uint64 copied = shared_by_all(record.copied_bytes);
    out << "all arrivals of the phase have come, and it waits for ";
    if (expected > copied)
      out << expected - copied << " bytes that no copy brings";
    else
      out << "bytes of copies";
    out << ".\ncudasync:   remedy: wait for the phase before you arrive in the next one; initialize with as many arrivals as come.\n";
  } else if (now.size() > record.expected) {
    out << "a warp makes " << arrivals << " arrivals, but init was given " << record.expected
        << ".\ncudasync:   remedy: initialize with the number of threads that arrive in a phase, or let one lane of each warp arrive.\n";
  } else if (report.twice.size() != 0 && report.twice.size() < found.arrivers) {
    put_threads(out, report.twice);
    out << plural(report.twice.size(), " has", " have")
        << " arrived more than once in one phase.\ncudasync:   remedy: let each thread arrive once in a phase, and wait for it before it "
           "arrives in the next";
    put_last_call(out, report.twice.first());
    out << ".\n";
  } else if (found.arrivers > record.expected) {
    put_arriving_threads(out, found.arrivers);
    out << " arrive, but init was given " << record.expected << ".\ncudasync:   remedy: initialize with "
        << found.arrivers << ", the threads that arrive.\n";
  } else {
    out << "threads arrive again before the phase is complete, or the count given to init is too small.\ncudasync:   remedy: let each "
           "thread wait for a phase before it arrives in the next one; initialize with the number of arrivals that a phase gets.\n";
  }
}

[[noreturn]] CUDASYNC_REPORT void report_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals,
                                                  uint32 lanes) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text& out = report.words;
  out.clear();
  collect_waits();
  const object_record* const record = find_initialized(bar.value);
  const subject what = subject::of(kind::barrier, bar.value);
  out << "cudasync: too many arrivals: block ";
  put_block(out, block_number());
  out << ", ";
  thread_set& now = report.idle;
  now.clear();
  const uint32 first = backend::rank_in_block() / 32 * 32;
  CUDASYNC_NO_UNROLL
  for (uint32 lane = 0; lane < 32; ++lane)
    if ((lanes >> lane & 1) != 0) now.add(first + lane);
  put_threads(out, now);
  out << plural(now.size(), " arrives ", " arrive ");
  if (arrivals != now.size()) out << arrivals << " times ";
  out << "at ";
  put_name(out, what, record);
  const thread_record& caller = record_of_warp().threads[ptx::get_sreg_laneid()];
  out << ", at ";
  out.place(shared_by_all(caller.file), identity{shared_by_all(caller.who)}.line());
  if (record == nullptr) {
    out << ".\ncudasync:   likely cause: the barrier is not initialized, or its init is not visible to this thread.\ncudasync:   remedy: let one "
           "thread call init(&bar, count), then synchronize the block, before any thread uses it.\n";
  } else {
    explain_too_many(*record, state_of(barrier_target{}, bar), missing, arrivals, now);
  }
  publish();
  end_kernel();
}

[[noreturn]] inline __device__ __noinline__ void report_named_barrier(const char* cause, const char* remedy, uint32 id,
                                                                      uint32 arrived, uint32 expected, uint32 others) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text& out = report.words;
  out.clear();
  out << "cudasync: named barrier " << id << ": block ";
  put_block(out, block_number());
  out << ", warp " << backend::rank_in_block() / 32 << ", for " << expected * 32 << " threads, at ";
  const thread_record& caller = record_of_warp().threads[ptx::get_sreg_laneid()];
  out.place(shared_by_all(caller.file), identity{shared_by_all(caller.who)}.line());
  out << ": " << arrived * 32 << " threads are there already.\ncudasync:   likely cause: " << cause;
  if (others != expected) {
    out << ": " << expected * 32 << " here, ";
    if (others != 0)
      out << others * 32 << " there";
    else
      out << "several there";
  }
  out << ".\ncudasync:   remedy: " << remedy << ".\n";
  publish();
  end_kernel();
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
