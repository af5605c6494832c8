// The functions that PTX calls and that no module defines: vprintf, malloc, free and __assertfail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <cstdlib>

namespace model {
namespace {

// The heap outlives kernels. A pointer that free does not know is a fault, as on a GPU.
struct heap {
  std::map<uint64_t, uint64_t> bytes_at;
  std::mutex mutex;

  static heap& only() {
    static heap* const one = new heap;
    return *one;
  }
};

constexpr uint64_t most_bytes = uint64_t{1} << 30;

uint64_t allocate(uint64_t bytes) {
  void* const made = bytes < most_bytes ? std::calloc(bytes + 16, 1) : nullptr;
  if (made == nullptr) return 0;
  heap& all = heap::only();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.bytes_at[reinterpret_cast<uint64_t>(made)] = bytes;
  allow(made, bytes);
  return reinterpret_cast<uint64_t>(made);
}

bool release(uint64_t address) {
  heap& all = heap::only();
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
    const uint64_t address = allocate(argument(0));
    if (address != 0) order_.forget(address, argument(0) + 1);
    std::memcpy(frame.data() + at.operands[0].parts[0].symbol->address, &address, 8);
  } else if (name == "free") {
    if (argument(0) != 0 && !release(argument(0)))
      throw fault("illegal address: free of what is not allocated, in " + describe(who));
  } else if (name == "__assertfail") {
    result_.how = outcome::end::asserted;
    result_.error = text(1) + ":" + std::to_string(argument(2)) + ": " + text(3) + ": assertion `" + text(0) +
                    "` failed, in " + describe(who);
    report_end("assertion", "assertion");
  } else {
    return false;
  }
  return true;
}

}  // namespace model
