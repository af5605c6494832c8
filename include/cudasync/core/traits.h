// The few type traits that the library needs, without <type_traits>.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_TRAITS_H
#define CUDASYNC_CORE_TRAITS_H

#include <cudasync/core/config.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// clang-format off
template <class Type> struct remove_reference         { using type = Type; };
template <class Type> struct remove_reference<Type&>  { using type = Type; };
template <class Type> struct remove_reference<Type&&> { using type = Type; };

template <class Type> struct remove_cv_of                      { using type = Type; };
template <class Type> struct remove_cv_of<const Type>          { using type = Type; };
template <class Type> struct remove_cv_of<volatile Type>       { using type = Type; };
template <class Type> struct remove_cv_of<const volatile Type> { using type = Type; };
// clang-format on
template <class Type>
using remove_cv = typename remove_cv_of<Type>::type;

template <class Type>
inline constexpr bool is_volatile = false;
template <class Type>
inline constexpr bool is_volatile<volatile Type> = true;
template <class Type>
inline constexpr bool is_volatile<const volatile Type> = true;

// Type with the const and volatile qualifiers of Model.
// clang-format off
template <class Model, class Type> struct same_cv_of                             { using type = Type; };
template <class Model, class Type> struct same_cv_of<const Model, Type>          { using type = const Type; };
template <class Model, class Type> struct same_cv_of<volatile Model, Type>       { using type = volatile Type; };
template <class Model, class Type> struct same_cv_of<const volatile Model, Type> { using type = const volatile Type; };
// clang-format on
template <class Model, class Type>
using same_cv = typename same_cv_of<Model, Type>::type;

// clang-format off
template <bool Condition, class Yes, class No> struct conditional_of                 { using type = Yes; };
template <class Yes, class No>                 struct conditional_of<false, Yes, No> { using type = No; };
// clang-format on
template <bool Condition, class Yes, class No>
using conditional = typename conditional_of<Condition, Yes, No>::type;

// Has the member type only if the condition is true.
template <bool Condition, class Type = void>
struct enable_if {};
template <class Type>
struct enable_if<true, Type> {
  using type = Type;
};

template <class Left, class Right>
inline constexpr bool is_same = false;
template <class Type>
inline constexpr bool is_same<Type, Type> = true;

// Type itself. A parameter of type identity<Type> is not used to deduce Type.
template <class Type>
struct identity_of {
  using type = Type;
};
template <class Type>
using identity = typename identity_of<Type>::type;

// Whether Type is a class or a union, which may have padding between its members.
template <class Type>
inline constexpr bool has_members = __is_class(Type) || __is_union(Type);

template <class Type>
inline constexpr bool is_trivially_copyable = __is_trivially_copyable(Type);

#if defined(__clang__)
template <class Type>
inline constexpr bool is_trivially_destructible = __is_trivially_destructible(Type);
#else
template <class Type>
inline constexpr bool is_trivially_destructible = __has_trivial_destructor(Type);
#endif

// For unevaluated operands.
template <class Type>
CUDASYNC_API Type&& declval() noexcept;

template <class Type>
[[nodiscard]] CUDASYNC_API constexpr typename remove_reference<Type>::type&& move(Type&& value) noexcept {
  return static_cast<typename remove_reference<Type>::type&&>(value);
}

// Whether Expression<Types...>, an alias of what an expression returns, is a type: is_valid<count_of, Duration>.
template <class...>
using void_of = void;
template <template <class...> class Expression, class Void, class... Types>
inline constexpr bool is_valid_for = false;
template <template <class...> class Expression, class... Types>
inline constexpr bool is_valid_for<Expression, void_of<Expression<Types...>>, Types...> = true;
template <template <class...> class Expression, class... Types>
inline constexpr bool is_valid = is_valid_for<Expression, void, Types...>;

// What a call with a value returns, as a bool.
template <class Condition, class Value>
using tested = decltype(static_cast<bool>(declval<const Condition&>()(declval<const Value&>())));

}}  // namespace cudasync::CUDASYNC_ABI

#endif
