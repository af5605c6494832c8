// Names and texts of errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime_api.h>

namespace model { namespace {

struct error_text {
  cudaError_t status;
  const char *name, *text;
};
// clang-format off
#define ROW(NAME, TEXT) {NAME, #NAME, TEXT}
const error_text table[] = {
    ROW(cudaSuccess, "no error"),
    ROW(cudaErrorInvalidValue, "invalid argument"),
    ROW(cudaErrorMemoryAllocation, "out of memory"),
    ROW(cudaErrorInitializationError, "initialization error"),
    ROW(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ROW(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ROW(cudaErrorInvalidSymbol, "invalid device symbol"),
    ROW(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ROW(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ROW(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ROW(cudaErrorInvalidDevice, "invalid device ordinal"),
    ROW(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    ROW(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ROW(cudaErrorFileNotFound, "file not found"),
    ROW(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ROW(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ROW(cudaErrorSymbolNotFound, "named symbol not found"),
    ROW(cudaErrorNotReady, "device not ready"),
    ROW(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ROW(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ROW(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ROW(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ROW(cudaErrorAssert, "device-side assert triggered"),
    ROW(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    ROW(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    ROW(cudaErrorLaunchFailure, "unspecified launch failure"),
    ROW(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ROW(cudaErrorNotSupported, "operation not supported"),
    ROW(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ROW(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ROW(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ROW(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ROW(cudaErrorGraphExecUpdateFailure, "the graph update was not performed: the graphs differ"),
    ROW(cudaErrorUnknown, "the model found a race"),
};
#undef ROW
// clang-format on

const error_text* find(cudaError_t status) {
  for (const error_text& each : table)
    if (each.status == status) return &each;
  return nullptr;
}

}}  // namespace model

extern "C" {

const char* cudaGetErrorString(cudaError_t status) {
  const auto* const found = model::find(status);
  return found != nullptr ? found->text : "unrecognized error code";
}
const char* cudaGetErrorName(cudaError_t status) {
  const auto* const found = model::find(status);
  return found != nullptr ? found->name : "unrecognized error code";
}

}  // extern "C"
