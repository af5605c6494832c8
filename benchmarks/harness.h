// The common parts of the benchmark programs: the list of contestants, their interleaved measurement, tables and JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HARNESS_H
#define CUDASYNC_BENCHMARKS_HARNESS_H

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace bench {

// The kind of the contestants that are the base of the ratios: the best of them on the same path has ratio 1.
inline constexpr const char* hand = "hand";

struct contestant {
  std::string benchmark;  // the suite that measures it
  std::string operation;
  std::string name;
  std::string kind;  // "ours", "hand", "peer", "design" (a variant of ours), "reference" (another useful measurement)
  std::string path;  // "sm90", "sm80", "sm70", or "native" if there is only one; contestants of one path are compared
  const void* kernel;
  const void* prepare;                    // initializes a barrier in global memory, or null
  const void* verify = nullptr;           // computes a sum of the memory that the kernel has written, or null
  std::vector<const void*> kernels = {};  // one kernel for each configuration, if they differ
  int threads = 0;                        // threads per block, if the contestant chooses the number
};

// Contestants enroll before main, in the translation units of their libraries.
inline std::vector<contestant>& contestants() {
  static std::vector<contestant> all;
  return all;
}

inline int rank_of(const std::string& kind) {
  const std::vector<std::string> order{"ours", "design", hand, "reference", "peer"};
  return static_cast<int>(std::find(order.begin(), order.end(), kind) - order.begin());
}

// Returns the contestants of one benchmark and operation, sorted by path (the newest first), kind and name.
inline std::vector<contestant> enrolled(const std::string& benchmark, const std::string& operation) {
  std::vector<contestant> selected;
  for (const contestant& each : contestants())
    if (each.benchmark == benchmark && each.operation == operation) selected.push_back(each);
  std::stable_sort(selected.begin(), selected.end(), [](const contestant& left, const contestant& right) {
    if (left.path != right.path) return left.path > right.path;
    if (left.kind != right.kind) return rank_of(left.kind) < rank_of(right.kind);
    return left.name < right.name;
  });
  return selected;
}

inline void check(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", what.c_str(), cudaGetErrorString(error));
  std::exit(1);
}

template <class Value>
double median(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 != 0) return static_cast<double>(values[middle]);
  return (static_cast<double>(values[middle - 1]) + static_cast<double>(values[middle])) / 2;
}

// Device memory that is freed at the end of the scope.
template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(Value)), "cudaMalloc");
    check(cudaMemset(data_, 0, size * sizeof(Value)), "cudaMemset");
  }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  Value* data() const { return data_; }
  std::vector<Value> copy() const {
    std::vector<Value> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(Value), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }

 private:
  std::size_t size_;
  Value* data_ = nullptr;
};

struct gpu {
  std::string name;
  int major, minor, multiprocessors, shared_bytes;

  static const gpu& current() {
    static const gpu properties = [] {
      cudaDeviceProp of{};
      check(cudaGetDeviceProperties(&of, 0), "cudaGetDeviceProperties");
      return gpu{of.name, of.major, of.minor, of.multiProcessorCount, static_cast<int>(of.sharedMemPerMultiprocessor)};
    }();
    return properties;
  }
};

// Returns the amount of dynamic shared memory per block with which exactly this many blocks fit on a multiprocessor.
inline int bytes_that_limit_blocks_to(int blocks) {
  return gpu::current().shared_bytes / (blocks + 1) + 512;
}

inline void launch(const void* kernel, int blocks, int threads, void** arguments, int shared_bytes, bool cooperative,
                   const std::string& what) {
  const cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  if (shared_bytes != 0) check(cudaFuncSetAttribute(kernel, limit, shared_bytes), what);
  const dim3 grid(static_cast<unsigned>(blocks));
  const dim3 block(static_cast<unsigned>(threads));
  const std::size_t bytes = static_cast<std::size_t>(shared_bytes);
  check(cooperative ? cudaLaunchCooperativeKernel(kernel, grid, block, arguments, bytes, nullptr)
                    : cudaLaunchKernel(kernel, grid, block, arguments, bytes, nullptr),
        what);
  check(cudaDeviceSynchronize(), what);
}

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The data of one line of a table: a contestant and its samples for each configuration.
struct row {
  contestant who;
  std::vector<std::vector<double>> samples;  // [configuration][repetition]
};

// The option --repetitions: how often each table is measured, or 0 for the number that its suite chooses.
inline int wanted_repetitions = 0;

// The option --seconds: after this time, no further table is measured.
inline double wanted_seconds = 0;
inline std::atomic<double> last_sign_of_life{0};  // seconds after the first call of this function

inline double seconds_of_program() {
  static const stopwatch time;
  return time.seconds();
}

inline bool is_time_over() {
  return wanted_seconds > 0 && seconds_of_program() > wanted_seconds;
}

