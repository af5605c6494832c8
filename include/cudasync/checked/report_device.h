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
#include <cudasync/ptx/special_registers.h>

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
      count += static_cast<uint32>(__popc(static_cast<int>(each)));
    return count;
  }
  __device__ __noinline__ uint32 first() const {
    CUDASYNC_NO_UNROLL
    for (uint32 rank = 0; rank < most_threads; ++rank)
      if (has(rank)) return rank;
    return 0;
  }
  // Whether it is one thread of each of several warps.
  __device__ __noinline__ bool is_one_of_each_warp() const {
    uint32 warps_there = 0;
    CUDASYNC_NO_UNROLL
    for (const uint32 each : warps) {
      if ((each & (each - 1)) != 0) return false;
      warps_there += each != 0;
    }
    return warps_there > 1;
  }
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
  thread_set waiting, missing, twice, arrived;
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

CUDASYNC_DEVICE void put_block(report_text& out, uint64 number) {
  out << "(" << number % gridDim.x << "," << number / gridDim.x % gridDim.y << ","
      << number / gridDim.x / gridDim.y << ")";
}

// --- Who waits ---

inline __device__ __noinline__ void add_to_groups(uint64 what, const char* file, uint32 line, bool is_here, uint32 rank) {
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

inline __device__ __noinline__ void put_state(report_text& out, const object_record* record, const barrier_state& state) {
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
  __device__ __noinline__ report_text& remedy() { return out << "\ncudasync:   remedy: "; }
};

// How often most of the threads that arrived did.
inline __device__ __noinline__ uint32 usual_arrivals(const object_record& record, uint32 threads) {
  uint32 usual = 0;
  uint32 votes = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads; ++rank) {
    const uint32 arrivals = shared_by_all(record.threads[rank].arrivals);
    if (arrivals == 0) continue;
    if (votes == 0) usual = arrivals;
    votes += arrivals == usual ? 1 : ~uint32{0};
  }
  return usual;
}

// Fills report.arrived, missing (fewer arrivals than usual) and twice (more).
inline __device__ __noinline__ uint32 compare_arrivals(const object_record& record) {
  const uint32 threads = threads_of_block();
  uint32 usual = usual_arrivals(record, threads);
  report.arrived.clear();
  report.missing.clear();
  report.twice.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads; ++rank) {
    const uint32 arrivals = shared_by_all(record.threads[rank].arrivals);
    if (arrivals != 0) report.arrived.add(rank);
    if (arrivals < usual) report.missing.add(rank);
    if (arrivals > usual) report.twice.add(rank);
  }
  return usual;
}

// Whether some of the missing threads wait for something else: then who waits for whom is a circle.
inline __device__ __noinline__ const waiting_group* group_elsewhere(const thread_set& missing, uint64 address) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index) {
    const waiting_group& group = report.groups[index];
    if (subject{group.what}.address() == address || group.threads == 0) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if ((group.set.warps[warp] & missing.warps[warp]) != 0) return &group;
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
      out.place(shared_by_all(warps[index].threads[lane].file), who.line());
      return true;
    }
  return false;
}

inline __device__ __noinline__ void explain_bytes(finding& at) {
  const object_record* record = at.record;
  const uint64 expected = record != nullptr ? shared_by_all(record->expected_bytes) : 0;
  const uint64 copied = record != nullptr ? shared_by_all(record->copied_bytes) : 0;
  if (at.state.bytes < 0) {
    at.cause() << "all arrivals have come, but more bytes than the phase was told to expect";
    if (record != nullptr) at.out << " (since init, " << expected << " expected and " << copied << " copied)";
    at.out << ".";
    at.remedy() << "expect exactly the bytes that the copies move: give their sum to barrier_arrive_tx or barrier_expect_tx, before "
                   "the last arrival.\n";
    return;
  }
  if (copied < expected && record != nullptr) {
    at.cause() << "all arrivals have come, but bytes have not: since init " << expected << " are expected, and copies of "
               << copied << " were begun";
    at.out << ". " << (copied == 0 ? "No copy completes on this barrier." : "A copy is missing or too small, or its size was rounded.");
    at.remedy() << "expect exactly the bytes that are copied, and begin every copy with this barrier.\n";
    return;
  }
  at.cause() << "all arrivals have come, but bytes of a copy have not.";
  at.remedy() << "compare the bytes expected with those copied; and see whether the copy completes on this barrier.\n";
}

