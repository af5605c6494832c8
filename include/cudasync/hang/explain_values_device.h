// Explains waits for a value: of counters, semaphores, peers and atomic objects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_VALUES_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_VALUES_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/causes.h>
#include <cudasync/hang/explain_additions_device.h>
#include <cudasync/hang/explain_permits_device.h>
#include <cudasync/hang/explain_stages_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/permits_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/waiting_blocks_device.h>
#include <cudasync/hang/waiting_groups_device.h>
#include <cudasync/ptx/address.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// value: missing arrivals, and so on, as for put_cause.
inline __device__ __noinline__ void record_value(kind what, uint64 value) {
  if (what == kind::peer_barrier || what == kind::world_barrier) {
    const missing_peer who = missing_peer::of(value);
    record_numbers(number::rank, who.rank, number::is_own, who.is_own, number::phase, who.phase);
  } else if (what == kind::peer_signal || what == kind::peer_mailbox) {
    const bool is_signal = what == kind::peer_signal;
    const awaited_message message = awaited_message::of(value);
    if (!is_signal && message.is_overwritten()) current_cause().what = cause::message_overwritten;
    if (!is_signal) record_number(number::index, message.index);
    record_numbers(number::awaited, message.awaited, number::value,
                   is_signal ? awaited_number::of(value).found : message.found);
  } else if (what == kind::semaphore) {
    record_number(number::threads, queue_for_permit::of(value).threads);
  } else if (what != kind::atomic_lock) {
    record_number(what == kind::atomic_value ? number::value : number::missing, value);
  }
}

inline __device__ __noinline__ void say_value(subject object, uint64 value) {
  const kind what = object.what();
  if (what == kind::latch || what == kind::semaphore || what == kind::atomic_value) report_text.about = object.bits;
  record_value(what, value);
  say("{C}");
  put_cause(report_text.words, what, value);
  if (object.is_by_predicate()) say(": the predicate is false for {n}", value);
}

struct facts_of_value {
  bool has_givers;
  bool are_of_blocks;  // threads of several blocks have counted down
  bool has_stores;     // to an atomic
  bool has_other_stores;
  bool are_additions;  // all of them
  bool is_older;       // an atomic whose value is none of this kernel, as far as it is known
  bool is_untouched;   // an atomic whose value is 0, and to which no thread is known to have stored
  bool waits_elsewhere;
  bool has_silent_blocks;
  uint64 without_room_for_more;  // the number of waiting blocks that keep others from starting; 0: not known
  bool is_for_some;              // the wait is for some of the other blocks
  uint64 erased_at;              // the site of a store that came after additions; 0: there is none
  uint64 neighbor;               // the site of a signal or a store to an object beside this one; 0: not known
  bool are_blocks_named;         // those that are missing at a counter
  bool is_of_others;             // no thread of this kernel is known to have given what is missing
  bool is_full;                  // and its waiting blocks are on all multiprocessors
};

CUDASYNC_DEVICE_VARIABLE facts_of_value known;  // of the value that is being reported

// Who has counted down a latch or notified an atomic, if it is known. Returns whether any has, or released a permit.
inline __device__ __noinline__ bool say_givers(subject what, uint64 missing) {
  givers found;
  if (collect_givers(found, what.address(), of_lanes) == 0) return false;
  if (what.what() == kind::semaphore) return true;
  const bool is_latch = what.what() == kind::latch;
  const object_record* const record = is_latch ? record_of_other(what) : nullptr;
  if (record != nullptr && collect_undone(*record) != 0) {
    report.arrived.remove(report.twice);
    if (report.arrived.size() == 0) return false;
  }
  if (is_latch && (blocks_of_grid() == 1 || is_in_shared_memory(what.address())))
    return say("; {t} {has|have} counted it down", &report.arrived), true;
  if (is_latch) known.are_of_blocks = report.twice.size() > 1;
  const bool are_of_all = is_latch && report.twice.size() == blocks_of_grid();
  say(are_of_all ? "; {n} threads, of all {n} blocks of the grid, have counted it down"
      : is_latch ? "; {n} {thread has|threads have} counted it down"
                 : "; {n} {thread has|threads have} notified it",
      found.threads, blocks_of_grid());
  if (!are_of_all) say_last_giver(found);
  if (is_latch) say_missing_blocks(report.twice, report.twice.size(), missing);
  return true;
}

