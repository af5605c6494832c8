// Atomic words on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_WORD_DEVICE_H
#define CUDASYNC_BACKEND_ATOMIC_WORD_DEVICE_H

#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/order/access_device.h>
#include <cudasync/backend/order/order_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// --- Loads and stores ---

template <thread_scope Scope, memory_order Order, class Word>
struct word_load {
  enum : bool { prefers_global = false, fails_in_other_block = false };

  const Word& word;

  CUDASYNC_DEVICE Word operator()(in_private_memory) const { return word; }
  template <class Pointer>
  CUDASYNC_DEVICE Word operator()(Pointer at) const {
    return ptx::ld(sem_on_device<Order>{}, scope_on_device<Scope>{}, at);
  }
};

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word load_relaxed(target::sm70, const Word& word) {
  return access<Scope, Word>(&word, word_load<Scope, memory_order::relaxed, Word>{word});
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word load_acquire(target::sm70, const Word& word) {
  return access<Scope, Word>(&word, word_load<Scope, memory_order::acquire, Word>{word});
}

template <thread_scope Scope, class Word>
struct word_store {
  enum : bool { prefers_global = false, fails_in_other_block = false };

  Word& word;
  Word value;

  CUDASYNC_DEVICE void operator()(in_private_memory) const { word = value; }
  template <class Pointer>
  CUDASYNC_DEVICE void operator()(Pointer at) const {
    ptx::st(ptx::sem_release_t{}, scope_on_device<Scope>{}, at, value);
  }
};

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE void store_release(target::sm70, Word& word, identity<Word> value) {
  access<Scope, Word>(&word, word_store<Scope, Word>{word, value});
}

// --- Read-modify-writes ---

// A relaxed addition of 64 bits, which is rare: from sm_90 on a loop in unknown memory, right in each, and shorter.
template <thread_scope Scope, memory_order Order, class Operation, class Word>
struct word_update {
  enum : bool {
    prefers_global = has_clusters && Order == memory_order::relaxed && is_same<Operation, ptx::op_add_t>,
    fails_in_other_block = sizeof(Word) == 8 && !prefers_global
  };

  Word& word;
  Word value;

  CUDASYNC_DEVICE Word applied_to(Word before) const {
    if constexpr (is_same<Operation, ptx::op_add_t>) return before + value;
    return is_same<Operation, ptx::op_and_op_t> ? before & value : before | value;
  }
  CUDASYNC_DEVICE Word operator()(in_private_memory) const {
    const Word before = word;
    word = applied_to(before);
    return before;
  }
  template <class Pointer>
  CUDASYNC_DEVICE Word operator()(Pointer at) const {
    constexpr scope_on_device<Scope> scope{};
    constexpr bool is_short_loop = prefers_global && is_same<Pointer, ptx::generic_pointer<uint64>>;
    constexpr bool is_loop = is_short_loop || !has_right_code<Operation, Pointer>;
    if constexpr (!is_loop && keeps_order<Operation, Pointer>) {
      return ptx::atom(sem_on_device<Order>{}, scope, Operation{}, at, value);
    } else {
      fence_before<Scope, Order>();
      if constexpr (is_loop)
        return fetch_in_loop<Order>(scope, at, [this](Word before) { return applied_to(before); });
      else
        return ptx::atom(ptx::sem_relaxed_t{}, scope, Operation{}, at, value);
    }
  }
};

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_add_release(target::sm70, Word& word, identity<Word> value) {
  using update = word_update<Scope, memory_order::release, ptx::op_add_t, Word>;
  return access<Scope, Word>(&word, update{word, value});
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_add_relaxed(target::sm70, Word& word, identity<Word> value) {
  using update = word_update<Scope, memory_order::relaxed, ptx::op_add_t, Word>;
  return access<Scope, Word>(&word, update{word, value});
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_and_relaxed(target::sm70, Word& word, identity<Word> value) {
  using update = word_update<Scope, memory_order::relaxed, ptx::op_and_op_t, Word>;
  return access<Scope, Word>(&word, update{word, value});
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_or_relaxed(target::sm70, Word& word, identity<Word> value) {
  using update = word_update<Scope, memory_order::relaxed, ptx::op_or_op_t, Word>;
  return access<Scope, Word>(&word, update{word, value});
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
