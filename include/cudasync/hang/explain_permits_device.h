// Causes of hangs: permits of semaphores that threads hold, permits that are signals, and uses before init.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_PERMITS_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_PERMITS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/explain_additions_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/permits_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/waiting_groups_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

struct permit_holder {
  subject what;  // the semaphore, or the atomic that has the value that the thread has exchanged
  uint64 block;
  uint64 from;        // its last call
  uint64 taken;       // the site of its acquire
  subject waits;      // what it waits for; no bits: nothing
  uint32 rank;        // of the thread
  uint32 threads;     // that hold permits of the semaphore, as far as it is known
  uint32 idle;        // permits that are held by threads that wait for nothing
  uint32 wanting;     // by threads that wait for another one
  uint32 blocked;     // and by the others
  uint64 first_idle;  // of the threads that wait for nothing: the owner of its warp, and its lane
  CUDASYNC_DEVICE uint32 held() const { return idle + wanting + blocked; }
  CUDASYNC_DEVICE bool do_all_want() const { return threads > 1 && wanting == held(); }
};

inline constexpr uint32 most_holders = 64;
inline constexpr uint32 most_links = 3;  // that are said

struct chain_of_holders {
  permit_holder holders[most_holders];
  uint32 length;
};

CUDASYNC_DEVICE_VARIABLE chain_of_holders permit_chain;

// Counts the permits of the semaphore that the lane holds. If the lane waits, or is the first one: this is the holder.
inline __device__ __noinline__ void look_at_lane(permit_holder& found, const warp_record& warp, uint32 lane) {
  const bool is_second = !is_note_of(found.what.address(), read_far(warp.held[0][lane]));
  const uint64 note = read_far(warp.held[is_second][lane]);
  const uint32 owner = static_cast<uint32>(note >> 32);
  uint64 from = last_call(warp, owner, lane).bits;
  if (!is_note_of(found.what.address(), note) || from == 0) return;
  if (is_in_shared_memory(found.what.address()) && owner >> 5 != tag_of_block()) return;
  const subject waits = read_far(warp.owner) == owner ? wait_of_lane(warp, lane, from) : subject{0};
  if (waits.bits == 0 && found.idle == 0) found.first_idle = uint64{owner} << 32 | lane;
  uint32& some = waits.bits == 0 ? found.idle : waits.is_same_object(found.what) ? found.wanting : found.blocked;
  some += read_far(warp.permits[is_second][lane]);
  ++found.threads;
  if (found.waits.bits != 0 || (found.rank != not_counted && waits.bits == 0)) return;
  found.from = from;
  found.taken = read_far(warp.held_from[is_second][lane]);
  found.waits = waits;
  found.rank = owner % 32 * 32 + lane;
  found.block = block_with_tag(owner >> 5);
}

// Finds the thread that has exchanged the value of an atomic, as one takes a lock, if it waits for something else.
inline __device__ __noinline__ bool find_changer(permit_holder& found) {
  uint64 now;
  const subject what = found.what;
  const waiting_group* const at =
      find_group([what](const waiting_group& each) { return each.what.is_same_object(what); });
  if (at == nullptr || !find_number(*at, now)) return false;
  find_last_stores(*at, now);
  const noted_store& last = noted.last;
  if (last.waits.bits == 0 || !last.is_exchange()) return false;
  found = {what, last.block, last.waits_from, last.from, last.waits, last.rank, 1, 0, 0, 1, 0};
  return true;
}

// Finds a thread that holds a permit of the semaphore, preferably one that waits. Returns whether there is one.
inline __device__ __noinline__ bool find_holder(permit_holder& found, subject what) {
  found = {what, 0, 0, 0, {0}, not_counted, 0, 0, 0, 0, 0};
  if (what.what() == kind::atomic_value) return find_changer(found);
  if (read_far(place_of_signal(what.address())) == signal_at(what.address())) return false;
  for_each_note(&warp_record::has_held, of_lanes,
                [&found](const warp_record& warp, uint32, uint32 lane) { look_at_lane(found, warp, lane); });
  return found.rank != not_counted;
}