// Who has stored to an atomic. Each lane has only the last two objects to which it has stored.
inline __device__ __noinline__ void say_stores(const waiting_group& at) {
  givers found;
  const uint32 stores = collect_givers(found, at.what.address(), of_stores);
  known.are_additions = say_additions(found);
  known.has_stores = stores != 0;
  if (known.are_additions) return;
  report.arrived.keep(at.set);
  const uint32 own = report.arrived.size();
  const char* const verb = noted.adders != 0 ? "stored or added to it" : "stored to it";
  if (own != 0) say("; {t} of this block, which {waits|wait}, {c}{has|have} {s}", &report.arrived, own, verb);
  known.has_other_stores = stores != own;
  if (stores == own) return;
  say(own != 0 ? "; also thread {n} of block {b}" : "; thread {n} of block {b}", found.rank, found.block);
  if (stores - own > 1) say(" and {n} more {thread|threads}", stores - own - 1);
  say("{c} {has|have} {s}", stores - own, verb);
  const noted_store& last = noted.last;
  const bool is_known = last.from > noted_store::most_additions && last.value != noted_store::unknown;
  if (is_known && stores == 1) say(", this value at {f}", last.from);
  if (is_known && stores > 1)
    say("; its value is that of the store by thread {n} of block {b} at {f}", last.rank, last.block, last.from);
  if (is_known && last.waits.bits != 0)
    say(stores > 1 ? ", which waits for {i} at {f}" : ", and waits for {i} at {f}", last.waits, last.waits_from);
  known.erased_at = say_erased();
}

// The threads of this block that do not wait: some of them may have to arrive.
inline __device__ __noinline__ void say_who_does_not_wait() {
  select_threads(report.missing, [](uint32 rank) { return !report.waiting.has(rank); });
  if (report.missing.size() == 0) return say(", and all threads of the block wait");
  report.missing.remove(report.arrived);
  const uint32 lane = report.arrived.first() % 32;
  const bool is_by_one_lane = report.arrived.size() > 1 && report.arrived.has_one_of_each_warp();
  if (is_by_one_lane)  // of each warp: that of the other warps
    select_threads(report.missing, [lane](uint32 rank) {
      return rank % 32 == lane && !report.waiting.has(rank) && !report.arrived.has_warp_of(rank);
    });
  if (report.missing.size() != 0) record_threads(report.missing);
  say_that_missing_are_idle();
}

inline __device__ __noinline__ void say_in_local_memory(const waiting_group& at) {
  record_cause(cause::in_local_memory, at.what);
  say("{C}{i} is in local memory: each thread has one of its own, which no other thread can reach"
      "{R}declare it __shared__, or in global memory{.}",
      at.what);
}

inline __device__ __noinline__ void say_remedy_of_atomic(const waiting_group& at) {
  if (known.erased_at != 0)
    return say(
        "let no thread add before the store at {f}: store the value before the launch, or synchronize all of these "
        "threads after the store",
        known.erased_at);
  if (!known.are_additions && (known.has_givers || known.has_other_stores))
    say(noted.changers == 1 && !at.what.is_by_predicate()
            ? "give wait the value that means not yet: one that the thread has just read may be the new one; otherwise "
              "compare what is stored with the awaited value; "
            : "compare what these threads store or add with the awaited value; ");
  if (known.is_older) say("if the value is from an earlier launch, reset it before each one; otherwise ");
  if (known.neighbor != 0)
    say("compare the index of the object that the call at {f} stores to with that of this wait; ", known.neighbor);
  if (known.are_additions)
    say_remedy_of_additions();
  else
    say("{s}", known.is_untouched
                   ? "let the thread that should store to it do so on every path, also if it has no work; or "
                     "do not wait for a thread that takes no part"
                   : explain(kind::atomic_value).remedy);
  if (at.what.is_by_predicate() && !known.is_untouched && !known.are_additions)
    say(". A predicate that compares by == misses a value that an addition passes over, or that is soon stored over: "
        "compare by >=");
  if (is_in_shared_memory(at.what.address())) return say(". It is in shared memory, of which each block has its own");
  if (known.is_of_others && !known.is_full) say(". A later kernel of the stream cannot store it");
  if (is_larger_than_gpu() && !known.has_silent_blocks)
    say(". A block that has not started cannot store it: let blocks wait for earlier blocks alone, or launch with "
        "cudaLaunchCooperativeKernel");
}

