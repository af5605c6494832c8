// Who last changed which word: what explains a loop that waits for another value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_CHANGES_H
#define CUDASYNC_MACHINE_CHANGES_H

#include "address_map.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace model {

struct instruction;

struct word_change {
  const instruction* at = nullptr;  // of this launch, or only to compare
  uint32_t by = 0;                  // a thread, in the clocks
  uint64_t before = 0, value = 0;
};

// By one launch. Of values of more than eight bytes, the first eight. What each change writes is in one line of a cache.
struct alignas(64) launch_changes {
  uint64_t launch = 0, count = 0, when = 0;  // when: in changes of the grid
  uint32_t size = 0;
  bool only_rises = true;
  word_change last;
  word_change other;  // the last one by another instruction, before
  word_change idle;   // the last of `idles` that found what they would have set
  uint64_t idles = 0;
  word_change failed;  // a compare-exchange: the value that it found, and that it expected
  uint64_t first = 0;  // before the first change
};

struct word_changes {
  launch_changes here, earlier;  // the latest launch first
  bool is_mixed = false;         // launches that ran at a time
};

// A store that is neither atomic nor volatile.
struct plain_store {
  uint64_t key = 0;
  const instruction* at = nullptr;
  uint32_t by = 0, launch = 0, when = 0;  // as of launch_changes
  uint16_t value = 0;                     // its first bytes
  uint16_t size = 0;
};

// Where a launch has stored something, in pieces of memory in which a store is: others may have the same bit.
class stored_pieces {
 public:
  void add(uint64_t key) { bits_[index_of(key) / 64] |= uint64_t{1} << index_of(key) % 64; }
  bool may_have(uint64_t key) const { return (bits_[index_of(key) / 64] >> index_of(key) % 64 & 1) != 0; }

 private:
  static constexpr uint64_t piece_bytes = 32, size = 1 << 16;
  static size_t index_of(uint64_t key) { return (key / piece_bytes * 0x9e3779b97f4a7c15u) >> 48; }

  std::vector<uint64_t> bits_ = std::vector<uint64_t>(size / 64);
};

// Of all launches of a thread of the host.
class change_log {
 public:
  static change_log& of_thread() {
    static thread_local change_log one;
    return one;
  }

  void begin(uint64_t launch, const std::string& kernel) {
    if (words_count_ > most_words / 2) {
      words_ = address_map<word_changes>();
      words_count_ = 0;
      since_ = launch;
    }
    kernels_[launch % kernels_.size()] = {launch, kernel};
  }
  // Whether all atomic and volatile changes by this launch are known.
  bool knows(uint64_t launch) const { return launch >= since_; }
  std::string kernel_of(uint64_t launch) const {
    const auto& found = kernels_[launch % kernels_.size()];
    return found.first == launch ? found.second : std::string();
  }

  void note(uint64_t launch, uint64_t when, uint64_t key, uint64_t size, const word_change& made) {
    word_changes* const word = word_of(launch, key, size);
    if (word == nullptr) return;
    launch_changes& here = word->here;
    if (here.count++ == 0) here.first = made.before;
    if (here.last.at != made.at) here.other = here.last;
    here.only_rises = here.only_rises && made.value > made.before;
    here.last = made;
    here.when = when;
  }
  void note_failure(uint64_t launch, uint64_t key, uint64_t size, const word_change& made) {
    if (word_changes* const word = word_of(launch, key, size)) word->here.failed = made;
  }
  void note_idle(uint64_t launch, uint64_t key, uint64_t size, const word_change& made) {
    word_changes* const word = word_of(launch, key, size);
    if (word == nullptr) return;
    word->here.idle = made;
    ++word->here.idles;
  }
  const word_changes* find(uint64_t key) const { return words_.find(key); }

  void note_store(uint64_t launch, uint64_t when, uint64_t key, uint64_t size, uint64_t value, const instruction* at,
                  uint32_t by) {
    stores_[index_of(key)] = {key,
                              at,
                              by,
                              static_cast<uint32_t>(launch),
                              static_cast<uint32_t>(when),
                              static_cast<uint16_t>(value),
                              static_cast<uint16_t>(size)};
  }
  // The last one of this launch that changed one of these bytes, as far as it is known.
  const plain_store* find_store(uint64_t launch, uint64_t key, uint64_t size) const {
    const plain_store* found = nullptr;
    for (uint64_t start = key - 31; start < key + size; ++start) {
      const plain_store& each = stores_[index_of(start)];
      const bool is_it = each.launch == static_cast<uint32_t>(launch) && each.key == start && start + each.size > key;
      if (is_it && (found == nullptr || each.when > found->when)) found = &each;
    }
    return found;
  }

 private:
  static constexpr uint64_t most_words = 1 << 14, store_shift = 9;

  static size_t index_of(uint64_t key) { return (key * 0x9e3779b97f4a7c15u) >> (64 - store_shift); }
  word_changes* word_of(uint64_t launch, uint64_t key, uint64_t size) {
    word_changes* word = words_.find(key);
    if (word == nullptr) {
      if (words_count_ >= most_words) {
        since_ = std::max(since_, launch + 1);
        return nullptr;
      }
      ++words_count_;
      word = &words_[key];
    }
    if (word->here.launch != launch) {
      if (word->earlier.launch == launch) {
        std::swap(word->here, word->earlier);
        word->is_mixed = true;
      } else {
        word->is_mixed = word->here.launch > launch;
        if (word->here.count != 0) word->earlier = word->here;
        word->here = {};
        word->here.launch = launch;
      }
    }
    word->here.size = static_cast<uint32_t>(size);
    return word;
  }

  address_map<word_changes> words_;
  uint64_t words_count_ = 0, since_ = 0;
  std::vector<plain_store> stores_ = std::vector<plain_store>(size_t{1} << store_shift);
  std::array<std::pair<uint64_t, std::string>, 64> kernels_;
};

}  // namespace model

#endif
