// The memory that relacy explores: it replaces the compiler's atomic built-ins, the futex and the clock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_RELACY_WORDS_H
#define CUDASYNC_TEST_RELACY_WORDS_H

// Include it before the library's headers, which then use the macros at the end of this file. The headers themselves
// are those of the library, with two changes that orders.py makes: each order is marked with a number, so that a
// run can weaken it, and a thread that waits sleeps after one poll, for the longest time.
#include <relacy/relacy.hpp>

// Macros of relacy that the library and its tests use as names.
#undef $
#undef assert
#undef calloc
#undef delete
#undef errno
#undef free
#undef malloc
#undef memory_order_acq_rel
#undef memory_order_acquire
#undef memory_order_consume
#undef memory_order_relaxed
#undef memory_order_release
#undef memory_order_seq_cst
#undef new
#undef realloc
#undef sched_yield

#include <stdarg.h>
#include <stdint.h>
#include <time.h>

#include <bitset>
#include <new>

namespace explored {

// --- The fault of this run: one marked place with another order, or with other code ---

inline constexpr int most_places = 256;
inline int faulty_place = 0;  // 0: none
inline int faulty_order = 0;
inline std::bitset<most_places> reached;  // by the threads so far
inline int pending_place = 0;             // of the operation that follows

inline constexpr int acquire = __ATOMIC_ACQUIRE;
inline constexpr int release = __ATOMIC_RELEASE;

inline int order_at(int place, int order) {
  reached[place] = true;
  return place == faulty_place ? faulty_order : order;
}
inline bool is_faulty(int place) {
  reached[place] = true;
  return place == faulty_place;
}
// Marks the operation to which the target is passed.
template <class Target>
inline Target at(int place, Target here) {
  pending_place = place;
  return here;
}
inline rl::memory_order next_order(int order) {
  const int place = pending_place;
  pending_place = 0;
  return static_cast<rl::memory_order>(place == 0 ? order : order_at(place, order));
}

// --- Words ---

inline constexpr int most_threads = 4;

// Stands for the word at an address. The word itself keeps its initial value.
template <class Value>
struct word {
  explicit word(const Value* place, bool may_end) : address(place) {
    value.store(*place, rl::mo_relaxed, RL_INFO);
    if (may_end) new (life) rl::var<int>(0);
    ends = may_end;
  }
  word(const word&) = delete;
  word& operator=(const word&) = delete;
  ~word() {
    if (ends) lifetime().~var();
  }
  rl::var<int>& lifetime() { return *reinterpret_cast<rl::var<int>*>(life); }

  const Value* address;
  rl::atomic<Value> value;
  rl::waitset<most_threads> sleepers;
  bool ends;
  alignas(rl::var<int>) unsigned char life[sizeof(rl::var<int>)];  // atomic operations read it, and reuse writes it
};

template <class Value>
struct word_list {
  static constexpr int most = 16;

  word<Value>& at(int index) { return reinterpret_cast<word<Value>*>(bytes)[index]; }
  word<Value>* find(const void* address) {
    for (int index = 0; index != count; ++index)
      if (at(index).address <= address && address < at(index).address + 1) return &at(index);
    return nullptr;
  }
  void add(const Value* address, bool ends) {
    if (find(address) != nullptr) return;
    RL_ASSERT(count != most);
    new (&at(count)) word<Value>(address, ends);
    ++count;
  }
  void clear() {
    while (count != 0)
      at(--count).~word();
  }

  int count = 0;
  alignas(word<Value>) unsigned char bytes[most * sizeof(word<Value>)];
};
template <class Value>
inline word_list<Value> words;

// relacy explores the words of an object, until the end of the iteration. ends: an operation that is not ordered before
// reuse is a data race.
template <class Value, class Object>
void explore(Object& object, bool ends = false) {
  const Value* first = reinterpret_cast<const Value*>(&object);
  for (const Value* each = first; each < first + sizeof(Object) / sizeof(Value); ++each)
    words<Value>.add(each, ends);
}
template <class Value, class Object>
void reuse(Object& object) {
  const Value* first = reinterpret_cast<const Value*>(&object);
  for (const Value* each = first; each < first + sizeof(Object) / sizeof(Value); ++each)
    words<Value>.find(each)->lifetime()(RL_INFO).store(1);
}

template <class Value>
word<Value>& word_at(const Value* address) {
  word<Value>* found = words<Value>.find(address);
  RL_ASSERT(found != nullptr && found->address == address);
  if (found->ends) static_cast<void>(found->lifetime()(RL_INFO).load());
  return *found;
}

// --- Operations on words ---

template <class Value>
Value load(const Value* address, int order, rl::debug_info_param line) {
  const rl::memory_order now = next_order(order);
  return word_at(address).value.load(now == rl::mo_acq_rel ? rl::mo_acquire : now, line);
}
// The latest value, which no thread reads.
template <class Value>
Value value_of(const Value& object) {
  return words<Value>.find(&object)->value.debug_value();
}
template <class Value>
void store(Value* address, Value value, int order, rl::debug_info_param line) {
  const rl::memory_order now = next_order(order);
  word_at(address).value.store(value, now, line);
}
template <rl::rmw_type_e Type, class Value>
Value modify(Value* address, Value operand, int order, rl::debug_info_param line) {
  const rl::memory_order now = next_order(order);
  return word_at(address).value.rmw(rl::rmw_type_t<Type>(), operand, now, line);
}
template <class Value>
bool compare_exchange(Value* address, Value* expected, Value desired, int order, rl::debug_info_param line) {
  const rl::memory_order now = next_order(order);
  return word_at(address).value.compare_exchange_strong(*expected, desired, now, line);
}

// --- The futex and the clock ---

inline uint64_t nanoseconds = 0;  // pass only while a timed sleep times out

// An iteration begins, in which relacy has forgotten the words of the iteration before.
inline void begin() {
  words<uint32_t>.count = 0;
  words<uint64_t>.count = 0;
  nanoseconds = 0;
  pending_place = 0;
}
inline void end() {
  words<uint32_t>.clear();
  words<uint64_t>.clear();
}

template <class Value>
bool sleep_on(const uint32_t* address, uint32_t expected, uint64_t limit, bool& has_slept) {
  word<Value>* found = words<Value>.find(address);
  if (found == nullptr) return false;
  const auto offset = reinterpret_cast<const char*>(address) - reinterpret_cast<const char*>(found->address);
  const uint64_t value = found->value.debug_value();  // the latest: the kernel compares it and sleeps in one step
  has_slept = static_cast<uint32_t>(value >> (8 * offset)) == expected;
  if (!has_slept) return true;
  // A sleep of the longest duration never ends by itself, so that a lost wake-up is a deadlock.
  const bool is_timed = limit < 32000000;
  if (found->sleepers.park_current(rl::ctx(), is_timed, false, false, RL_INFO) == rl::unpark_reason_timeout)
    nanoseconds += limit;
  return true;
}
template <class Value>
bool wake_all(const uint32_t* address) {
  word<Value>* found = words<Value>.find(address);
  if (found == nullptr) return false;
  found->sleepers.unpark_all(rl::ctx(), RL_INFO);
  return true;
}

}  // namespace explored