// Follows the waits from holder to holder. Returns the index of the first one of a circle, or the length of the chain.
inline __device__ __noinline__ uint32 follow_holders(subject what) {
  permit_chain.length = 0;
  while (permit_chain.length < most_holders) {
    permit_holder& next = permit_chain.holders[permit_chain.length];
    if (!find_holder(next, what)) break;
    ++permit_chain.length;
    what = next.waits;
    if (what.what() != kind::semaphore && what.what() != kind::atomic_value) break;
    CUDASYNC_NO_UNROLL
    for (uint32 index = 0; index < permit_chain.length; ++index)
      if (permit_chain.holders[index].what.is_same_object(what)) return index;
  }
  return permit_chain.length;
}

// Whether the thread that holds the permit is known, and does not wait, or waits for a permit that is held in a circle.
CUDASYNC_DEVICE bool is_holder_idle(subject what) {
  const uint32 begin = follow_holders(what);
  return permit_chain.length != 0 &&
         (begin + 1 < permit_chain.length || permit_chain.holders[permit_chain.length - 1].waits.bits == 0);
}

CUDASYNC_DEVICE void mark_holders() {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < permit_chain.length; ++index)
    mark_as_explained(permit_chain.holders[index].what);
}

inline __device__ __noinline__ void say_circle_of_permits(uint32 begin) {
  record_cause(cause::permits_in_a_circle, permit_chain.holders[begin].what);
  const bool are_permits = permit_chain.holders[begin].what.what() == kind::semaphore;
  say(are_permits ? "{C}permits are taken in different orders"
                  : "{C}threads have exchanged values, as one takes locks, and wait for each other");
  const uint32 more = permit_chain.length - begin > most_links + 1 ? permit_chain.length - begin - most_links : 0;
  CUDASYNC_NO_UNROLL
  for (uint32 index = begin; index + more < permit_chain.length; ++index) {
    const permit_holder& each = permit_chain.holders[index];
    say(index == begin ? ": thread {n} of block {b}" : "; thread {n} of block {b}", each.rank, each.block);
    const bool is_value = each.what.what() == kind::atomic_value;
    if (is_value && each.taken > noted_store::most_additions) say(", at {f},", each.taken);
    say(is_value ? " has given {i} its value, and waits for {i} at {f}" : " holds {i} and waits for {i} at {f}",
        each.what, each.waits, each.from);
  }
  if (more != 0)
    say("; and so on, over {n} more threads, the last of which waits for {i}", more, permit_chain.holders[begin].what);
  say(are_permits ? "{R}let all threads take the permits in the same order, for example that of their addresses{.}"
                  : "{R}let all threads take these locks in the same order, or give one back before they wait for the "
                    "other{.}");
}

CUDASYNC_DEVICE_VARIABLE permit_holder holder_here;  // not on the stack

// Threads that wait for another semaphore, of which holder_here, who waits for this one, has a permit. Or null.
inline __device__ __noinline__ const waiting_group* group_of_waiting_holder(subject what) {
  return find_group([what](const waiting_group& each) {
    return each.what.what() == kind::semaphore && !each.what.is_same_object(what) &&
           find_holder(holder_here, each.what) && holder_here.waits.is_same_object(what);
  });
}

inline __device__ __noinline__ bool is_permit_held_at(const waiting_group& at, const waiting_group& other) {
  return other.what.what() == kind::semaphore && other.set.meets(report.missing) &&
         find_holder(holder_here, other.what) && holder_here.idle == 0 && holder_here.block == block_number() &&
         at.set.has(holder_here.rank);
}
inline __device__ __noinline__ void say_permit_at_barrier(const waiting_group& at, const waiting_group& other) {
  mark_as_explained(at.what);
  mark_as_explained(other.what);
  record_cause(cause::no_permit, other.what);
  record_numbers(number::block, holder_here.block, number::rank, holder_here.rank);
  record_threads(report.missing);
  say("{C}thread {n} holds a permit of {i}, taken at {f}, and waits at {f} for {i}", holder_here.rank, other.what,
      holder_here.taken, at.from, at.what);
  say(", which lacks {t}: {it waits|they wait} for that permit at {f}"
      "{R}let one thread take and release the permit for all of these threads, between two phases of the barrier; or "
      "release it before the wait at {f}{.}",
      &report.missing, other.from, at.from);
}