// Ends the program if a sample takes longer than this, which usually means that a kernel hangs. The file has the tables
// before it.
inline void start_watchdog(double seconds_of_sample) {
  last_sign_of_life = seconds_of_program();
  std::thread([=] {
    while (seconds_of_program() - last_sign_of_life < seconds_of_sample)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::fprintf(stderr, "error: no sample for %.0f s: a kernel hangs\n", seconds_of_sample);
    std::_Exit(1);
  }).detach();
}

// Measures every contestant once in each repetition. The order changes, so that no contestant has an advantage from the
// one before it. The first repetition is a warm-up and is discarded. Prints the name of the operation, and at the end how
// long it took.
inline std::vector<row> measure(const std::vector<contestant>& all, std::size_t configurations, int repetitions,
                                const std::function<double(const contestant&, std::size_t)>& sample) {
  if (wanted_repetitions > 0) repetitions = wanted_repetitions;
  std::vector<row> rows;
  for (const contestant& each : all)
    rows.push_back({each, std::vector<std::vector<double>>(configurations)});
  const std::string name = all.empty() ? "nothing" : all.front().operation;
  std::printf("  %s: %zu contestants, %zu configurations ...", name.c_str(), all.size(), configurations);
  std::fflush(stdout);
  const stopwatch time;
  for (std::size_t configuration = 0; configuration < configurations; ++configuration)
    for (int repetition = 0; repetition <= repetitions; ++repetition)
      for (std::size_t step = 0; step < rows.size(); ++step) {
        const std::size_t shifted = (step + static_cast<std::size_t>(repetition) * 5) % rows.size();
        row& current = rows[repetition % 2 != 0 ? rows.size() - 1 - shifted : shifted];
        const double value = sample(current.who, configuration);
        last_sign_of_life = seconds_of_program();
        if (repetition > 0) current.samples[configuration].push_back(value);
      }
  std::printf(" %.1f s\n", time.seconds());
  return rows;
}

// The number of blocks of a grid, in one dimension or more.
struct grid_size : dim3 {
  grid_size(int blocks) : dim3(static_cast<unsigned>(blocks)) {}
  grid_size(dim3 blocks) : dim3(blocks) {}
};

// Returns the time of one launch.
inline double microseconds(const void* kernel, grid_size grid, int threads, void** arguments, const std::string& what,
                           int shared_bytes = 0, bool cooperative = false) {
  static const std::pair<cudaEvent_t, cudaEvent_t> events = [] {
    std::pair<cudaEvent_t, cudaEvent_t> created;
    check(cudaEventCreate(&created.first), "cudaEventCreate");
    check(cudaEventCreate(&created.second), "cudaEventCreate");
    return created;
  }();
  const cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  if (shared_bytes != 0) check(cudaFuncSetAttribute(kernel, limit, shared_bytes), what);
  check(cudaEventRecord(events.first, nullptr), what);
  const dim3 block(static_cast<unsigned>(threads));
  const std::size_t bytes = static_cast<std::size_t>(shared_bytes);
  check(cooperative ? cudaLaunchCooperativeKernel(kernel, grid, block, arguments, bytes, nullptr)
                    : cudaLaunchKernel(kernel, grid, block, arguments, bytes, nullptr),
        what);
  check(cudaEventRecord(events.second, nullptr), what);
  check(cudaDeviceSynchronize(), what);
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, events.first, events.second), what);
  return static_cast<double>(milliseconds) * 1000;
}

// The result of the first hand-written contestant of a table is the expected result for all of them. A contestant with
// a wrong result counts as very slow, and the program ends with exit code 1.
inline int wrong_results = 0;
inline constexpr double wrong = 1e9;

inline const contestant& first_by_hand(const std::vector<contestant>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [](const contestant& each) { return each.kind == hand; });
  if (found == all.end()) check(cudaErrorUnknown, "no hand-written contestant");
  return *found;
}

template <class Result>
double checked(double value, const Result& result, const Result& expected, const contestant& who) {
  if (result == expected) return value;
  ++wrong_results;
  std::fprintf(stderr, "error: wrong result: %s, %s\n", who.operation.c_str(), who.name.c_str());
  return wrong;
}

// Collects the rows of all tables, prints them, and writes them to a file as JSON after each table.
class report {
 public:
  // machine: the members of the JSON object that describe the machine. An empty path: no file.
  report(const std::string& path, const std::string& machine) : path_(path), machine_(machine) {}

  // Each cell shows the median and its ratio to the best hand-written contestant of the same path and configuration.
  // The last column is the largest (max - min) / median of the row.
  void add(const std::vector<row>& rows, const std::vector<std::string>& configurations, const std::string& title,
           const std::string& unit) {
    if (rows.empty()) return;
    std::printf("\n%s [%s, ratio to the best hand-written contestant]\n%-5s %-10s%-46s", title.c_str(), unit.c_str(),
                "path", "kind", "contestant");
    for (const std::string& configuration : configurations)
      std::printf("%15s", configuration.c_str());
    std::printf("  spread\n");
    for (const row& each : rows) {
      std::printf("%-5s %-10s%-46.45s", each.who.path.c_str(), each.who.kind.c_str(), each.who.name.c_str());
      double spread = 0;
      for (std::size_t index = 0; index < configurations.size(); ++index) {
        const std::vector<double>& samples = each.samples[index];
        const double middle = median(samples);
        const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
        spread = std::max(spread, (*most - *least) / middle);
        std::printf("%9.1f %5.2f", middle, middle / best_by_hand(rows, each.who.path, index));
        append_json(each.who, configurations[index], unit, samples);
      }
      std::printf("  %4.0f %%\n", spread * 100);
    }
    std::fflush(stdout);
    if (!path_.empty()) write_json();
  }

