// Arrays, and the textures and surfaces that are made of them and of other memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_memory.h"
#include "runtime_unsupported.h"
#include "textures.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace model { namespace {

std::set<cudaArray_t>& arrays() {
  return lasting<std::set<cudaArray_t>>();
}

bool is_array(cudaArray_const_t which) {
  const runtime_lock lock(runtime_mutex());
  return arrays().count(const_cast<cudaArray_t>(which)) != 0;
}

// False for channels of several sizes.
bool set_channels(const cudaChannelFormatDesc& from, texture& made) {
  const int bits[] = {from.x, from.y, from.z, from.w};
  made.channels =
      static_cast<uint32_t>(std::count_if(std::begin(bits), std::end(bits), [](int each) { return each != 0; }));
  made.channel.bytes = static_cast<uint8_t>(from.x / 8);
  made.channel.what = from.f == cudaChannelFormatKindSigned     ? kind::signed_integer
                      : from.f == cudaChannelFormatKindUnsigned ? kind::unsigned_integer
                      : from.x == 16                            ? kind::half
                                                                : kind::floating;
  return from.f <= cudaChannelFormatKindFloat && (from.x == 8 || from.x == 16 || from.x == 32) && made.channels != 3 &&
         std::all_of(bits, bits + made.channels, [&](int each) { return each == from.x; });
}

void set_array(const cudaArray& from, texture& made) {
  made.start = reinterpret_cast<uint64_t>(from.start);
  made.pitch = from.pitch();
  made.slice = from.slice();
  const size_t sizes[] = {from.extent.width, std::max<size_t>(from.extent.height, 1),
                          std::max<size_t>(from.extent.depth, 1)};
  std::copy(std::begin(sizes), std::end(sizes), made.size);
  if (from.extent.height == 0) std::swap(made.size[1], made.size[2]);  // layers of one row
}

cudaMemcpy3DParms rows(cudaMemcpyKind kind, size_t width, size_t height) {
  cudaMemcpy3DParms made = {};
  made.kind = kind;
  made.extent = {width, height, 1};
  return made;
}
cudaPitchedPtr memory_at(const void* start, size_t pitch) {
  return {const_cast<void*>(start), pitch, pitch, 1};
}

// Offsets and the width are in bytes.
cudaError_t copy_to_array(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                          size_t height, cudaMemcpyKind kind, cudaStream_t on, bool waits) {
  if (!is_array(to) || width % to->texel_bytes != 0 || x % to->texel_bytes != 0) return result(cudaErrorInvalidValue);
  cudaMemcpy3DParms what = rows(kind, width / to->texel_bytes, height);
  what.dstArray = to;
  what.dstPos = {x / to->texel_bytes, y, 0};
  what.srcPtr = memory_at(from, pitch);
  return waits ? cudaMemcpy3D(&what) : cudaMemcpy3DAsync(&what, on);
}
cudaError_t copy_from_array(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                            size_t height, cudaMemcpyKind kind, cudaStream_t on, bool waits) {
  if (!is_array(from) || width % from->texel_bytes != 0 || x % from->texel_bytes != 0)
    return result(cudaErrorInvalidValue);
  cudaMemcpy3DParms what = rows(kind, width / from->texel_bytes, height);
  what.srcArray = const_cast<cudaArray_t>(from);
  what.srcPos = {x / from->texel_bytes, y, 0};
  what.dstPtr = memory_at(to, pitch);
  return waits ? cudaMemcpy3D(&what) : cudaMemcpy3DAsync(&what, on);
}

}}  // namespace model

using namespace model;

