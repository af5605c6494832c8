// Reports of hangs by the checked build: names for barriers, and the host's side.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REPORT_H
#define CUDASYNC_HANG_REPORT_H

#include <cudasync/compat/include_order.h>

#include <cudasync/barrier.h>
#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>

#if CUDASYNC_CHECKED && CUDASYNC_CUDA
#include <cudasync/checked/phase_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/report_json_host.h>
#include <cudasync/hang/watch_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#if CUDASYNC_CUDA
#include <cuda_runtime_api.h>
#endif
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {

#if CUDASYNC_CUDA

// Gives a barrier in shared memory a name, for reports: name(full[2], "full", 2) is "full[2]". text: a string literal.
// One thread calls it, after init. It has no effect on other objects, or in a build that is not checked.
template <thread_scope Scope, class Completion>
CUDASYNC_DEVICE void name([[maybe_unused]] barrier<Scope, Completion>& bar, [[maybe_unused]] const char* text,
                          [[maybe_unused]] uint32 index = ~uint32{0}) {
#if CUDASYNC_CHECKED
  checked::record_name(target::here{}, phase_of(bar), text, index);
#endif
}

// Gives each barrier of an array in shared memory a name, for reports: "full[0]", "full[1]" and so on. text: a string
// literal. One thread calls it, after init.
template <thread_scope Scope, class Completion, size_t Count>
CUDASYNC_DEVICE void name(barrier<Scope, Completion> (&bars)[Count], const char* text) {
  for (size_t index = 0; index < Count; ++index)
    name(bars[index], text, static_cast<uint32>(index));
}

#endif

#if CUDASYNC_HAS_HOST && CUDASYNC_CUDA

// What a kernel of the checked build does after it has reported a hang.
enum class after_hang : uint32 {
  // The kernel ends, and every later CUDA call of the process returns cudaErrorLaunchFailure.
  trap,
  // The threads keep waiting. A hang that lasts is reported again.
  go_on,
  // Waits return as if they had succeeded, until the kernel ends. The results of the kernel are invalid.
  drain,
};

#if CUDASYNC_CHECKED
// For host programs in other languages (python/cudasync/hang_report.py).
static_assert(offsetof(checked::control, timeout) == 0 && offsetof(checked::control, action) == 8 &&
                  offsetof(checked::control, host) == 24 && offsetof(checked::host_report, words.bytes) == 4 &&
                  offsetof(checked::host_report, words.length) == 8196 &&
                  offsetof(checked::host_report, data) == 8200 && sizeof(checked::reported_object) == 64 &&
                  sizeof(checked::reported_wait) == 160 && sizeof(checked::reported_cause) == 256 &&
                  sizeof(checked::report_data) == 3248,
              "the layout is known to host programs in other languages");
#endif

// The class has internal linkage, like the device variables that it sets. Use one object for each translation unit with
// kernels, or one for the program if device code is linked (-rdc=true).
namespace {

// The host's side of reports. While an object of this class exists, a report is also written to host memory, where it
// can be read while the kernel hangs and after the context is lost. Any host thread may call the functions. Only the
// constructor, the destructor, set_timeout and set_action make CUDA calls.
//
// Construct the object before the first launch. The constructor reads two environment variables:
// CUDASYNC_HANG_TIMEOUT_MS, the longest wait without progress in milliseconds, and CUDASYNC_HANG_ACTION, which is trap,
// go_on or drain. In a build that is not checked, there is never a report.
class hang_report {
 public:
  // Allocates the memory, and reads the environment variables. Call it before the first launch.
  hang_report() {
#if CUDASYNC_CHECKED
    if (cudaHostAlloc(reinterpret_cast<void**>(&shared_), sizeof *shared_, cudaHostAllocMapped) != cudaSuccess) {
      shared_ = nullptr;
      return;
    }
    memset(static_cast<void*>(shared_), 0, sizeof *shared_);
    void* on_device = nullptr;
    if (cudaHostGetDevicePointer(&on_device, shared_, 0) != cudaSuccess) return;
    set(&on_device, offsetof(checked::control, host), sizeof on_device);
    if (const char* const text = getenv("CUDASYNC_HANG_TIMEOUT_MS"))
      if (atoll(text) > 0) set_timeout(static_cast<uint64>(atoll(text)));
    if (const char* const text = getenv("CUDASYNC_HANG_ACTION")) {
      if (strcmp(text, "go_on") == 0) set_action(after_hang::go_on);
      if (strcmp(text, "drain") == 0) set_action(after_hang::drain);
    }
#endif
  }
  hang_report(const hang_report&) = delete;
  hang_report& operator=(const hang_report&) = delete;
  ~hang_report() {
#if CUDASYNC_CHECKED
    if (shared_ == nullptr) return;
    void* const none = nullptr;
    set(&none, offsetof(checked::control, host), sizeof none);
    static_cast<void>(cudaFreeHost(shared_));
#endif
  }

  // Sets the longest wait without progress, in milliseconds, for the current device.
  void set_timeout([[maybe_unused]] uint64 milliseconds) {
#if CUDASYNC_CHECKED
    const uint64 nanoseconds = milliseconds * 1000000;
    set(&nanoseconds, offsetof(checked::control, timeout), sizeof nanoseconds);
#endif
  }
  // Sets what a kernel does after it has reported a hang, for the current device. After a report of misuse, it always
  // ends.
  void set_action([[maybe_unused]] after_hang action) {
#if CUDASYNC_CHECKED
    set(&action, offsetof(checked::control, action), sizeof action);
#endif
  }

  // Returns whether a kernel has reported a hang or misuse.
  [[nodiscard]] bool is_complete() const {
#if CUDASYNC_CHECKED
    return shared_ != nullptr && *const_cast<volatile uint32*>(&shared_->is_complete) != 0;
#else
    return false;
#endif
  }

  // Returns the report, or an empty string if there is none.
  [[nodiscard]] std::string text() const {
#if CUDASYNC_CHECKED
    if (is_complete()) return std::string(shared_->words.bytes, shared_->words.length);
#endif
    return std::string();
  }

  // Returns the report as JSON, whose members docs/api/hang_report.md describes. Without a report, it is "{}".
  [[nodiscard]] std::string json() const {
#if CUDASYNC_CHECKED
    if (is_complete()) return checked::report_json(*shared_).text();
#endif
    return "{}";
  }

  // Writes the report to the file. Without a report, it writes nothing.
  void print(FILE* file = stderr) const { fputs(text().c_str(), file); }

  // Clears the report, so that the next one can be recorded. For the actions go_on and drain.
  void clear() {
#if CUDASYNC_CHECKED
    if (shared_ != nullptr) *const_cast<volatile uint32*>(&shared_->is_complete) = 0;
#endif
  }

#if CUDASYNC_CHECKED
 private:
  static void set(const void* value, size_t offset, size_t size) {
    static_cast<void>(cudaMemcpyToSymbol(checked::controls, value, size, offset));
  }

  checked::host_report* shared_ = nullptr;
#endif
};

}  // namespace

#endif

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

// In one translation unit with kernels, gives the program a C interface, for Python's ctypes say:
//   void cudasync_hang_report_install(void)       before the first launch
//   int cudasync_hang_report_is_complete(void)    1: there is a report
//   size_t cudasync_hang_report_text(char* out, size_t size), _json(...)   write it, return its length
#define CUDASYNC_DEFINE_HANG_REPORT_C_API()                                             \
  static ::cudasync::hang_report& cudasync_the_hang_report() {                          \
    static ::cudasync::hang_report report;                                              \
    return report;                                                                      \
  }                                                                                     \
  static size_t cudasync_copy_text(const ::std::string& text, char* out, size_t size) { \
    if (size != 0) snprintf(out, size, "%s", text.c_str());                             \
    return text.size();                                                                 \
  }                                                                                     \
  extern "C" void cudasync_hang_report_install(void) {                                  \
    static_cast<void>(cudasync_the_hang_report());                                      \
  }                                                                                     \
  extern "C" int cudasync_hang_report_is_complete(void) {                               \
    return cudasync_the_hang_report().is_complete();                                    \
  }                                                                                     \
  extern "C" size_t cudasync_hang_report_text(char* out, size_t size) {                 \
    return cudasync_copy_text(cudasync_the_hang_report().text(), out, size);            \
  }                                                                                     \
  extern "C" size_t cudasync_hang_report_json(char* out, size_t size) {                 \
    return cudasync_copy_text(cudasync_the_hang_report().json(), out, size);            \
  }

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
