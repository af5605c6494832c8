// The L1 cache of a multiprocessor: lines of global memory that other multiprocessors may have changed since.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_FIRST_CACHE_H
#define CUDASYNC_MACHINE_FIRST_CACHE_H

#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace model {

class first_cache {
 public:
  static constexpr uint64_t sector_bytes = 32;

  // The bytes that a load finds: those of an earlier load, or the current ones, which stay. Aligned to its size, at most
  // a sector. is_whole: whether all bytes of the sector may be read.
  const uint8_t* load(uint64_t address, uint64_t size, bool is_whole) {
    const uint64_t start = address / sector_bytes * sector_bytes, offset = address - start;
    sector& found = sectors_[start];
    const uint32_t wanted = mask(offset, size);
    if ((found.known & wanted) != wanted) {
      const uint32_t missing = ~found.known & (is_whole ? ~uint32_t{0} : wanted);
      for (uint64_t byte = 0; byte < sector_bytes; ++byte)
        if ((missing >> byte & 1) != 0) found.bytes[byte] = reinterpret_cast<const uint8_t*>(start)[byte];
      found.known |= missing;
    }
    return found.bytes + offset;
  }

  // A store of this multiprocessor writes through.
  void store(uint64_t address, uint64_t size, const void* bytes) {
    const uint64_t start = address / sector_bytes * sector_bytes;
    const auto found = sectors_.find(start);
    if (found != sectors_.end()) std::memcpy(found->second.bytes + (address - start), bytes, size);
  }

  // The next load reads memory.
  void drop(uint64_t address, uint64_t size) {
    if (sectors_.empty()) return;
    for (uint64_t start = address / sector_bytes * sector_bytes; start < address + size; start += sector_bytes)
      sectors_.erase(start);
  }
  void drop_all() { sectors_.clear(); }

 private:
  struct sector {
    uint32_t known = 0;  // a bit for each byte
    uint8_t bytes[sector_bytes];
  };

  static uint32_t mask(uint64_t offset, uint64_t size) {
    return static_cast<uint32_t>(((uint64_t{1} << size) - 1) << offset);
  }

  std::unordered_map<uint64_t, sector> sectors_;
};

}  // namespace model

#endif