inline __device__ __noinline__ void explain_missing_stage(finding& at, uint32 expected) {
  const bool is_producer = at.what.who() == role::producer;
  const uint32 arrived = expected - at.state.pending;
  at.cause();
  if (arrived == 0)
    at.out << (is_producer ? "no consumer has released the stage since its last round" : "no producer has committed the stage in this round");
  else
    at.out << arrived << " of " << expected << (is_producer ? " consumers have released the stage" : " producers have committed the stage");
  if (const waiting_group* other = group_elsewhere(report.missing.size() != 0 ? report.missing : report.waiting, at.what.address())) {
    at.out << "; ";
    put_threads(at.out, other->set);
    at.out << " wait for another stage at ";
    at.out.place(other->file, other->line);
  }
  at.out << ".";
  at.remedy() << (is_producer ? "let each consumer call consumer_release once a round, for as many rounds as the producers make, and count "
                                "them right where the pipeline is made; a thread that leaves early calls quit.\n"
                              : "let each producer call producer_commit once a round (a bulk_pipeline's: producer_acquire), for as many "
                                "rounds as the consumers wait for; a thread that leaves early calls quit.\n");
}

inline __device__ __noinline__ void explain_parity(finding& at) {
  const attendance mine = at.record->threads[at.group.set.first()];
  const uint32 waits = shared_by_all(mine.last_wait) / 2;
  at.cause() << "the wait names a phase that nobody arrives in: it is for parity " << uint32{at.what.parity()}
             << ", and the phase of parity " << uint32{!at.what.parity()} << " is complete";
  if (waits > 1) at.out << " (it is this thread's wait number " << waits << " at the barrier)";
  at.out << ".";
  at.remedy() << "flip the parity after each wait, beginning with false for the first phase; and let the arriving side make as many "
                 "rounds as the waiting one.\n";
}

inline __device__ __noinline__ void explain_missing_arrivals(finding& at) {
  const object_record& record = *at.record;
  const uint32 threads = threads_of_block();
  const uint32 expected = at.state.expected != 0 ? at.state.expected : record.expected - record.drops;
  const uint32 arrived = expected - at.state.pending;
  const uint32 usual = compare_arrivals(record);
  const uint32 arrivers = report.arrived.size();
  if (record.arrived_before != 0) {
    at.cause() << "the barrier was initialized again at ";
    at.out.place(record.file, record.line) << " while it was in use: " << record.arrived_before
                                           << " arrivals of the phase then are lost.";
    at.remedy() << "initialize once, by one thread, before all threads synchronize; wait for the last phase before the memory is "
                   "used again.\n";
    return;
  }
  if (at.what.who() != role::none) return explain_missing_stage(at, expected);
  if (arrivers == 0 && record.remote == 0) {
    at.cause() << "no thread has arrived since init";
    if (const waiting_group* other = group_elsewhere(report.waiting, at.what.address())) {
      at.out << ", and ";
      put_threads(at.out, other->set);
      at.out << ", which might, wait at ";
      at.out.place(other->file, other->line);
    }
    at.out << ".";
    at.remedy() << "let the threads that are counted arrive before anyone waits for them; two waits in opposite order wait for each "
                   "other for ever.\n";
    return;
  }
  if (arrived == 0 && at.what.is_parity_known()) return explain_parity(at);
  if (report.twice.size() != 0 && usual != 0 && report.twice.size() < arrivers) {
    at.cause();
    put_threads(at.out, report.twice);
    at.out << (report.twice.size() == 1 ? " has" : " have") << " arrived more often than the others ("
           << shared_by_all(record.threads[report.twice.first()].arrivals) << " times, the others " << usual
           << "), so that phases completed without those that are counted.";
    at.remedy() << "let each thread arrive once a phase; the last call of thread " << report.twice.first() << " is at ";
    put_last_call(at.out, report.twice.first());
    at.out << ".\n";
    return;
  }
  if (report.arrived.is_one_of_each_warp() && expected >= 32 && arrivers * 32 >= expected) {
    at.cause() << "one thread of each warp arrives (" << arrivers << " in all), but init was given " << expected << ".";
    at.remedy() << "initialize with " << arrivers << ", or let all threads arrive.\n";
    return;
  }
  if (expected > threads && record.remote == 0) {
    at.cause() << "init was given " << expected << ", but the block has only " << threads << " threads";
    if (arrived == arrivers) at.out << ", of which " << arrivers << " arrive";
    at.out << ".";
    at.remedy() << "initialize with the number of arrivals that a phase gets: " << arrived << " here.\n";
    return;
  }
  // Threads that have never arrived may be meant to.
  if (report.missing.size() == 0)
    CUDASYNC_NO_UNROLL
    for (uint32 rank = 0; rank < threads; ++rank)
      if (!report.arrived.has(rank)) report.missing.add(rank);
  if (report.missing.size() == 0) {
    at.cause() << "all " << threads << " threads of the block have arrived, and init was given " << expected << ".";
    at.remedy() << "initialize with the number of arrivals that a phase gets" << (usual == 1 && arrived != 0 ? ": " : "");
    if (usual == 1 && arrived != 0) at.out << arrived << " here";
    at.out << ".\n";
    return;
  }
  at.cause();
  put_threads(at.out, report.missing);
  at.out << (report.missing.size() == 1 ? " has" : " have") << " not arrived in this phase";
  if (const waiting_group* other = group_elsewhere(report.missing, at.what.address())) {
    at.out << ": ";
    put_threads(at.out, other->set);
    at.out << (other->set.size() == 1 ? " waits" : " wait") << " for ";
    put_name(at.out, {other->what}, subject{other->what}.what() == kind::barrier ? find(static_cast<uint32>(subject{other->what}.address())) : nullptr);
    at.out << " at ";
    at.out.place(other->file, other->line) << ", which waits for these in turn.";
    at.remedy() << "let all threads use the barriers in the same order, and arrive at the one before they wait for the other.\n";
    return;
  }
  report.missing.remove(report.waiting);
  at.out << ", and " << (report.missing.size() == 1 ? "does" : "do") << " not wait anywhere: exited, or in a branch without the arrival";
  if (report.missing.size() != 0) {
    const uint32 length = at.out.length;
    at.out << " (last call of thread " << report.missing.first() << ": ";
    if (put_last_call(at.out, report.missing.first()))
      at.out << ")";
    else
      at.out.length = length;
  }
  at.out << ".";
  at.remedy() << "let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with the "
              << arrived << " that do.\n";
}