// A thread at a barrier of this block holds the permit that those want that the barrier lacks. False: not known.
inline __device__ __noinline__ bool explain_permit_at_barrier(const waiting_group& at) {
  if (at.record == nullptr || at.record->is_of_cluster != 0 || at.record->remote != 0 || !at.state.is_known)
    return false;
  compare_arrivals(at);
  const waiting_group* const other =
      find_group([&at](const waiting_group& each) { return is_permit_held_at(at, each); });
  if (other == nullptr) return false;
  report.missing.keep(other->set);
  if (!report.found.is_sure && report.missing.size() != at.state.pending) return false;
  say_permit_at_barrier(at, *other);
  return true;
}

// Lanes of the holder's warp that wait for a permit. Null if there are none.
inline __device__ __noinline__ const waiting_group* group_in_warp_of(const permit_holder& holder) {
  if (holder.block != block_number()) return nullptr;
  return find_group([&holder](const waiting_group& each) {
    return each.what.what() == kind::semaphore && each.set.has_warp_of(holder.rank);
  });
}

// Threads of which each has given an atomic its value wait for each other. Returns false if they do not.
inline __device__ __noinline__ bool explain_circle_of_values(subject what) {
  const uint32 begin = follow_holders(what);
  if (begin + 1 >= permit_chain.length) return false;
  mark_holders();
  say_circle_of_permits(begin);
  return true;
}

// Whether threads wait for a permit, or a change of a value, of a thread that waits here. value: that of an atomic.
inline __device__ __noinline__ bool is_held_by_waiter(const waiting_group& at, const waiting_group& other,
                                                      uint64& value) {
  return other.what.what() == at.what.what() && find_number(other, value) && find_holder(holder_here, other.what) &&
         holder_here.waits.is_same_object(at.what) && !other.what.is_same_object(at.what);
}

// Says what the thread waits for that has given an atomic its value. Returns false if it is not known to wait.
inline __device__ __noinline__ bool say_wait_of_changer(subject what) {
  if (!find_holder(holder_here, what)) return false;
  const permit_holder& found = holder_here;
  if (found.block != block_number() && is_of_block(found.waits)) report_text.other_block = 1 + found.block;
  say("; thread {n} of block {b} has given it this value", found.rank, found.block);
  if (found.taken > noted_store::most_additions) say(" at {f}", found.taken);
  say(", and waits for {o} at {f}"
      "{R}if it is a lock, give it back before the wait at {f}, or take it after; otherwise, compare this value with "
      "the awaited one; or find out why that wait does not end{.}",
      found.waits, found.from, found.from);
  return true;
}

// Who holds permits of the semaphore, and of another one for which threads wait: other. is_own: the last holder does.
inline __device__ __noinline__ void say_held(const permit_holder& last, const waiting_group* other, bool is_own) {
  const uint32 owner = static_cast<uint32>(last.first_idle >> 32);
  if (last.idle != 0) say_permits_of(last.what);
  if (last.held() > 1 && last.idle != 0)
    say("; of its permits, {n} are known to be held, {n} of them by threads that wait for nothing or have ended, such "
        "as thread {n} of block {b}",
        last.held(), last.idle, owner % 32 * 32 + static_cast<uint32>(last.first_idle), block_with_tag(owner >> 5));
  else if (last.held() > 1 && !is_own)
    say("; of its permits, {n} are known to be held", last.held());
  if (last.do_all_want() && !is_own) say(", each by a thread that waits for another one of it");
  if (other == nullptr) return;
  mark_as_explained(other->what);
  say(is_own && last.idle == 0 ? "; it also" : "; thread {n} of block {b} waits for such a permit, and",
      holder_here.rank, holder_here.block);
  say(" holds {i}, for which ", other->what);
  say_waiting(*other);
  say("{f}", other->from);
}

