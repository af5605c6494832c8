// The functions that PTX calls and that no module defines: vprintf, malloc, free, __assertfail, and the launches of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>
#include <cstdlib>

namespace model {
namespace {

// The heap outlives kernels. A pointer that free does not know is a fault, as on a GPU.
struct heap {
  std::map<uint64_t, uint64_t> bytes_at;
  std::mutex mutex;
};

constexpr uint64_t most_bytes = uint64_t{1} << 30;

// What was known of the memory is forgotten.
uint64_t allocate(uint64_t bytes, order_keeper& order) {
  void* const made = bytes < most_bytes ? std::calloc(bytes + 16, 1) : nullptr;
  if (made == nullptr) return 0;
  heap& all = lasting<heap>();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.bytes_at[reinterpret_cast<uint64_t>(made)] = bytes;
  allow(made, bytes);
  order.forget(reinterpret_cast<uint64_t>(made), bytes + 1);
  return reinterpret_cast<uint64_t>(made);
}

bool release(uint64_t address) {
  heap& all = lasting<heap>();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.bytes_at.erase(address) == 0) return false;
  void* const start = reinterpret_cast<void*>(address);
  forbid(start);
  std::free(start);
  return true;
}

}  // namespace

// False if there is no such function. The thread is at the call.
bool grid::call_system(const std::string& name, const instruction& at, thread& who) {
  std::vector<uint8_t>& frame = who.frames.back().parameters;
  const bool has_result = at.operands[0].is == operand::form::list;
  const operand* const list = at.operands.size() > (has_result ? 2u : 1u) ? &at.operands[has_result ? 2 : 1] : nullptr;
  const auto argument = [&](size_t index) {
    if (list == nullptr || index >= list->parts.size()) throw fault("a call of " + name + " without its arguments");
    uint64_t value = 0;
    const variable& from = *list->parts[index].symbol;
    std::memcpy(&value, frame.data() + from.address, std::min<uint64_t>(8, from.bytes));
    return value;
  };
  const auto text = [&](size_t index) { return std::string(reinterpret_cast<const char*>(argument(index))); };
  if (name == "vprintf") {
    print(who, argument(0), argument(1));
  } else if (name == "malloc") {
    const uint64_t address = allocate(argument(0), order_);
    std::memcpy(frame.data() + at.operands[0].parts[0].symbol->address, &address, 8);
  } else if (name == "free") {
    if (argument(0) != 0 && !release(argument(0)))
      throw fault("illegal address: free of what is not allocated, in " + describe(who));
  } else if (name == "__assertfail") {
    result_.how = outcome::end::asserted;
    result_.error = text(1) + ":" + std::to_string(argument(2)) + ": " + text(3) + ": assertion `" + text(0) +
                    "` failed, in " + describe(who);
    report_end("assertion", "assertion");
  } else if (name == "cudaGraphSetConditional") {
    *reinterpret_cast<unsigned*>(argument(0)) = static_cast<unsigned>(argument(1));
  } else if (name.compare(0, 10, "__cudaCDP2") == 0) {
    return call_device_runtime(name.substr(10), at, who);
  } else {
    return false;
  }
  return true;
}

// What kernels call of the CUDA runtime: a kernel that they launch runs when they have ended.
bool grid::call_device_runtime(const std::string& name, const instruction& at, thread& who) {
  const operand& list = at.operands[2];
  std::vector<uint8_t>& frame = who.frames.back().parameters;
  const auto argument = [&](size_t index, auto& made) {
    std::memcpy(&made, frame.data() + list.parts.at(index).symbol->address, sizeof made);
  };
  uint64_t result = 0, address = 0;
  const auto store = [&](uint64_t value) {  // to what the first argument points to
    argument(0, address);
    std::memcpy(locate(who, address, space::generic, 8, at).bytes, &value, 8);
  };
  if (name == "GetParameterBufferV2") {
    child_launch made;
    uint32_t shared_bytes = 0;
    argument(0, address);
    argument(1, made.how.grid);
    argument(2, made.how.block);
    argument(3, shared_bytes);
    made.how.dynamic_shared_bytes = shared_bytes;
    const function* const kernel = reinterpret_cast<const function*>(address);
    const bool is_known = std::find(kernel_.reached.begin(), kernel_.reached.end(), kernel) != kernel_.reached.end();
    if (!is_known || !kernel->is_kernel) throw fault("a launch of what is no kernel, in " + describe(who));
    made.kernel = kernel->name;
    made.how.parameters.resize(kernel->parameter_bytes);
    const uint64_t threads = made.how.block.count();
    if (threads != 0 && threads <= 1024 && made.how.grid.count() != 0) {
      result = allocate(kernel->parameter_bytes, order_);
      children_[result] = std::move(made);
    }
  } else if (name == "LaunchDeviceV2" || name == "LaunchDeviceV2_ptsz") {
    constexpr uint64_t tail_launch = 3, fire_and_forget = 4, first_made = 1 << 8;  // cudaStreamTailLaunch and the next
    uint64_t stream = 0;
    argument(0, address);
    argument(1, stream);
    child_launch& made = children_.at(address);
    std::memcpy(made.how.parameters.data(), reinterpret_cast<const void*>(address), made.how.parameters.size());
    // A block has a default stream of its own, and a launch to forget is in no stream.
    made.stream = stream >= first_made        ? stream
                  : stream == fire_and_forget ? ++device_streams_ << 8
                                              : (uint64_t{who.home->serial} + 1) << 32;
    if (stream != tail_launch && with_.finds_races) {
      known_at_launch_.push_back(who.seen.all);
      known_at_launch_.back().share_own();
      tick(who);
    }
    (stream == tail_launch ? result_.last_children : result_.children).push_back(std::move(made));
    children_.erase(address);
    release(address);
  } else if (name == "StreamCreateWithFlags") {
    store(++device_streams_ << 8);  // from first_made
  } else if (name == "Malloc") {
    uint64_t bytes = 0;
    argument(1, bytes);
    const uint64_t start = allocate(bytes, order_);
    store(start);
    result = start == 0 ? 2 : 0;  // cudaErrorMemoryAllocation
  } else if (name == "Free") {
    argument(0, address);
    if (address != 0 && !release(address)) result = 1;  // cudaErrorInvalidValue
  } else if (name != "StreamDestroy" && name != "GetLastError" && name != "PeekAtLastError") {
    return false;
  }
  const variable& to = *at.operands[0].parts[0].symbol;
  std::memcpy(frame.data() + to.address, &result, to.bytes);
  return true;
}

}  // namespace model
