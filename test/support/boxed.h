// Values of sizes that no instruction takes, whose bytes all follow from a number: parts of two values do not fit together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_BOXED_H
#define CUDASYNC_TEST_SUPPORT_BOXED_H

#if defined(__CUDACC__)
#define BOXED_API __host__ __device__
#else
#define BOXED_API
#endif

// Of Size bytes, aligned to Alignment.
template <unsigned Size, unsigned Alignment = 1>
struct alignas(Alignment) boxed {
  unsigned char bytes[Size];
};

// The first two bytes are the number, up to 65535.
template <class Value>
BOXED_API Value whole(unsigned number) {
  Value value{};
  for (unsigned index = 0; index < sizeof value.bytes; ++index)
    value.bytes[index] =
        static_cast<unsigned char>(index < 2 ? number >> 8 * index : number * 37 + (number >> 8) + index);
  return value;
}
template <class Value>
BOXED_API unsigned number_of(const Value& value) {
  return value.bytes[0] + value.bytes[1] * 256u;
}
template <class Value>
BOXED_API bool is_whole(const Value& value) {
  const Value wanted = whole<Value>(number_of(value));
  for (unsigned index = 0; index < sizeof value.bytes; ++index)
    if (value.bytes[index] != wanted.bytes[index]) return false;
  return true;
}

#endif
