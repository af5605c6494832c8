// cuda::atomic_ref and cuda::std::atomic_ref: types, objects that are const or volatile, what lies beside an object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

struct eight_bytes {
  int first, second;
};
struct without_default {
  explicit constexpr without_default(int number) : value(number) {}
  int value;
};
enum class color : short { red, green, blue };

template <class Reference>
constexpr bool is_a_reference =
    std::is_copy_constructible_v<Reference> && !std::is_default_constructible_v<Reference> &&
    !std::is_copy_assignable_v<Reference> && !std::is_assignable_v<const Reference&, const Reference&> &&
    std::is_trivially_copyable_v<Reference> && sizeof(Reference) == sizeof(void*);

static_assert(is_a_reference<cuda::atomic_ref<int>> && is_a_reference<cuda::std::atomic_ref<int>>);
static_assert(is_a_reference<cuda::atomic_ref<char, cuda::thread_scope_block>>);
static_assert(is_a_reference<cuda::atomic_ref<const int>> && is_a_reference<cuda::std::atomic_ref<const int>>);
static_assert(is_a_reference<cuda::atomic_ref<volatile eight_bytes>>);

// Only what can be referred to, and explicitly.
static_assert(std::is_constructible_v<cuda::atomic_ref<int>, int&> &&
              !std::is_convertible_v<int&, cuda::atomic_ref<int>>);
static_assert(!std::is_constructible_v<cuda::atomic_ref<int>, const int&>);
static_assert(!std::is_constructible_v<cuda::atomic_ref<int>, volatile int&>);
static_assert(!std::is_constructible_v<cuda::atomic_ref<int>, int>);
static_assert(std::is_constructible_v<cuda::atomic_ref<const int>, int&>);
static_assert(std::is_constructible_v<cuda::std::atomic_ref<volatile int>, int&>);

static_assert(cuda::atomic_ref<int>::is_always_lock_free && cuda::std::atomic_ref<eight_bytes>::is_always_lock_free);
static_assert(cuda::atomic_ref<const char>::is_always_lock_free);

// The address of the object must be a multiple of its size, though its type may ask for less.
static_assert(cuda::atomic_ref<char>::required_alignment == 1 && cuda::atomic_ref<short>::required_alignment == 2);
static_assert(cuda::atomic_ref<int>::required_alignment == 4 && cuda::atomic_ref<double>::required_alignment == 8);
static_assert(cuda::atomic_ref<eight_bytes>::required_alignment == 8);
static_assert(cuda::std::atomic_ref<volatile eight_bytes>::required_alignment == 8);
static_assert(cuda::atomic_ref<const eight_bytes>::required_alignment == 8);

template <class Reference, class Value, class Difference>
constexpr bool has_types = std::is_same_v<typename Reference::value_type, Value> &&
                           std::is_same_v<typename Reference::difference_type, Difference>;
static_assert(has_types<cuda::atomic_ref<int>, int, int> && has_types<cuda::std::atomic_ref<float>, float, float>);
static_assert(has_types<cuda::atomic_ref<const char>, char, char>);
static_assert(has_types<cuda::std::atomic_ref<const volatile long>, long, long>);
static_assert(has_types<cuda::atomic_ref<volatile short>, short, short>);
static_assert(has_types<cuda::atomic_ref<int*>, int*, std::ptrdiff_t>);
static_assert(has_types<cuda::atomic_ref<int* const>, int*, std::ptrdiff_t>);
static_assert(std::is_same_v<cuda::atomic_ref<color>::value_type, color>);

template <class Type, class Address>
constexpr bool has_address = std::is_same_v<decltype(std::declval<cuda::atomic_ref<Type>>().address()), Address> &&
                             std::is_same_v<decltype(std::declval<cuda::std::atomic_ref<Type>>().address()), Address>;
static_assert(has_address<int, void*> && has_address<const int, const void*>);
static_assert(has_address<volatile int, volatile void*> && has_address<const volatile int, const volatile void*>);

static_assert(std::is_same_v<decltype(cuda::atomic_ref(std::declval<int&>())), cuda::atomic_ref<int>>);
static_assert(std::is_same_v<decltype(cuda::atomic_ref(std::declval<const int&>())), cuda::atomic_ref<const int>>);
static_assert(std::is_same_v<decltype(cuda::atomic_ref(std::declval<volatile eight_bytes&>())),
                             cuda::atomic_ref<volatile eight_bytes>>);
