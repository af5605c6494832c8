// As much of the CUDA runtime as test programs use, with the machine in place of a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs are compiled to PTX (-gencode arch=compute_90,code=compute_90 -no-compress -cudart none) and linked with this.
// CUDASYNC_MACHINE_SEED chooses the interleaving, CUDASYNC_MACHINE_SCHEDULE its kind; CUDASYNC_MACHINE_RACES=0 turns the search for races off, and with
// CUDASYNC_MACHINE_RACES=all a kernel goes on after the first; CUDASYNC_MACHINE_MOST_THREADS is the largest grid in which races
// are looked for; with CUDASYNC_MACHINE_STRICT=1, findings of the strict level are reported, too; CUDASYNC_MACHINE_REPORT names
// a file for findings as lines of JSON; CUDASYNC_MACHINE_KERNEL and CUDASYNC_MACHINE_SKIP are regular expressions of the kernels that
// are explored, and of those that are not; with CUDASYNC_MACHINE_VERBOSE each kernel's length is printed.
#include "runtime.h"
#include "runtime_graph.h"
#include "runtime_memory.h"
#include "runtime_unsupported.h"
#include "runtime_versions.h"
#include "tensor_map.h"

#include <cuda.h>
#include <regex.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace model {
namespace {

struct symbol {
  module* from;
  std::string name;
};

// A program's modules are registered before main.
struct registry {
  std::vector<std::unique_ptr<module>> modules;
  std::map<const void*, registered_kernel> kernels;  // by the host's function
  std::list<registered_kernel> others;               // of modules that the program loads
  std::map<const void*, symbol> symbols;
};
registry& all() {
  return lasting<registry>();
}

// Whether the regular expression in the variable matches a part of the name.
bool matches(const char* variable, const std::string& name, bool otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  regex_t compiled;
  if (regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB) != 0)
    report_unsupported("the regular expression " + std::string(text), "");
  const bool does = regexec(&compiled, name.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return does;
}

constexpr const char* not_chosen = "not chosen";  // outcome.py knows it

// Why races are not looked for in this kernel, or nothing.
std::string why_without_races(const std::string& kernel) {
  const bool is_chosen =
      matches("CUDASYNC_MACHINE_KERNEL", kernel, true) && !matches("CUDASYNC_MACHINE_SKIP", kernel, false);
  if (!is_chosen) return not_chosen;
  return looks_for_races() ? "" : "CUDASYNC_MACHINE_RACES=0";
}

// How two kernels come to run at a time, and what to do about it.
struct launches_beside {
  const char *rule, *of_first, *unordered, *remedy;
};
constexpr launches_beside with_parent = {
    "unordered-launch", "which launches it, ", "that before the launch",
    "let the thread that launches do it before the launch, or meet the one that does at a barrier before; or launch "
    "into cudaStreamTailLaunch"};
constexpr launches_beside with_sibling = {
    "unordered-launch", "launched into another stream, ", "the two launches",
    "launch both into the same stream, from one block: each block has a default stream of its own"};
constexpr launches_beside with_kernel_before = {
    "missing-grid-wait", "which lets it begin early, ", "the two before griddepcontrol.wait",
    "call cudaGridDependencySynchronize() (griddepcontrol.wait) before the access: in the thread, or in another one "
    "that it meets at a barrier after that"};

constexpr launches_beside with_earlier_kernel = {
    "missing-grid-wait", "which a kernel between the two does not wait for, ", "the two",
    "call cudaGridDependencySynchronize() (griddepcontrol.wait) in each kernel between the two: it waits only for the one "
    "before it"};

void compare_launches(const footprint& early, const footprint& late, const launches_beside& how) {
  if (&how != &with_parent && (may_signal(early, late) || may_signal(late, early))) return;
  const footprint_conflict found = find_conflict(early, late);
  if (!found.is_found || found.is_same_value) return;
  const participant &first = found.one, &second = found.other;
  finding made;
  made.kind = "race";
  made.rule = how.rule;
  made.kernel = second.kernel;
  made.message = "`" + second.kernel + "` " + second.action + "s " + object_of(second) + line_of(second) + "; `" +
                 first.kernel + "`, " + how.of_first + (first.action == "read" ? "read" : first.action + "s") + " it" +
                 line_of(first) + "; nothing orders " + how.unordered;
  made.remedy = how.remedy;
  made.by = {first, second};
  report(made);
  fail(cudaErrorUnknown);
}

void run_children(model::module& from, const outcome& done, std::vector<footprint>* made);

// beside: of the kernel that has launched it, if one has; accesses: what it and those that it launches have accessed, if it is wanted.
void run(const registered_kernel& what, const launch& how, const footprint& beside = {},
         std::vector<footprint>* accesses = nullptr) {
  if (sticky_error() != cudaSuccess) return;
  const std::string name = demangled(what.name);
  std::string why_not = why_without_races(name);
  settings with;
  with.multiprocessors = static_cast<uint32_t>(from_environment("CUDASYNC_MACHINE_NSMID", with.multiprocessors));
  with.resident_blocks = most_resident_blocks(what, how.block.count(), how.dynamic_shared_bytes);
  with.host_milliseconds = shares_with_host() ? 1000 : 0;
  static uint64_t launches = 0;
  with.seed = from_environment("CUDASYNC_MACHINE_SEED", 1) * 1000003 + launches++;
  const char* const races = std::getenv("CUDASYNC_MACHINE_RACES");
  with.goes_on_after_races = races != nullptr && std::strcmp(races, "all") == 0;
  with.finds_races = why_not.empty();
  with.most_threads = from_environment("CUDASYNC_MACHINE_MOST_THREADS", with.most_threads);
  with.trusts_checked_build = true;
  with.is_strict = from_environment("CUDASYNC_MACHINE_STRICT", 0) != 0;
  with.on_finding = report;
  const bool wants_accesses = work_queue::only().wants_accesses();
  with.makes_footprint = with.finds_races && (wants_accesses || !beside.ranges.empty() || accesses != nullptr);
  // What kernels did that may not have ended when the next one begins, and whether it is the one before that.
  using open_kernels = std::vector<std::pair<std::shared_ptr<const footprint>, bool>>;
  static std::map<work_number, open_kernels> chains;
  const std::optional<early_begin> early = work_queue::only().take_early_begin();
  open_kernels before;
  for (const work_number each : early ? early->beside : std::vector<work_number>())
    before.insert(before.end(), chains[each].begin(), chains[each].end());
  launch placed = how;
  placed.begins_early = early && !early->beside.empty();
  with.makes_footprint = with.makes_footprint || (with.finds_races && !before.empty());
  with.call_of_host = [] { return work_queue::only().call_of_host(); };
  with.lets_others_run = [] { return work_queue::only().run_others(); };
  outcome done;
  try {
    if (why_not == not_chosen)
      with.seed = launches;  // always the same schedule
    else
      with.how = model::schedule_from_environment();
    if (with.how.is == model::schedule::kind::search) with.seed = from_environment("CUDASYNC_MACHINE_SEED", 0);
    done = what.from->run(what.name, placed, with);
  } catch (const fault& wrong) {  // it cannot begin
    done.how = outcome::end::faulted;
    done.error = wrong.what();
    done.findings.emplace_back();
    model::finding& made = done.findings.back();
    made.kind = wrong.kind;
    made.rule = wrong.rule;
    made.kernel = name;
    made.message = wrong.what();
    with.on_finding(made);
  }
  for (const model::finding& each : done.findings)
    if (each.kind == "limit") why_not = each.message;
  constexpr const char* ends[] = {"finished", "trapped", "faulted", "hung", "raced", "asserted"};
  model::append_to_report(model::json_of_kernel(name, from_environment("CUDASYNC_MACHINE_SEED", 1), done.steps,
                                                ends[static_cast<size_t>(done.how)], why_not));
  if (std::getenv("CUDASYNC_MACHINE_VERBOSE") != nullptr)
    std::fprintf(stderr, "model: %s: %llu steps, %llu instructions of threads, %llu places, %llu ns\n",
                 what.name.c_str(), static_cast<unsigned long long>(done.steps),
                 static_cast<unsigned long long>(done.instructions), static_cast<unsigned long long>(done.places),
                 static_cast<unsigned long long>(done.nanoseconds));
  std::fputs(done.printed.c_str(), stdout);
  std::fflush(stdout);
  spend_nanoseconds(done.nanoseconds);
  if (!beside.ranges.empty()) compare_launches(beside, done.accesses, with_parent);
  if (accesses != nullptr) accesses->push_back(done.accesses);
  open_kernels open;
  for (const auto& [did, is_own] : before) {
    if (sticky_error() == cudaSuccess)
      compare_launches(*did, is_own ? done.early : done.accesses, is_own ? with_kernel_before : with_earlier_kernel);
    if (!is_own || !done.waits_for_kernel_before) open.emplace_back(did, false);
  }
  constexpr size_t most_kept = 64;
  if (open.size() > most_kept) open.erase(open.begin(), open.end() - most_kept);
  if (early && (done.lets_next_begin || early->lets_next_begin))
    open.emplace_back(std::make_shared<footprint>(done.accesses), true);
  if (!open.empty()) chains[work_queue::only().current()] = std::move(open);
  while (chains.size() > most_kept)
    chains.erase(chains.begin());
  if (with.makes_footprint && wants_accesses) work_queue::only().note_accesses(std::move(done.accesses));
  switch (done.how) {
  case outcome::end::finished:
    if (done.has_bugs()) fail(cudaErrorUnknown);
    break;
  case outcome::end::raced:
    fail(cudaErrorUnknown);
    break;
  case outcome::end::hung:
    fail(cudaErrorLaunchTimeout);
    break;
  case outcome::end::asserted:
    fail(cudaErrorAssert);
    break;
  case outcome::end::faulted:
    fail(done.error.find("illegal address") != std::string::npos ? cudaErrorIllegalAddress : cudaErrorLaunchFailure);
    break;
  default:
    fail(cudaErrorLaunchFailure);
  }
  run_children(*what.from, done, accesses);
}

// Those of different streams may run at a time, each with all that it launches.
void run_children(model::module& from, const outcome& done, std::vector<footprint>* made) {
  constexpr size_t most_compared = 64;
  std::vector<std::pair<uint64_t, std::vector<footprint>>> by_stream;
  const auto is_of_first = [&](const child_launch& each) { return each.stream == done.children.front().stream; };
  const bool compares = !std::all_of(done.children.begin(), done.children.end(), is_of_first);
  for (const child_launch& each : done.children) {
    std::vector<footprint> here;
    const bool is_compared = compares && by_stream.size() < most_compared;
    run({&from, each.kernel}, each.how, each.beside, is_compared || made != nullptr ? &here : nullptr);
    if (made != nullptr) made->insert(made->end(), here.begin(), here.end());
    if (!is_compared) continue;
    for (const auto& [stream, before] : by_stream)
      for (const footprint& one : stream != each.stream ? before : std::vector<footprint>())
        for (const footprint& other : here)
          if (sticky_error() == cudaSuccess) compare_launches(one, other, with_sibling);
    by_stream.emplace_back(each.stream, std::move(here));
  }
  for (const child_launch& each : done.last_children)
    run({&from, each.kernel}, each.how, each.beside, made);
}

// --- The container in which nvcc embeds PTX ---

constexpr uint32_t wrapper_magic = 0x466243b1, container_magic = 0xba55ed50;

struct wrapper {
  uint32_t magic, version;
  const unsigned char* data;
  void* more;
};

std::vector<std::string> texts_in(const unsigned char* data) {
  std::vector<std::string> found;
  uint16_t header_bytes;
  uint64_t total;
  std::memcpy(&header_bytes, data + 6, 2);
  std::memcpy(&total, data + 8, 8);
  const unsigned char* at = data + header_bytes;
  const unsigned char* const end = at + total;
  while (at < end) {
    uint16_t what;
    uint32_t header;
    uint64_t bytes;
    std::memcpy(&what, at, 2);
    std::memcpy(&header, at + 4, 4);
    std::memcpy(&bytes, at + 8, 8);
    if (what == 1) found.emplace_back(reinterpret_cast<const char*>(at + header), bytes);
    at += header + bytes;
  }
  return found;
}

uint64_t threads_of(const dim3& shape) {
  return uint64_t{shape.x} * shape.y * shape.z;
}

cudaError_t check(const registered_kernel& what, const launch_shape& shape) {
  const cudaFuncAttributes attributes = attributes_of(what);
  const uint64_t threads = threads_of(shape.block);
  if (threads == 0 || threads_of(shape.grid) == 0 || threads > 1024) return cudaErrorInvalidConfiguration;
  if (threads > static_cast<uint64_t>(attributes.maxThreadsPerBlock)) return cudaErrorInvalidValue;
  if (shape.shared_bytes > static_cast<size_t>(attributes.maxDynamicSharedSizeBytes)) return cudaErrorInvalidValue;
  const bool fits = threads_of(shape.grid) <= most_resident_blocks(what, threads, shape.shared_bytes);
  return shape.is_cooperative && !fits ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

}  // namespace

void report(const finding& found) {
  finding one = found;
  one.seed = from_environment("CUDASYNC_MACHINE_SEED", 1);
  std::fprintf(stderr, "model: %s\n", text_of(one).c_str());
  append_to_report(json_of(one));
}

registered_kernel* kernel_of(const void* handle) {
  const runtime_lock lock(runtime_mutex());
  const auto at = all().kernels.find(handle);
  if (at != all().kernels.end()) return &at->second;
  for (auto& each : all().kernels)
    if (&each.second == handle) return &each.second;
  for (registered_kernel& each : all().others)
    if (&each == handle) return &each;
  return nullptr;
}

uint32_t architecture_of_program() {
  return all().modules.empty() ? 90 : all().modules.front()->architecture();
}

void* address_of_symbol(const void* host, uint64_t* bytes) {
  const runtime_lock lock(runtime_mutex());
  const auto at = all().symbols.find(host);
  return at == all().symbols.end() ? nullptr : at->second.from->address_of(at->second.name, bytes);
}

launch_shape shape_of(const cudaLaunchConfig_t& how) {
  constexpr auto launch_completion_event = static_cast<cudaLaunchAttributeID>(12);  // CUDA 12.0 has no name for it
  launch_shape made;
  made.grid = how.gridDim;
  made.block = how.blockDim;
  made.shared_bytes = how.dynamicSmemBytes;
  for (unsigned index = 0; index < how.numAttrs; ++index) {
    const cudaLaunchAttributeValue& value = how.attrs[index].val;
    if (how.attrs[index].id == cudaLaunchAttributeClusterDimension) {
      made.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
      made.has_clusters = true;
    } else if (how.attrs[index].id == cudaLaunchAttributeCooperative) {
      made.is_cooperative = value.cooperative != 0;
    } else if (how.attrs[index].id == cudaLaunchAttributeProgrammaticStreamSerialization) {
      made.may_begin_early = value.programmaticStreamSerializationAllowed != 0;
    } else if (how.attrs[index].id == cudaLaunchAttributeProgrammaticEvent ||
               how.attrs[index].id == launch_completion_event) {
      report_unsupported("a launch with an event that it triggers",
                         "use cudaLaunchAttributeProgrammaticStreamSerialization");
    }
  }
  return made;
}

cudaError_t prepare_launch(const registered_kernel& what, const launch_shape& shape, void** arguments, void** extra,
                           action& made) {
  const cudaError_t status = check(what, shape);
  if (status != cudaSuccess) return result(status);
  launch how;
  how.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  how.block = {shape.block.x, shape.block.y, shape.block.z};
  how.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  how.has_clusters = shape.has_clusters;
  how.dynamic_shared_bytes = shape.shared_bytes;
  const std::vector<uint64_t> offsets = what.from->parameter_offsets(what.name);
  how.parameters.resize(what.from->parameter_bytes(what.name));
  if (arguments == nullptr && extra != nullptr) {
    const size_t bytes = *static_cast<size_t*>(extra[3]);
    std::memcpy(how.parameters.data(), extra[1], std::min(bytes, how.parameters.size()));
  } else {
    // What lies behind a smaller parameter before the next is padding, which may lie behind the end of its object.
    for (size_t index = 0; index < offsets.size(); ++index)
      std::memcpy(how.parameters.data() + offsets[index], arguments[index],
                  what.from->parameter_size(what.name, index));
  }
  made = [kernel = what, how] { run(kernel, how); };
  return cudaSuccess;
}

cudaError_t start(const registered_kernel* what, const launch_shape& shape, void** arguments, void** extra,
                  cudaStream_t on) {
  if (what == nullptr) return result(cudaErrorInvalidDeviceFunction);
  action made;
  const cudaError_t status = prepare_launch(*what, shape, arguments, extra, made);
  return status != cudaSuccess ? status : issue(on, cudaGraphNodeTypeKernel, std::move(made), shape.may_begin_early);
}

namespace {

// Of code for several architectures, that of the one that is wanted; otherwise the last one. nullptr if there is none.
const std::string* text_for_program(const std::vector<std::string>& texts) {
  const char* const architecture = std::getenv("CUDASYNC_MACHINE_ARCHITECTURE");
  const std::string wanted = std::string(".target ") + (architecture != nullptr ? architecture : "");
  const std::string* chosen = nullptr;
  for (const std::string& text : texts)
    if (text.find(wanted) != std::string::npos) chosen = &text;
  return chosen;
}

}  // namespace

// PTX, or a container with it, or the containers of the units that were compiled with -rdc=true: among them, the toolkit's
// libcudadevrt has none that is not compressed.
module* load_module(const void* image) {
  const runtime_lock lock(runtime_mutex());
  const unsigned char* data = static_cast<const unsigned char*>(image);
  std::vector<std::vector<std::string>> containers;
  uint32_t magic;
  std::memcpy(&magic, data, 4);
  if (magic == wrapper_magic) {
    const wrapper& outer = *static_cast<const wrapper*>(image);
    data = outer.data;
    if (outer.version == 2 && outer.more != nullptr)
      for (void** unit = static_cast<void**>(outer.more); *unit != nullptr; ++unit)
        containers.push_back(texts_in(static_cast<const unsigned char*>(*unit)));
  }
  std::memcpy(&magic, data, 4);
  if (containers.empty() && magic == container_magic) containers.push_back(texts_in(data));
  if (containers.empty()) containers.push_back({reinterpret_cast<const char*>(data)});
  std::vector<std::string> units;
  for (const std::vector<std::string>& each : containers)
    if (const std::string* const text = text_for_program(each)) units.push_back(*text);
  const char* const architecture = std::getenv("CUDASYNC_MACHINE_ARCHITECTURE");
  if (units.empty())
    report_unsupported("code without PTX", "compile with -gencode arch=compute_90,code=compute_90 -no-compress" +
                                               (architecture != nullptr ? ", for " + std::string(architecture) : ""));
  try {
    all().modules.emplace_back(new module(units));
  } catch (const fault& wrong) {
    report_unsupported(wrong.what(), "");
  }
  return all().modules.back().get();
}

module* load_module_file(const char* name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return nullptr;
  std::ostringstream text;
  text << file.rdbuf();
  return load_module(text.str().c_str());
}

registered_kernel* add_kernel(module* from, const char* name) {
  const runtime_lock lock(runtime_mutex());
  if (!from->has_kernel(name)) return nullptr;
  all().others.push_back({from, name});
  return &all().others.back();
}

}  // namespace model

