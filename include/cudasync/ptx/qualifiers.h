// The qualifiers of PTX instructions as types: order, scope, state space, operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_QUALIFIERS_H
#define CUDASYNC_PTX_QUALIFIERS_H

#include <cudasync/core/scope.h>

// The names and types are those of libcu++'s cuda::ptx, whose functions accept these tags: sem_release is a value of
// type sem_release_t, which is sem_t<dot_sem::release> and converts to dot_sem::release. NVRTC keeps every constant
// that is declared in a namespace or a class, even if it is unused. So the types have no constants, except those of
// integers, and the values are in tags.h, for programs.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

template <class Type, Type Value>
struct constant {
  using value_type = Type;
  CUDASYNC_DEVICE constexpr operator Type() const noexcept { return Value; }
};
template <int Value>
struct constant<int, Value> {
  using value_type = int;
  static constexpr int value = Value;  // CCCL passes it to its assembly

  CUDASYNC_DEVICE constexpr operator int() const noexcept { return Value; }
};

inline namespace qualifiers {

enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_scope { cta, cluster, gpu, sys };
enum class dot_space { global, cluster, shared };  // cluster is .shared::cluster, shared is .shared::cta
enum class dot_op { add, dec, inc, max, min, and_op, or_op, xor_op, cas, exch };
enum class dot_cta_group { cta_group_1, cta_group_2 };

// The order of an instruction, as a type.
template <dot_sem Sem>
using sem_t = constant<dot_sem, Sem>;
// The scope of an instruction, as a type.
template <dot_scope Scope>
using scope_t = constant<dot_scope, Scope>;
// The memory space of an instruction, as a type.
template <dot_space Space>
using space_t = constant<dot_space, Space>;
// The operation of an instruction, as a type.
template <dot_op Op>
using op_t = constant<dot_op, Op>;
// The group of blocks of an instruction, as a type.
template <dot_cta_group Group>
using cta_group_t = constant<dot_cta_group, Group>;
// A compile-time constant as an argument: n32_t<4>{} passes 4.
template <int Number>
using n32_t = constant<int, Number>;

using sem_acq_rel_t = sem_t<dot_sem::acq_rel>;
using sem_acquire_t = sem_t<dot_sem::acquire>;
using sem_relaxed_t = sem_t<dot_sem::relaxed>;
using sem_release_t = sem_t<dot_sem::release>;
using sem_sc_t = sem_t<dot_sem::sc>;
using sem_weak_t = sem_t<dot_sem::weak>;
using scope_cta_t = scope_t<dot_scope::cta>;
using scope_cluster_t = scope_t<dot_scope::cluster>;
using scope_gpu_t = scope_t<dot_scope::gpu>;
using scope_sys_t = scope_t<dot_scope::sys>;
using space_global_t = space_t<dot_space::global>;
using space_cluster_t = space_t<dot_space::cluster>;
using space_shared_t = space_t<dot_space::shared>;
using op_add_t = op_t<dot_op::add>;
using op_dec_t = op_t<dot_op::dec>;
using op_inc_t = op_t<dot_op::inc>;
using op_max_t = op_t<dot_op::max>;
using op_min_t = op_t<dot_op::min>;
using op_and_op_t = op_t<dot_op::and_op>;
using op_or_op_t = op_t<dot_op::or_op>;
using op_xor_op_t = op_t<dot_op::xor_op>;
using op_cas_t = op_t<dot_op::cas>;
using op_exch_t = op_t<dot_op::exch>;
using cta_group_1_t = cta_group_t<dot_cta_group::cta_group_1>;
using cta_group_2_t = cta_group_t<dot_cta_group::cta_group_2>;

}  // namespace qualifiers

// Additions in half precision and bfloat16, of one number or two.
struct op_add_f16_t {};
struct op_add_f16x2_t {};
struct op_add_bf16_t {};
struct op_add_bf16x2_t {};

// The PTX scope for a cuda::thread_scope. PTX has no scope of a single thread: .cta is the narrowest.
// clang-format off
template <thread_scope Scope> struct scope_of                       { using type = scope_cta_t; };
template <>                   struct scope_of<thread_scope_cluster> { using type = scope_cluster_t; };
template <>                   struct scope_of<thread_scope_device>  { using type = scope_gpu_t; };
template <>                   struct scope_of<thread_scope_system>  { using type = scope_sys_t; };
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
