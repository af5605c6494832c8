// Copies the recorded events from the GPU, and writes them to a file for ui.perfetto.dev.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TRACE_SAVE_H
#define CUDASYNC_TRACE_SAVE_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && __has_include(<cuda_runtime_api.h>)

#include <cuda_runtime_api.h>

#if CUDASYNC_TRACE && CUDASYNC_CUDA
#include <cudasync/core/integers.h>
#include <cudasync/trace/event.h>
#include <cudasync/trace/rings_device.h>
#include <cudasync/trace/span.h>

#include <stdio.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace trace {

#if CUDASYNC_TRACE && CUDASYNC_CUDA

// The names of an action. An instant has no duration in the trace, because it does not wait.
struct description {
  const char* name;
  const char* category;
  bool is_instant;
  const char* object;
  const char* number;  // what the number of an event counts, or null
};

inline const description& described(action what) {
  static const description all[] = {
      {"arrive", "arrive", true, "barrier", "arrivals"},
      {"arrive_tx", "arrive", true, "barrier", "expected_bytes"},
      {"arrive_and_drop", "arrive", true, "barrier", nullptr},
      {"wait", "wait", false, "barrier", nullptr},
      {"arrive_and_wait", "wait", false, "barrier", nullptr},
      {"expect_tx", "arrive", true, "barrier", "expected_bytes"},
      {"copy", "copy", true, "barrier", "bytes"},
      {"producer_acquire", "wait", false, "barrier", nullptr},
      {"producer_commit", "arrive", true, "barrier", nullptr},
      {"consumer_wait", "wait", false, "barrier", nullptr},
      {"consumer_release", "arrive", true, "barrier", nullptr},
      {"sync", "wait", false, "named_barrier", nullptr},
      {"arrive", "arrive", true, "named_barrier", nullptr},
      {"arrive", "arrive", true, "cluster_barrier", nullptr},
      {"wait", "wait", false, "cluster_barrier", nullptr},
      {"arrive", "arrive", true, "grid_barrier", nullptr},
      {"wait", "wait", false, "grid_barrier", nullptr},
      {"arrive_and_wait", "wait", false, "grid_barrier", nullptr},
      {"count_down", "arrive", true, "latch", "arrivals"},
      {"wait", "wait", false, "latch", nullptr},
      {"arrive_and_wait", "wait", false, "latch", nullptr},
      {"acquire", "wait", false, "semaphore", nullptr},
      {"release", "arrive", true, "semaphore", "permits"},
      {"wait", "wait", false, "atomic", nullptr},
  };
  static_assert(sizeof all / sizeof *all == static_cast<size_t>(action::count), "each action needs a description");
  return all[static_cast<size_t>(what)];
}

// The events that the rings still hold, and the numbers of the lost events.
struct recording {
  std::vector<event> events;
  std::map<uint64, std::string> files;  // by the address of the name
  uint64 overwritten = 0;               // events that newer ones have replaced
  uint64 without_ring = 0;              // events of threads that got no ring
};

// Copies a string constant of a kernel. A kernel makes the copy, because cudaMemcpy may reject an address that belongs
// to no allocation and no symbol.
inline constexpr uint32 longest_text = 1024;

static __global__ void fetch_text(const char* text, char* copy) {
  uint32 length = 0;
  while (length + 1 < longest_text && text[length] != 0) {
    copy[length] = text[length];
    ++length;
  }
  for (; length < longest_text; ++length)
    copy[length] = 0;
}

inline cudaError_t copy_text(uint64 address, std::string& text) {
  char* copy = nullptr;
  if (const cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&copy), longest_text)) return status;
  fetch_text<<<1, 1>>>(reinterpret_cast<const char*>(address), copy);
  char bytes[longest_text];
  const cudaError_t status = cudaMemcpy(bytes, copy, sizeof bytes, cudaMemcpyDeviceToHost);
  static_cast<void>(cudaFree(copy));
  if (status == cudaSuccess) text = bytes;
  return status;
}

inline cudaError_t copy_module(const module_of_rings& from, recording& to) {
  const auto copy = [](void* host, const char* device, size_t bytes) {
    return cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
  };
  void* symbol = nullptr;
  if (const cudaError_t status = cudaGetSymbolAddress(&symbol, from.symbol)) return status;
  const char* const owners_at = static_cast<const char*>(symbol);
  const char* const rings_at = owners_at + sizeof(owner) * most_warps * 32;
  const size_t ring_bytes = sizeof(event) * from.events;
  uint32 taken = 0;
  if (const cudaError_t status = copy(&taken, rings_at + ring_bytes * from.rings, sizeof taken)) return status;
  if (taken == 0) return cudaSuccess;
  std::vector<owner> owners(size_t{most_warps} * 32);
  if (const cudaError_t status = copy(owners.data(), owners_at, sizeof(owner) * owners.size())) return status;
  std::vector<event> rings(size_t{(std::min)(taken, from.rings)} * from.events);
  if (const cudaError_t status = copy(rings.data(), rings_at, sizeof(event) * rings.size())) return status;

  for (const owner& each : owners) {
    if (each.count == 0) continue;
    if (each.ring > from.rings) {
      to.without_ring += each.count;
      continue;
    }
    const uint32 kept = (std::min)(each.count, from.events);
    to.overwritten += each.count - kept;
    const event* const ring = &rings[size_t{each.ring - 1} * from.events];
    for (uint32 index = each.count - kept; index != each.count; ++index)
      to.events.push_back(ring[index % from.events]);
  }
  return cudaSuccess;
}

