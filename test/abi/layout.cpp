// Objects of ours are as large as CCCL's, constants have its values, and either half can use what the other has made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parts.h"

#include <cstdio>

static int failures = 0;

static void check(bool condition, const std::string& what) {
  if (condition) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

static std::string text(const layout& row) {
  return std::to_string(row.size) + " and " + std::to_string(row.alignment);
}

int main() {
  const std::vector<layout> rows = ours::layouts();
  const std::vector<layout> their_rows = theirs::layouts();
  check(rows.size() == their_rows.size() && !rows.empty(), "the halves have different rows");
  for (std::size_t i = 0; i < rows.size() && i < their_rows.size(); ++i) {
    const bool equal = rows[i].size == their_rows[i].size && rows[i].alignment == their_rows[i].alignment;
    check(equal && rows[i].name == their_rows[i].name,
          rows[i].name + ": ours " + text(rows[i]) + ", theirs " + text(their_rows[i]));
  }

  alignas(16) unsigned char object[16];
  ours::construct_atomic(object, 5);
  check(theirs::add(object, 2) == 5, "theirs adds to ours");
  theirs::construct_atomic(object, 7);
  check(ours::add(object, 2) == 7, "ours adds to theirs");
  check(theirs::add(object, 0) == 9, "theirs sees what ours added");

  std::printf("%zu layouts, %d failures\n", rows.size(), failures);
  return failures == 0 ? 0 : 1;
}