inline __device__ __noinline__ void explain_barrier(finding& at) {
  const bool is_blank = at.state.bits == 0 || (at.state.pending == 0 && at.state.bytes == 0);
  if (at.record == nullptr) {
    at.cause() << (is_blank ? "the barrier is not initialized, or its init is not visible to this block."
                            : "no init of this barrier by cudasync was seen in this block.");
    at.remedy() << "let one thread call init(&bar, count), then synchronize the block, before any thread uses it; in dynamic shared "
                   "memory see that nothing else lies at its address.\n";
    return;
  }
  if (at.record->is_readable == 0) {
    at.cause() << "arrivals or bytes are missing; this GPU does not let a program read how many.";
    at.remedy() << "compare the arrivals made with the count given to init, and the parity waited for with the phase.\n";
    return;
  }
  if (at.state.pending == 0 && at.state.bytes != 0) return explain_bytes(at);
  explain_missing_arrivals(at);
}

// --- The other objects ---

inline __device__ __noinline__ void explain_value(finding& at, uint64 value) {
  if (at.what.what() != kind::named_barrier) return put_explanation(at.out, at.what.what(), value);
  at.cause() << "only " << (value >> 32) << " of " << (value & 0xffffffff) << " threads have come to the named barrier.";
  at.remedy() << "let all warps of the phase use the same id and the same number of threads, which must be that of all that sync or "
                 "arrive.\n";
}

// --- The report ---

CUDASYNC_DEVICE bool is_mine(subject what, const waiting_group& group) {
  return group.what == what.bits && group.threads != 0;
}

inline __device__ __noinline__ void put_object(subject what, uint64 value, const waiting_group& group, bool explains) {
  report_text& out = report.words;
  object_record* record = nullptr;
  barrier_state state{};
  if (what.what() == kind::barrier) {
    const ptx::shared_address bar{static_cast<uint32>(what.address())};
    record = find(bar.value);
    state = record != nullptr && record->is_readable == 0 ? barrier_state{} : whole_state_of(barrier_target{}, bar);
  }
  finding at{out, what, group, record, state};
  if (explains) return what.what() == kind::barrier ? explain_barrier(at) : explain_value(at, value);
  out << "cudasync:   ";
  put_name(out, what, record);
  if (record != nullptr) {
    out << ", initialized at ";
    out.place(record->file, record->line) << " with " << record->expected;
    if (record->is_readable != 0) {
      out << ": ";
      put_state(out, record, state);
    }
  }
  out << "\n";
}

