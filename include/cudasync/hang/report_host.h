// Reports of the checked build on the host: as JSON (docs/api/hang_report.md), and the memory to which kernels write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REPORT_HOST_H
#define CUDASYNC_HANG_REPORT_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/integers.h>

#if CUDASYNC_CHECKED
#include <cudasync/hang/kind.h>
#include <cudasync/hang/report_data.h>
#if CUDASYNC_CUDA
#include <cudasync/hang/watch.h>
#include <cudasync/hang/watch_device.h>

#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>
#endif
#endif

#include <string>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

#if CUDASYNC_CHECKED
// The enumerators of kind and role.
inline constexpr const char* words_of_kinds[] = {
    "nothing", "barrier",   "counter_barrier", "grid_barrier", "peer_barrier", "world_barrier", "named_barrier",
    "latch",   "semaphore", "atomic_value",    "atomic_lock",  "peer_signal",  "peer_mailbox",  "group"};
inline constexpr const char* words_of_roles[] = {"none", "producer", "consumer", "scheduler", "queue_consumer"};

class report_json {
 public:
  explicit report_json(const host_report& one) : report_(one), data_(one.data) {}

  std::string text() const {
    return "{\"version\":" + std::to_string(data_.version) + ",\"incident\":" + word(words_of_incidents, data_.what) +
           ",\"headline\":" + part(data_.headline) + ",\"milliseconds\":" + std::to_string(data_.milliseconds) +
           ",\"block\":[" + std::to_string(data_.block[0]) + ',' + std::to_string(data_.block[1]) + ',' +
           std::to_string(data_.block[2]) + "],\"threads\":" + std::to_string(data_.threads) +
           ",\"objects\":" + objects() + ",\"left_out\":" + std::to_string(data_.left_out) +
           ",\"likely_cause\":" + cause_of(data_.why) + ",\"remedy\":" + part(data_.why.remedy) +
           ",\"other_causes\":[" + (data_.other.what == cause::unknown ? "" : cause_of(data_.other)) + ']' +
           ",\"other_remedy\":" + part(data_.other.remedy) + ",\"further_causes\":[" +
           (data_.further.what == cause::unknown ? "" : cause_of(data_.further)) +
           "],\"further_remedy\":" + part(data_.further.remedy) + ",\"unexplained\":" + unexplained() + '}';
  }

 private:
  template <class Enumeration, size_t Count>
  static std::string word(const char* const (&words)[Count], Enumeration which) {
    const size_t index = static_cast<size_t>(which);
    return '"' + std::string(words[index < Count ? index : 0]) + '"';
  }

  static std::string number_or_null(uint32 value) { return value == ~uint32{0} ? "null" : std::to_string(value); }

  // A part of the text as a string; null if it is empty.
  std::string part(text_span which) const {
    if (which.length == 0 || which.begin > sizeof report_.words.bytes) return "null";
    std::string result = "\"";
    for (const char byte : std::string(report_.words.bytes, report_.words.length).substr(which.begin, which.length)) {
      if (byte == '"' || byte == '\\') result += '\\';
      if (static_cast<unsigned char>(byte) >= 0x20) result += byte;
    }
    return result + '"';
  }

  // Ranges of threads: [[0,36],[38,255]].
  static std::string threads(const uint32 (&lanes)[32]) {
    const auto has = [&lanes](uint32 rank) { return (lanes[rank / 32] >> rank % 32 & 1) != 0; };
    std::string result;
    for (uint32 rank = 0; rank < 1024; ++rank) {
      if (!has(rank)) continue;
      result += (result.empty() ? "[" : ",[") + std::to_string(rank) + ',';
      while (rank + 1 < 1024 && has(rank + 1))
        ++rank;
      result += std::to_string(rank) + ']';
    }
    return '[' + result + ']';
  }

  std::string waits(uint32 object) const {
    std::string result;
    for (uint32 index = 0; index < data_.waits_used && index < most_objects_in_report; ++index) {
      const reported_wait& wait = data_.waits[index];
      if (wait.object != object) continue;
      result += result.empty() ? "{" : ",{";
      result += "\"threads\":" + threads(wait.warps) + ",\"other_blocks\":" + std::to_string(wait.others) +
                ",\"at\":" + part(wait.place) + ",\"parity\":" + number_or_null(wait.parity) +
                ",\"text\":" + part(wait.line) + '}';
    }
    return '[' + result + ']';
  }

  static std::string phase(const reported_object& object) {
    if (object.has_phase == 0) return "null";
    return "{\"parity\":" + std::to_string(object.parity) + ",\"arrived\":" + std::to_string(object.arrived) +
           ",\"expected\":" + std::to_string(object.expected) + ",\"bytes\":" + std::to_string(object.bytes) + '}';
  }

