// Reports of hangs by the checked build: names for barriers, and the host's side.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REPORT_H
#define CUDASYNC_HANG_REPORT_H

#include <cudasync/compat/include_order.h>

#include <cudasync/barrier.h>
#include <cudasync/checked/phase.h>
#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>
#include <cudasync/hang/report_host.h>

#if CUDASYNC_HAS_HOST
#include <stdio.h>

#include <string>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

#if CUDASYNC_CUDA

// Gives a barrier in shared memory a name, for reports: name(full[2], "full", 2) is "full[2]". text: a string literal.
// One thread calls it, after init. It has no effect on other objects, or in a build that is not checked.
template <thread_scope Scope, class Completion>
CUDASYNC_DEVICE void name(barrier<Scope, Completion>& bar, const char* text, uint32 index = ~uint32{0}) {
  checked::name(phase_of(bar), text, index);
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
  hang_report() {}
  hang_report(const hang_report&) = delete;
  hang_report& operator=(const hang_report&) = delete;
  ~hang_report() {}

  // Sets the longest wait without progress, in milliseconds, for the current device.
  void set_timeout(uint64 milliseconds) { memory_.set_timeout(milliseconds); }
  // Sets what a kernel does after it has reported a hang, for the current device. Misuse always ends it.
  void set_action(after_hang action) { memory_.set_action(static_cast<uint32>(action)); }

  // Returns whether a kernel has reported a hang or misuse.
  [[nodiscard]] bool is_complete() const { return memory_.is_complete(); }

  // Returns the report, or an empty string if there is none.
  [[nodiscard]] std::string text() const { return is_complete() ? memory_.text() : ""; }

  // Returns the report as JSON, whose members docs/api/hang_report.md describes. Without a report, it is "{}".
  [[nodiscard]] std::string json() const { return is_complete() ? memory_.json() : "{}"; }

  // Writes the report to the file. Without a report, it writes nothing.
  void print(FILE* file = stderr) const { fputs(text().c_str(), file); }

  // Clears the report, so that the next one can be recorded. For the actions go_on and drain.
  void clear() { memory_.clear(); }

 private:
  checked::report_memory memory_;
};

}  // namespace

#endif

}}  // namespace cudasync::CUDASYNC_ABI

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
