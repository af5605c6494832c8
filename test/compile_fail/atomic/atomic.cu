// Misuse with <cuda/atomic>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

// misuse: addition_of_bools
// Truth values are not added.
// ERROR: arithmetic needs an integer, a floating-point number or a pointer: use compare_exchange_weak in a loop
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic<bool>& atomic) {
  atomic.fetch_add(true);
#else
__device__ void use(cuda::atomic<unsigned char>& atomic) {
  atomic.fetch_add(1);
#endif
}

// misuse: addition_of_structs
// Only numbers and pointers are added.
// ERROR: arithmetic needs an integer, a floating-point number or a pointer: use compare_exchange_weak in a loop
struct point {
  int x;
  int y;
};

__device__ void use(cuda::atomic<point>& atomic) {
  atomic.fetch_add(point{1, 1});                                           // wrong
  point old = atomic.load();                                               // right
  while (!atomic.compare_exchange_weak(old, point{old.x + 1, old.y + 1}))  // right
    continue;                                                              // right
}

// misuse: assigned
// An atomic is not assigned from another.
// ERROR: deleted
__device__ void use(cuda::atomic<int>& left, cuda::atomic<int>& right) {
  left = right;         // wrong
  left = right.load();  // right
}

// misuse: bits_of_float
// A floating-point number is no set of bits.
// ERROR: bitwise operations need an integer or a bool: use compare_exchange_weak in a loop
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic<float>& atomic) {
  atomic.fetch_and(1.0f);
#else
__device__ void use(cuda::atomic<unsigned>& atomic) {
  atomic.fetch_and(1);
#endif
}

// misuse: bits_of_pointer
// A pointer is no set of bits.
// ERROR: bitwise operations need an integer or a bool: use compare_exchange_weak in a loop
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic<int*>& atomic) {
  atomic.fetch_and(nullptr);
#else
__device__ void use(cuda::atomic<unsigned long>& atomic) {
  atomic.fetch_and(0);
#endif
}

// misuse: compare_exchange_of_16_bytes
// Before sm_90 no instruction compares and exchanges 16 bytes.
// ERROR: 16-byte compare-exchange needs sm_90: compile for it, or use an atomic pointer to the 16-byte value
// ARCHS: 70 80
struct alignas(16) pair {
  long long low;
  long long high;
};

__device__ void use(cuda::atomic<pair>& atomic, pair& expected) {
  atomic.compare_exchange_strong(expected, pair{});  // wrong
  expected = atomic.load();                          // right
}

// misuse: const_value
// The atomic is const, not its value.
// ERROR: atomic has no const or volatile value type: make the atomic itself const or volatile
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ int use(cuda::atomic<const int>& atomic) {
#else
__device__ int use(const cuda::atomic<int>& atomic) {
#endif
  return atomic.load();
}

// misuse: copied
// Two atomics are never one.
// ERROR: deleted
__device__ void use(cuda::atomic<int>& atomic) {
  cuda::atomic<int> other(atomic);         // wrong
  cuda::atomic<int> other(atomic.load());  // right
  static_cast<void>(other);
}

// misuse: exchange_of_16_bytes
// Before sm_90 no instruction exchanges 16 bytes.
// ERROR: 16-byte read-modify-writes need sm_90: compile for it, or use an atomic pointer to the 16-byte value
// ARCHS: 70 80
struct alignas(16) pair {
  long long low;
  long long high;
};

__device__ void use(cuda::atomic<pair>& atomic) {
  atomic.exchange(pair{});  // wrong
  atomic.store(pair{});     // right
}

// misuse: not_trivially_copyable
// An atomic copies bytes.
// ERROR: an atomic type must be trivially copyable \[atomics.types.generic\]: use an atomic pointer to the object
struct owner {
  int* place;

  __device__ owner(int* first) : place(first) {}
  __device__ owner(const owner& other) : place(other.place) {}
};

__device__ void use(int* place) {
  cuda::atomic<owner> atomic(owner{place});  // wrong
  cuda::atomic<int*> atomic(place);          // right
  static_cast<void>(atomic);
}

// misuse: store_max_of_structs
// Values without an order are not compared.
// ERROR: fetch_min and fetch_max need an operator<: define it for the type
struct point {
  int x;
  int y;
};
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ bool operator==(const point& left, const point& right) {
  return left.x == right.x;
#else
__device__ bool operator<(const point& left, const point& right) {
  return left.x < right.x;
#endif
}

__device__ void use(cuda::atomic<point>& atomic) {
  atomic.store_max(point{1, 1});
}

// misuse: store_or_of_float
// A floating-point number is no set of bits.
// ERROR: bitwise operations need an integer or a bool: use compare_exchange_weak in a loop
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic<float>& atomic) {
  atomic.store_or(1.0f);
#else
__device__ void use(cuda::atomic<unsigned>& atomic) {
  atomic.store_or(1);
#endif
}

// misuse: uninitialized_not_trivially_copyable
// An atomic copies bytes: also one that nothing initialized.
// ERROR: an atomic type must be trivially copyable \[atomics.types.generic\]: use an atomic pointer to the object
struct owner {
  int* place;

  __device__ owner(const owner& other) : place(other.place) {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ owner use(cuda::atomic<owner>& atomic) {
#else
__device__ int* use(cuda::atomic<int*>& atomic) {
#endif
  return atomic.load();
}

// misuse: volatile_value
// The atomic is volatile, not its value.
// ERROR: atomic has no const or volatile value type: make the atomic itself const or volatile
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ int use(cuda::atomic<volatile int>& atomic) {
#else
__device__ int use(volatile cuda::atomic<int>& atomic) {
#endif
  return atomic.load();
}