CUDASYNC_DEVICE void put_group(const waiting_group& group) {
  report_text& out = report.words;
  const subject what{group.what};
  out << "cudasync:     ";
  if (group.threads != 0) {
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

CUDASYNC_ENDS_KERNEL_UNLESS_HANGS_RETURN inline __device__ __noinline__ void report_hang(subject what, uint64 value) {
  report_text& out = report.words;
  out.clear();
  collect_waits();
  out << "cudasync: hang: nothing has moved for " << timeout() / 1000000 << " ms. In block ";
  put_block(out, block_number());
  out << " of " << threads_of_block() << " threads:\n";
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
    put_object({group.what}, value, group, false);
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
  put_object(what, value, *mine, true);
  out << "cudasync:   A kernel that works for longer without an arrival needs a longer time-out: CUDASYNC_HANG_TIMEOUT_MS, a macro or, "
         "with cudasync::hang_report, an environment variable.\n";
  publish();
#if CUDASYNC_HANG_RETURNS
  end_or_go_on();
#else
  end_kernel();
#endif
}

[[noreturn]] inline __device__ __noinline__ void report_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals, uint32 lanes) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text& out = report.words;
  out.clear();
  collect_waits();
  const object_record* const record = find(bar.value);
  const subject what = subject::of(kind::barrier, bar.value);
  out << "cudasync: too many arrivals: block ";
  put_block(out, block_number());
  out << ", ";
  thread_set& now = report.missing;
  now.clear();
  const uint32 first = backend::rank_in_block() / 32 * 32;
  CUDASYNC_NO_UNROLL
  for (uint32 lane = 0; lane < 32; ++lane)
    if ((lanes >> lane & 1) != 0) now.add(first + lane);
  put_threads(out, now);
  out << (now.size() == 1 ? " arrives " : " arrive ");
  if (arrivals != now.size()) out << arrivals << " times ";
  out << "at ";
  put_name(out, what, record);
  const thread_record& caller = record_of_warp().threads[ptx::get_sreg_laneid()];
  out << ", at ";
  out.place(shared_by_all(caller.file), identity{shared_by_all(caller.who)}.line());
  if (record == nullptr) {
    out << ", which is not initialized, or whose init this thread cannot see.\ncudasync:   remedy: let one thread call init(&bar, count), "
           "then synchronize the block, before any thread uses it.\n";
  } else {
    out << ", where only " << missing << " of " << record->expected << " are missing (initialized at ";
    out.place(record->file, record->line) << ").\n";
    const thread_set arriving = now;
    const uint32 usual = compare_arrivals(*record);
    out << "cudasync:   likely cause: ";
    const uint32 arrivers = report.arrived.size();
    if (missing == 0) {
      out << "all arrivals of the phase have come already, and it waits for bytes";
      out << ".\ncudasync:   remedy: wait for a phase before you arrive in the next one; initialize with as many arrivals as come.\n";
    } else if (report.twice.size() != 0 && report.twice.size() < arrivers && usual != 0) {
      put_threads(out, report.twice);
      const uint32 times = shared_by_all(record->threads[report.twice.first()].arrivals);
      out << (report.twice.size() == 1 ? " has" : " have") << " arrived more often (" << times << " times) than the others (" << usual
          << " times).\ncudasync:   remedy: let each thread arrive once a phase, and wait for it before it arrives again.\n";
    } else {
      out << "the count given to init is too small, or the threads arrive again before the phase is complete: " << arrivers
          << " threads arrive, " << record->expected
          << " arrivals complete a phase.\ncudasync:   remedy: initialize with the number of arrivals that a phase gets, and let each "
             "thread wait for a phase before it arrives in the next one.\n";
    }
    static_cast<void>(arriving);
  }
  publish();
  end_kernel();
}

[[noreturn]] inline __device__ __noinline__ void report_named_barrier(const char* cause, const char* remedy, uint32 id, uint32 arrived,
                                                         uint32 expected) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text& out = report.words;
  out.clear();
  out << "cudasync: named barrier " << id << ": block ";
  put_block(out, block_number());
  out << ", warp " << backend::rank_in_block() / 32 << ", for " << expected * 32 << " threads, at ";
  const thread_record& caller = record_of_warp().threads[ptx::get_sreg_laneid()];
  out.place(shared_by_all(caller.file), identity{shared_by_all(caller.who)}.line());
  out << ": " << arrived * 32 << " threads are there already.\ncudasync:   cause: " << cause << ".\ncudasync:   remedy: " << remedy
      << ".\n";
  publish();
  end_kernel();
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