// Says what the thread that holds the permit does. Returns false if no holder is known, or its wait has no known cause.
inline __device__ __noinline__ bool explain_permits(subject what) {
  const uint32 begin = follow_holders(what);
  if (permit_chain.length == 0) return false;
  const permit_holder& last = permit_chain.holders[permit_chain.length - 1];
  mark_holders();
  if (begin + 1 < permit_chain.length) return say_circle_of_permits(begin), true;
  if (last.block != block_number() && is_of_block(last.waits)) report_text.other_block = 1 + last.block;
  const waiting_group* const at = find_group([&last](const waiting_group& each) {
    return each.what.what() == kind::barrier && last.block == block_number() && each.set.has(last.rank);
  });
  if (at != nullptr && explain_permit_at_barrier(*at)) return true;
  record_cause(cause::no_permit, last.what);
  record_numbers(number::block, last.block, number::rank, last.rank);
  say("{C}thread {n} of block {b} holds a permit of {i}, taken at {f},", last.rank, last.block, last.what, last.taken);
  const bool wants_more = begin < permit_chain.length;
  const waiting_group* const other = group_of_waiting_holder(last.what);
  const bool is_own =
      wants_more && other != nullptr && holder_here.rank == last.rank && holder_here.block == last.block;
  if (!wants_more && last.waits.bits != 0)
    say(" and waits for {o} at {f}", last.waits, last.from);
  else
    say(wants_more ? " and waits for another one of it at {f}" : " and does not wait (last call: {f})", last.from);
  if (wants_more && !is_own) say("; no other thread has released one for it");
  say_held(last, other, is_own);
  if (other != nullptr && last.idle != 0)
    say("{R}release as many permits of {i} as were acquired, on every path, also before a return{.}", last.what);
  else if (is_own)
    say("{R}take the permit of {i} before that of {i}, so that threads that release the first one do not wait for the "
        "second one{.}",
        last.what, other->what);
  else if (wants_more && last.taken != last.from && last.threads == 1)
    say("{R}take it once if both acquires are of the same object{.}");
  else if (last.do_all_want() && last.taken != last.from)
    say("{R}let a lock guard all acquires of a thread, or release the permit before the next acquire, or construct the "
        "semaphore with more permits than these threads take before one of them has all that it needs{.}");
  else if (wants_more)
    say("{R}release the permit before the next acquire, on every path, also before a return{s}. If the permits are "
        "signals, let the threads for which it waits release this semaphore{.}",
        last.threads > 1 ? "; if several threads take more than one, let a lock guard all of their acquires" : "");
  else if (last.waits.bits != 0)
    say("{R}release the permit before that wait, or find out why it does not end{.}");
  else if (const waiting_group* const lanes = group_in_warp_of(last))
    say("; other lanes of its warp wait for {i} at {f}"
        "{R}release the permit before __syncwarp(), __syncthreads() and other operations of a whole warp: there, its "
        "holder waits for lanes that want a permit; also release it on every path, before a return{.}",
        lanes->what, lanes->from);
  else
    say("{R}release the permit on every path out of the critical section, also before a return; if the thread waits "
        "outside this library, for example at __syncthreads(), release it before{.}");
  return true;
}

