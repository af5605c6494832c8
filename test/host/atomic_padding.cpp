// A loop around a compare-exchange ends on types with padding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/padded.h"
#include "catch.h"

template <class Value>
void check() {
  alignas(16) unsigned char bytes[16];
  CHECK(wrong_loops_over(*reinterpret_cast<Value*>(bytes)) == 0);
}

TEST_CASE("compare-exchange loops over padding end") {
  check<tail_of_two>();
  check<short_behind_char>();
  check<char_behind_short>();
  check<int_behind_char>();
  check<char_behind_int>();
  check<in_an_array>();
  check<in_a_class>();
  check<in_a_union>();
  check<bits>();
}
