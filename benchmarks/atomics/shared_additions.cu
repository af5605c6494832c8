// Measures additions to numbers in shared memory by all threads, in microseconds per launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared_additions.h"

namespace bench {
namespace {

constexpr int repetitions = 7;
constexpr u32 additions = 2048;  // per thread

struct intrinsic {
  template <class Value>
  static __device__ __forceinline__ void add(Value* place, Value operand) {
    atomicAdd_block(place, operand);
  }
};

const bool is_enrolled = [] {
  enroll_shared_additions<intrinsic>("atomicAdd_block", hand);
  return true;
}();

}  // namespace

void run_shared_additions(report& results) {
  const std::vector<std::string> names{"random", "consecutive"};
  const device_array<u64> sum(1);
  const auto run = [&](const contestant& who, std::size_t index) {
    check(cudaMemset(sum.data(), 0, sizeof(u64)), who.name);
    u32 count = additions;
    u32 random_mask = index == 0 ? shared_words - 1 : 0;
    u32 number_mask = index == 0 ? 0 : shared_words - 1;
    u64* out = sum.data();
    void* arguments[] = {&count, &random_mask, &number_mask, &out};
    return microseconds(who.kernel, 2 * gpu::current().multiprocessors, 1024, arguments, who.name);
  };
  for (const char* operation : {"uint32 add, known space", "uint32 add, unknown space", "uint64 add, known space",
                                "uint64 add, unknown space"}) {
    const std::vector<contestant> all = enrolled("shared", operation);
    std::vector<u64> expected;
    for (std::size_t index = 0; index < names.size(); ++index) {
      run(first_by_hand(all), index);
      expected.push_back(sum.copy()[0]);
    }
    const auto sample = [&](const contestant& who, std::size_t index) {
      const double time = run(who, index);
      return checked(time, sum.copy()[0], expected[index], who);
    };
    results.add(measure(all, names.size(), repetitions, sample), names,
                std::string("numbers in shared memory, results unused: ") + operation, "us");
  }
}

}  // namespace bench
