// Runs kernels given as PTX on the CPU, with the interleavings and the late copies that a seed chooses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_H
#define CUDASYNC_MACHINE_H

#include "program.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace model {

struct extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

struct launch {
  extent grid, block, cluster;
  bool has_clusters = false;
  uint64_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;
};

struct settings {
  uint64_t seed = 1;
  bool finds_races = true;
  uint64_t most_threads = 32768;  // of a grid in which races are looked for: with all of them, it takes about 600 MB
  bool goes_on_after_races = false;
  std::function<void(const std::string&)> on_race;  // at once, unless it is empty
  uint32_t resident_blocks = 264;                   // at a time
  bool uses_fast_path = true;                       // false: only execute() does anything
  uint64_t most_steps = 2'000'000'000;              // instructions of warps
  uint64_t most_idle_nanoseconds = 60'000'000'000;  // without any change of memory: then the kernel hangs
};

struct outcome {
  enum class end { finished, trapped, faulted, hung, raced } how = end::finished;
  std::string error;               // of a fault; where the threads are in a hang
  std::vector<std::string> races;  // the first, or the first few that differ
  std::string printed;
  uint64_t steps = 0, nanoseconds = 0;
};

// Memory of the "device" is memory of this process, inside regions that have been allowed.
class module {
 public:
  explicit module(const std::string& ptx);
  ~module();
  module(const module&) = delete;

  outcome run(const std::string& kernel, const launch& how, const settings& with);
  void* address_of(const std::string& variable, uint64_t* bytes) const;
  uint64_t parameter_bytes(const std::string& kernel) const;
  std::vector<uint64_t> parameter_offsets(const std::string& kernel) const;
  uint64_t parameter_size(const std::string& kernel, size_t index) const;

 private:
  friend class grid;
  std::unique_ptr<program> program_;
  uint64_t runs_ = 0;
  std::vector<std::unique_ptr<uint8_t, void (*)(void*)>> storage_;
};

// Regions that kernels may access, of all modules.
void allow(const void* start, uint64_t bytes);
void forbid(const void* start);
bool is_allowed(uint64_t address, uint64_t bytes);

}  // namespace model

#endif
