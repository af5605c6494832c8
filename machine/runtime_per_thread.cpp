// Functions of programs that are compiled with --default-stream per-thread: their default stream is that of the thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_versions.h"
#include "runtime_work.h"

using model::default_stream_of_thread;

extern "C" {

// clang-format off
#define PER_THREAD_1(NAME, SUFFIX, A) \
  cudaError_t NAME##SUFFIX(A a) { const default_stream_of_thread here; return NAME(a); }
#define PER_THREAD_2(NAME, SUFFIX, A, B) \
  cudaError_t NAME##SUFFIX(A a, B b) { const default_stream_of_thread here; return NAME(a, b); }
#define PER_THREAD_3(NAME, SUFFIX, A, B, C) \
  cudaError_t NAME##SUFFIX(A a, B b, C c) { const default_stream_of_thread here; return NAME(a, b, c); }
#define PER_THREAD_4(NAME, SUFFIX, A, B, C, D) \
  cudaError_t NAME##SUFFIX(A a, B b, C c, D d) { const default_stream_of_thread here; return NAME(a, b, c, d); }
#define PER_THREAD_5(NAME, SUFFIX, A, B, C, D, E) \
  cudaError_t NAME##SUFFIX(A a, B b, C c, D d, E e) { const default_stream_of_thread here; return NAME(a, b, c, d, e); }
#define PER_THREAD_6(NAME, SUFFIX, A, B, C, D, E, F) \
  cudaError_t NAME##SUFFIX(A a, B b, C c, D d, E e, F f) { const default_stream_of_thread here; return NAME(a, b, c, d, e, f); }
#define PER_THREAD_7(NAME, SUFFIX, A, B, C, D, E, F, G) \
  cudaError_t NAME##SUFFIX(A a, B b, C c, D d, E e, F f, G g) { const default_stream_of_thread here; return NAME(a, b, c, d, e, f, g); }
#define PER_THREAD_8(NAME, SUFFIX, A, B, C, D, E, F, G, H) \
  cudaError_t NAME##SUFFIX(A a, B b, C c, D d, E e, F f, G g, H h) { const default_stream_of_thread here; return NAME(a, b, c, d, e, f, g, h); }

PER_THREAD_4(cudaMemcpy, _ptds, void*, const void*, size_t, cudaMemcpyKind)
PER_THREAD_5(cudaMemcpyToSymbol, _ptds, const void*, const void*, size_t, size_t, cudaMemcpyKind)
PER_THREAD_5(cudaMemcpyFromSymbol, _ptds, void*, const void*, size_t, size_t, cudaMemcpyKind)
PER_THREAD_7(cudaMemcpy2D, _ptds, void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind)
PER_THREAD_1(cudaMemcpy3D, _ptds, const cudaMemcpy3DParms*)
PER_THREAD_3(cudaMemset, _ptds, void*, int, size_t)
PER_THREAD_5(cudaMemset2D, _ptds, void*, size_t, int, size_t, size_t)
PER_THREAD_3(cudaMemset3D, _ptds, cudaPitchedPtr, int, cudaExtent)
PER_THREAD_5(cudaMemcpyAsync, _ptsz, void*, const void*, size_t, cudaMemcpyKind, cudaStream_t)
PER_THREAD_6(cudaMemcpyToSymbolAsync, _ptsz, const void*, const void*, size_t, size_t, cudaMemcpyKind, cudaStream_t)
PER_THREAD_6(cudaMemcpyFromSymbolAsync, _ptsz, void*, const void*, size_t, size_t, cudaMemcpyKind, cudaStream_t)
PER_THREAD_8(cudaMemcpy2DAsync, _ptsz, void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t)
PER_THREAD_2(cudaMemcpy3DAsync, _ptsz, const cudaMemcpy3DParms*, cudaStream_t)
PER_THREAD_4(cudaMemsetAsync, _ptsz, void*, int, size_t, cudaStream_t)
PER_THREAD_6(cudaMemset2DAsync, _ptsz, void*, size_t, int, size_t, size_t, cudaStream_t)
PER_THREAD_4(cudaMemset3DAsync, _ptsz, cudaPitchedPtr, int, cudaExtent, cudaStream_t)
PER_THREAD_3(cudaMallocAsync, _ptsz, void**, size_t, cudaStream_t)
PER_THREAD_4(cudaMallocFromPoolAsync, _ptsz, void**, size_t, cudaMemPool_t, cudaStream_t)
PER_THREAD_2(cudaFreeAsync, _ptsz, void*, cudaStream_t)
PER_THREAD_6(cudaLaunchKernel, _ptsz, const void*, dim3, dim3, void**, size_t, cudaStream_t)
PER_THREAD_3(cudaLaunchKernelExC, _ptsz, const cudaLaunchConfig_t*, const void*, void**)
PER_THREAD_6(cudaLaunchCooperativeKernel, _ptsz, const void*, dim3, dim3, void**, size_t, cudaStream_t)
PER_THREAD_3(cudaLaunchHostFunc, _ptsz, cudaStream_t, cudaHostFn_t, void*)
PER_THREAD_4(cudaStreamAddCallback, _ptsz, cudaStream_t, cudaStreamCallback_t, void*, unsigned)
PER_THREAD_1(cudaStreamSynchronize, _ptsz, cudaStream_t)
PER_THREAD_1(cudaStreamQuery, _ptsz, cudaStream_t)
PER_THREAD_3(cudaStreamWaitEvent, _ptsz, cudaStream_t, cudaEvent_t, unsigned)
PER_THREAD_4(cudaStreamAttachMemAsync, _ptsz, cudaStream_t, void*, size_t, unsigned)
PER_THREAD_2(cudaStreamGetFlags, _ptsz, cudaStream_t, unsigned*)
PER_THREAD_2(cudaStreamGetPriority, _ptsz, cudaStream_t, int*)
PER_THREAD_2(cudaStreamGetId, _ptsz, cudaStream_t, unsigned long long*)
PER_THREAD_3(cudaStreamGetAttribute, _ptsz, cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue*)
PER_THREAD_3(cudaStreamSetAttribute, _ptsz, cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*)
PER_THREAD_2(cudaStreamCopyAttributes, _ptsz, cudaStream_t, cudaStream_t)
PER_THREAD_2(cudaStreamBeginCapture, _ptsz, cudaStream_t, cudaStreamCaptureMode)
PER_THREAD_2(cudaStreamEndCapture, _ptsz, cudaStream_t, cudaGraph_t*)
PER_THREAD_2(cudaStreamIsCapturing, _ptsz, cudaStream_t, cudaStreamCaptureStatus*)
PER_THREAD_2(cudaEventRecord, _ptsz, cudaEvent_t, cudaStream_t)
PER_THREAD_3(cudaEventRecordWithFlags, _ptsz, cudaEvent_t, cudaStream_t, unsigned)
PER_THREAD_3(cudaGraphInstantiateWithParams, _ptsz, cudaGraphExec_t*, cudaGraph_t, cudaGraphInstantiateParams*)
PER_THREAD_2(cudaGraphUpload, _ptsz, cudaGraphExec_t, cudaStream_t)
PER_THREAD_2(cudaGraphLaunch, _ptsz, cudaGraphExec_t, cudaStream_t)

#undef PER_THREAD_1
#undef PER_THREAD_2
#undef PER_THREAD_3
#undef PER_THREAD_4
#undef PER_THREAD_5
#undef PER_THREAD_6
#undef PER_THREAD_7
#undef PER_THREAD_8
// clang-format on

cudaError_t __cudaLaunchKernel(cudaKernel_t what, dim3 grid, dim3 block, void** arguments, size_t bytes,
                               cudaStream_t on);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t what, dim3 grid, dim3 block, void** arguments, size_t bytes,
                                    cudaStream_t on) {
  const default_stream_of_thread here;
  return __cudaLaunchKernel(what, grid, block, arguments, bytes, on);
}

}  // extern "C"
