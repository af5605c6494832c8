// The tags of cuda::ptx for CCCL's own <cuda/ptx>, so that the functions of both libraries take the same tags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_QUALIFIERS_H
#define CUDASYNC_COMPAT_PTX_QUALIFIERS_H

// A CCCL version that is newer than the tested ones may need tags that are missing here. So it defines its own tags,
// and after `using namespace cuda::ptx` an unqualified tag is ambiguous.
#if defined(CCCL_VERSION) && CCCL_VERSION >= 3007000
#include_next <cuda/__ptx/ptx_dot_variants.h>
#else

#include <cudasync/compat/ptx.h>

#if CUDASYNC_CUDA

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat::ptx_names {

// The .kind qualifier of PTX, for CCCL's <cuda/ptx>: the types of the operands of tcgen05.mma.
enum class dot_kind { f16, f8f6f4, i8, mxf4, mxf4nvf4, mxf8f6f4, tf32 };
// A layout qualifier of CCCL's <cuda/ptx>.
enum class dot_layout { v0, v1 };
// An mbarrier phase qualifier of CCCL's <cuda/ptx>.
enum class dot_phase_type { primary, conditional };
// An mbarrier report qualifier of CCCL's <cuda/ptx>.
enum class dot_report_mechanism {
  disabled,
  per_16bytes_80000000,
  per_16bytes_8000,
  per_16bytes_80,
  per_16bytes_8,
  per_element_ff,
};

// The operations of reductions and of atomic instructions, as tags: .add, .dec, .inc and so on.
inline constexpr op_add_t op_add{};
inline constexpr op_dec_t op_dec{};
inline constexpr op_inc_t op_inc{};
inline constexpr op_max_t op_max{};
inline constexpr op_min_t op_min{};
inline constexpr op_and_op_t op_and_op{};
inline constexpr op_or_op_t op_or_op{};
inline constexpr op_xor_op_t op_xor_op{};
inline constexpr op_cas_t op_cas{};
inline constexpr op_exch_t op_exch{};
inline constexpr cta_group_1_t cta_group_1{};
inline constexpr cta_group_2_t cta_group_2{};

// The type of a tag with a kind.
template <dot_kind Kind>
using kind_t = ptx::constant<dot_kind, Kind>;
// The type of a tag with a layout.
template <dot_layout Layout>
using layout_t = ptx::constant<dot_layout, Layout>;
// The type of a tag with a phase.
template <dot_phase_type Phase>
using mbarrier_phase_t = ptx::constant<dot_phase_type, Phase>;
// The type of a tag with a report mechanism.
template <dot_report_mechanism Mechanism>
using report_mechanism_t = ptx::constant<dot_report_mechanism, Mechanism>;

// clang-format off
#define CUDASYNC_TAG(NAME, FAMILY, VALUE)                                                      \
  using NAME##_t = FAMILY##_t<VALUE>;                                                          \
  inline constexpr NAME##_t NAME{};

//           tag                                        family            value

// A tag for the functions of CCCL's <cuda/ptx>.
CUDASYNC_TAG(kind_f16,                                  kind,             dot_kind::f16)
CUDASYNC_TAG(kind_f8f6f4,                               kind,             dot_kind::f8f6f4)
CUDASYNC_TAG(kind_i8,                                   kind,             dot_kind::i8)
CUDASYNC_TAG(kind_mxf4,                                 kind,             dot_kind::mxf4)
CUDASYNC_TAG(kind_mxf4nvf4,                             kind,             dot_kind::mxf4nvf4)
CUDASYNC_TAG(kind_mxf8f6f4,                             kind,             dot_kind::mxf8f6f4)
CUDASYNC_TAG(kind_tf32,                                 kind,             dot_kind::tf32)
CUDASYNC_TAG(layout_v0,                                 layout,           dot_layout::v0)
CUDASYNC_TAG(layout_v1,                                 layout,           dot_layout::v1)
CUDASYNC_TAG(mbarrier_phase_primary,                    mbarrier_phase,   dot_phase_type::primary)
CUDASYNC_TAG(mbarrier_phase_conditional,                mbarrier_phase,   dot_phase_type::conditional)
CUDASYNC_TAG(mbarrier_report_disabled,                  report_mechanism, dot_report_mechanism::disabled)
CUDASYNC_TAG(mbarrier_report_valid_per_16bytes_80000000, report_mechanism, dot_report_mechanism::per_16bytes_80000000)
CUDASYNC_TAG(mbarrier_report_valid_per_16bytes_8000,    report_mechanism, dot_report_mechanism::per_16bytes_8000)
CUDASYNC_TAG(mbarrier_report_valid_per_16bytes_80,      report_mechanism, dot_report_mechanism::per_16bytes_80)
CUDASYNC_TAG(mbarrier_report_valid_per_16bytes_8,       report_mechanism, dot_report_mechanism::per_16bytes_8)
CUDASYNC_TAG(mbarrier_report_valid_per_element_ff,      report_mechanism, dot_report_mechanism::per_element_ff)
#undef CUDASYNC_TAG
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::compat::ptx_names

// Declarations, where ptx.h has a directive for functions of both libraries: a name that only a directive makes visible
// counts as one of the global namespace, and CCCL's sem_t would then be ambiguous with that of <semaphore.h>.
namespace cudasync {
namespace tags = compat::ptx_names;
}  // namespace cudasync

namespace cuda::ptx { inline namespace __4 {
using cudasync::tags::cta_group_1, cudasync::tags::cta_group_1_t, cudasync::tags::cta_group_2,
    cudasync::tags::cta_group_2_t, cudasync::tags::cta_group_t, cudasync::tags::dot_cta_group, cudasync::tags::dot_kind,
    cudasync::tags::dot_layout, cudasync::tags::dot_op, cudasync::tags::dot_phase_type,
    cudasync::tags::dot_report_mechanism, cudasync::tags::dot_scope, cudasync::tags::dot_sem, cudasync::tags::dot_space,
    cudasync::tags::kind_f16, cudasync::tags::kind_f16_t, cudasync::tags::kind_f8f6f4, cudasync::tags::kind_f8f6f4_t,
    cudasync::tags::kind_i8, cudasync::tags::kind_i8_t, cudasync::tags::kind_mxf4, cudasync::tags::kind_mxf4_t,
    cudasync::tags::kind_mxf4nvf4, cudasync::tags::kind_mxf4nvf4_t, cudasync::tags::kind_mxf8f6f4,
    cudasync::tags::kind_mxf8f6f4_t, cudasync::tags::kind_t, cudasync::tags::kind_tf32, cudasync::tags::kind_tf32_t,
    cudasync::tags::layout_t, cudasync::tags::layout_v0, cudasync::tags::layout_v0_t, cudasync::tags::layout_v1,
    cudasync::tags::layout_v1_t, cudasync::tags::mbarrier_phase_conditional,
    cudasync::tags::mbarrier_phase_conditional_t, cudasync::tags::mbarrier_phase_primary,
    cudasync::tags::mbarrier_phase_primary_t, cudasync::tags::mbarrier_phase_t,
    cudasync::tags::mbarrier_report_disabled, cudasync::tags::mbarrier_report_disabled_t,
    cudasync::tags::mbarrier_report_valid_per_16bytes_8, cudasync::tags::mbarrier_report_valid_per_16bytes_80,
    cudasync::tags::mbarrier_report_valid_per_16bytes_8000, cudasync::tags::mbarrier_report_valid_per_16bytes_80000000,
    cudasync::tags::mbarrier_report_valid_per_16bytes_80000000_t,
    cudasync::tags::mbarrier_report_valid_per_16bytes_8000_t, cudasync::tags::mbarrier_report_valid_per_16bytes_80_t,
    cudasync::tags::mbarrier_report_valid_per_16bytes_8_t, cudasync::tags::mbarrier_report_valid_per_element_ff,
    cudasync::tags::mbarrier_report_valid_per_element_ff_t, cudasync::tags::op_add, cudasync::tags::op_add_t,
    cudasync::tags::op_and_op, cudasync::tags::op_and_op_t, cudasync::tags::op_cas, cudasync::tags::op_cas_t,
    cudasync::tags::op_dec, cudasync::tags::op_dec_t, cudasync::tags::op_exch, cudasync::tags::op_exch_t,
    cudasync::tags::op_inc, cudasync::tags::op_inc_t, cudasync::tags::op_max, cudasync::tags::op_max_t,
    cudasync::tags::op_min, cudasync::tags::op_min_t, cudasync::tags::op_or_op, cudasync::tags::op_or_op_t,
    cudasync::tags::op_t, cudasync::tags::op_xor_op, cudasync::tags::op_xor_op_t, cudasync::tags::report_mechanism_t,
    cudasync::tags::scope_cluster, cudasync::tags::scope_cluster_t, cudasync::tags::scope_cta,
    cudasync::tags::scope_cta_t, cudasync::tags::scope_gpu, cudasync::tags::scope_gpu_t, cudasync::tags::scope_sys,
    cudasync::tags::scope_sys_t, cudasync::tags::scope_t, cudasync::tags::sem_acq_rel, cudasync::tags::sem_acq_rel_t,
    cudasync::tags::sem_acquire, cudasync::tags::sem_acquire_t, cudasync::tags::sem_relaxed,
    cudasync::tags::sem_relaxed_t, cudasync::tags::sem_release, cudasync::tags::sem_release_t, cudasync::tags::sem_sc,
    cudasync::tags::sem_sc_t, cudasync::tags::sem_t, cudasync::tags::sem_weak, cudasync::tags::sem_weak_t,
    cudasync::tags::space_cluster, cudasync::tags::space_cluster_t, cudasync::tags::space_global,
    cudasync::tags::space_global_t, cudasync::tags::space_shared, cudasync::tags::space_shared_t,
    cudasync::tags::space_t;
}}  // namespace cuda::ptx::__4

#endif  // CUDASYNC_CUDA

#endif

#endif