inline __device__ __noinline__ void say_remedy_of_value(const waiting_group& at) {
  const kind what = at.what.what();
  const waiting_group* const other = other_blocks_at(at);
  if (other != nullptr)
    say("; {n} {thread|threads} of other blocks {waits|wait} for {i} at {f}", other->others, other->what, other->from);
  say("{R}");
  if (known.is_full)
    say("launch the kernel that should {s} before this one, or in another stream, with room beside this one: fewer "
        "blocks, or less shared memory; ",
        what == kind::latch          ? "count down"
        : what == kind::semaphore    ? "release"
        : what == kind::atomic_value ? "store"
                                     : "arrive");
  if (known.without_room_for_more != 0) return say_remedy_of_grid(known.without_room_for_more, known.is_for_some);
  if (known.has_silent_blocks)
    say("if the grid is larger than the GPU holds at once, launch fewer blocks, or with cudaLaunchCooperativeKernel, "
        "which rejects such a grid; ");
  if (known.neighbor != 0 && what == kind::peer_signal)
    return say("check the index and the address in the call at {f}: it must signal this object, in the memory of the "
               "GPU that waits; an address that is translated twice is that of another member{.}",
               known.neighbor);
  if (what == kind::atomic_value)
    say_remedy_of_atomic(at);
  else if (what == kind::latch && known.is_of_others)
    say(known.is_full ? "a host thread that is counted must count it down, also without work"
                      : "let each host thread and each kernel that is counted count it down, also without work");
  else if (what == kind::semaphore && known.is_of_others)
    say("let a thread release it on every path, or construct it with the permits that are there at first");
  else if (what == kind::counter_barrier && known.is_of_others)
    say("let the other kernel or the host thread arrive while this kernel runs");
  else
    say("{s}", explain(known.are_blocks_named ? kind::grid_barrier : what).remedy);
  if (other != nullptr) say(". If blocks wait for each other, let one of them signal or arrive before its wait");
  if (known.is_of_others && !known.is_full && what != kind::atomic_value && !is_of_peers(what))
    say(". Another kernel that should {s} must run at the same time: kernels of one stream run one after another, "
        "and so do those of the default stream and of a stream without cudaStreamNonBlocking: launch it in a stream "
        "that was created with this flag",
        what == kind::semaphore ? "release" : "arrive");
  if (known.has_givers && what == kind::latch && is_in_shared_memory(at.what.address()))
    say(". An arrival before init is lost: synchronize the block after init");
  if (known.waits_elsewhere)
    say(". If the threads that wait elsewhere are counted, let them arrive here before that wait");
  const bool is_shared_by_all = blocks_of_grid() != 1 && !is_in_shared_memory(at.what.address());
  if (other == nullptr && (what == kind::counter_barrier || what == kind::latch) && is_shared_by_all &&
      !known.are_of_blocks && threads_that_wait_for(at.what) == at.set.size())
    say(". It is in global memory, where all blocks share it, and only this block waits: if each block should have "
        "one of its own, declare it __shared__");
  say("{.}");
}

// Returns whether that tells the remedy.
inline __device__ __noinline__ bool say_who_waits_for_counter(const waiting_group& at, uint64 value) {
  const uint32 threads = threads_that_wait_for(at.what);
  say("; {n} {thread waits|threads wait}", threads);
  if (is_in_shared_memory(at.what.address()) || blocks_of_grid() == 1) return false;
  collect_blocks(report.idle, at.what.bits, same_object);
  if (report.idle.size() == threads && say_count_of_threads(report.idle, value)) return true;
  if (report.idle.size() == threads && threads == blocks_of_grid())
    return say("; they are one of each block of the grid, so no other block can arrive"
               "{R}initialize with the number of threads that arrive in this launch: after an init for a larger grid, "
               "it expects more; or launch as many blocks as it expects{.}"),
           true;
  known.are_blocks_named = report.idle.size() == threads && threads + value == blocks_of_grid();
  if (known.are_blocks_named) say_missing_blocks(report.idle, threads, value);
  return false;
}