inline cudaError_t copy_recording(recording& to) {
  for (const module_of_rings* each = first_module; each != nullptr; each = each->next)
    if (const cudaError_t status = copy_module(*each, to)) return status;
  for (const event& each : to.events) {
    const uint64 file = each.place & 0xffffffffffff;
    if (file == 0 || to.files.count(file) != 0) continue;
    if (const cudaError_t status = copy_text(file, to.files[file])) return status;
  }
  std::stable_sort(to.events.begin(), to.events.end(),
                   [](const event& left, const event& right) { return left.begin < right.begin; });
  return cudaSuccess;
}

// Writes the trace-event format, which Perfetto and chrome://tracing read: a process for each block, a thread for each
// warp.
class writer {
 public:
  writer(FILE* file, const recording& from) : file_(file), from_(from) {}

  void write() {
    fprintf(
        file_,
        "{\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"library\": \"cudasync\", \"version\": %d, \"events\": %llu, "
        "\"lost_events\": %llu, \"overwritten_events\": %llu, \"events_without_ring\": %llu, "
        "\"timer_step_ns\": %llu},\n\"traceEvents\": [",
        CUDASYNC_VERSION, number(from_.events.size()), number(from_.overwritten + from_.without_ring),
        number(from_.overwritten), number(from_.without_ring), number(timer_step()));
    for (const event& each : from_.events)
      learn_stage(each);
    for (const event& each : from_.events)
      write_event(each);
    for (const auto& [block, process] : processes_)
      write_block(block, process);
    fprintf(file_, "\n]}\n");
  }

 private:
  using block_key = std::pair<uint32, uint32>;             // grid, block
  using object_key = std::tuple<block_key, uint64, bool>;  // the block only if the object belongs to it
  struct process {
    int id;
    uint32 multiprocessor;
    std::map<uint32, uint32> threads;  // the warp of each thread, by 32 * warp + lane
  };

  static unsigned long long number(uint64 value) { return value; }

  static object_key key_of(const event& from) {
    const bool is_of_block = from.is_shared || from.object < 16;
    return {is_of_block ? block_key{from.grid, from.block} : block_key{}, from.object, from.is_shared};
  }

  // The barrier of a stage is named after the side that waits for it: empty for producers, full for consumers.
  void learn_stage(const event& from) {
    if (from.stage == no_stage) return;
    const char* const name = from.what == action::producer_acquire ? "empty" : "full";
    names_[key_of(from)] = name + ("[" + std::to_string(from.stage) + "]");
  }

  std::string name_of(const event& from) const {
    const auto found = names_.find(key_of(from));
    const std::string name = found == names_.end() ? described(from.what).object : found->second;
    if (name == "cluster_barrier") return name;
    char place[32];
    const bool is_id = from.what == action::named_sync || from.what == action::named_arrive;
    snprintf(place, sizeof place, is_id ? " %llu" : " 0x%llx", number(from.object));
    return name +
           (from.is_shared ? " in shared memory,"
            : is_id        ? ""
                           : ",") +
           (is_id ? place : " at" + std::string(place));
  }

  // The step of the timer: the greatest common divisor of all times.
  uint64 timer_step() const {
    uint64 step = 0;
    const auto take = [&step](uint64 time) {
      while (time != 0) {
        step %= time;
        std::swap(step, time);
      }
    };
    for (const event& each : from_.events) {
      take(each.begin - from_.events.front().begin);
      take(each.nanoseconds);
    }
    return step;
  }

  void begin_line() {
    fputs(is_first_ ? "\n" : ",\n", file_);
    is_first_ = false;
  }

  void write_text(const std::string& text) {
    for (const char byte : text) {
      if (static_cast<unsigned char>(byte) < 0x20) continue;
      if (byte == '"' || byte == '\\') fputc('\\', file_);
      fputc(byte, file_);
    }
  }

