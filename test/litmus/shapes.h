// The shapes of litmus tests: what each thread does, and the outcome that the orders forbid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_LITMUS_SHAPES_H
#define CUDASYNC_TEST_LITMUS_SHAPES_H

#include <cuda/atomic>

// The orders are those of the rows of test/axioms/shapes.py, whose outcomes a solver has found to be forbidden, and to be
// allowed once all orders are relaxed.
namespace litmus {

using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;

constexpr unsigned most_members = 4, variables = 3;

// The variables of one run. The relaxed twin of a shape has no other order.
template <cuda::thread_scope Scope, bool IsStrong>
struct places {
  static constexpr cuda::thread_scope scope = Scope;
  int *first, *second, *third;

  template <class Order>
  static __device__ void store(int* at, int value, Order order) {
    if constexpr (IsStrong)
      cuda::atomic_ref<int, Scope>(*at).store(value, order);
    else
      cuda::atomic_ref<int, Scope>(*at).store(value, memory_order_relaxed);
  }
  template <class Order>
  static __device__ unsigned char load(int* at, Order order) {
    if constexpr (IsStrong)
      return static_cast<unsigned char>(cuda::atomic_ref<int, Scope>(*at).load(order));
    else
      return static_cast<unsigned char>(cuda::atomic_ref<int, Scope>(*at).load(memory_order_relaxed));
  }
};

// Of each shape: the number of threads; play, for the thread of this role; whether what the threads have read, and the last
// values of the variables, are the forbidden outcome; and whether they show that the threads overlapped: an outcome that is
// allowed, but impossible if one thread after the other plays.

struct message_passing {
  static constexpr const char* name = "MP";
  static constexpr unsigned members = 2;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    if (role == 0) {
      at.store(at.first, 1, memory_order_relaxed);
      at.store(at.second, 1, memory_order_release);
    } else {
      read[0] = at.load(at.second, memory_order_acquire);
      read[1] = at.load(at.first, memory_order_relaxed);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) { return read[0] == 1 && read[1] == 0; }
  static __device__ bool overlaps(const unsigned char* read, const int*) { return read[0] == 0 && read[1] == 1; }
};

struct store_buffering {
  static constexpr const char* name = "SB";
  static constexpr unsigned members = 2;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    at.store(role == 0 ? at.first : at.second, 1, memory_order_seq_cst);
    read[role] = at.load(role == 0 ? at.second : at.first, memory_order_seq_cst);
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) { return read[0] == 0 && read[1] == 0; }
  static __device__ bool overlaps(const unsigned char* read, const int*) { return read[0] == 1 && read[1] == 1; }
};

struct load_buffering {
  static constexpr const char* name = "LB";
  static constexpr unsigned members = 2;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    read[role] = at.load(role == 0 ? at.first : at.second, memory_order_acquire);
    at.store(role == 0 ? at.second : at.first, 1, memory_order_release);
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) { return read[0] == 1 && read[1] == 1; }
  static __device__ bool overlaps(const unsigned char* read, const int*) { return read[0] == 0 && read[1] == 0; }
};

struct two_writes_each {
  static constexpr const char* name = "2+2W";
  static constexpr unsigned members = 2;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char*) {
    at.store(role == 0 ? at.first : at.second, 1, memory_order_seq_cst);
    at.store(role == 0 ? at.second : at.first, 2, memory_order_seq_cst);
  }
  static __device__ bool is_forbidden(const unsigned char*, const int* last) { return last[0] == 1 && last[1] == 1; }
  static __device__ bool overlaps(const unsigned char*, const int* last) { return last[0] == 2 && last[1] == 2; }
};

struct write_after_message {
  static constexpr const char* name = "S";
  static constexpr unsigned members = 2;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    if (role == 0) {
      at.store(at.first, 2, memory_order_relaxed);
      at.store(at.second, 1, memory_order_release);
    } else {
      read[0] = at.load(at.second, memory_order_acquire);
      at.store(at.first, 1, memory_order_relaxed);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int* last) {
    return read[0] == 1 && last[0] == 2;
  }
  static __device__ bool overlaps(const unsigned char* read, const int* last) { return read[0] == 0 && last[0] == 1; }
};

