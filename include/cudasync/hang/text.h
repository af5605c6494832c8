// A text that is composed of pieces, on host and device: the lines of a report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_TEXT_H
#define CUDASYNC_HANG_TEXT_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Characters that do not fit are dropped. The text ends with a zero.
template <uint32 Size>
struct text {
  char bytes[Size];
  uint32 length;

  CUDASYNC_API void clear() {
    length = 0;
    bytes[0] = 0;
  }
  CUDASYNC_API void put(char byte) {
    if (length + 1 >= Size) return;
    bytes[length++] = byte;
    bytes[length] = 0;
  }
  CUDASYNC_API_OUT_OF_LINE text& operator<<(const char* string) {
    for (; *string != 0; ++string)
      put(*string);
    return *this;
  }
  CUDASYNC_API_OUT_OF_LINE void put_digits(uint64 number, uint32 base) {
    uint64 power = 1;
    while (number / power >= base)
      power *= base;
    for (; power != 0; power /= base) {
      const uint32 digit = static_cast<uint32>(number / power % base);
      put(static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10));
    }
  }
  CUDASYNC_API text& operator<<(uint64 number) {
    put_digits(number, 10);
    return *this;
  }
  CUDASYNC_API text& operator<<(uint32 number) { return *this << uint64{number}; }
  CUDASYNC_API_OUT_OF_LINE text& hexadecimal(uint64 number) {
    *this << "0x";
    put_digits(number, 16);
    return *this;
  }
  // A number and a noun: "1 byte", "2 bytes".
  CUDASYNC_API_OUT_OF_LINE text& count(uint64 number, const char* singular, const char* plural) {
    return *this << number << " " << (number == 1 ? singular : plural);
  }
  // A file, without its folders, and a line: "kernel.cu:41".
  CUDASYNC_API_OUT_OF_LINE text& place(const char* file, uint32 line) {
    if (file == nullptr) return *this << "an unknown place";
    const char* name = file;
    for (const char* at = file; *at != 0; ++at)
      if (*at == '/') name = at + 1;
    *this << name;
    put(':');
    return *this << line;
  }
};

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CHECKED

#endif
