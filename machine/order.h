// Which accesses the PTX memory model orders, and the races that remain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_ORDER_H
#define CUDASYNC_MACHINE_ORDER_H

#include "address_map.h"
#include "program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace model {

// A value that copies share until one of them changes it. Of one thread of the host.
template <class Value>
class shared_value {
 public:
  shared_value() = default;
  shared_value(const shared_value& other) : one_(other.one_) {
    if (one_ != nullptr) ++one_->uses;
  }
  shared_value(shared_value&& other) noexcept : one_(std::exchange(other.one_, nullptr)) {}
  shared_value& operator=(shared_value other) noexcept {
    std::swap(one_, other.one_);
    return *this;
  }
  ~shared_value() {
    if (one_ != nullptr && --one_->uses == 0) delete one_;
  }
  bool operator==(const shared_value& other) const { return one_ == other.one_; }
  explicit operator bool() const { return one_ != nullptr; }
  const Value& operator*() const { return one_->value; }
  const Value* operator->() const { return &one_->value; }
  Value& to_change() {
    if (one_ == nullptr)
      one_ = new counted;
    else if (one_->uses != 1)
      *this = shared_value(new counted{one_->value});
    return one_->value;
  }

 private:
  struct counted {
    Value value = {};
    uint32_t uses = 1;
  };
  explicit shared_value(counted* one) : one_(one) {}

  counted* one_ = nullptr;
};

// For each thread and copy, how far its accesses have been seen. Clocks share what they agree in, until one of them changes:
// threads that have met know the same of all others. The first time that is set, a thread's own, changes most often, and
// stands beside the others.
template <class Time>
class clocks_of {
 public:
  Time of(uint32_t who) const { return who == own_ ? std::max(own_time_, shared_of(who)) : shared_of(who); }
  void set(uint32_t who, Time time) {
    if (own_ == nobody) own_ = who;
    if (who == own_)
      own_time_ = std::max(own_time_, time);
    else
      set_shared(who, time);
  }
  // Most are empty, and many are joined at each barrier.
  void join(const clocks_of& other) {
    if (!other.is_empty()) join_some(other);
  }
  // Of the lanes from `first` on, those whose time is less.
  uint32_t behind(uint32_t first, uint32_t lanes, Time time) const {
    if (lanes == 1) return of(first) < time;
    uint32_t found = 0;
    for (; lanes != 0; lanes &= lanes - 1)
      if (of(first + static_cast<uint32_t>(__builtin_ctz(lanes))) < time) found |= lanes & -lanes;
    return found;
  }
  // Whether that is true of who, or that of another who knows the same of others.
  bool has_seen(uint32_t who, Time time, const clocks_of*& like) const {
    if (like != nullptr && like->shared_ == shared_) return true;
    if (shared_of(who) >= time) {
      like = this;
      return true;
    }
    return of(who) >= time;
  }
  bool is_empty() const { return own_ == nobody && !shared_; }
  // The same, in a form that many others can join without a change of their own.
  void share_own() {
    if (own_ != nobody) set_shared(own_, own_time_);
    own_ = nobody;
    own_time_ = 0;
  }

 private:
  static constexpr uint32_t nobody = ~uint32_t{0}, part_size = 64;
  using part = std::array<Time, part_size>;
  using part_pointer = shared_value<part>;
  struct table {
    uint32_t first = 0;  // before it, there are no parts
    std::vector<part_pointer> parts;

    uint32_t end() const { return first + static_cast<uint32_t>(parts.size()); }
    part_pointer& at(uint32_t index) { return parts[index - first]; }
    const part_pointer& at(uint32_t index) const { return parts[index - first]; }
    void include(uint32_t start, uint32_t behind) {
      if (parts.empty()) first = start;
      if (start < first) {
        parts.insert(parts.begin(), first - start, part_pointer());
        first = start;
      }
      if (behind > end()) parts.resize(behind - first);
    }
  };

  void join_some(const clocks_of& other) {
    join_shared(other);
    if (other.own_ == nobody) return;
    if (other.own_ == own_)
      own_time_ = std::max(own_time_, other.own_time_);
    else
      set_shared(other.own_, other.own_time_);
  }
  Time shared_of(uint32_t who) const {
    if (!shared_) return 0;
    const uint32_t index = who / part_size - shared_->first;  // before the first: a large number
    if (index >= shared_->parts.size() || !shared_->parts[index]) return 0;
    return (*shared_->parts[index])[who % part_size];
  }
  void set_shared(uint32_t who, Time time) {
    if (shared_of(who) >= time) return;
    const uint32_t index = who / part_size;
    table& ours = shared_.to_change();
    ours.include(index, index + 1);
    ours.at(index).to_change()[who % part_size] = time;
  }
  void join_shared(const clocks_of& other) {
    if (!other.shared_ || other.shared_ == shared_ || other.shared_ == joined_) return;
    if (!shared_ || shared_ == other.joined_) {
      shared_ = joined_ = other.shared_;
      return;
    }
    const table& theirs = *other.shared_;
    const auto is_within = [](const table& one, const table& all) {
      for (uint32_t index = one.first; index < one.end(); ++index) {
        const part_pointer& here = one.at(index);
        if (!here) continue;
        if (index < all.first || index >= all.end() || !is_part_within(here, all.at(index))) return false;
      }
      return true;
    };
    if (is_within(*shared_, theirs)) {
      shared_ = other.shared_;
    } else if (!is_within(theirs, *shared_)) {
      table& ours = shared_.to_change();
      ours.include(theirs.first, theirs.end());
      for (uint32_t index = theirs.first; index < theirs.end(); ++index)
        join(ours.at(index), theirs.at(index));
    }
    joined_ = other.shared_;
  }

