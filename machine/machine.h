// Runs kernels given as PTX on the CPU, with the interleavings and the late copies that a seed chooses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_H
#define CUDASYNC_MACHINE_H

#include "choices.h"
#include "findings.h"
#include "footprint.h"
#include "program.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace model {

struct launch {
  extent grid, block, cluster;
  bool has_clusters = false;
  uint64_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> parameters;
  bool begins_early = false;  // work before it may not have ended
};

struct settings {
  uint64_t seed = 1;
  schedule how;  // the seed is one of
  bool finds_races = true;
  uint64_t most_threads =
      1 << 20;  // of a grid in which races are looked for: of a look-back scan, it takes about 700 MB
  uint64_t host_milliseconds = 0;  // that a kernel waits for what the host may still write, before it counts as a hang
  bool is_strict = false;          // also what the memory model does not allow, although GPUs do what is wanted
  bool goes_on_after_races = false;
  bool trusts_checked_build = false;  // whose reports look at what other threads change: records have no races
  std::function<void(const finding&)> on_finding;  // at once, unless it is empty
  bool makes_footprint = false;                    // if races are looked for
  std::function<std::string()> call_of_host;       // in which all threads of the host wait, or none; or empty
  std::function<bool()> lets_others_run;           // of a kernel that waits: whether other work did something; or empty
  uint32_t multiprocessors = 132;                  // those of an H100
  uint32_t resident_blocks = 264;                  // at a time
  bool uses_fast_path = true;                      // false: only execute() does anything
  uint64_t most_steps = 2'000'000'000;             // instructions of warps
};

// By a kernel.
struct child_launch {
  std::string kernel;
  launch how;
  footprint beside;     // what the kernel did that is not before the launch
  uint64_t stream = 0;  // those of one stream run one after the other
};

struct outcome {
  enum class end { finished, trapped, faulted, hung, raced, asserted } how = end::finished;
  std::string error;              // of a fault; where the threads are in a hang
  std::vector<finding> findings;  // races: the first, or the first few that differ; then what ended the kernel
  std::string printed;
  uint64_t steps = 0, instructions = 0, nanoseconds = 0;  // of warps; of threads
  footprint accesses;                                     // if it was wanted
  footprint early;                                        // before what it waits for with griddepcontrol.wait
  bool waits_for_kernel_before = false;                   // by griddepcontrol.wait
  bool lets_next_begin = false;                           // by griddepcontrol.launch_dependents
  std::vector<child_launch> children, last_children;      // to run next, and behind these
  uint64_t places = 0;  // where priorities could have changed, unless the schedule was random

  // Found in what the kernel does, while it goes on.
  bool has_bugs() const {
    for (const finding& each : findings)
      if (each.is_of_order()) return true;
    return false;
  }
};

// What the PTX says about a kernel.
struct facts {
  uint64_t shared_bytes = 0, local_bytes = 0;     // static ones
  uint32_t most_threads = 0, most_registers = 0;  // of .maxntid or .reqntid, and .maxnreg; 0: it does not say
  extent cluster;                                 // that it requires
};

// Memory of the "device" is memory of this process, inside regions that have been allowed.
class module {
 public:
  explicit module(const std::string& ptx) : module(std::vector<std::string>{ptx}) {}
  explicit module(const std::vector<std::string>& units);  // linked
  ~module();
  module(const module&) = delete;

  outcome run(const std::string& kernel, const launch& how, const settings& with);
  bool has_kernel(const std::string& name) const;
  std::vector<std::string> kernels() const;
  void* address_of(const std::string& variable, uint64_t* bytes) const;
  uint64_t parameter_bytes(const std::string& kernel) const;
  // The instructions that the kernel may reach and that are not implemented, once each, with their lines.
  std::vector<std::string> unsupported(const std::string& kernel);
  std::vector<uint64_t> parameter_offsets(const std::string& kernel) const;
  uint64_t parameter_size(const std::string& kernel, size_t index) const;
  facts facts_of(const std::string& kernel);
  uint32_t architecture() const;  // of sm_90a: 90

 private:
  friend class grid;
  std::unique_ptr<program> program_;
  std::mutex parses_;
  uint64_t runs_ = 0;
  std::vector<std::unique_ptr<uint8_t, void (*)(void*)>> storage_;
};

// Regions that kernels may access, of all modules.
// name: of a variable; without one, the region is an allocation, which gets a number.
// memory: what it is.
void allow(const void* start, uint64_t bytes, const std::string& name = "", const char* memory = "global");
void forbid(const void* start);
bool is_allowed(uint64_t address, uint64_t bytes);

struct region {
  uint64_t start = 0, bytes = 0;
  std::string name;
  uint64_t number = 0;  // of the allocation
  bool is_freed = false;
  const char* memory = "global";
  uint64_t since = 0;  // launches that had begun before
};
// The number of a launch, from 1.
uint64_t begin_launch();
// The one that the address is in or that it is nearest to, also among those that were forbidden; none: 0 bytes.
region find_region(uint64_t address);

}  // namespace model

#endif
