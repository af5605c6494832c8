// The driver's functions that encode tensor maps, found through the runtime, so that programs do not link the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_TENSOR_TENSOR_ENCODE_HOST_H
#define CUDASYNC_BACKEND_TENSOR_TENSOR_ENCODE_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudasync/backend/tensor/im2col_limits.h>
#include <cudasync/backend/tensor/tensor_limits.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

using tensor_encoder = decltype(&cuTensorMapEncodeTiled);
using im2col_encoder = decltype(&cuTensorMapEncodeIm2col);

// What encodes maps for the current device. Without an encoder, error says why there is none.
template <class Encoder>
struct tensor_driver {
  Encoder encoder = nullptr;
  int major = 0;  // the compute capability of the device
  int minor = 0;
  tensor_error error;
};

#if CUDART_VERSION >= 12050
inline cudaError_t find_entry_point(const char* name, void** function, cudaDriverEntryPointQueryResult* found) {
  return cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, found);
}
#else
inline cudaError_t find_entry_point(const char* name, void** function, cudaDriverEntryPointQueryResult* found) {
  return cudaGetDriverEntryPoint(name, function, cudaEnableDefault, found);
}
#endif

// name: that of the driver's function, which has the type Encoder.
template <class Encoder>
[[nodiscard]] tensor_driver<Encoder> find_driver_with(const char* name) {
  tensor_driver<Encoder> driver;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  int device = 0;
  cudaError_t status = find_entry_point(name, &function, &found);
  const bool is_found = status == cudaSuccess && found == cudaDriverEntryPointSuccess && function != nullptr;
  if (is_found) status = cudaGetDevice(&device);
  if (is_found && status == cudaSuccess)
    status = cudaDeviceGetAttribute(&driver.major, cudaDevAttrComputeCapabilityMajor, device);
  if (is_found && status == cudaSuccess)
    status = cudaDeviceGetAttribute(&driver.minor, cudaDevAttrComputeCapabilityMinor, device);
  if (status != cudaSuccess)
    refuse(driver.error, "the CUDA driver cannot be used: %s: run the program on a machine with a GPU and its driver",
           cudaGetErrorString(status));
  else if (!is_found)
    refuse(driver.error, "the CUDA driver has no %s: update it to one for CUDA 12.0 or newer", name);
  else
    driver.encoder = reinterpret_cast<Encoder>(function);
  return driver;
}

[[nodiscard]] inline tensor_driver<tensor_encoder> find_tensor_driver() {
  return find_driver_with<tensor_encoder>("cuTensorMapEncodeTiled");
}

[[nodiscard]] inline tensor_driver<im2col_encoder> find_im2col_driver() {
  return find_driver_with<im2col_encoder>("cuTensorMapEncodeIm2col");
}

// The sentence for an error of the driver. The limits have been checked before.
inline bool explain(CUresult result, tensor_error& error) {
  if (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED)
    return refuse(error, "the driver has no context for this thread (CUresult %d): call cudaSetDevice first",
                  static_cast<int>(result));
  return refuse(error,
                "the driver refused the tensor map (CUresult %d), although it is within the limits that CUDA 13.0 "
                "documents: the driver may be older, or the GPU may lack the format",
                static_cast<int>(result));
}

// The driver's lists of a tensor, from the innermost dimension on; the strides are in bytes, without the innermost.
struct driver_lists {
  cuuint64_t extents[most_tensor_dimensions], strides[most_tensor_dimensions];
  cuuint32_t box[most_tensor_dimensions], steps[most_tensor_dimensions];
};

[[nodiscard]] inline driver_lists lists_for_driver(const tensor_description& what) {
  driver_lists lists = {};
  const size_t rank = what.extents.count;
  for (size_t place = 0; place < rank; ++place) {
    const size_t dimension = rank - 1 - place;
    lists.extents[place] = static_cast<cuuint64_t>(what.extents.values[dimension]);
    lists.box[place] = static_cast<cuuint32_t>(what.box.values[dimension]);
    lists.steps[place] = what.steps.count == 0 ? 1 : static_cast<cuuint32_t>(what.steps.values[dimension]);
    if (place != 0)
      lists.strides[place - 1] = static_cast<cuuint64_t>(bytes_of(stride_of(what, dimension), what.element));
  }
  return lists;
}

// Encodes a map that is within the limits.
[[nodiscard]] inline bool encode(const tensor_description& what, tensor_encoder encoder, CUtensorMap& map,
                                 tensor_error& error) {
  const driver_lists lists = lists_for_driver(what);
  const CUresult result =
      encoder(&map, static_cast<CUtensorMapDataType>(what.element), static_cast<cuuint32_t>(what.extents.count),
              const_cast<void*>(what.address), lists.extents, lists.strides, lists.box, lists.steps,
              static_cast<CUtensorMapInterleave>(what.interleave), static_cast<CUtensorMapSwizzle>(what.swizzle),
              static_cast<CUtensorMapL2promotion>(what.l2_fetch_size), static_cast<CUtensorMapFloatOOBfill>(what.fill));
  return result == CUDA_SUCCESS || explain(result, error);
}

// The same for an im2col map. The driver's lists of corners begin with the innermost dimension, too.
[[nodiscard]] inline bool encode(const im2col_description& what, im2col_encoder encoder, CUtensorMap& map,
                                 tensor_error& error) {
  const driver_lists lists = lists_for_driver(what);
  int lower[most_tensor_dimensions] = {}, upper[most_tensor_dimensions] = {};
  for (size_t place = 0; place < what.lower.count; ++place) {
    lower[place] = static_cast<int>(what.lower.values[what.lower.count - 1 - place]);
    upper[place] = static_cast<int>(what.upper.values[what.upper.count - 1 - place]);
  }
  const CUresult result =
      encoder(&map, static_cast<CUtensorMapDataType>(what.element), static_cast<cuuint32_t>(what.extents.count),
              const_cast<void*>(what.address), lists.extents, lists.strides, lower, upper,
              static_cast<cuuint32_t>(what.channels), static_cast<cuuint32_t>(what.pixels), lists.steps,
              static_cast<CUtensorMapInterleave>(what.interleave), static_cast<CUtensorMapSwizzle>(what.swizzle),
              static_cast<CUtensorMapL2promotion>(what.l2_fetch_size), static_cast<CUtensorMapFloatOOBfill>(what.fill));
  return result == CUDA_SUCCESS || explain(result, error);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif

#endif
