// The host memory to which kernels of the checked build write reports. In other builds, there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REPORT_MEMORY_HOST_H
#define CUDASYNC_HANG_REPORT_MEMORY_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && CUDASYNC_CUDA

#include <cudasync/core/integers.h>

#if CUDASYNC_CHECKED
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/report_json_host.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/hang/watch_host.h>

#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>
#endif

#include <string>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

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

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif

#endif