  static bool is_part_within(const part_pointer& one, const part_pointer& other) {
    if (one == other) return true;
    if (!other) return false;
    Time more = 0;  // the upper bit, because times are less than half of the range
    for (size_t index = 0; index < part_size; ++index)
      more |= (*other)[index] - (*one)[index];
    return more >> (8 * sizeof(Time) - 1) == 0;
  }
  static void join(part_pointer& one, const part_pointer& other) {
    if (one == other || !other) return;
    if (!one || is_part_within(one, other)) {
      one = other;
      return;
    }
    if (is_part_within(other, one)) return;
    part& joined = one.to_change();
    for (size_t index = 0; index < part_size; ++index)
      joined[index] = std::max(joined[index], (*other)[index]);
  }

  uint32_t own_ = nobody;
  Time own_time_ = 0;
  shared_value<table> shared_, joined_;  // joined_: the last that was joined, which the times include
};
using clocks = clocks_of<uint32_t>;
using sequences = clocks_of<uint64_t>;  // of accesses, of which there are more

// What proxy fences order before copies. A fence is for one memory space, and .shared::cta is the shared memory of the block
// of the thread that executes the fence: its accesses to another block's shared memory remain unordered.
class fenced_clocks {
 public:
  static constexpr uint32_t global = ~uint32_t{0};  // else the serial number of a block

  const clocks* in(uint32_t memory) const {
    for (const auto& each : of_memory_)
      if (each.first == memory) return &each.second;
    return nullptr;
  }
  void join(uint32_t memory, const clocks& other) {
    for (auto& each : of_memory_)
      if (each.first == memory) return each.second.join(other);
    of_memory_.push_back({memory, other});
  }
  void join(const fenced_clocks& other) {
    for (const auto& each : other.of_memory_)
      join(each.first, each.second);
  }

 private:
  std::vector<std::pair<uint32_t, clocks>> of_memory_;
};

// What is ordered before a point of a thread by what few kernels do.
struct special_clocks {
  clocks initialized;  // barriers
  clocks published;    // what relaxed arrivals publish, too
  clocks mapped;       // by fence.proxy.tensormap: for uses of tensor maps
  clocks aliased;      // by fence.proxy.alias: for accesses through another address of the same memory
  // What GPUs order, though the model does not. flushed: before a fence of another thread, which this one met at a barrier,
  // and what such a fence acquired of the signals that were noticed. met: before an arrival of narrower scope than this block.
  clocks flushed, noticed, met;
  sequences signaled;    // of threads of which it knows a volatile or atomic write: its sequence
  fenced_clocks fenced;  // for accesses of the copy engine, as far as proxy fences reach

  void join(const special_clocks& other) {
    initialized.join(other.initialized);
    published.join(other.published);
    mapped.join(other.mapped);
    aliased.join(other.aliased);
    flushed.join(other.flushed);
    noticed.join(other.noticed);
    met.join(other.met);
    signaled.join(other.signaled);
    fenced.join(other.fenced);
  }
};

// What is ordered before a point of a thread, for its own accesses and others. Threads that have met share the special ones.
struct view {
  clocks all;
  sequences executed;  // of threads it has met where memory is not ordered, for which accesses: their sequence

  const special_clocks& special() const {
    static const special_clocks none;
    return special_ ? *special_ : none;
  }
  special_clocks& change() { return special_.to_change(); }
  void join(const view& other) {
    all.join(other.all);
    executed.join(other.executed);
    if (!special_)
      special_ = other.special_;
    else if (other.special_ && !(other.special_ == special_))
      special_.to_change().join(*other.special_);
  }
  // The same of a view that this one was joined to.
  void join_wider(const view& other) {
    all.join(other.all);
    executed.join(other.executed);
    special_ = other.special_;
  }

 private:
  shared_value<special_clocks> special_;
};

// Where a thread runs: scopes include others by it.
struct place {
  uint32_t block, cluster;
};

