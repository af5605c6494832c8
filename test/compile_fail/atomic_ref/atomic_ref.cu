// Misuse with <cuda/atomic>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

// misuse: addition_to_const
// A reference to a const object only reads.
// ERROR: has no member "fetch_add"
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic_ref<const int> atomic) {
  atomic.fetch_add(1);
#else
__device__ void use(cuda::atomic_ref<int> atomic) {
  atomic.fetch_add(1);
#endif
}

// misuse: bytes
// An array of bytes may lie at any address.
// ERROR: atomic_ref needs objects aligned to their size: declare the type with alignas\(sizeof ...\)
struct bytes {
  unsigned char all[8];
};
struct alignas(8) aligned_bytes {
  unsigned char all[8];
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(bytes& object) {
  cuda::atomic_ref<bytes> atomic(object);
#else
__device__ void use(aligned_bytes& object) {
  cuda::atomic_ref<aligned_bytes> atomic(object);
#endif
  static_cast<void>(atomic);
}

// misuse: const_volatile_24_bytes
// Also to load from it alone.
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
template <int Numbers>
struct alignas(8 * (2 - Numbers % 2)) numbers {
  long long number[Numbers];
};

using value = numbers<3>;  // wrong
using value = numbers<2>;  // right

__device__ value use(const volatile value& object) {
  return cuda::atomic_ref<const volatile value>(object).load();
}

// misuse: not_trivially_copyable
// An atomic copies bytes.
// ERROR: an atomic type must be trivially copyable \[atomics.types.generic\]: use an atomic pointer to the object
struct owner {
  int* place;

  __device__ owner(int* first) : place(first) {}
  __device__ owner(const owner& other) : place(other.place) {}
};

__device__ void use(owner& object) {
  cuda::atomic_ref<owner> atomic(object);       // wrong
  cuda::atomic_ref<int*> atomic(object.place);  // right
  static_cast<void>(atomic);
}

// misuse: packed
// A packed object may lie at any address.
// ERROR: atomic_ref needs objects aligned to their size: declare the type with alignas\(sizeof ...\)
struct __attribute__((packed)) pair {
  short first;
  short second;
};
struct alignas(4) aligned_pair {
  short first;
  short second;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(pair& object) {
  cuda::atomic_ref<pair> atomic(object);
#else
__device__ void use(aligned_pair& object) {
  cuda::atomic_ref<aligned_pair> atomic(object);
#endif
  static_cast<void>(atomic);
}

// misuse: size_24
// No instruction takes 24 bytes.
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
struct node {
  node* left;
  node* right;
  long long key;
};

__device__ void use(node*& value) {
  cuda::atomic_ref<node> atomic(*value);  // wrong
  cuda::atomic_ref<node*> atomic(value);  // right
  static_cast<void>(atomic);
}

// misuse: size_3
// Nor 3 bytes, without those behind.
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
struct colour {
  unsigned char red;
  unsigned char green;
  unsigned char blue;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(colour& value) {
  cuda::atomic_ref<colour> atomic(value);
#else
__device__ void use(cuda::atomic<colour>& atomic) {
#endif
  static_cast<void>(atomic.load());
}

// misuse: store_to_const
// A reference to a const object only reads.
// ERROR: has no member "store"
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic_ref<const int> atomic) {
  atomic.store(1);
#else
__device__ void use(cuda::atomic_ref<int> atomic) {
  atomic.store(1);
#endif
}

// misuse: vector_of_four
// No instruction adds to a vector and returns what it was; one adds to its elements.
// ERROR: arithmetic needs an integer, .* or, to add to float2, float4 or a pair of 16-bit numbers, cudasync::device::store_add_elements
// COMPILERS: nvrtc nvcc
__device__ void add(float4* vector, float4 operand) {
  cuda::atomic_ref<float4>(*vector).fetch_add(operand);   // wrong
  cudasync::device::store_add_elements(vector, operand);  // right
}

// misuse: vector_of_halves
// In its header this vector is not trivially copyable.
// ERROR: an atomic type must be trivially copyable .* or, to add to __half2 or __nv_bfloat162, cudasync::device::store_add_elements
struct __half2 {
  unsigned bits;

  __device__ __half2(unsigned first) : bits(first) {}
  __device__ __half2(const __half2& other) : bits(other.bits) {}
};

__device__ void add(__half2* vector, unsigned* bits) {
  cuda::atomic_ref<__half2> number(*vector);  // wrong
  cuda::atomic_ref<unsigned> number(*bits);   // right
  static_cast<void>(number);
  static_cast<void>(vector);
  static_cast<void>(bits);
}

// misuse: volatile_24_bytes
// A volatile object can be as large as any other: 16 bytes, but not more.
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
struct alignas(16) pair {
  long long first;
  long long second;
};
struct alignas(8) triple {
  long long first;
  long long second;
  long long third;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ triple use(volatile triple& value) {
  return cuda::atomic_ref<volatile triple>(value).load();
}
#else
__device__ pair use(volatile pair& value) {
  cuda::atomic_ref<volatile pair>(value).store({1, 2});
  return cuda::atomic_ref<volatile pair>(value).load();
}
#endif