  void write_event(const event& from) {
    const description& about = described(from.what);
    process& home = processes_.try_emplace({from.grid, from.block}, process{0, from.multiprocessor, {}}).first->second;
    if (home.id == 0) home.id = static_cast<int>(processes_.size());
    const uint32 lane = static_cast<uint32>(__builtin_ctz(from.lanes));
    const uint32 thread = from.warp * 32u + lane;
    home.threads[thread] = from.warp;
    const uint64 since = from.begin - from_.events.front().begin;
    const auto stage = names_.find(key_of(from));
    begin_line();
    fprintf(file_, "{\"name\": \"%s%s%s\", \"cat\": \"%s\", \"pid\": %d, \"tid\": %u, \"ts\": %llu.%03llu, ",
            about.name, stage == names_.end() ? "" : " ", stage == names_.end() ? "" : stage->second.c_str(),
            about.category, home.id, thread, number(since / 1000), number(since % 1000));
    if (about.is_instant)
      fputs("\"ph\": \"i\", \"s\": \"t\", ", file_);
    else
      fprintf(file_, "\"ph\": \"X\", \"dur\": %u.%03u, ", from.nanoseconds / 1000, from.nanoseconds % 1000);
    const uint64 threads = static_cast<uint64>(__builtin_popcount(from.lanes));
    fprintf(file_, "\"args\": {\"object\": \"%s\", \"threads\": %llu, \"lanes\": \"0x%08x\"", name_of(from).c_str(),
            number(threads), from.lanes);
    if (about.number != nullptr && from.number != 0)
      fprintf(file_, ", \"%s\": %llu", about.number, number(threads * from.number));
    const auto file = from_.files.find(from.place & 0xffffffffffff);
    if (file != from_.files.end()) {
      fputs(", \"at\": \"", file_);
      write_text(file->second.substr(file->second.find_last_of("/\\") + 1));  // without the folders
      fprintf(file_, ":%llu\"", number(from.place >> 48));
    }
    fputs("}}", file_);
  }

  void write_block(const block_key& block, const process& home) {
    begin_line();
    fprintf(file_,
            "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, "
            "\"args\": {\"name\": \"grid %u, block %u, SM %u\"}},\n"
            "{\"name\": \"process_sort_index\", \"ph\": \"M\", \"pid\": %d, \"args\": {\"sort_index\": %d}}",
            home.id, block.first, block.second, home.multiprocessor, home.id, home.id);
    for (const auto& [thread, warp] : home.threads) {
      begin_line();
      fprintf(file_,
              "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": %d, \"tid\": %u, \"args\": {\"name\": \"warp %u",
              home.id, thread, warp);
      if (thread % 32 != 0) fprintf(file_, ", from lane %u", thread % 32);
      fprintf(file_,
              "\"}},\n{\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": %d, \"tid\": %u, "
              "\"args\": {\"sort_index\": %u}}",
              home.id, thread, thread);
    }
  }

  FILE* file_;
  const recording& from_;
  std::map<object_key, std::string> names_;
  std::map<block_key, process> processes_;
  bool is_first_ = true;
};

// Synchronizes with the stream, then writes a JSON file with the events of the current GPU since the start of the
// program or the last clear(). Kernels of other streams must not run at the same time. Returns cudaErrorNotSupported,
// and writes nothing, if CUDASYNC_TRACE is not 1. Returns cudaErrorFileNotFound if the file cannot be written.
// Otherwise returns the status of the CUDA calls.
inline cudaError_t save(const char* path, cudaStream_t stream = nullptr) {
  if (const cudaError_t status = cudaStreamSynchronize(stream)) return status;
  recording copied;
  if (const cudaError_t status = copy_recording(copied)) return status;
  FILE* const file = fopen(path, "w");
  if (file == nullptr) return cudaErrorFileNotFound;
  writer(file, copied).write();
  const bool is_written = ferror(file) == 0;
  return fclose(file) == 0 && is_written ? cudaSuccess : cudaErrorFileNotFound;
}

// Discards all events, in stream order. Kernels of other streams must not run at the same time.
inline cudaError_t clear(cudaStream_t stream = nullptr) {
  for (const module_of_rings* each = first_module; each != nullptr; each = each->next) {
    void* symbol = nullptr;
    if (const cudaError_t status = cudaGetSymbolAddress(&symbol, each->symbol)) return status;
    const size_t owners = sizeof(owner) * most_warps * 32;
    const size_t rings = sizeof(event) * each->rings * each->events;
    if (const cudaError_t status = cudaMemsetAsync(symbol, 0, owners, stream)) return status;
    char* const taken = static_cast<char*>(symbol) + owners + rings;
    if (const cudaError_t status = cudaMemsetAsync(taken, 0, sizeof(uint32), stream)) return status;
  }
  return cudaSuccess;
}

#else

// Records nothing, because CUDASYNC_TRACE is not 1: returns cudaErrorNotSupported.
inline cudaError_t save(const char*, cudaStream_t = nullptr) {
  return cudaErrorNotSupported;
}
// Records nothing, because CUDASYNC_TRACE is not 1: returns cudaErrorNotSupported.
inline cudaError_t clear(cudaStream_t = nullptr) {
  return cudaErrorNotSupported;
}

#endif

}}}  // namespace cudasync::CUDASYNC_ABI::trace

#endif

#endif