inline bool includes(scope reach, const place& from, const place& to) {
  if (reach == scope::cta) return from.block == to.block;
  if (reach == scope::cluster) return from.cluster == to.cluster;
  return true;
}

// What a release publishes: an acquire that sees it joins the view, if each scope includes the other side.
struct message {
  view seen;
  place from;
  scope reach;
  clocks maps = {};  // before a fence.proxy.tensormap with release: known to those that execute one with acquire
};
using message_pointer = std::shared_ptr<const message>;

// What would have ordered two accesses that race.
enum class missing : uint8_t {
  order,             // anything
  scope,             // both are strong, but the scope of one does not include the other's thread
  size,              // both are strong, of different sizes: GPUs do what is wanted
  strength,          // one is weak, and the other strong
  proxy_fence,       // before the copy engine's access
  read_proxy_fence,  // the same after a mere read: GPUs do not need it
  read_order,  // after a read of a thread that has met the other, where memory is not ordered; or an arrival, by inval
  value,       // nothing: both write the same value, which GPUs allow
  guess,       // one is what a compare-exchange is tried with first: if it is old, that fails
  own_fence,  // in the thread that signals or waits: other threads of its block have fences, at the far side of a barrier
  arrival_scope,  // after a read: that of an arrival, which ends at its block
  alias_fence,
  map_fence,            // before a tensor map is used
  coherence,            // a load for what no kernel changes, of what this one has changed
  barrier_fence,        // the copy engine does not know of the initialization of a barrier
  known_barrier_fence,  // the same where it is before the copy for threads: GPUs do not need it
};

inline bool is_bug(missing what) {
  return what != missing::read_proxy_fence && what != missing::read_order && what != missing::value &&
         what != missing::own_fence && what != missing::arrival_scope && what != missing::known_barrier_fence &&
         what != missing::size && what != missing::guess;
}

struct access {
  uint32_t who, when;  // the thread or the copy, and its clock
  place from;
  uint8_t bytes;  // a bit each, of the eight
  bool is_write, is_strong, is_copy, is_initialization;
  scope reach;
  const instruction* at;
  bool is_generic = false;         // a copy that needs no proxy fence
  bool is_multicast = false;       // through a multicast address
  bool changes = true;             // a write of another value than what was there
  bool is_map = false;             // a tensor map that is used
  bool is_read_only = false;       // a load for what no kernel changes
  uint8_t width = 0;               // of an element, in bytes
  missing lacks = missing::order;  // of a conflict
  uint64_t sequence = 0;           // of all accesses
  uint32_t lanes = 1;              // from who on, at once: more than one are weak reads or atomic operations

  bool is_of(uint32_t thread) const { return thread - who < 32 && (lanes >> (thread - who) & 1) != 0; }
};
static_assert(sizeof(access::sequence) == sizeof(view().executed.of(0)),
              "sequences are compared with those of accesses");

// Accesses, of which mostly there are few.
class access_list {
 public:
  size_t size() const { return size_; }
  access& operator[](size_t index) { return index < few ? few_[index] : many_[index - few]; }
  void push_back(const access& made) {
    if (size_ >= capacity_) grow();
    set(size_++, made);
  }
  void set(size_t index, const access& made) {
    (*this)[index] = made;
    if (made.lanes != 1) reach_ = 32;
    if (index >= few) {
      first_[index - few] = made.who;
      lanes_[index - few] = made.lanes;
    }
    if (threads_ != nullptr) for_words(made.who, made.lanes, [](uint64_t& word, uint64_t mask) { word |= mask; });
  }
  // The same access by another lane, together with the one at this index. False if they are not of one instruction.
  bool add_lane(size_t index, const access& made) {
    access both = (*this)[index];
    const uint32_t first = std::min(both.who, made.who);
    if (both.at != made.at || both.when != made.when || both.bytes != made.bytes || both.changes != made.changes ||
        both.from.block != made.from.block || made.lanes != 1 || made.who - first >= 32 ||
        both.who + 31 - static_cast<uint32_t>(__builtin_clz(both.lanes)) - first >= 32)
      return false;
    both.lanes = both.lanes << (both.who - first) | 1u << (made.who - first);
    both.who = first;
    both.sequence = made.sequence;
    set(index, both);
    return true;
  }
  void shrink(size_t size) {
    size_ = static_cast<uint32_t>(size);
    if (size == 0) reach_ = 1;
  }
  void exchange(size_t index, size_t other) {
    const access one = (*this)[index];
    set(index, (*this)[other]);
    set(other, one);
  }
  // One of this thread at this index or behind it, or the size.
  size_t find(size_t at, uint32_t who) {
    while ((at = near(at, who)) < size_ && !may_be_of(at, who))
      ++at;
    return at;
  }
  // The same, or one of a thread in front of it. Each access looks for those of its thread, also among thousands.
  size_t near(size_t at, uint32_t who, uint32_t lanes = 1) const {
    if (at < few || at >= size_) return at;
    if (threads_ != nullptr) {
      uint64_t some = 0;
      for_words(who, lanes, [&](uint64_t word, uint64_t mask) { some |= word & mask; });
      if (some == 0) return size_;
    }
    at -= few;
    const size_t end = size_ - few;
    const uint32_t reach = reach_;
    for (; at + 16 <= end; at += 16)
      if (is_within(reach, who, &first_[at])) break;
    while (at < end && who - first_[at] >= reach)
      ++at;
    return at + few;
  }