using namespace model;

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  *function = driver_function(name);
  if (found != nullptr)
    *found = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* found) {
  return cudaGetDriverEntryPointByVersion(name, function, 0, flags, found);
}

void** __cudaRegisterFatBinary(void* image) {
  return reinterpret_cast<void**>(load_module(image));
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}
void __cudaRegisterFunction(void** from, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  all().kernels[host] = {reinterpret_cast<module*>(from), name};
}
void __cudaRegisterVar(void** from, char* host, char*, const char* name, int, size_t, int, int) {
  all().symbols[host] = {reinterpret_cast<module*>(from), name};
}
void __cudaRegisterManagedVar(void** from, void** host, char*, const char* name, int, size_t, int, int) {
  share_with_host();
  all().symbols[host] = {reinterpret_cast<module*>(from), name};
  *host = reinterpret_cast<module*>(from)->address_of(name, nullptr);
}

static thread_local struct {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
} configuration;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  configuration = {grid, block, shared_bytes, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* found, const void* host) {
  *found = reinterpret_cast<cudaKernel_t>(kernel_of(host));
  return result(*found != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaGetKernel(cudaKernel_t* found, const void* host) {
  return __cudaGetKernel(found, host);
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* found, const void* host) {
  *found = reinterpret_cast<cudaFunction_t>(kernel_of(host));
  return result(*found != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaLaunchKernel(const void* handle, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t on) {
  return start(kernel_of(handle), {grid, block, dim3(1), false, false, shared_bytes}, arguments, nullptr, on);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t what, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t on) {
  return cudaLaunchKernel(what, grid, block, arguments, shared_bytes, on);
}
cudaError_t cudaLaunchCooperativeKernel(const void* handle, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t on) {
  return start(kernel_of(handle), {grid, block, dim3(1), false, true, shared_bytes}, arguments, nullptr, on);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* handle, void** arguments) {
  return start(kernel_of(handle), shape_of(*how), arguments, nullptr, how->stream);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* host) {
  *pointer = address_of_symbol(host, nullptr);
  return result(*pointer != nullptr ? cudaSuccess : cudaErrorInvalidSymbol);
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* host) {
  uint64_t found = 0;
  const bool is_known = address_of_symbol(host, &found) != nullptr;
  *bytes = found;
  return result(is_known ? cudaSuccess : cudaErrorInvalidSymbol);
}

}  // extern "C"