 private:
  // If the program is interrupted, the file has the results of an earlier call.
  void write_json() const {
    const std::string part = path_ + ".part";
    std::FILE* const file = std::fopen(part.c_str(), "w");
    if (file == nullptr) check(cudaErrorUnknown, "cannot write " + part);
    std::fprintf(file, "{%s, \"results\": [\n%s\n]}\n", machine_.c_str(), json_.c_str());
    std::fclose(file);
    if (std::rename(part.c_str(), path_.c_str()) != 0) check(cudaErrorUnknown, "cannot write " + path_);
  }

  static double best_by_hand(const std::vector<row>& rows, const std::string& path, std::size_t configuration) {
    double best = 0;
    for (const row& each : rows)
      if (each.who.kind == hand && each.who.path == path) {
        const double middle = median(each.samples[configuration]);
        if (best == 0 || middle < best) best = middle;
      }
    return best;
  }

  void append_json(const contestant& who, const std::string& configuration, const std::string& unit,
                   const std::vector<double>& samples) {
    if (!json_.empty()) json_ += ",\n";
    const std::pair<const char*, const std::string*> texts[] = {
        {"benchmark", &who.benchmark}, {"operation", &who.operation},     {"name", &who.name}, {"kind", &who.kind},
        {"path", &who.path},           {"configuration", &configuration}, {"unit", &unit}};
    json_ += "{";
    for (const auto& [key, text] : texts)
      json_ += std::string("\"") + key + "\": \"" + *text + "\", ";
    json_ += "\"median\": " + std::to_string(median(samples)) + ", \"samples\": [";
    for (std::size_t index = 0; index < samples.size(); ++index)
      json_ += (index == 0 ? "" : ", ") + std::to_string(samples[index]);
    json_ += "]}";
  }

  std::string path_;
  std::string machine_;
  std::string json_;
};

// A suite of benchmarks, which adds its tables to the report.
struct suite {
  const char* name;
  void (*run)(report&);
};

// The body of main: PROGRAM [--json FILE] [--repetitions N] [--seconds N] [SUITE...], on GPU 0 or, if needs_gpu is false, on the host.
inline int run_suites(int count, char** arguments, const std::vector<suite>& suites, bool needs_gpu = true) {
  std::string json;
  std::vector<std::string> wanted;
  for (int index = 1; index < count; ++index) {
    const std::string word = arguments[index];
    const bool is_suite =
        std::any_of(suites.begin(), suites.end(), [&](const suite& each) { return each.name == word; });
    if (word == "--json" && index + 1 < count) {
      json = arguments[++index];
    } else if (word == "--repetitions" && index + 1 < count) {
      wanted_repetitions = std::atoi(arguments[++index]);
    } else if (word == "--seconds" && index + 1 < count) {
      wanted_seconds = std::atof(arguments[++index]);
    } else if (is_suite) {
      wanted.push_back(word);
    } else {
      std::fprintf(stderr, "usage: %s [--json FILE] [--repetitions N] [--seconds N]", arguments[0]);
      for (const suite& each : suites)
        std::fprintf(stderr, " [%s]", each.name);
      std::fprintf(stderr, "\n");
      return 2;
    }
  }
  std::string machine = "\"threads\": " + std::to_string(std::thread::hardware_concurrency());
  if (needs_gpu) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      std::printf("skipped: no GPU\n");
      return 77;
    }
    const gpu& device = gpu::current();
    const std::string capability = std::to_string(device.major) + "." + std::to_string(device.minor);
    machine = "\"gpu\": \"" + device.name + "\", \"compute_capability\": \"" + capability +
              "\", \"multiprocessors\": " + std::to_string(device.multiprocessors);
  }
  std::printf("%s\n", machine.c_str());

  report results(json, machine);
  std::size_t number = 0;
  for (const suite& each : suites) {
    if (is_time_over()) break;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), each.name) == wanted.end()) continue;
    std::printf("\n[%zu/%zu] %s\n", ++number, wanted.empty() ? suites.size() : wanted.size(), each.name);
    std::fflush(stdout);
    const stopwatch time;
    each.run(results);
    std::printf("(%s took %.1f s)\n", each.name, time.seconds());
    std::fflush(stdout);
  }
  std::printf("\nend\n");
  return wrong_results == 0 ? 0 : 1;
}

}  // namespace bench

#endif