  std::string objects() const {
    std::string result;
    for (uint32 index = 0; index < data_.objects_used && index < most_objects_in_report; ++index) {
      const reported_object& object = data_.objects[index];
      const bool has_role = object.who != role::none;
      result += index == 0 ? "{" : ",{";
      result += "\"kind\":" + word(words_of_kinds, object.what) +
                ",\"role\":" + (has_role ? word(words_of_roles, object.who) : "null") +
                ",\"stage\":" + (has_role ? std::to_string(object.stage) : "null") + ",\"name\":" + part(object.name) +
                ",\"address\":" + std::to_string(object.address) + ",\"initialized_at\":" + part(object.place) +
                ",\"phase\":" + phase(object) + ",\"text\":" + part(object.line) + ",\"waits\":" + waits(index) + '}';
    }
    return '[' + result + ']';
  }

  std::string cause_of(const reported_cause& why) const {
    std::string numbers;
    for (uint32 index = 0; index < why.numbers_used; ++index) {
      const reported_number& each = why.numbers[index];
      numbers += (numbers.empty() ? "" : ",") + word(words_of_numbers, each.what) + ':' + std::to_string(each.value);
    }
    return "{\"cause\":" + word(words_of_causes, why.what) + ",\"object\":" + number_or_null(why.object) +
           ",\"threads\":" + threads(why.warps) + ",\"numbers\":{" + numbers + "},\"text\":" + part(why.text) + '}';
  }

  std::string unexplained() const {
    std::string result;
    for (uint32 index = 0; index < most_objects_in_report; ++index)
      if ((data_.unexplained >> index & 1) != 0) result += (result.empty() ? "" : ",") + std::to_string(index);
    return '[' + result + ']';
  }

  const host_report& report_;
  const report_data& data_;
};

#endif

#if CUDASYNC_CUDA
#if CUDASYNC_CHECKED
// For host programs in other languages (python/cudasync/hang_report.py).
static_assert(offsetof(control, timeout) == 0 && offsetof(control, action) == 8 && offsetof(control, host) == 24 &&
                  offsetof(host_report, words.bytes) == 4 && offsetof(host_report, words.length) == 8196 &&
                  offsetof(host_report, data) == 8200 && sizeof(reported_object) == 64 &&
                  sizeof(reported_wait) == 160 && sizeof(reported_cause) == 256 && sizeof(report_data) == 3512,
              "the layout is known to host programs in other languages");
#endif

// Like the device variables, each translation unit has its own.
namespace {

#if CUDASYNC_CHECKED
class report_memory {
 public:
  report_memory() {
    if (cudaHostAlloc(reinterpret_cast<void**>(&report_), sizeof *report_, cudaHostAllocMapped) != cudaSuccess) {
      report_ = nullptr;
      return;
    }
    memset(static_cast<void*>(report_), 0, sizeof *report_);
    void* on_device = nullptr;
    if (cudaHostGetDevicePointer(&on_device, report_, 0) != cudaSuccess) return;
    set(&on_device, offsetof(control, host), sizeof on_device);
    if (const char* const text = getenv("CUDASYNC_HANG_TIMEOUT_MS"))
      if (atoll(text) > 0) set_timeout(static_cast<uint64>(atoll(text)));
    if (const char* const text = getenv("CUDASYNC_HANG_ACTION")) {
      if (strcmp(text, "go_on") == 0) set_action(static_cast<uint32>(after_report::go_on));
      if (strcmp(text, "drain") == 0) set_action(static_cast<uint32>(after_report::drain));
    }
  }
  report_memory(const report_memory&) = delete;
  report_memory& operator=(const report_memory&) = delete;
  ~report_memory() {
    if (report_ == nullptr) return;
    void* const none = nullptr;
    set(&none, offsetof(control, host), sizeof none);
    static_cast<void>(cudaFreeHost(report_));
  }

  void set_timeout(uint64 milliseconds) {
    const uint64 nanoseconds = nanoseconds_of(milliseconds);
    set(&nanoseconds, offsetof(control, timeout), sizeof nanoseconds);
  }
  void set_action(uint32 action) { set(&action, offsetof(control, action), sizeof action); }

  bool is_complete() const { return report_ != nullptr && *const_cast<volatile uint32*>(&report_->is_complete) != 0; }
  void clear() {
    if (report_ != nullptr) *const_cast<volatile uint32*>(&report_->is_complete) = 0;
  }
  // Of a report that is complete.
  std::string text() const { return std::string(report_->words.bytes, report_->words.length); }
  std::string json() const { return report_json(*report_).text(); }

 private:
  static void set(const void* value, size_t offset, size_t size) {
    static_cast<void>(cudaMemcpyToSymbol(controls, value, size, offset));
  }

  host_report* report_ = nullptr;
};
#else
class report_memory {
 public:
  void set_timeout(uint64) {}
  void set_action(uint32) {}
  bool is_complete() const { return false; }
  void clear() {}
  std::string text() const { return {}; }
  std::string json() const { return {}; }
};
#endif

}  // namespace
#endif

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif

#endif
