// The library's version, the compilers it accepts, and the macros that spell execution spaces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_CONFIG_H
#define CUDASYNC_CORE_CONFIG_H

#define CUDASYNC_VERSION_MAJOR 0
#define CUDASYNC_VERSION_MINOR 2
#define CUDASYNC_VERSION_PATCH 0
#define CUDASYNC_VERSION 200  // major * 10000 + minor * 100 + patch

#if defined(__NVCOMPILER)
#error \
    "cudasync: nvc++ compiles host and device in one pass, which tag dispatch cannot serve; compile with nvcc or clang"
#endif
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ < 12
#error "cudasync: CUDA 12.0 or newer is needed; update the toolkit"
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 8
#error "cudasync: g++ 8 or newer is needed; set the host compiler with -ccbin"
#endif
#if __cplusplus < 201703L && !defined(_MSC_VER)
#error "cudasync: C++17 or newer is needed; add -std=c++17"
#endif

// 1 when the translation unit is CUDA C++ (nvcc, clang or NVRTC), in both the host and the device pass.
#if defined(__CUDACC__) || defined(__CUDA__) || defined(__CUDACC_RTC__)
#define CUDASYNC_CUDA 1
#else
#define CUDASYNC_CUDA 0
#endif

// 0 when there is no host code: NVRTC compiles only for the device and has no system headers.
#if defined(__CUDACC_RTC__)
#define CUDASYNC_HAS_HOST 0
#else
#define CUDASYNC_HAS_HOST 1
#endif

// 1: preconditions are assertions, and hangs are reported. The user sets it, the same in every translation unit.
#if !defined(CUDASYNC_CHECKED)
#define CUDASYNC_CHECKED 0
#endif

// 1: arrivals, waits and copies are recorded for <cudasync/trace.h>. The user sets it in the same way.
#if !defined(CUDASYNC_TRACE)
#define CUDASYNC_TRACE 0
#endif

// 1: headers that libcu++ also has include what libcu++'s include. The user sets it while a program is being ported.
#if !defined(CUDASYNC_DROP_IN)
#define CUDASYNC_DROP_IN 0
#endif

// 1 when clang compiles CUDA C++, not when it is nvcc's host compiler.
#if CUDASYNC_CUDA && defined(__clang__) && !defined(__CUDACC_VER_MAJOR__)
#define CUDASYNC_CUDA_CLANG 1
#else
#define CUDASYNC_CUDA_CLANG 0
#endif

// The PTX ISA version that the toolkit assembles, major * 10 + minor. Only ptx/ and core/target.h read it.
#if !CUDASYNC_CUDA
#define CUDASYNC_PTX_ISA 0
#elif CUDASYNC_CUDA_CLANG && __clang_major__ >= 19 && CUDA_VERSION >= 12050
#define CUDASYNC_PTX_ISA 85  // the newest that clang 19 emits, with any toolkit
#elif CUDASYNC_CUDA_CLANG && __clang_major__ >= 19 && CUDA_VERSION >= 12000
#define CUDASYNC_PTX_ISA (80 + CUDA_VERSION % 1000 / 10)
#elif CUDASYNC_CUDA_CLANG
#define CUDASYNC_PTX_ISA 80
#elif __CUDACC_VER_MAJOR__ >= 13
#define CUDASYNC_PTX_ISA ((__CUDACC_VER_MAJOR__ - 4) * 10 + __CUDACC_VER_MINOR__)
#elif __CUDACC_VER_MINOR__ >= 7
#define CUDASYNC_PTX_ISA (79 + __CUDACC_VER_MINOR__)
#elif __CUDACC_VER_MINOR__ == 6
#define CUDASYNC_PTX_ISA 85
#else
#define CUDASYNC_PTX_ISA (80 + __CUDACC_VER_MINOR__)
#endif

#if CUDASYNC_CUDA
// The same as __device__ __forceinline__ and __host__ __device__ __forceinline__. One attribute list, instead of a
// macro and a list for each attribute, saves the compiler 8 % of its work for <cuda/atomic>.
//
// With -G, nothing is inlined: inlined calls, not optimized, would take more than the 64 registers of a thread in a
// block of 1,024. Functions of the checked and traced builds that test which lanes call them must be inlined.
#if defined(__CUDACC_DEBUG__) && !CUDASYNC_CHECKED && !CUDASYNC_TRACE
#define CUDASYNC_DEVICE __attribute__((device)) inline
#define CUDASYNC_API __attribute__((host, device)) inline
#else
#define CUDASYNC_DEVICE __attribute__((device, always_inline)) inline
#define CUDASYNC_API __attribute__((host, device, always_inline)) inline
#endif
#define CUDASYNC_API_OUT_OF_LINE __host__ __device__ __noinline__
#else
#define CUDASYNC_API inline
#define CUDASYNC_API_OUT_OF_LINE __attribute__((noinline))
#endif

// Put it before a host-device template that calls a user's function, which may be host-only or device-only.
#if defined(__NVCC__) || defined(__CUDACC_RTC__)
#define CUDASYNC_EXEC_CHECK_DISABLE _Pragma("nv_exec_check_disable")
#else
#define CUDASYNC_EXEC_CHECK_DISABLE
#endif

// A variable in device memory, which only the checked and the traced build have: one per program if device code is
// linked (-rdc), otherwise one per translation unit. NVRTC compiles one unit, and the name of an inline variable does
// not depend on the name of that unit.
#if !CUDASYNC_CHECKED && !CUDASYNC_TRACE
#elif defined(__CUDACC_RDC__) || defined(__CUDACC_RTC__)
#define CUDASYNC_DEVICE_VARIABLE inline __device__
#else
#define CUDASYNC_DEVICE_VARIABLE [[maybe_unused]] static __device__
#endif

// One program may contain two versions, or checked, traced and release builds, because their names differ.
#if CUDASYNC_CHECKED && CUDASYNC_TRACE
#define CUDASYNC_ABI v0_2_checked_traced
#elif CUDASYNC_TRACE
#define CUDASYNC_ABI v0_2_traced
#elif CUDASYNC_CHECKED
#define CUDASYNC_ABI v0_2_checked
#else
#define CUDASYNC_ABI v0_2
#endif

// The namespace of host functions that throw exceptions, or abort without exceptions. One program may contain both.
#if defined(__cpp_exceptions)
#define CUDASYNC_ERROR_ABI throwing
#else
#define CUDASYNC_ERROR_ABI aborting
#endif

#endif
