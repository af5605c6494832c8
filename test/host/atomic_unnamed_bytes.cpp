// Padding, spare bytes and neighbors take part in no comparison, whatever they hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/unnamed_bytes.h"
#include "catch.h"

#include <cstdio>
#include <utility>

using namespace unnamed_bytes;

// By default a sample of the sizes.
template <size... Sizes>
constexpr bool is_one_of(size each) {
  return ((each == Sizes) || ...);
}
constexpr bool is_tested(size size) {
  return CUDASYNC_THOROUGH || is_one_of<1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 64>(size);
}
// Words, and values of three times the alignment.
constexpr bool is_tested(size size, unnamed_bytes::size alignment, unnamed_bytes::size word) {
  return CUDASYNC_THOROUGH || size == word || (size == 3 * alignment && alignment < 16);
}
constexpr bool is_word(size size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

// g++ clears padding since version 11. Others know the padding of types that can be constants.
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define KNOWS_ALL_PADDING 1
#endif
#endif
#if defined(KNOWS_ALL_PADDING)
constexpr unsigned if_known = 0, if_no_constant = 0;
#elif defined(__clang__)
constexpr unsigned if_known = 0, if_no_constant = 1;
#else
constexpr unsigned if_known = 1, if_no_constant = 1;
#endif

template <class Value, bool HasReference>
void check(const char* name, size size, unsigned tries) {
  room place;
  const answers all = wrong_answers<Value, HasReference>(&place, tries);
  if (sum(all) != 0)
    for (const auto& row : all.wrong)
      std::printf("%s of %zu bytes: %u %u %u wrong answers\n", name, size, row[0], row[1], row[2]);
  CHECK(sum(all) == 0);
}

template <size Size>
void check_whole() {
  if constexpr (is_tested(Size)) check<whole<Size, is_word(Size) ? Size : 1>, is_word(Size)>("whole", Size, 0);
}
template <size Size, size Alignment>
void check_tail() {
  if constexpr (Size % Alignment == 0 && is_tested(Size, Alignment, Alignment))
    check<with_tail<Size, Alignment>, is_word(Size)>("with_tail", Size, if_known);
}
template <size Size, size Alignment>
void check_hole() {
  if constexpr (Size % Alignment == 0 && Size >= 2 * Alignment && is_tested(Size, Alignment, 2 * Alignment))
    check<with_hole<Size, Alignment>, is_word(Size)>("with_hole", Size, if_known);
}
template <size... Index>
void check_sizes(std::index_sequence<Index...>) {
  (check_whole<Index + 1>(), ...);
  (check_tail<Index + 1, 2>(), ...);
  (check_tail<Index + 1, 4>(), ...);
  (check_tail<Index + 1, 8>(), ...);
  (check_tail<Index + 1, 16>(), ...);
  (check_hole<Index + 1, 2>(), ...);
  (check_hole<Index + 1, 4>(), ...);
  (check_hole<Index + 1, 8>(), ...);
}
TEST_CASE("values of 1 to 64 bytes") {
  check_sizes(std::make_index_sequence<64>());
}

TEST_CASE("members of members, and floats that are equal although their bytes are not") {
  check<nested, false>("nested", sizeof(nested), if_known);
}
TEST_CASE("padding that a constant does not show") {
  check<pointer_and_byte, true>("pointer_and_byte", sizeof(pointer_and_byte), if_no_constant);
  check<two_bit_fields, true>("two_bit_fields", sizeof(two_bit_fields), if_no_constant);
}
TEST_CASE("numbers") {
  check<bool, true>("bool", sizeof(bool), 0);
  check<signed char, true>("signed char", 1, 0);
  check<unsigned short, true>("unsigned short", 2, 0);
  check<int, true>("int", 4, 0);
  check<long long, true>("long long", 8, 0);
  check<float, true>("float", 4, 0);
  check<double, true>("double", 8, 0);
  check<long double, true>("long double", sizeof(long double), if_known);
}