 private:
  static constexpr uint32_t few = 2;
  // Whether one of sixteen numbers is at most that far below this one. As vectors, which the compiler does not find by itself.
  static bool is_within(uint32_t reach, uint32_t who, const uint32_t* first) {
    typedef uint32_t four __attribute__((vector_size(16)));
    four parts[4];
    std::memcpy(parts, first, sizeof parts);
    const auto found =
        (who - parts[0] < reach) | (who - parts[1] < reach) | (who - parts[2] < reach) | (who - parts[3] < reach);
    uint64_t halves[2];
    std::memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) != 0;
  }
  bool may_be_of(size_t at, uint32_t who) {
    if (at >= few && (lanes_[at - few] >> (who - first_[at - few]) & 1) == 0) return false;
    return (*this)[at].is_of(who);
  }
  void grow() {
    const uint32_t old = capacity_ - few;
    capacity_ *= 2;
    std::unique_ptr<access[]> many(new access[capacity_ - few]);
    std::unique_ptr<uint32_t[]> first(new uint32_t[capacity_ - few]);
    std::copy_n(many_.get(), old, many.get());
    std::unique_ptr<uint32_t[]> lanes(new uint32_t[capacity_ - few]);
    std::copy_n(first_.get(), old, first.get());
    std::copy_n(lanes_.get(), old, lanes.get());
    many_ = std::move(many);
    first_ = std::move(first);
    lanes_ = std::move(lanes);
    if (capacity_ < 64) return;
    threads_.reset(new uint64_t[capacity_ / 2]());
    for (uint32_t index = 0; index < size_; ++index)
      set(index, (*this)[index]);
  }
  template <class Use>
  void for_words(uint32_t who, uint64_t lanes, const Use& use) const {
    const uint32_t first = who / 64, mask = capacity_ / 2 - 1;  // a power of two, less one
    use(threads_[first & mask], lanes << who % 64);
    if (who % 64 > 32) use(threads_[(first + 1) & mask], lanes >> (64 - who % 64));
  }

  uint32_t size_ = 0, capacity_ = few;
  uint32_t reach_ = 1;  // how many threads an access may be of, from its first one on
  access few_[few];
  std::unique_ptr<access[]> many_;
  std::unique_ptr<uint32_t[]> first_;    // threads of the many: closer together
  std::unique_ptr<uint32_t[]> lanes_;    // and lanes, of which some may have been taken away since
  std::unique_ptr<uint64_t[]> threads_;  // if there are many: the bit of a thread that has none is mostly not set
};

class order_keeper {
 public:
  explicit order_keeper(bool is_strict) : is_strict_(is_strict) {}