struct read_after_write {
  static constexpr const char* name = "R";
  static constexpr unsigned members = 2;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    if (role == 0) {
      at.store(at.first, 1, memory_order_seq_cst);
      at.store(at.second, 1, memory_order_seq_cst);
    } else {
      at.store(at.second, 2, memory_order_seq_cst);
      read[0] = at.load(at.first, memory_order_seq_cst);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int* last) {
    return read[0] == 0 && last[1] == 2;
  }
  static __device__ bool overlaps(const unsigned char* read, const int* last) { return read[0] == 1 && last[1] == 1; }
};

struct write_to_read_causality {
  static constexpr const char* name = "WRC";
  static constexpr unsigned members = 3;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    if (role == 0) {
      at.store(at.first, 1, memory_order_relaxed);
    } else if (role == 1) {
      read[0] = at.load(at.first, memory_order_acquire);
      at.store(at.second, 1, memory_order_release);
    } else {
      read[1] = at.load(at.second, memory_order_acquire);
      read[2] = at.load(at.first, memory_order_relaxed);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) {
    return read[0] == 1 && read[1] == 1 && read[2] == 0;
  }
  static __device__ bool overlaps(const unsigned char* read, const int*) {
    return read[0] == 0 && read[1] == 0 && read[2] == 1;
  }
};

struct read_to_write_causality {
  static constexpr const char* name = "RWC";
  static constexpr unsigned members = 3;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    if (role == 0) {
      at.store(at.first, 1, memory_order_seq_cst);
    } else if (role == 1) {
      read[0] = at.load(at.first, memory_order_seq_cst);
      read[1] = at.load(at.second, memory_order_seq_cst);
    } else {
      at.store(at.second, 1, memory_order_seq_cst);
      read[2] = at.load(at.first, memory_order_seq_cst);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) {
    return read[0] == 1 && read[1] == 0 && read[2] == 0;
  }
  static __device__ bool overlaps(const unsigned char* read, const int*) {
    return read[0] == 0 && read[1] == 1 && read[2] == 1;
  }
};

struct message_over_a_third {
  static constexpr const char* name = "ISA2";
  static constexpr unsigned members = 3;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    if (role == 0) {
      at.store(at.first, 1, memory_order_relaxed);
      at.store(at.second, 1, memory_order_release);
    } else if (role == 1) {
      read[0] = at.load(at.second, memory_order_acquire);
      at.store(at.third, 1, memory_order_release);
    } else {
      read[1] = at.load(at.third, memory_order_acquire);
      read[2] = at.load(at.first, memory_order_relaxed);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) {
    return read[0] == 1 && read[1] == 1 && read[2] == 0;
  }
  static __device__ bool overlaps(const unsigned char* read, const int*) {
    return read[0] == 0 && read[1] == 0 && read[2] == 1;
  }
};

struct independent_reads {
  static constexpr const char* name = "IRIW";
  static constexpr unsigned members = 4;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    int *const one = role % 2 == 0 ? at.first : at.second, *const other = role % 2 == 0 ? at.second : at.first;
    if (role < 2) {
      at.store(one, 1, memory_order_seq_cst);
    } else {
      read[2 * role - 4] = at.load(one, memory_order_seq_cst);
      read[2 * role - 3] = at.load(other, memory_order_seq_cst);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) {
    return read[0] == 1 && read[1] == 0 && read[2] == 1 && read[3] == 0;
  }
  static __device__ bool overlaps(const unsigned char* read, const int*) {
    return read[0] == 0 && read[1] == 1 && read[2] == 0 && read[3] == 1;
  }
};

// Two reads of one place agree with the order of its writes. Relaxed operations have this, too: there is no weak twin.
struct coherence {
  static constexpr const char* name = "CoRR";
  static constexpr unsigned members = 2;
  template <class Places>
  static __device__ void play(unsigned role, const Places& at, unsigned char* read) {
    if (role == 0) {
      at.store(at.first, 1, memory_order_relaxed);
    } else {
      read[0] = at.load(at.first, memory_order_relaxed);
      read[1] = at.load(at.first, memory_order_relaxed);
    }
  }
  static __device__ bool is_forbidden(const unsigned char* read, const int*) { return read[0] == 1 && read[1] == 0; }
  static __device__ bool overlaps(const unsigned char* read, const int*) { return read[0] == 0 && read[1] == 1; }
};

}  // namespace litmus

#endif