extern "C" inline int explored_sched_yield() noexcept {
  rl::yield(1, RL_INFO);
  return 0;
}

// futex, the only system call that the headers make.
extern "C" inline long explored_syscall(long number, ...) noexcept {
  va_list arguments;
  va_start(arguments, number);
  const uint32_t* address = va_arg(arguments, const uint32_t*);
  const bool wakes = va_arg(arguments, int) != 0;
  const uint32_t value = va_arg(arguments, uint32_t);
  const timespec* limit = va_arg(arguments, const timespec*);
  va_end(arguments);
  rl::ctx().sched();
  if (wakes) {
    RL_ASSERT(explored::wake_all<uint32_t>(address) || explored::wake_all<uint64_t>(address));
    return 0;
  }
  bool has_slept = false;
  const auto nanoseconds = static_cast<uint64_t>(limit->tv_nsec);
  RL_ASSERT(explored::sleep_on<uint32_t>(address, value, nanoseconds, has_slept) ||
            explored::sleep_on<uint64_t>(address, value, nanoseconds, has_slept));
  if (!has_slept) rl::yield(1, RL_INFO);  // a loop that always reads the same old value is no execution
  return 0;
}

extern "C" inline int explored_clock_gettime(clockid_t, timespec* time) noexcept {
  time->tv_sec = static_cast<time_t>(explored::nanoseconds / 1000000000);
  time->tv_nsec = static_cast<long>(explored::nanoseconds % 1000000000);
  return 0;
}

#define __atomic_load_n(address, order) ::explored::load(address, order, RL_INFO)
#define __atomic_load(address, result, order) (*(result) = ::explored::load(address, order, RL_INFO))
#define __atomic_store_n(address, value, order) ::explored::store(address, value, order, RL_INFO)
#define __atomic_store(address, value, order) ::explored::store(address, *(value), order, RL_INFO)
#define __atomic_exchange(address, value, result, order) \
  (*(result) = ::explored::modify<rl::rmw_type_swap>(address, *(value), order, RL_INFO))
#define __atomic_fetch_add(address, value, order) EXPLORED_MODIFY(rmw_type_add, address, value, order)
#define __atomic_fetch_sub(address, value, order) EXPLORED_MODIFY(rmw_type_sub, address, value, order)
#define __atomic_fetch_and(address, value, order) EXPLORED_MODIFY(rmw_type_and, address, value, order)
#define __atomic_fetch_or(address, value, order) EXPLORED_MODIFY(rmw_type_or, address, value, order)
#define __atomic_fetch_xor(address, value, order) EXPLORED_MODIFY(rmw_type_xor, address, value, order)
#define EXPLORED_MODIFY(type, address, value, order) \
  ::explored::modify<rl::type>(address, std::remove_reference_t<decltype(*(address))>(value), order, RL_INFO)
#define __atomic_compare_exchange_n(address, expected, desired, is_weak, success, failure) \
  ::explored::compare_exchange(address, expected, desired, success, RL_INFO)
#define __atomic_compare_exchange(address, expected, desired, is_weak, success, failure) \
  ::explored::compare_exchange(address, expected, *(desired), success, RL_INFO)
#define __atomic_thread_fence(order) rl::atomic_thread_fence(static_cast<rl::memory_order>(order), RL_INFO)
#define __sync_synchronize() rl::atomic_thread_fence(rl::mo_seq_cst, RL_INFO)
#define sched_yield explored_sched_yield
#define syscall explored_syscall
#define clock_gettime explored_clock_gettime

#endif