extern "C" {

cudaError_t cudaMalloc3DArray(cudaArray_t* made, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  texture channels;
  if ((flags & cudaArrayCubemap) != 0 || !set_channels(*format, channels))
    report_unsupported("cudaMalloc3DArray", "cube maps, and channels of other sizes");
  if (extent.width == 0) return result(cudaErrorInvalidValue);
  const auto one = new cudaArray{nullptr, *format, extent, flags, channels.texel_bytes()};
  const cudaError_t status = cudaMalloc(&one->start, one->slice() * std::max<size_t>(extent.depth, 1));
  if (status != cudaSuccess) {
    delete one;
    return status;
  }
  const runtime_lock lock(runtime_mutex());
  arrays().insert(one);
  *made = one;
  return cudaSuccess;
}
cudaError_t cudaMallocArray(cudaArray_t* made, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned flags) {
  return cudaMalloc3DArray(made, format, {width, height, 0}, flags);
}
cudaError_t cudaFreeArray(cudaArray_t which) {
  if (which == nullptr) return cudaSuccess;
  if (!is_array(which)) return result(cudaErrorInvalidValue);
  const cudaError_t status = cudaFree(which->start);
  const runtime_lock lock(runtime_mutex());
  arrays().erase(which);
  delete which;
  return status;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t of) {
  if (!is_array(of)) return result(cudaErrorInvalidValue);
  if (format != nullptr) *format = of->format;
  if (extent != nullptr) *extent = of->extent;
  if (flags != nullptr) *flags = of->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t of) {
  if (!is_array(of)) return result(cudaErrorInvalidValue);
  *format = of->format;
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return copy_to_array(to, x, y, from, pitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t on) {
  return copy_to_array(to, x, y, from, pitch, width, height, kind, on, false);
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return copy_from_array(to, pitch, from, x, y, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t on) {
  return copy_from_array(to, pitch, from, x, y, width, height, kind, on, false);
}
// Of whole rows, or of a part of one.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const size_t row = is_array(to) ? to->pitch() : bytes, width = std::min(bytes, row);
  if (bytes % width != 0) report_unsupported("cudaMemcpyToArray", "copies of parts of several rows");
  return copy_to_array(to, x, y, from, width, width, bytes / width, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  const size_t row = is_array(from) ? from->pitch() : bytes, width = std::min(bytes, row);
  if (bytes % width != 0) report_unsupported("cudaMemcpyFromArray", "copies of parts of several rows");
  return copy_from_array(to, width, from, x, y, width, bytes / width, kind, nullptr, true);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* what,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc* view) {
  constexpr const char* name = "cudaCreateTextureObject";
  texture made;
  cudaChannelFormatDesc format = {};
  if (what->resType == cudaResourceTypeArray) {
    if (!is_array(what->res.array.array)) return result(cudaErrorInvalidValue);
    set_array(*what->res.array.array, made);
    format = what->res.array.array->format;
  } else if (what->resType == cudaResourceTypeLinear) {
    format = what->res.linear.desc;
    made.start = reinterpret_cast<uint64_t>(what->res.linear.devPtr);
    made.is_buffer = true;
  } else if (what->resType == cudaResourceTypePitch2D) {
    format = what->res.pitch2D.desc;
    made.start = reinterpret_cast<uint64_t>(what->res.pitch2D.devPtr);
    made.pitch = what->res.pitch2D.pitchInBytes;
    made.size[0] = static_cast<int64_t>(what->res.pitch2D.width);
    made.size[1] = static_cast<int64_t>(what->res.pitch2D.height);
  } else {
    report_unsupported(name, "mipmapped arrays");
  }
  if (view != nullptr || how->sRGB != 0 || !set_channels(format, made))
    report_unsupported(name, "views, sRGB, and channels of other sizes");
  if (made.is_buffer) made.size[0] = static_cast<int64_t>(what->res.linear.sizeInBytes / made.texel_bytes());
  made.has_normalized_places = how->normalizedCoords != 0;
  made.has_normalized_values = how->readMode == cudaReadModeNormalizedFloat && is_integer(made.channel);
  made.is_filtered = how->filterMode == cudaFilterModeLinear;
  std::copy(std::begin(how->borderColor), std::end(how->borderColor), made.border);
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    const edge given = edge(how->addressMode[dimension]);
    const bool needs_normalized = given == edge::wrap || given == edge::mirror;
    made.edges[dimension] = made.is_buffer                                    ? edge::border
                            : needs_normalized && !made.has_normalized_places ? edge::clamp
                                                                              : given;
  }
  *object = add_texture(made);
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return object == 0 || remove_texture(object) ? cudaSuccess : result(cudaErrorInvalidValue);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* what) {
  if (what->resType != cudaResourceTypeArray || !is_array(what->res.array.array)) return result(cudaErrorInvalidValue);
  texture made;
  set_array(*what->res.array.array, made);
  static_cast<void>(set_channels(what->res.array.array->format, made));
  made.is_surface = true;
  *object = add_texture(made);
  return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return object == 0 || remove_texture(object) ? cudaSuccess : result(cudaErrorInvalidValue);
}

}  // extern "C"
