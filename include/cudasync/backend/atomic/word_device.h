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
  return access<Scope, Word, Word>(&word, word_load<Scope, memory_order::relaxed, Word>{word});
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word load_acquire(target::sm70, const Word& word) {
  return access<Scope, Word, Word>(&word, word_load<Scope, memory_order::acquire, Word>{word});
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
  access<Scope, Word, Word>(&word, word_store<Scope, Word>{word, value});
}

// --- Additions ---

template <thread_scope Scope, class Word>
struct releasing_addition {
  enum : bool { prefers_global = false, fails_in_other_block = sizeof(Word) == 8 };

  Word& word;
  Word value;

  CUDASYNC_DEVICE Word operator()(in_private_memory) const { return (word += value) - value; }
  template <class Pointer>
  CUDASYNC_DEVICE Word operator()(Pointer at) const {
    constexpr scope_on_device<Scope> scope{};
    if constexpr (keeps_order<ptx::op_add_t, Pointer>) {
      return ptx::atom(ptx::sem_release_t{}, scope, ptx::op_add_t{}, at, value);
    } else {
      fence_before<Scope, memory_order::release>();
      if constexpr (has_right_code<ptx::op_add_t, Pointer>)
        return ptx::atom(ptx::sem_relaxed_t{}, scope, ptx::op_add_t{}, at, value);
      else
        return fetch_in_loop(scope, at, [this](Word before) { return before + value; });
    }
  }
};

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_add_release(target::sm70, Word& word, identity<Word> value) {
  return access<Scope, Word, Word>(&word, releasing_addition<Scope, Word>{word, value});
}

// From sm_90 on, a loop if the memory is neither known nor global: right in every memory. Such additions are rare.
template <thread_scope Scope, class Word>
struct relaxed_addition {
  enum : bool { prefers_global = true, fails_in_other_block = false };

  Word& word;
  Word value;

  CUDASYNC_DEVICE Word operator()(in_private_memory) const { return (word += value) - value; }
  template <class Pointer>
  CUDASYNC_DEVICE Word operator()(Pointer at) const {
    constexpr scope_on_device<Scope> scope{};
    if constexpr (has_clusters && is_same<Pointer, ptx::generic_pointer<uint64>>)
      return fetch_in_loop(scope, at, [this](Word before) { return before + value; });
    else
      return ptx::atom(ptx::sem_relaxed_t{}, scope, ptx::op_add_t{}, at, value);
  }
};

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_add_relaxed(target::sm70, Word& word, identity<Word> value) {
  return access<Scope, Word, Word>(&word, relaxed_addition<Scope, Word>{word, value});
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE void add_relaxed(target::sm70 here, Word& word, identity<Word> value) {
  static_cast<void>(fetch_add_relaxed<Scope>(here, word, value));
}

// --- Compare-exchange ---

template <thread_scope Scope, class Word>
struct word_compare_exchange {
  enum : bool { prefers_global = false, fails_in_other_block = false };

  Word& word;
  Word expected;
  Word desired;

  CUDASYNC_DEVICE Word operator()(in_private_memory) const {
    const Word before = word;
    if (before == expected) word = desired;
    return before;
  }
  template <class Pointer>
  CUDASYNC_DEVICE Word operator()(Pointer at) const {
    static_assert(keeps_order<ptx::op_cas_t, Pointer> && has_right_code<ptx::op_cas_t, Pointer>);
    return ptx::atom(ptx::sem_release_t{}, scope_on_device<Scope>{}, ptx::op_cas_t{}, at, expected, desired);
  }
};

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE bool compare_exchange_release(target::sm70, Word& word, identity<Word> expected,
                                              identity<Word> desired) {
  return access<Scope, Word, Word>(&word, word_compare_exchange<Scope, Word>{word, expected, desired}) == expected;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
