// Streams, events and functions of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"
#include "runtime_graph.h"

namespace model { namespace {

struct event {
  unsigned flags = 0;
  bool was_recorded = false;
  std::vector<work_number> after;  // the work before it
  std::shared_ptr<uint64_t> at;    // when it happened
  graph* captured_into = nullptr;
  std::vector<node*> captured_tail;
};

event& event_of(cudaEvent_t handle) {
  return *reinterpret_cast<event*>(handle);
}

// It may tell the rest of the program that it has run.
action action_of_host(const action& what) {
  return [=] {
    what();
    work_queue::only().tell_host();
  };
}

cudaError_t finish(const stream& which, const char* call = __builtin_FUNCTION()) {
  if (which.captures_into != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  work_queue::only().finish(work_of(which), call);
  return result(sticky_error());
}

}}  // namespace model

using namespace model;

extern "C" {

cudaError_t cudaDeviceSynchronize() {
  work_queue::only().finish_all();
  return result(sticky_error());
}

// --- Streams ---

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority) {
  const runtime_lock lock(runtime_mutex());
  *handle = reinterpret_cast<cudaStream_t>(&make_stream(flags, priority));
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
  return cudaStreamCreateWithPriority(handle, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* handle) {
  return cudaStreamCreateWithPriority(handle, cudaStreamDefault, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  if (handle == nullptr) return result(cudaErrorInvalidResourceHandle);
  const runtime_lock lock(runtime_mutex());
  end_stream(stream_of(handle));
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return finish(stream_of(handle));
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const stream& which = stream_of(handle);
  if (which.captures_into != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  return work_queue::only().is_done(work_of(which)) ? result(sticky_error()) : cudaErrorNotReady;
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  *flags = stream_of(handle).flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  *priority = stream_of(handle).priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  *id = stream_of(handle).id;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* which) {
  *which = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue* value) {
  *value = {};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

// --- Functions of the host ---

cudaError_t cudaLaunchHostFunc(cudaStream_t on, cudaHostFn_t function, void* data) {
  return issue(on, cudaGraphNodeTypeHost, action_of_host([=] { function(data); }));
}
cudaError_t cudaStreamAddCallback(cudaStream_t on, cudaStreamCallback_t function, void* data, unsigned) {
  return issue(on, cudaGraphNodeTypeHost, action_of_host([=] { function(on, sticky_error(), data); }));
}

// --- Events ---

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
  event* const made = new event;
  made->flags = flags;
  *handle = reinterpret_cast<cudaEvent_t>(made);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* handle) {
  return cudaEventCreateWithFlags(handle, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  if (handle == nullptr) return result(cudaErrorInvalidResourceHandle);
  delete &event_of(handle);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t on) {
  if (handle == nullptr) return result(cudaErrorInvalidResourceHandle);
  const runtime_lock lock(runtime_mutex());
  event& which = event_of(handle);
  stream& from = stream_of(on);
  which.captured_into = from.captures_into;
  which.captured_tail = from.tail;
  if (from.captures_into != nullptr) return cudaSuccess;
  which.was_recorded = true;
  which.at = std::make_shared<uint64_t>(0);
  static_cast<void>(issue(on, cudaGraphNodeTypeEventRecord, [at = which.at] {
    spend_nanoseconds(1000);
    *at = device_nanoseconds();
  }));
  which.after = {from.last};
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t on, unsigned) {
  return cudaEventRecord(handle, on);
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return work_queue::only().is_done(event_of(handle).after) ? result(sticky_error()) : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  work_queue::only().finish(event_of(handle).after);
  return result(sticky_error());
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const event &first = event_of(start), &second = event_of(end);
  if (!first.was_recorded || !second.was_recorded || ((first.flags | second.flags) & cudaEventDisableTiming) != 0)
    return result(cudaErrorInvalidResourceHandle);
  if (!work_queue::only().is_done(first.after) || !work_queue::only().is_done(second.after))
    return result(cudaErrorNotReady);
  *milliseconds = static_cast<float>(static_cast<int64_t>(*second.at - *first.at)) / 1e6f;
  return result(sticky_error());
}
// An event that a capture recorded brings the stream into the capture.
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t awaited, unsigned) {
  const runtime_lock lock(runtime_mutex());
  const event& which = event_of(awaited);
  stream& on = stream_of(handle);
  if (which.captured_into != nullptr) {
    if (on.captures_into == nullptr) {
      on.captures_into = which.captured_into;
      on.captures_into->captures.push_back(&on);
    }
    on.tail.insert(on.tail.end(), which.captured_tail.begin(), which.captured_tail.end());
    return cudaSuccess;
  }
  if (on.captures_into != nullptr) return result(cudaErrorStreamCaptureIsolation);
  std::vector<work_number> after = work_of(on);
  after.insert(after.end(), which.after.begin(), which.after.end());
  on.last = work_queue::only().add(std::move(after), [] {});
  return cudaSuccess;
}

}  // extern "C"