  // An access to bytes [key, key + size), which must be ordered after all that it conflicts with. Returns what it races
  // with, or nothing.
  // before: what is ordered before it, for accesses of threads and, if it is the copy engine's, by proxy fences for this
  // memory.
  const access* record(uint64_t key, uint64_t size, access& here, const view& before, uint32_t memory,
                       access& conflict) {
    const access* found = nullptr;
    here.width = width_of(here);
    for (uint64_t granule = key / 8; granule <= (key + size - 1) / 8; ++granule) {
      here.sequence = ++sequence_;
      const uint64_t first = std::max(key, granule * 8) % 8, end = std::min(key + size - granule * 8, uint64_t{8});
      here.bytes = static_cast<uint8_t>((1u << end) - (1u << first));
      history& of = history_of(granule);
      auto& [some, last_write, writes, last, weak, width, all] = of;
      // A strong access of this thread has observed the strong writes before it: they come before what it does now,
      // though nothing that their threads did earlier does.
      uint64_t observed = 0;
      access* same = nullptr;
      size_t replaced = all.size();
      const uint64_t own = uint64_t{1} << here.who % 64;
      size_t found_at = (some & own) != 0 ? 0 : all.size();
      for (; (found_at = all.find(found_at, here.who)) != all.size(); ++found_at) {
        access& old = all[found_at];
        if (old.is_strong && (old.bytes & here.bytes) != 0) observed = old.sequence;
        if (old.lanes == 1 && is_same(old, here)) same = &old;
        if (old.is_write == here.is_write && replaces(here, old)) replaced = found_at;
      }
      // Threads that poll do nothing else: a read again, with no write since, conflicts with what it did the first time.
      if (same != nullptr && !here.is_write && last_write < same->sequence) {
        same->when = here.when;
        same->sequence = here.sequence;
        continue;
      }
      // Reads do not conflict with each other, nor strong accesses of the whole GPU: what thousands of threads access need not
      // be looked through by each.
      const bool is_strong = is_strong_everywhere(here), is_read = !here.is_write && !here.is_copy;
      const auto is_before = [&](const access& old) {
        return !here.is_read_only && !here.is_multicast && !here.is_map && !old.is_multicast && old.lanes == 1 &&
               before.all.of(old.who) >= old.when;
      };
      bool is_like_all = is_strong && width == here.width && weak != several;
      for (uint32_t left = weak; is_like_all && left != 0; left &= left - 1)
        is_like_all = is_before(all[static_cast<size_t>(__builtin_ctz(left))]);
      const bool is_after_writes = is_read && writes == 1 && is_before(all[0]);
      const size_t others = is_like_all || is_after_writes ? 0 : is_read ? writes : all.size();
      const bool looks_at_all = others == all.size();
      const uint64_t write_before = last_write;
      if (here.is_write) last_write = here.sequence;
      if (looks_at_all) {
        some = 0;
        writes = 0;
        weak = 0;
        width = here.width;
      }
      size_t kept = 0;
      for (size_t index = 0; index < others; ++index) {
        access& old = all[index];
        const uint32_t late = before.all.behind(old.who, old.lanes, old.when);
        const bool is_observed =
            old.is_strong && old.is_write && !old.is_copy && !here.is_copy && old.sequence < observed;
        uint32_t unordered = here.is_read_only && old.is_write ? old.lanes
                             : is_observed                     ? 0
                                                               : unordered_lanes(old, here, before, memory, late);
        if (looks_at_all && replaces(here, old)) {
          if ((unordered | late) == 0) continue;
          old.lanes = unordered | late;
        }
        const bool overlaps = (old.bytes & here.bytes) != 0;
        if (overlaps && (old.is_write || here.is_write) && !are_morally_strong(old, here))
          for (; unordered != 0; unordered &= unordered - 1) {
            access one = old;
            one.who += static_cast<uint32_t>(__builtin_ctz(unordered));
            one.lanes = 1;
            one.lacks = lacks_between(one, here, before);
            if (!is_bug(one.lacks) && (!is_strict_ || (found != nullptr && is_bug(found->lacks)))) continue;
            conflict = one;
            conflict_at_ = granule * 8 + static_cast<uint64_t>(__builtin_ctz(old.bytes & here.bytes));
            found = &conflict;
          }
        if (!looks_at_all) continue;
        some |= bits_of(old);
        if (!is_strong_everywhere(old) || old.width != here.width)
          weak |= old.is_write && kept < 31 ? 1u << kept : several;
        if (old.is_write) ++writes;
        if (kept != index) all.set(kept, old);
        ++kept;
      }
      if (looks_at_all) all.shrink(kept);
      some |= own;
      if (!is_strong || width != here.width) weak |= here.is_write && writes < 31 ? 1u << writes : several;
      bool is_empty = false;  // the entry of an earlier access
      if (!looks_at_all && replaced != all.size()) {
        access& old = all[replaced];
        old.lanes &= ~(1u << (here.who - old.who));
        is_empty = old.lanes == 0;
      }
      // Atomic operations of lanes by one instruction become one, if no other write came between them.
      if (!looks_at_all && here.is_write && is_strong && write_before > began_ && last < writes &&
          !(is_empty && last == replaced) && all[last].sequence == write_before && is_like(all[last], here) &&
          all.add_lane(last, here)) {
        if (is_empty) remove_write(of, static_cast<uint32_t>(replaced));
        continue;
      }
      if (is_empty) {
        all.set(replaced, here);
        if (here.is_write) last = static_cast<uint32_t>(replaced);
        continue;
      }
      all.push_back(here);
      if (!here.is_write) continue;
      last = writes++;
      all.exchange(last, all.size() - 1);
    }
    return found;
  }