// Says what the threads of report.missing should do, if their arrivals are the missing ones. Returns false if they need
// not be: where others have counted down, one of them may have done so before init.
inline __device__ __noinline__ bool say_remedy_of_idle(kind what, uint64 value) {
  if (known.has_givers || report.missing.size() != value) return false;
  say(what == kind::latch
          ? "{R}let {t} count it down on every path, and before {it waits|they wait} for other threads, for example at "
            "__syncthreads(); or construct it with the number of arrivals that are made{.}"
          : "{R}let {t} arrive in each phase, on every path, or call arrive_and_drop before {it leaves|they leave}; or "
            "initialize with the number of threads that arrive{.}",
      &report.missing);
  return true;
}

inline __device__ __noinline__ void say_facts_of_value(const waiting_group& at, uint64 value) {
  const kind what = at.what.what();
  const bool is_shared = is_in_shared_memory(at.what.address());
  known.has_givers =
      (what == kind::latch || what == kind::semaphore || what == kind::atomic_value) && say_givers(at.what, value);
  if (what == kind::latch && known.has_givers && say_count_of_threads(report.twice, value)) return;
  if (what == kind::counter_barrier && say_who_waits_for_counter(at, value)) return;
  if (!is_shared) known.without_room_for_more = say_silent_blocks(what, value, known.has_silent_blocks);
  known.is_for_some = what == kind::atomic_value || what == kind::semaphore ||
                      (what == kind::latch && value < blocks_of_grid() - known.without_room_for_more);
  const bool is_alone =
      what == kind::counter_barrier && !is_shared && blocks_of_grid() == 1 && at.set.size() < threads_of_block() &&
      !is_any_thread([&at](uint32 rank) { return !at.set.has(rank) && last_call_of_thread(rank).bits != 0; });
  if (is_alone)
    say("; no other thread of this kernel has called the library: an arrival of another kernel, or of the host, is "
        "missing, which may not have started");
  const bool is_counted = what == kind::latch || what == kind::counter_barrier;
  // Threads of this block that wait for other objects, and so do not arrive at this one.
  const waiting_group* const other = find_group([&at, is_counted](const waiting_group& each) {
    return is_counted && each.threads != 0 && !each.what.is_same_object(at.what);
  });
  known.waits_elsewhere = other != nullptr;
  if (other != nullptr) {
    say("; {t} {waits|wait} for {i} at {f}", &other->set, other->what, other->from);
    mark_as_explained(other->what);
  }
  const bool is_in_block = is_counted && !known.waits_elsewhere && is_shared;
  if (is_in_block) say_who_does_not_wait();
  if (is_in_block && say_remedy_of_idle(what, value)) return;
  known.is_of_others = !is_shared && !known.has_givers && !known.has_stores && !known.has_silent_blocks &&
                       !known.waits_elsewhere && other_blocks_at(at) == nullptr &&
                       (what != kind::counter_barrier || is_alone);
  const bool is_of_kernels = known.is_of_others && !is_of_peers(what);
  known.is_full = is_of_kernels && is_on_all_multiprocessors();
  if (is_of_kernels && (what == kind::latch || what == kind::semaphore))
    say("; no thread of this kernel is known to have {s} of a host thread or of another kernel",
        what == kind::latch ? "counted it down: what is missing may be an arrival"
                            : "acquired or released it: what is missing may be a release");
  if (known.is_full)
    say("; waiting blocks are on all {n} multiprocessors, so another kernel may find no room beside this one",
        ptx::get_sreg_nsmid());
  say_remedy_of_value(at);
}

// A thread of every block waits for an atomic.
inline __device__ __noinline__ void say_that_all_blocks_wait() {
  say("; a thread of every block of the grid waits, so none is left to store one");
  if (known.are_additions && !noted.has_fallen) return say("{R}"), say_remedy_of_additions(), say("{.}");
  if (known.neighbor != 0)
    return say(
        "{R}if the awaited value is also stored at {f}, behind such a wait, blocks wait for each other: let no block "
        "wait for what a waiting block stores later, and let them take the work in the order in which it is awaited; "
        "otherwise, if the value was there before, reset it before use{.}",
        known.neighbor);
  if (known.is_older)
    return say(
        "{R}if it is from an earlier launch, reset it before each one; otherwise, let no thread reset the value before "
        "all that wait have seen it, or let it only rise, and give a lock back on every path{.}");
  say("{R}if the awaited value was there before, for example of a counter that begins anew, reset it before use "
      "or let it only rise; otherwise let the first of the threads that wait for each other begin with the initial "
      "value, and let each thread store the value for which the next one waits{.}");
}