static_assert(std::is_same_v<decltype(cuda::std::atomic_ref(std::declval<int&>())), cuda::std::atomic_ref<int>>);
static_assert(
    std::is_same_v<decltype(cuda::std::atomic_ref(std::declval<const int&>())), cuda::std::atomic_ref<const int>>);

// Whether Reference has a member: one to a const object has those that read, and no other.
#define OFFERS(NAME, ...)                  \
  template <class Reference, class = void> \
  constexpr bool offers_##NAME = false;    \
  template <class Reference>               \
  constexpr bool offers_##NAME<Reference, std::void_t<decltype(__VA_ARGS__)>> = true;

OFFERS(load, std::declval<const Reference&>().load())
OFFERS(wait, std::declval<const Reference&>().wait(0))
OFFERS(store, std::declval<const Reference&>().store(1))
OFFERS(assignment, std::declval<const Reference&>() = 1)
OFFERS(exchange, std::declval<const Reference&>().exchange(1))
OFFERS(strong, std::declval<const Reference&>().compare_exchange_strong(std::declval<int&>(), 1))
OFFERS(weak, std::declval<const Reference&>().compare_exchange_weak(std::declval<int&>(), 1))
OFFERS(fetch_add, std::declval<const Reference&>().fetch_add(1))
OFFERS(fetch_max, std::declval<const Reference&>().fetch_max(1))
OFFERS(store_add, std::declval<const Reference&>().store_add(1))
OFFERS(increment, ++std::declval<const Reference&>())
OFFERS(compound, std::declval<const Reference&>() ^= 1)
OFFERS(notify, std::declval<const Reference&>().notify_all())
#undef OFFERS

template <class Reference>
constexpr bool reads = offers_load<Reference> && offers_wait<Reference>;
template <class Reference>
constexpr bool writes_somehow = offers_store<Reference> || offers_assignment<Reference> || offers_exchange<Reference> ||
                                offers_strong<Reference> || offers_weak<Reference> || offers_fetch_add<Reference> ||
                                offers_fetch_max<Reference> || offers_store_add<Reference> ||
                                offers_increment<Reference> || offers_compound<Reference> || offers_notify<Reference>;
template <class Reference>
constexpr bool writes_in_every_way =
    offers_store<Reference> && offers_assignment<Reference> && offers_exchange<Reference> && offers_strong<Reference> &&
    offers_weak<Reference> && offers_fetch_add<Reference> && offers_fetch_max<Reference> &&
    offers_store_add<Reference> && offers_increment<Reference> && offers_compound<Reference> &&
    offers_notify<Reference>;

static_assert(reads<cuda::atomic_ref<int>> && writes_in_every_way<cuda::atomic_ref<int>>);
static_assert(reads<cuda::std::atomic_ref<volatile int>> && writes_in_every_way<cuda::std::atomic_ref<volatile int>>);
static_assert(reads<cuda::atomic_ref<const int>> && !writes_somehow<cuda::atomic_ref<const int>>);
static_assert(reads<cuda::std::atomic_ref<const int>> && !writes_somehow<cuda::std::atomic_ref<const int>>);
static_assert(reads<cuda::atomic_ref<const volatile int>> && !writes_somehow<cuda::atomic_ref<const volatile int>>);
static_assert(reads<const cuda::atomic<int>> && !writes_somehow<const cuda::atomic<int>>);

TEST_CASE("a reference reads and writes its object") {
  int object = 1;
  const cuda::atomic_ref ref(object);
  CHECK(ref.load() == 1);
  ref.store(2);
  CHECK(object == 2);
  CHECK((ref = 3) == 3);
  CHECK(object == 3);
  const cuda::atomic_ref<int> copy = ref;
  CHECK(copy++ == 3);
  CHECK(ref == 4);
  CHECK(ref.is_lock_free());
}

TEST_CASE("assigning one reference's value to another writes the object, not the reference") {
  int left = 1;
  int right = 2;
  const cuda::std::atomic_ref to(left);
  const cuda::std::atomic_ref from(right);
  to = from.load();
  CHECK(left == 2);
  from = 7;
  CHECK(left == 2);
}

