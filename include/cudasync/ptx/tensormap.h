// tensormap: changes the fields of a tensor map, and copies a map from shared to global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_TENSORMAP_H
#define CUDASYNC_PTX_TENSORMAP_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// A map is an object of 128 bytes, aligned to 128, in global memory (void*) or in this block's shared memory. A change
// is a weak store of the whole map. The values of fields are those of cuTensorMapEncodeTiled, except for the rank,
// which is one less, and for fields with names, which have PTX's own encoding. All changes are for targets such as
// sm_90a, sm_100a/f, sm_103a/f, sm_110a/f, sm_120a/f and sm_121a.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// clang-format off
#define CUDASYNC_REPLACE(FUNCTION, FIELD, TYPE, VALUE, REGISTER)                               \
  CUDASYNC_DEVICE void FUNCTION(void* map, VALUE value) {                                      \
    asm volatile("tensormap.replace.tile." FIELD ".global.b1024." TYPE " [%0], %1;"            \
                 :: "l"(offset_in_global(map)), REGISTER(value) : "memory");                   \
  }                                                                                            \
  CUDASYNC_DEVICE void FUNCTION(shared_address map, VALUE value) {                             \
    asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024." TYPE " [%0], %1;"       \
                 :: "r"(map.value), REGISTER(value) : "memory");                               \
  }
#define CUDASYNC_REPLACE_OF(FUNCTION, FIELD, TYPE, VALUE, REGISTER)                            \
  template <int Dimension>                                                                     \
  CUDASYNC_DEVICE void FUNCTION(void* map, VALUE value) {                                      \
    asm volatile("tensormap.replace.tile." FIELD ".global.b1024." TYPE " [%0], %1, %2;"        \
                 :: "l"(offset_in_global(map)), "n"(Dimension), REGISTER(value) : "memory");   \
  }                                                                                            \
  template <int Dimension>                                                                     \
  CUDASYNC_DEVICE void FUNCTION(shared_address map, VALUE value) {                             \
    asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024." TYPE " [%0], %1, %2;"   \
                 :: "r"(map.value), "n"(Dimension), REGISTER(value) : "memory");               \
  }
#define CUDASYNC_REPLACE_BY(FUNCTION, FIELD)                                                   \
  template <int Value>                                                                         \
  CUDASYNC_DEVICE void FUNCTION(void* map) {                                                   \
    asm volatile("tensormap.replace.tile." FIELD ".global.b1024.b32 [%0], %1;"                 \
                 :: "l"(offset_in_global(map)), "n"(Value) : "memory");                        \
  }                                                                                            \
  template <int Value>                                                                         \
  CUDASYNC_DEVICE void FUNCTION(shared_address map) {                                          \
    asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024.b32 [%0], %1;"            \
                 :: "r"(map.value), "n"(Value) : "memory");                                    \
  }
#define CUDASYNC_CP_FENCEPROXY(SCOPE, TAG)                                                     \
  CUDASYNC_DEVICE void tensormap_cp_fenceproxy(sem_release_t, TAG, void* destination, shared_address source) {        \
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release." SCOPE                       \
                 ".sync.aligned [%0], [%1], 128;"                                              \
                 :: "l"(offset_in_global(destination)), "r"(source.value) : "memory");         \
  }

//                  function                            field               .type  C++ type register
// PTX 8.3, sm_90a.
CUDASYNC_REPLACE   (tensormap_replace_global_address,    "global_address",    "b64", uint64,  "l")
CUDASYNC_REPLACE   (tensormap_replace_rank,              "rank",              "b32", uint32,  "r")
CUDASYNC_REPLACE_OF(tensormap_replace_box_dim,           "box_dim",           "b32", uint32,  "r")
CUDASYNC_REPLACE_OF(tensormap_replace_global_dim,        "global_dim",        "b32", uint32,  "r")
CUDASYNC_REPLACE_OF(tensormap_replace_global_stride,     "global_stride",     "b64", uint64,  "l")
CUDASYNC_REPLACE_OF(tensormap_replace_element_stride,    "element_stride",    "b32", uint32,  "r")
CUDASYNC_REPLACE_BY(tensormap_replace_elemtype,          "elemtype")
CUDASYNC_REPLACE_BY(tensormap_replace_interleave_layout, "interleave_layout")
CUDASYNC_REPLACE_BY(tensormap_replace_swizzle_mode,      "swizzle_mode")
CUDASYNC_REPLACE_BY(tensormap_replace_fill_mode,         "fill_mode")
// PTX 8.6, sm_100a.
CUDASYNC_REPLACE_BY(tensormap_replace_swizzle_atomicity, "swizzle_atomicity")

//                     .scope     tag
// PTX 8.3, sm_90. Copies a map of 128 bytes and releases it to the copy engine. All threads of the warp take part.
CUDASYNC_CP_FENCEPROXY("cta",     scope_cta_t)
CUDASYNC_CP_FENCEPROXY("cluster", scope_cluster_t)
CUDASYNC_CP_FENCEPROXY("gpu",     scope_gpu_t)
CUDASYNC_CP_FENCEPROXY("sys",     scope_sys_t)
#undef CUDASYNC_REPLACE
#undef CUDASYNC_REPLACE_OF
#undef CUDASYNC_REPLACE_BY
#undef CUDASYNC_CP_FENCEPROXY
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
