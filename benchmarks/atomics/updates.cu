// Measures updates of a table in L2 by all threads of the GPU, in microseconds per launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "updates.h"

namespace bench {
namespace {

constexpr int repetitions = 7;
constexpr std::size_t table_bytes = std::size_t{8} << 20;

struct shape {
  std::string name;
  int blocks;  // per multiprocessor
  int threads;
  u32 elements;  // a power of two
  u32 updates;   // per thread
  bool is_consecutive;
  int launches;  // per sample; the shortest one counts
};

struct outcome {
  double time;
  u64 sum;
};

outcome run(const contestant& who, const shape& how, const device_array<char>& table) {
  const device_array<u32> sink(1);
  const device_array<u64> sum(1);
  const std::string what = who.operation + ", " + who.name;
  void* elements = table.data();
  u32 random_mask = how.is_consecutive ? 0 : how.elements - 1;
  u32 number_mask = how.is_consecutive ? how.elements - 1 : 0;
  u32 count = how.updates;
  u32* unused = sink.data();
  void* arguments[] = {&elements, &random_mask, &number_mask, &count, &unused};
  double best = 0;
  for (int number = 0; number < how.launches; ++number) {
    check(cudaMemset(elements, 0, table_bytes), what);  // also brings the table to L2
    const double time =
        microseconds(who.kernel, how.blocks * gpu::current().multiprocessors, how.threads, arguments, what);
    if (number == 0 || time < best) best = time;
  }
  u32 all = how.elements;
  u64* out = sum.data();
  void* verify_arguments[] = {&elements, &all, &out};
  launch(who.verify, 4 * gpu::current().multiprocessors, 256, verify_arguments, 0, false, "sum of " + what);
  return {best, sum.copy()[0]};
}

// Returns the operations of a suite whose names contain the word, in the order in which they were enrolled.
std::vector<std::string> operations_of(const std::string& benchmark, const std::string& word) {
  std::vector<std::string> names;
  for (const contestant& each : contestants())
    if (each.benchmark == benchmark && each.operation.find(word) != std::string::npos &&
        std::find(names.begin(), names.end(), each.operation) == names.end())
      names.push_back(each.operation);
  return names;
}

void run_updates(const char* benchmark, const std::string& word, const std::string& title,
                 const std::vector<shape>& shapes, report& results) {
  const device_array<char> table(table_bytes);
  std::vector<std::string> names;
  for (const shape& each : shapes)
    names.push_back(each.name);
  for (const std::string& operation : operations_of(benchmark, word)) {
    const std::vector<contestant> all = enrolled(benchmark, operation);
    std::vector<u64> expected;
    for (const shape& each : shapes)
      expected.push_back(run(first_by_hand(all), each, table).sum);
    const auto sample = [&](const contestant& who, std::size_t index) {
      const outcome found = run(who, shapes[index], table);
      return checked(found.time, found.sum, expected[index], who);
    };
    results.add(measure(all, shapes.size(), repetitions, sample), names, title + operation, "us");
  }
}

}  // namespace

void run_numbers(report& results) {
  constexpr u32 elements = 1u << 20;
  run_updates("numbers", "", "a table of 2^20 numbers in L2, results unused: ",
              {{"random", 2, 1024, elements, 256, false, 3}, {"consecutive", 2, 1024, elements, 1024, true, 3}},
              results);
}

void run_small(report& results) {
  // The number of updates is small because each takes long: all threads run compare-exchange loops on the same words.
  const shape many{"2^21 numbers", 2, 1024, 1u << 21, 32, false, 3};
  const std::string title = "a table of small numbers in L2: ";
  run_updates("small", "objects", title, {many, {"64 numbers", 1, 256, 64, 16, false, 1}}, results);
  run_updates("small", "references", title, {many, {"64 numbers", 1, 256, 64, 2, false, 1}}, results);
}

void run_vectors(report& results) {
  constexpr u32 elements = 1u << 18;
  run_updates("vectors", "", "a table of 2^18 vectors in L2, results unused: ",
              {{"random", 2, 1024, elements, 128, false, 3}, {"consecutive", 2, 1024, elements, 256, true, 3}},
              results);
}

}  // namespace bench