  // Weak reads of several lanes, from here.who on, of bytes of one granule. before: of each lane. False, and nothing has
  // happened, if they are not all ordered after the writes before them.
  bool record_reads(uint64_t key, uint64_t size, access& here, const view* const* before) {
    auto& [some, last_write, writes, last, weak, width, all] = history_of(key / 8);
    here.width = width_of(here);
    here.bytes = static_cast<uint8_t>(((1u << size) - 1) << key % 8);
    for (uint32_t index = 0; index < writes; ++index) {
      const access& old = all[index];
      const clocks* like = nullptr;
      if (old.is_multicast) return false;
      if ((old.bytes & here.bytes) == 0) continue;
      if (here.is_read_only) return false;
      for (uint32_t of = old.lanes; of != 0; of &= of - 1, like = nullptr)
        for (uint32_t lanes = here.lanes; lanes != 0; lanes &= lanes - 1)
          if (!before[__builtin_ctz(lanes)]->all.has_seen(old.who + static_cast<uint32_t>(__builtin_ctz(of)), old.when,
                                                          like))
            return false;
    }
    here.sequence = ++sequence_;
    const uint64_t own = bits_of(here);
    for (size_t index = (some & own) != 0 ? writes : all.size();
         (index = all.near(index, here.who, here.lanes)) < all.size(); ++index) {
      access& old = all[index];
      if (old.who != here.who || !replaces(here, old)) continue;
      old.lanes &= ~here.lanes;
      if (old.lanes != 0) continue;
      all.set(index, here);
      weak = several;
      return true;
    }
    some |= own;
    weak = several;
    all.push_back(here);
    return true;
  }

  const access* record(uint64_t key, uint64_t size, const access& made, const view& before, uint32_t memory,
                       access& conflict) {
    access here = made;
    return record(key, size, here, before, memory, conflict);
  }

  // Whether the copy engine knows of the barrier of this address: its initialization, or nothing.
  const access* find_unknown_initialization(uint64_t key, const view& before, uint32_t memory, access& conflict) {
    access_list& all = history_of(key / 8).all;
    for (size_t index = 0; index < all.size(); ++index) {
      const access& old = all[index];
      if (old.is_initialization && unfenced_lanes(old, before, memory) != 0) {
        conflict = old;
        const bool is_before = before.all.of(old.who) >= old.when;
        conflict.lacks = is_before ? missing::known_barrier_fence : missing::barrier_fence;
        conflict_at_ = key;
        return &conflict;
      }
    }
    return nullptr;
  }

  // Of other blocks: one that is not before this view, in [key, key + size), or nothing. is_done: of an access at a key,
  // whether it has been seen to be done, though nothing orders it.
  template <class IsDone>
  const access* find_unordered(uint64_t key, uint64_t size, uint32_t own, const clocks& before, const IsDone& is_done) {
    for (uint64_t granule = key / 8; granule <= (key + size - 1) / 8; ++granule) {
      access_list& all = history_of(granule).all;
      for (size_t index = 0; index < all.size(); ++index) {
        access& old = all[index];
        if (old.from.block == own) continue;
        const uint32_t late = before.behind(old.who, old.lanes, old.when);
        if (late == 0 || is_done(old, granule * 8)) continue;
        conflict_at_ = granule * 8 + static_cast<uint64_t>(__builtin_ctz(old.bytes));
        unordered_ = old;
        unordered_.who += static_cast<uint32_t>(__builtin_ctz(late));
        unordered_.lanes = 1;
        return &unordered_;
      }
    }
    return nullptr;
  }

  // What is known of the accesses to addresses below the end, in the order of addresses: of eight bytes at a time.
  template <class Use>
  void for_accesses(uint64_t end, const Use& use) {
    std::vector<uint64_t> all = pages_.keys();
    std::sort(all.begin(), all.end());
    for (const uint64_t number : all)
      for (uint64_t granule = number * page_size; granule < (number + 1) * page_size && granule * 8 < end; ++granule) {
        access_list& some = history_of(granule).all;
        if (some.size() != 0) use(granule * 8, some);
      }
  }

  // The strong writes that are known to an access of these bytes: mostly a few, the last one first. False ends them.
  template <class Use>
  void for_strong_writes(uint64_t key, uint64_t size, const Use& use) {
    constexpr size_t most = 64;
    history& one = history_of(key / 8);
    const uint32_t bytes = ((1u << std::min<uint64_t>(size, 8)) - 1) << key % 8;
    for (size_t index = one.writes; index > 0 && index + most > one.writes; --index)
      if (const access& each = one.all[index - 1]; each.is_strong && !each.is_copy && (each.bytes & bytes) != 0)
        use(each);
  }
  bool has_write(uint64_t key, uint64_t size) {
    for (uint64_t granule = key / 8; granule <= (key + size - 1) / 8; ++granule) {
      const uint64_t first = std::max(key, granule * 8) % 8, end = std::min(key + size - granule * 8, uint64_t{8});
      history& one = history_of(granule);
      for (uint32_t index = 0; index < one.writes; ++index)
        if ((one.all[index].bytes & ((1u << end) - (1u << first))) != 0) return true;
    }
    return false;
  }
  bool has_read(uint64_t key, uint32_t who, const instruction* at) {
    access_list& all = history_of(key / 8).all;
    for (size_t index = 0; (index = all.find(index, who)) != all.size(); ++index)
      if (all[index].at == at) return true;
    return false;
  }