inline __device__ __noinline__ void say_signal(const waiting_group& at, uint64 value) {
  record_cause(cause::no_permit, at.what);
  record_number(number::threads, queue_for_permit::of(value).threads);
  givers found;
  const uint32 threads = collect_givers(found, at.what.address(), of_lanes);
  const bool do_all_wait = threads != 0 && found.waiting == threads;
  const uint32 rank = at.set.first();
  say("{C}no permit of {i} is left, and no thread releases one; {n} {thread waits|threads wait}", at.what,
      queue_for_permit::of(value).threads);
  say_permits_of(at.what);
  if (do_all_wait)
    say("; each thread that is known to have released it waits for it");
  else if (threads != 0)
    say("; thread {n} of block {b} has released it before", found.rank, found.block);
  for_each_group([rank](const waiting_group& each) {
    if (each.what.what() != kind::semaphore || each.threads == 0) return;
    if (!each.set.has(rank)) {
      say("; {t} {waits|wait} for {i} at {f}", &each.set, each.what, each.from);
      say_permits_of(each.what);
    }
    mark_as_explained(each.what);
  });
  if (do_all_wait)
    return say("{R}let a thread release a permit that does not wait for one; if the same threads take and release "
               "permits, let them take one with try_acquire, and do what releases one if there is none{.}");
  if (threads != 0 && found.blocked == 0)
    return say("{R}the permits are signals, and the threads that have released them wait for none: let them release as "
               "many as are acquired, {n} more, also for the end, of which each thread that acquires may need one{.}",
               queue_for_permit::of(value).threads);
  say("{R}the permits are signals, which other threads release: let these release one for each that they have "
      "acquired, on every path of their loops, and let both sides make the same number of rounds{.}");
}

// Threads release permits of others, if known. If one waits for a semaphore with known holders, that is explained.
inline __device__ __noinline__ bool explain_signal(const waiting_group& at, uint64 value) {
  const uint64 address = at.what.address();
  if (read_far(place_of_signal(address)) != signal_at(address)) return false;
  if (find_group([address](const waiting_group& each) {
        return each.what.what() == kind::semaphore && each.what.address() != address && each.threads != 0 &&
               explain_permits(each.what);
      }))
    return true;
  say_signal(at, value);
  return true;
}

// --- Uses before init, and between two inits ---

// The record of an object in shared memory that is no mbarrier. Null if there is none.
inline __device__ __noinline__ const object_record* record_of_other(subject what) {
  const kind how = what.what();
  const bool has_record = how == kind::latch || how == kind::semaphore || how == kind::counter_barrier;
  if (!has_record || !is_in_shared_memory(what.address())) return nullptr;
  const void* const object = reinterpret_cast<const void*>(what.address());
  return find_slowly(ptx::is_shared(object) ? ptx::to_shared(object).value : static_cast<uint32>(what.address()));
}

// Says that the last init came while threads waited, or after arrivals at a latch and before the waits.
inline __device__ __noinline__ bool say_later_init(subject what, const object_record& record) {
  collect_waiters(what);
  const bool is_latch = collect_undone(record) != 0 && what.what() == kind::latch;
  collect_earlier_waiters(record);
  const bool is_undone = report.idle.size() == 0;
  const wait_history waits = waits_of(record, report.waiting_here.first());
  if (is_undone && (!is_latch || waits.is_empty() || waits.has(wait_history::has_kept))) return false;
  record_cause(cause::initialized_twice, what);
  say("{C}{i} was initialized again at {f}", what, record.from);
  say(is_undone ? ", before {t} waited" : " while {t} {waits|wait} for what was before",
      record_threads(is_undone ? report.waiting_here : report.idle));
  if (is_latch) say(", and after {t} had counted it down", &report.twice);
  if (is_undone) say(": if the waits are for these arrivals, this init undid them");
  say("{R}synchronize all threads that use it, for example by __syncthreads(), before it is initialized again; or use "
      "one for each round");
  say(is_undone ? "; otherwise, let the threads that are counted arrive after each init{.}" : "{.}");
  return true;
}

// Says that an object was used before its init, or initialized again while in use. A constructor may be no init.
inline __device__ __noinline__ bool say_wrong_init(subject what) {
  const object_record* const record = record_of_other(what);
  if (record == nullptr) return false;
  if (record->early == 0) return record->inits > 1 && !what.is_parity_known() && say_later_init(what, *record);
  if (what.what() != kind::latch && record->unused_count == 0) return false;
  record_cause(cause::arrivals_before_init, what);
  say("{C}{i} was used before its init, by thread {n} at {f}"
      "{R}let one thread call init, then synchronize the threads, before the first use{.}",
      what, record->early_rank, record->early_from);
  return true;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