inline __device__ __noinline__ void explain_by_value(const waiting_group& at, uint64 value) {
  const kind what = at.what.what();
  record_cause(explain(what).what, at.what);
  if (at.what.is_local()) return say_in_local_memory(at);
  if (at.what.who() != role::none) return explain_stage_of_counter(at, value);
  const bool is_shared = is_in_shared_memory(at.what.address());
  const bool is_too_great = value > (is_shared ? 1u << 20 : 1u << 30);  // no count is likely to be
  if (is_too_great && (what == kind::counter_barrier || what == kind::latch)) {
    record_cause(cause::barrier_not_initialized, at.what);
    return say(
        "{C}{i} is not initialized, or something has written over it: it waits for {n} arrivals"
        "{R}construct it with the number of arrivals, or let one thread call init(&object, count) before any thread "
        "uses it: in global memory, in a kernel before this one; otherwise, look for what is written past the end of "
        "another object, with compute-sanitizer{.}",
        at.what, value);
  }
  if (say_wrong_init(at.what) || (what == kind::atomic_value && explain_overwritten())) return;
  say_value(at.what, value);
  const bool is_free = is_shared || blocks_of_grid() == 1 || is_any_block_free(at.what);
  known = {};
  if (what == kind::atomic_value) {
    find_last_stores(at, value);
    const bool is_alone =
        find_group([&at](const waiting_group& each) { return !each.what.is_same_object(at.what); }) == nullptr;
    if (say_own_shares(at, is_free) || say_sum(at, !is_free && is_alone)) return;
    if (say_wait_of_changer(at.what)) return;
    say_stores(at);
  }
  known.is_untouched = what == kind::atomic_value && !known.has_stores && value == 0;
  known.is_older = what == kind::atomic_value && !known.has_stores && say_older_value(at.what, value);
  if (what == kind::peer_signal || (known.is_untouched && !is_shared && report_text.part != part_of_report::named))
    known.neighbor = say_neighbor(at.what);
  if (known.is_untouched && !is_shared) say_first_of_blocks(at.what);
  if (!is_free && what == kind::atomic_value) return say_that_all_blocks_wait();
  const waiting_group* const other = is_of_peers(what) && !is_free ? other_blocks_at(at) : nullptr;
  if (other != nullptr && known.neighbor == 0) {
    collect_blocks(report.idle, other->what.bits, same_object);
    say("; a thread of every block of the grid waits, so this block and block {b} wait for each other, unless another "
        "kernel or GPU sends",
        report.idle.first());
  }
  say_facts_of_value(at, value);
}

// Called through pointers, and so never directly: see pointer_to. If no thread has stored to an atomic, and all
// that wait for it have added to another one, or one has given it its value, the cause is told at the other one.
CUDASYNC_REPORT void explain_value(const waiting_group& at, uint64 value) {
  if (report.must_be_sure) return;
  uint64 other = value;
  const waiting_group* root = &at;
  if (at.what.what() == kind::atomic_value) {
    if (explain_circle_of_values(at.what)) return;
    find_last_stores(at, value);
    if (noted.changers == 0)
      root = find_group([&](const waiting_group& each) {
        return is_added_to_by_waiters(at, each, other) || is_held_by_waiter(at, each, other) ||
               is_stored_in_vain(each, other);
      });
  }
  if (root == nullptr) return explain_by_value(at, value);
  mark_as_explained(root->what);
  explain_by_value(*root, root == &at ? value : other);
}
CUDASYNC_REPORT void explain_semaphore(const waiting_group& at, uint64 value) {
  uint64 other;
  if (say_wrong_init(at.what) || (report.must_be_sure && !is_holder_idle(at.what))) return;
  if (at.what.is_local()) return explain_by_value(at, value);
  if (explain_permits(at.what) || explain_signal(at, value)) return;
  const waiting_group* const held =
      find_group([&](const waiting_group& each) { return is_held_by_waiter(at, each, other); });
  if (held == nullptr || !explain_permits(held->what)) explain_by_value(at, value);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
