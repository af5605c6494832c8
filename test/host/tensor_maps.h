// What the tests of tensor maps share: descriptions just within a limit and just beyond it, and the sentence for each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_HOST_TENSOR_MAPS_H
#define CUDASYNC_TEST_HOST_TENSOR_MAPS_H

#include "catch.h"

#include <cudasync/backend/tensor/tensor_limits.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

inline cudasync::backend::tensor_sizes sizes(const std::vector<std::int64_t>& list) {
  cudasync::backend::tensor_sizes result;
  result.count = list.size();
  for (std::size_t index = 0; index < list.size() && index < 5; ++index)
    result.values[index] = list[index];
  return result;
}

template <class Description>
using change_of = std::function<void(Description&)>;

// The sentence about the changed description, or an empty one.
template <class Description>
std::string error_of(Description what, const std::common_type_t<change_of<Description>>& make = {}) {
  if (make) make(what);
  cudasync::backend::tensor_error error;
  const bool is_valid = is_within_limits(what, error);
  CHECK(is_valid == (error.text[0] == 0));
  return error.text;
}

// Changes that are just within a limit, and just beyond it.
template <class Description>
struct limit_of {
  Description what;
  change_of<Description> within, beyond;
  std::string error;
};

template <class Description>
void check_both_sides(const std::vector<limit_of<Description>>& limits) {
  for (const limit_of<Description>& each : limits) {
    INFO(each.error);
    CHECK(error_of(each.what, each.within) == "");
    CHECK(error_of(each.what, each.beyond) == each.error);
  }
}

#endif