  // A copy that has written this byte, but not this one, or nothing.
  const access* find_copy(uint64_t key, uint32_t other_than = ~uint32_t{0}) {
    access_list& all = history_of(key / 8).all;
    for (size_t index = 0; index < all.size(); ++index)
      if (const access& each = all[index];
          each.is_copy && each.is_write && each.who != other_than && (each.bytes >> key % 8 & 1) != 0)
        return &each;
    return nullptr;
  }

  uint64_t sequence() const { return sequence_; }
  void begin_instruction() { began_ = sequence_; }       // of several lanes
  uint64_t conflict_at() const { return conflict_at_; }  // the first byte of the last one

  void forget(uint64_t key, uint64_t size) {
    for (uint64_t granule = key / 8; granule <= (key + size - 1) / 8; ++granule)
      history_of(granule) = history();
    for (uint64_t at = key; at < key + size; ++at)
      messages_.reset(at);
  }

  // Of memory that is gone.
  void drop(uint64_t start, uint64_t bytes) {
    last_page_ = ~uint64_t{0};
    for (uint64_t number = start / 8 / page_size; number * page_size * 8 < start + bytes; ++number)
      pages_.reset(number);
  }

  // What strong writes have published at this address.
  std::vector<message_pointer>& messages(uint64_t key) { return messages_[key]; }
  const std::vector<message_pointer>* find_messages(uint64_t key) const { return messages_.find(key); }

  // Adds to a list; messages that the same readers may take become one.
  static void add(std::vector<message_pointer>& list, const message& made) {
    for (message_pointer& each : list)
      if (each->from.block == made.from.block && each->from.cluster == made.from.cluster && each->reach == made.reach) {
        auto merged = std::make_shared<message>(*each);
        merged->seen.join(made.seen);
        merged->maps.join(made.maps);
        each = merged;
        return;
      }
    list.push_back(std::make_shared<message>(made));
    // Of many, the first become one, which scopes of all blocks see.
    if (list.size() <= 32 || list[0]->reach < scope::gpu || list[1]->reach < scope::gpu) return;
    auto merged = std::make_shared<message>(*list[0]);
    merged->from = {~uint32_t{0}, ~uint32_t{0}};
    merged->reach = std::min(merged->reach, list[1]->reach);
    merged->seen.join(list[1]->seen);
    merged->maps.join(list[1]->maps);
    list[0] = merged;
    list.erase(list.begin() + 1);
  }

 private:
  static constexpr uint32_t several = ~uint32_t{0};  // or a read
  struct history {
    uint64_t some = 0;              // a bit for each thread of the accesses, by their remainders
    uint64_t last_write = 0;        // in sequence
    uint32_t writes = 0, last = 0;  // last: mostly, the index of the last one
    uint32_t weak = 0;  // a bit for each write that is not strong with the whole GPU as its scope, or not of this width
    uint8_t width = 0;
    access_list all;  // that something may still conflict with; writes come first
  };
  // The last one of the writes takes its place.
  static void remove_write(history& of, uint32_t index) {
    const uint32_t end = --of.writes;
    of.all.exchange(index, end);
    of.all.exchange(end, of.all.size() - 1);
    of.all.shrink(of.all.size() - 1);
    if (of.last == end) of.last = index;
    if (of.weak == several || end > 31) return;
    const uint32_t is_weak = of.weak >> end & 1;
    of.weak = (of.weak & ~(1u << end) & ~(1u << index)) | is_weak << index;
  }
  static uint64_t bits_of(const access& made) {
    const uint64_t lanes = made.lanes;
    return lanes << made.who % 64 | lanes >> 1 >> (63 - made.who % 64);
  }

  // Of eight bytes each: neighbors are close together.
  static constexpr uint64_t page_size = 64;
  using page = std::unique_ptr<std::array<history, page_size>>;
  history& history_of(uint64_t granule) {
    if (granule / page_size != last_page_) {
      last_page_ = granule / page_size;
      page& found = pages_[last_page_];
      if (found == nullptr) found.reset(new std::array<history, page_size>);
      last_ = found.get();
    }
    return (*last_)[granule % page_size];
  }

  // Of one thread.
  static bool is_same(const access& old, const access& here) {
    return old.at == here.at && old.bytes == here.bytes && is_like(old, here);
  }
  static bool is_like(const access& old, const access& here) {
    return old.is_write == here.is_write && old.is_strong == here.is_strong && old.reach == here.reach &&
           old.is_copy == here.is_copy;
  }

  // Whether an access conflicts with all that an earlier one conflicts with, which then need not be kept. A strong access
  // doesn't stand for a weak one, with which the strong accesses of other threads race. Nor does any access stand for the
  // initialization of a barrier, of which the copy engine must know.
  static bool replaces(const access& here, const access& old) {
    return (old.bytes & ~here.bytes) == 0 && old.is_copy == here.is_copy && old.is_generic == here.is_generic &&
           (here.is_write || !old.is_write) && (here.is_initialization || !old.is_initialization) &&
           (!here.is_strong || (old.is_strong && old.reach >= here.reach));
  }

