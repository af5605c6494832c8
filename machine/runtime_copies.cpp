// Copies and fills of memory, in the order of a stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_memory.h"

#include <algorithm>
#include <cstring>

namespace model {

copy_of_rows copy_of_rows::of(void* to, const void* from, size_t bytes) {
  copy_of_rows made;
  made.to = static_cast<uint8_t*>(to);
  made.from = static_cast<const uint8_t*>(from);
  made.width = bytes;
  return made;
}

copy_of_rows copy_of_rows::of(const cudaMemcpy3DParms& what) {
  const auto base_of = [](cudaArray_const_t array, const cudaPitchedPtr& memory) {
    return array == nullptr ? memory : cudaPitchedPtr{array->start, array->pitch(), 0, array->slice() / array->pitch()};
  };
  const auto start = [](const cudaPitchedPtr& base, const cudaPos& at, size_t unit) {
    return static_cast<uint8_t*>(base.ptr) + at.z * base.pitch * base.ysize + at.y * base.pitch + at.x * unit;
  };
  // With an array, the width is in texels.
  const auto unit_of = [](cudaArray_const_t array) { return array == nullptr ? 1 : array->texel_bytes; };
  const size_t to_unit = unit_of(what.dstArray), from_unit = unit_of(what.srcArray);
  const cudaPitchedPtr to = base_of(what.dstArray, what.dstPtr), from = base_of(what.srcArray, what.srcPtr);
  copy_of_rows made = of(start(to, what.dstPos, to_unit), start(from, what.srcPos, from_unit),
                         what.extent.width * std::max(to_unit, from_unit));
  made.height = what.extent.height;
  made.depth = what.extent.depth;
  made.to_pitch = to.pitch;
  made.from_pitch = from.pitch;
  made.to_slice = to.pitch * to.ysize;
  made.from_slice = from.pitch * from.ysize;
  return made;
}

namespace {

// Accesses of a copy and the like, in place of a kernel's.
uint32_t begin_kind(footprint& to, const char* name, const char* what) {
  footprint::kind made{{}, std::strcmp(what, "read") != 0, false, true};
  made.who.instruction = name;
  made.who.action = what;
  made.who.unit = "copy";
  to.kinds.push_back(std::move(made));
  return static_cast<uint32_t>(to.kinds.size() - 1);
}
// Unless it is memory of the host that is not pinned: then the call has waited for the copy, or taken the bytes.
void add_bytes(footprint& to, uint32_t kind, const void* start, uint64_t bytes) {
  const uint64_t first = reinterpret_cast<uint64_t>(start);
  if (bytes != 0 && is_allowed(first, 1)) to.add(first, first + bytes, kind);
}
void note(footprint made) {
  made.sort();
  work_queue::only().note_accesses(std::move(made));
}

}  // namespace

// 5 microseconds, and 20 GB a second.
void copy_of_rows::run() const {
  if (sticky_error() != cudaSuccess) return;
  for (size_t slice = 0; slice < depth; ++slice)
    for (size_t row = 0; row < height; ++row)
      std::memmove(to + slice * to_slice + row * to_pitch, from + slice * from_slice + row * from_pitch, width);
  spend_nanoseconds(5000 + width * height * depth / 20);
  if (!work_queue::only().wants_accesses()) return;
  footprint made;
  for (const bool writes : {false, true}) {
    const uint32_t kind = begin_kind(made, "cudaMemcpyAsync", writes ? "write" : "read");
    for (size_t slice = 0; slice < depth; ++slice)
      for (size_t row = 0; row < height; ++row)
        add_bytes(made, kind,
                  writes ? to + slice * to_slice + row * to_pitch : from + slice * from_slice + row * from_pitch,
                  width);
  }
  note(std::move(made));
}

void fill(const cudaMemsetParams& what) {
  if (sticky_error() != cudaSuccess) return;
  for (size_t row = 0; row < what.height; ++row) {
    uint8_t* const start = static_cast<uint8_t*>(what.dst) + row * what.pitch;
    if (what.elementSize == 1) std::memset(start, static_cast<int>(what.value), what.width);
    for (size_t column = 0; what.elementSize != 1 && column < what.width; ++column)
      std::memcpy(start + column * what.elementSize, &what.value, what.elementSize);
  }
  spend_nanoseconds(5000);
  if (!work_queue::only().wants_accesses()) return;
  footprint made;
  const uint32_t kind = begin_kind(made, "cudaMemsetAsync", "write");
  for (size_t row = 0; row < what.height; ++row)
    add_bytes(made, kind, static_cast<uint8_t*>(what.dst) + row * what.pitch, what.width * what.elementSize);
  note(std::move(made));
}

void note_whole(const void* start, uint64_t bytes, const char* name, const char* what) {
  if (!work_queue::only().wants_accesses()) return;
  footprint made;
  add_bytes(made, begin_kind(made, name, what), start, bytes);
  note(std::move(made));
}

namespace {

bool is_pageable(const void* pointer) {
  return !is_allowed(reinterpret_cast<uint64_t>(pointer), 1);
}
bool is_valid(const void* pointer, size_t bytes, bool is_of_device) {
  if (pointer == nullptr) return false;
  return is_pageable(pointer) ? !is_of_device : is_allowed(reinterpret_cast<uint64_t>(pointer), bytes);
}

// A copy to memory that is not pinned ends before the call returns. One from there takes the bytes during the call.
cudaError_t copy(copy_of_rows what, cudaMemcpyKind kind, cudaStream_t on, bool waits,
                 const char* call = __builtin_FUNCTION()) {
  if (what.from_bytes() == 0) return result(sticky_error());
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return result(cudaErrorInvalidMemcpyDirection);
  const bool is_symmetric = kind == cudaMemcpyDeviceToDevice;
  if (!is_valid(what.from, what.from_bytes(), is_symmetric || kind == cudaMemcpyDeviceToHost) ||
      !is_valid(what.to, what.to_bytes(), is_symmetric || kind == cudaMemcpyHostToDevice))
    return result(cudaErrorInvalidValue);
  {
    const runtime_lock lock(runtime_mutex());
    const bool is_captured = stream_of(on).captures_into != nullptr;
    if (is_captured && waits) return result(cudaErrorStreamCaptureUnsupported);
    waits = waits || (is_pageable(what.to) && !is_captured);
    std::shared_ptr<std::vector<uint8_t>> taken;
    if (!waits && !is_captured && is_pageable(what.from)) {
      taken = std::make_shared<std::vector<uint8_t>>(what.from, what.from + what.from_bytes());
      what.from = taken->data();
    }
    static_cast<void>(issue(on, cudaGraphNodeTypeMemcpy, [what, taken] { what.run(); }));
  }
  if (!waits) return cudaSuccess;
  work_queue::only().finish({stream_of(on).last}, call);
  return result(sticky_error());
}

cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                      cudaMemcpyKind kind, cudaStream_t on, bool waits) {
  if (height > 1 && (width > to_pitch || width > from_pitch)) return result(cudaErrorInvalidPitchValue);
  copy_of_rows made = copy_of_rows::of(to, from, width);
  made.height = height;
  made.to_pitch = to_pitch;
  made.from_pitch = from_pitch;
  return copy(made, kind, on, waits);
}

cudaError_t copy_3d(const cudaMemcpy3DParms& what, cudaStream_t on, bool waits) {
  return copy(copy_of_rows::of(what), what.kind, on, waits);
}

uint8_t* part_of_symbol(const void* host, size_t bytes, size_t offset) {
  uint64_t all = 0;
  uint8_t* const start = static_cast<uint8_t*>(address_of_symbol(host, &all));
  return start == nullptr || offset + bytes > all ? nullptr : start + offset;
}

cudaError_t copy_from_symbol(void* to, const void* host, size_t bytes, size_t offset, cudaMemcpyKind kind,
                             cudaStream_t on, bool waits) {
  if (address_of_symbol(host, nullptr) == nullptr) return result(cudaErrorInvalidSymbol);
  return copy(copy_of_rows::of(to, part_of_symbol(host, bytes, offset), bytes), kind, on, waits);
}
cudaError_t copy_to_symbol(const void* host, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                           cudaStream_t on, bool waits) {
  if (address_of_symbol(host, nullptr) == nullptr) return result(cudaErrorInvalidSymbol);
  return copy(copy_of_rows::of(part_of_symbol(host, bytes, offset), from, bytes), kind, on, waits);
}

cudaError_t issue_fill(const cudaMemsetParams& what, cudaStream_t on) {
  const size_t width = what.width * what.elementSize;
  if (width * what.height == 0) return cudaSuccess;
  if (!is_valid(what.dst, (what.height - 1) * what.pitch + width, true)) return result(cudaErrorInvalidValue);
  return issue(on, cudaGraphNodeTypeMemset, [=] { fill(what); });
}
// Of bytes.
cudaMemsetParams bytes_of(void* to, size_t pitch, int value, size_t width, size_t height) {
  cudaMemsetParams made = {};
  made.dst = to;
  made.pitch = pitch;
  made.value = static_cast<unsigned>(value) & 255;
  made.elementSize = 1;
  made.width = width;
  made.height = height;
  return made;
}
cudaError_t fill_slices(const cudaPitchedPtr& to, int value, cudaExtent extent, cudaStream_t on) {
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    void* const start = static_cast<uint8_t*>(to.ptr) + slice * to.pitch * to.ysize;
    const cudaError_t status = issue_fill(bytes_of(start, to.pitch, value, extent.width, extent.height), on);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace model

using namespace model;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy(copy_of_rows::of(to, from, bytes), kind, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t on) {
  return copy(copy_of_rows::of(to, from, bytes), kind, on, false);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t on) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, on);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t on) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, on, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* what) {
  return copy_3d(*what, nullptr, true);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t on) {
  return copy_3d(*what, on, false);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* host, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return copy_from_symbol(to, host, bytes, offset, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* host, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t on) {
  return copy_from_symbol(to, host, bytes, offset, kind, on, false);
}
cudaError_t cudaMemcpyToSymbol(const void* host, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return copy_to_symbol(host, from, bytes, offset, kind, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* host, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t on) {
  return copy_to_symbol(host, from, bytes, offset, kind, on, false);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t on) {
  return issue_fill(bytes_of(to, bytes, value, bytes, 1), on);
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  const cudaError_t status = cudaMemsetAsync(to, value, bytes, nullptr);
  return status != cudaSuccess ? status : cudaStreamSynchronize(nullptr);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t on) {
  return issue_fill(bytes_of(to, pitch, value, width, height), on);
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  const cudaError_t status = cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
  return status != cudaSuccess ? status : cudaStreamSynchronize(nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t on) {
  return fill_slices(to, value, extent, on);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  const cudaError_t status = cudaMemset3DAsync(to, value, extent, nullptr);
  return status != cudaSuccess ? status : cudaStreamSynchronize(nullptr);
}

}  // extern "C"
