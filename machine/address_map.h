// A value for each address that was asked for, found in a few steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_ADDRESS_MAP_H
#define CUDASYNC_MACHINE_ADDRESS_MAP_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace model {

template <class Value>
class address_map {
 public:
  // References stay valid.
  Value& operator[](uint64_t key) {
    slot* at = &slot_of(key);
    if (at->value == nullptr) {
      if (2 * (values_.size() + 1) > slots_.size()) {
        grow();
        at = &slot_of(key);
      }
      values_.emplace_back();
      *at = {key, &values_.back()};
    }
    return *at->value;
  }
  const Value* find(uint64_t key) const { return slot_of(key).value; }
  Value* find(uint64_t key) { return slot_of(key).value; }
  void reset(uint64_t key) {
    if (Value* const value = find(key)) *value = Value();
  }
  std::vector<uint64_t> keys() const {
    std::vector<uint64_t> all;
    for (const slot& each : slots_)
      if (each.value != nullptr) all.push_back(each.key);
    return all;
  }

 private:
  struct slot {
    uint64_t key = 0;
    Value* value = nullptr;
  };

  slot& slot_of(uint64_t key) { return slots_[index_of(key)]; }
  const slot& slot_of(uint64_t key) const { return slots_[index_of(key)]; }
  size_t index_of(uint64_t key) const {
    size_t index = (key * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[index].value != nullptr && slots_[index].key != key)
      index = (index + 1) & (slots_.size() - 1);
    return index;
  }
  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    --shift_;
    for (const slot& each : old)
      if (each.value != nullptr) slot_of(each.key) = each;
  }

  uint32_t shift_ = 64 - 6;
  std::vector<slot> slots_ = std::vector<slot>(1 << 6);
  std::deque<Value> values_;
};

}  // namespace model

#endif
