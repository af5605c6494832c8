// Text that is put together piece by piece, on host and device alike: the lines of a report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_TEXT_H
#define CUDASYNC_CHECKED_TEXT_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// What does not fit is left out. The text ends with a zero.
template <uint32 Size>
struct text {
  char bytes[Size];
  uint32 length;

  CUDASYNC_API void clear() {
    length = 0;
    bytes[0] = 0;
  }
  CUDASYNC_API_OUT_OF_LINE void put(char byte) {
    if (length + 1 >= Size) return;
    bytes[length++] = byte;
    bytes[length] = 0;
  }
  CUDASYNC_API_OUT_OF_LINE text& operator<<(const char* string) {
    for (; *string != 0; ++string)
      put(*string);
    return *this;
  }
  CUDASYNC_API_OUT_OF_LINE text& operator<<(uint64 number) {
    char digits[20];
    uint32 count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count != 0)
      put(digits[--count]);
    return *this;
  }
  CUDASYNC_API text& operator<<(uint32 number) { return *this << uint64{number}; }
  CUDASYNC_API_OUT_OF_LINE text& hexadecimal(uint64 number) {
    *this << "0x";
    bool is_leading = true;
    for (uint32 shift = 64; shift != 0;) {
      shift -= 4;
      const uint32 digit = static_cast<uint32>(number >> shift) & 15;
      if (is_leading && digit == 0 && shift != 0) continue;
      is_leading = false;
      put(static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10));
    }
    return *this;
  }
  // One, or many: "1 byte", "2 bytes".
  CUDASYNC_API_OUT_OF_LINE text& count(uint64 number, const char* singular, const char* plural) {
    return *this << number << " " << (number == 1 ? singular : plural);
  }
  // The last part of a path, and the line.
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

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CHECKED

#endif