  // cp.async accesses memory as its thread does, so a bulk copy needs a proxy fence after it, too.
  static bool is_bulk(const access& each) { return each.is_copy && !each.is_generic; }

  // Of an earlier access, those that are not before this one.
  static uint32_t unordered_lanes(const access& old, const access& here, const view& before, uint32_t memory,
                                  uint32_t late) {
    if (here.is_map) return before.special().mapped.behind(old.who, old.lanes, old.when);
    if (old.is_multicast != here.is_multicast) return before.special().aliased.behind(old.who, old.lanes, old.when);
    if (is_bulk(here) && !is_bulk(old) && old.who != here.who) return unfenced_lanes(old, before, memory);
    if (late == 0) return 0;
    return (old.is_of(here.who) ? late & ~(1u << (here.who - old.who)) : late) & unknown_lanes(old, before);
  }
  static uint32_t unfenced_lanes(const access& old, const view& before, uint32_t memory) {
    const clocks* const fenced = before.special().fenced.in(memory);
    const uint32_t unfenced = fenced != nullptr ? fenced->behind(old.who, old.lanes, old.when) : old.lanes;
    return unfenced & unknown_lanes(old, before);
  }
  // fence.mbarrier_init orders initializations alone.
  static uint32_t unknown_lanes(const access& old, const view& before) {
    return old.is_initialization ? before.special().initialized.behind(old.who, old.lanes, old.when) : old.lanes;
  }
  static uint8_t width_of(const access& each) {
    return static_cast<uint8_t>(each.at->first.bytes / each.at->first.parts());
  }
  static bool is_strong_everywhere(const access& each) {
    return each.is_strong && !each.is_copy && each.reach >= scope::gpu;
  }
  static bool are_morally_strong(const access& one, const access& other) {
    return are_strong_in_scope(one, other) &&
           (one.width == other.width || (!is_store_beside(one, other) && !is_store_beside(other, one)));
  }
  // Of different sizes. Read-modify-writes are atomic to each other, and what they alone change has its values one by one.
  // For less than four bytes, PTX has hardly one: a store may be beside those of the word that its bytes are in.
  static bool is_store_beside(const access& one, const access& other) {
    if (!one.is_write || is_update(one)) return false;
    return one.width > other.width || other.width > 4 || !is_update(other);
  }
  static bool is_update(const access& each) {
    const opcode what = opcode(each.at->opcode);
    return what == opcode::atom || what == opcode::red;
  }
  static bool is_guess(const access& one, const access& other) {
    return one.at->is_guess && !one.is_write && is_update(other) && one.width == other.width;
  }
  static bool are_strong_in_scope(const access& one, const access& other) {
    return one.is_strong && other.is_strong && one.is_copy == other.is_copy &&
           includes(one.reach, one.from, other.from) && includes(other.reach, other.from, one.from);
  }

  static missing lacks_between(const access& old, const access& here, const view& before) {
    if (here.is_read_only && (old.who == here.who || before.all.of(old.who) >= old.when)) return missing::coherence;
    const bool has_met = before.executed.of(old.who) >= old.sequence;
    if (here.is_map && (has_met || before.all.of(old.who) >= old.when)) return missing::map_fence;
    if (old.is_multicast != here.is_multicast) return missing::alias_fence;
    if (is_bulk(here) && !is_bulk(old) && before.all.of(old.who) >= old.when)
      return old.is_write ? missing::proxy_fence : missing::read_proxy_fence;
    if (!old.is_write && before.special().met.of(old.who) >= old.when) return missing::arrival_scope;
    if (!old.is_copy && !here.is_copy && before.special().flushed.of(old.who) >= old.when) return missing::own_fence;
    if (are_strong_in_scope(old, here)) return missing::size;
    const bool is_done = !old.is_write || opcode(here.at->opcode) == opcode::mbarrier_inval;
    if (is_done && !old.is_copy && has_met) return missing::read_order;
    if (old.is_copy || here.is_copy) return missing::order;
    if (old.is_write && here.is_write && !here.changes) return missing::value;
    if (old.is_strong && here.is_strong) return missing::scope;
    if (is_guess(old, here) || is_guess(here, old)) return missing::guess;
    return old.is_strong || here.is_strong ? missing::strength : missing::order;
  }

  const bool is_strict_;
  uint64_t sequence_ = 0, began_ = 0, conflict_at_ = 0;
  access unordered_{};
  address_map<page> pages_;
  uint64_t last_page_ = ~uint64_t{0};
  std::array<history, page_size>* last_ = nullptr;
  address_map<std::vector<message_pointer>> messages_;
};

}  // namespace model

#endif