TEST_CASE("address() is that of the object") {
  int object = 0;
  CHECK(cuda::atomic_ref<int>(object).address() == &object);
  CHECK(cuda::atomic_ref<const int>(object).address() == &object);
  CHECK(cuda::std::atomic_ref<volatile int>(object).address() == &object);
  CHECK(cuda::std::atomic_ref<const volatile int>(object).address() == &object);
}

TEST_CASE("the address of a bitwise function is that of one function, as in libcu++") {
  using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
  unsigned object = 12;
  const ref bits(object);
  unsigned (ref::* const functions[])(unsigned, cuda::memory_order)
      const = {&ref::fetch_and, &ref::fetch_or, &ref::fetch_xor};
  static_assert(std::is_invocable_r_v<unsigned, decltype(&ref::fetch_or), ref*, unsigned, cuda::memory_order>);
  CHECK((bits.*functions[0])(6, cuda::memory_order_relaxed) == 12);
  CHECK((bits.*functions[1])(3, cuda::memory_order_release) == 4);
  CHECK((bits.*functions[2])(1, cuda::memory_order_seq_cst) == 7);
  CHECK(object == 6);
}

TEMPLATE_TEST_CASE("a reference to a const object reads it", "", cuda::atomic_ref<const int>,
                   cuda::std::atomic_ref<const int>, cuda::atomic_ref<const volatile int>,
                   (cuda::atomic_ref<const int, cuda::thread_scope_block>)) {
  static const int object = 17;
  const TestType ref(object);
  CHECK(ref.load() == 17);
  CHECK(ref.load(cuda::memory_order_relaxed) == 17);
  CHECK(ref == 17);
  CHECK(ref.is_lock_free());
  ref.wait(16);
  CHECK(ref.wait([](int value) { return value == 17; }) == 17);
}

TEST_CASE("values without default constructor") {
  without_default object(1);
  const cuda::atomic_ref ref(object);
  CHECK(ref.load().value == 1);
  CHECK(ref.exchange(without_default(2)).value == 1);
  without_default expected(3);
  CHECK_FALSE(ref.compare_exchange_strong(expected, without_default(4)));
  CHECK(expected.value == 2);
  CHECK(ref.wait([](const without_default& value) { return value.value == 2; }).value == 2);
}

// Each writer changes its own element of an array; all must survive.
TEMPLATE_TEST_CASE("writes to small objects leave their neighbours alone", "", std::uint8_t, std::uint16_t, std::int8_t,
                   std::int16_t) {
  constexpr int count = 8;
  alignas(8) TestType objects[count];
  for (int index = 0; index < count; ++index) {
    for (int other = 0; other < count; ++other)
      objects[other] = static_cast<TestType>(0x5a5a + other);
    const cuda::atomic_ref ref(objects[index]);
    const auto check = [&](TestType value) {
      for (int other = 0; other < count; ++other)
        CHECK(objects[other] == (other == index ? value : static_cast<TestType>(0x5a5a + other)));
    };
    ref.store(static_cast<TestType>(-1));
    check(static_cast<TestType>(-1));
    ref.fetch_add(1);
    check(0);
    ref.fetch_sub(1);
    check(static_cast<TestType>(-1));
    ref.fetch_xor(static_cast<TestType>(0x3333));
    check(static_cast<TestType>(0xcccc));
    ref.fetch_or(static_cast<TestType>(-1));
    ref.fetch_and(0);
    check(0);
    ref.exchange(static_cast<TestType>(0x1234));
    TestType expected = static_cast<TestType>(0x1234);
    CHECK(ref.compare_exchange_strong(expected, static_cast<TestType>(0x4321)));
    check(static_cast<TestType>(0x4321));
  }
}

TEMPLATE_TEST_CASE("threads count in elements side by side", "", std::uint8_t, std::uint16_t, std::uint32_t) {
  constexpr int threads = 4;
  constexpr int rounds = 20000;
  alignas(16) TestType counters[threads] = {};
  meeting start(threads);
  run_threads(threads, [&](int rank) {
    start.wait();
    const cuda::atomic_ref ref(counters[rank]);
    for (int round = 0; round < rounds; ++round) {
      if (round % 2 == 0)
        ref.fetch_add(3, cuda::memory_order_relaxed);
      else
        ref.fetch_max(ref.load());
    }
  });
  for (const TestType counter : counters)
    CHECK(counter == static_cast<TestType>(rounds / 2 * 3));
}
