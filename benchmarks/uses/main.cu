// Runs the uses on GPU 0: uses [--json FILE] [--repetitions N] [--seconds N] [SUITE...], all suites by default.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>

#include "uses.h"

namespace bench { namespace {

constexpr int repetitions = 5;
constexpr int launches = 3;         // per sample; the shortest one counts
constexpr int checked_rounds = 5;   // of the launch whose results are compared
constexpr int most_rounds = 4096;   // of a launch that is measured
constexpr double least_time = 200;  // microseconds of such a launch
constexpr std::size_t least_state_bytes = std::size_t{1} << 16;
constexpr std::size_t most_state_bytes = std::size_t{8} << 20;

__global__ void fill(u32* words, u32 count, u32 salt) {
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x)
    words[index] = mixed(index + salt);
}

__global__ void sum_words(const u32* words, u32 count, u64* sum) {
  u64 own = 0;
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x)
    own += u64{words[index]} * mixed(index + 1);  // mixed(0) is 0
  atomicAdd(sum, own);
}

const shape& shape_of(const contestant& who, std::size_t configuration) {
  const auto found = std::find_if(uses().begin(), uses().end(), [&](const use& each) {
    return each.who.operation == who.operation && each.who.name == who.name && each.who.path == who.path;
  });
  return found->shapes.at(configuration);
}

class bench_of_uses {
 public:
  explicit bench_of_uses(std::size_t state_bytes) : state_bytes_(state_bytes) {
    fill<<<1024, 256>>>(data_.data(), data_words, 1);
    fill<<<1024, 256>>>(indices_.data(), data_words, 77);
    check(cudaDeviceSynchronize(), "fill");
  }

  // Measures an operation in all its shapes, in nanoseconds per round.
  void add(report& results, const std::string& operation) {
    const std::vector<contestant> all = enrolled("uses", operation);
    std::vector<std::string> names;
    std::vector<int> rounds;
    std::vector<u64> expected;
    for (std::size_t index = 0; index < count_of_shapes(all.front()); ++index) {
      names.push_back(shape_of(all.front(), index).name());
      expected.push_back(sum_of_results(first_by_hand(all), index));
      rounds.push_back(rounds_of(all.front(), index));
    }
    std::map<std::pair<std::string, std::size_t>, u64> sums;
    const auto sample = [&](const contestant& who, std::size_t index) {
      const auto [found, is_new] = sums.try_emplace({who.name + who.path, index}, 0);
      if (is_new) found->second = sum_of_results(who, index);
      double best = time_of(who, index, rounds[index]);
      for (int launch = 1; launch < launches; ++launch)
        best = std::min(best, time_of(who, index, rounds[index]));
      return checked(best * 1000 / rounds[index], found->second, expected[index], who);
    };
    results.add(measure(all, names.size(), repetitions, sample), names, operation, "ns");
  }

 private:
  static std::size_t count_of_shapes(const contestant& who) {
    return std::find_if(uses().begin(), uses().end(),
                        [&](const use& each) { return each.who.operation == who.operation; })
        ->shapes.size();
  }

  // One launch, with zeros as the state and the results.
  double time_of(const contestant& who, std::size_t configuration, int rounds) {
    const shape& how = shape_of(who, configuration);
    const std::string what = who.operation + ", " + how.name() + ", " + who.name;
    check(cudaMemset(state_.data(), 0, state_bytes_), what);
    check(cudaMemset(results_.data(), 0, bytes_of_results(how)), what);
    const memory of{reinterpret_cast<const char*>(data_.data()), indices_.data(), state_.data(), results_.data(),
                    how.given};
    check(cudaMemcpy(memory_.data(), &of, sizeof(of), cudaMemcpyHostToDevice), what);
    const memory* place = memory_.data();
    void* arguments[] = {&place, &rounds};
    if (how.prepare != nullptr) launch(as_pointer(how.prepare), 1, 256, arguments, 0, false, what);
    return microseconds(as_pointer(how.kernel), how.blocks, how.threads, arguments, what, how.shared_bytes);
  }

  u64 sum_of_results(const contestant& who, std::size_t configuration) {
    const shape& how = shape_of(who, configuration);
    time_of(who, configuration, checked_rounds);
    const memory* place = memory_.data();
    int rounds = checked_rounds;
    void* arguments[] = {&place, &rounds};
    if (how.finish != nullptr) launch(as_pointer(how.finish), 64, 256, arguments, 0, false, who.name);
    const device_array<u64> sum(1);
    sum_words<<<256, 256>>>(reinterpret_cast<const u32*>(results_.data()), static_cast<u32>(bytes_of_results(how) / 4),
                            sum.data());
    check(cudaDeviceSynchronize(), "sum of " + who.operation);
    return sum.copy()[0];
  }

  // The rounds with which a launch of this contestant is long enough. All contestants have the same number.
  int rounds_of(const contestant& who, std::size_t configuration) {
    int rounds = 8;
    time_of(who, configuration, rounds);
    while (rounds < most_rounds && time_of(who, configuration, rounds) < least_time)
      rounds *= 2;
    return rounds;
  }

  static std::size_t bytes_of_results(const shape& how) {
    const std::size_t words =
        static_cast<std::size_t>(how.result_words == 0 ? how.blocks * how.threads : how.result_words);
    if (4 * words > most_result_bytes) check(cudaErrorInvalidValue, "too many results");
    return 4 * words;
  }
  static const void* as_pointer(kernel_of_use kernel) { return reinterpret_cast<const void*>(kernel); }

  std::size_t state_bytes_;
  device_array<u32> data_{data_words};
  device_array<u32> indices_{data_words};
  device_array<char> state_{most_state_bytes};
  device_array<char> results_{most_result_bytes};
  device_array<memory> memory_{1};
};

// The operations of a group, in the order in which they were enrolled.
void run_group(report& results, const std::string& group, std::size_t state_bytes) {
  bench_of_uses bench(state_bytes);
  std::vector<std::string> done;
  for (const use& each : uses())
    if (each.who.operation.rfind(group + ": ", 0) == 0 &&
        std::find(done.begin(), done.end(), each.who.operation) == done.end()) {
      done.push_back(each.who.operation);
      if (!is_time_over()) bench.add(results, each.who.operation);
    }
}

}}  // namespace bench

int main(int count, char** arguments) {
  using namespace bench;
  start_watchdog(20);
  return run_suites(count, arguments,
                    {{"atomics", [](report& results) { run_group(results, "atomics", std::size_t{4} << 20); }},
                     {"barriers", [](report& results) { run_group(results, "barriers", least_state_bytes); }},
                     {"copies", [](report& results) { run_group(results, "copies", least_state_bytes); }},
                     {"flags", [](report& results) { run_group(results, "flags", most_state_bytes); }},
                     {"permits", [](report& results) { run_group(results, "permits", std::size_t{1} << 20); }},
                     {"pipelines", [](report& results) { run_group(results, "pipelines", least_state_bytes); }}});
}
