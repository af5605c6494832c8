// The L1 cache of a multiprocessor: lines of global memory that other multiprocessors may have changed since.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_FIRST_CACHE_H
#define CUDASYNC_MACHINE_FIRST_CACHE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace model {

class first_cache {
 public:
  static constexpr uint64_t sector_bytes = 32;

  // The bytes that a load finds: those of an earlier load, or the current ones, which stay. Aligned to its size, at most
  // a sector. is_whole: whether all bytes of the sector may be read.
  const uint8_t* load(uint64_t address, uint64_t size, bool is_whole) {
    const uint64_t start = address / sector_bytes * sector_bytes, offset = address - start;
    sector& found = sector_of(start);
    const uint32_t wanted = mask(offset, size);
    if ((found.known & wanted) != wanted) {
      const uint32_t missing = ~found.known & (is_whole ? ~uint32_t{0} : wanted);
      const uint8_t* const current = reinterpret_cast<const uint8_t*>(start);
      if (missing == ~uint32_t{0})
        std::memcpy(found.bytes, current, sector_bytes);
      else
        for (uint64_t byte = 0; byte < sector_bytes; ++byte)
          if ((missing >> byte & 1) != 0) found.bytes[byte] = current[byte];
      found.known |= missing;
    }
    return found.bytes + offset;
  }

  // A store of this multiprocessor writes through.
  void store(uint64_t address, uint64_t size, const void* bytes) {
    const uint64_t start = address / sector_bytes * sector_bytes;
    if (sector* const found = find(start)) std::memcpy(found->bytes + (address - start), bytes, size);
  }

  // The next load reads memory.
  void drop(uint64_t address, uint64_t size) {
    for (uint64_t start = address / sector_bytes * sector_bytes; start < address + size; start += sector_bytes)
      if (sector* const found = find(start)) found->known = 0;
  }
  void drop_all() {
    ++round_;
    used_ = 0;
  }

 private:
  struct sector {
    uint64_t start = 0, round = 0;  // free if it is from an earlier round
    uint32_t known = 0;             // a bit for each byte
    uint8_t bytes[sector_bytes];
  };

  static constexpr uint64_t neighbors = 8;
  static constexpr size_t most_sectors = (256 << 10) / sector_bytes;  // of an H100
  bool is_last(uint64_t start) const { return sectors_[last_].start == start && sectors_[last_].round == round_; }
  static uint32_t mask(uint64_t offset, uint64_t size) {
    return static_cast<uint32_t>(((uint64_t{1} << size) - 1) << offset);
  }

  // It, or the free place where it belongs. Neighbors are close together.
  sector& place_of(uint64_t start) {
    const uint64_t number = start / sector_bytes;
    size_t index = ((number / neighbors * 0x9e3779b97f4a7c15u) >> shift_) / neighbors * neighbors + number % neighbors;
    while (sectors_[index].round == round_ && sectors_[index].start != start)
      index = (index + 1) & (sectors_.size() - 1);
    return sectors_[index];
  }
  sector* find(uint64_t start) {
    if (used_ == 0) return nullptr;
    if (is_last(start)) return &sectors_[last_];
    sector& found = place_of(start);
    return found.round == round_ ? &found : nullptr;
  }
  sector& sector_of(uint64_t start) {
    if (used_ != 0 && is_last(start)) return sectors_[last_];
    if (used_ == most_sectors) drop_all();
    if (2 * (used_ + 1) > sectors_.size()) grow();
    sector& found = place_of(start);
    if (found.round != round_) {
      found.start = start;
      found.round = round_;
      found.known = 0;
      ++used_;
    }
    last_ = static_cast<size_t>(&found - sectors_.data());
    return found;
  }
  void grow() {
    std::vector<sector> old(std::max<size_t>(2 * sectors_.size(), 64));
    old.swap(sectors_);
    shift_ = 64 - static_cast<uint32_t>(__builtin_ctzll(sectors_.size()));
    for (const sector& each : old)
      if (each.round == round_) place_of(each.start) = each;
  }

  std::vector<sector> sectors_;  // empty, or a power of two
  size_t used_ = 0, last_ = 0;
  uint64_t round_ = 1;
  uint32_t shift_ = 0;
};

}  // namespace model

#endif
