// Schedules: where priorities change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choices.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace model {

namespace {

// Sets of `size` places, in the order of their last one: so the first sets are all those of the first places. Places up to 0
// stand for no change.
std::vector<uint64_t> numbered_set(uint64_t number, int size) {
  const auto binomial = [](uint64_t from, int of) {
    unsigned __int128 result = 1;
    for (int step = 0; step < of; ++step)
      result = result * (from - static_cast<uint64_t>(step)) / static_cast<uint64_t>(step + 1);
    return result;
  };
  std::vector<uint64_t> places;
  for (int left = size; left > 0; --left) {
    uint64_t last = static_cast<uint64_t>(left) - 1;
    while (binomial(last + 1, left) <= number)
      ++last;
    number -= static_cast<uint64_t>(binomial(last, left));
    if (last >= static_cast<uint64_t>(size)) places.push_back(last - static_cast<uint64_t>(size) + 1);
  }
  return places;
}

}  // namespace

schedule schedule_from_environment() {
  const char* const text = std::getenv("CUDASYNC_MACHINE_SCHEDULE");
  schedule how;
  if (text == nullptr) return how;
  char word[16] = {};
  unsigned long long places = 0;
  std::sscanf(text, "%15[a-z]:%d:%llu", word, &how.changes, &places);
  how.places = places;
  const char* const words[] = {"random", "priority", "search", "mixed"};
  for (int kind = 0; kind < 4; ++kind)
    if (std::strcmp(word, words[kind]) == 0) {
      how.is = schedule::kind(kind);
      return how;
    }
  throw fault("CUDASYNC_MACHINE_SCHEDULE is random, priority, priority:CHANGES:PLACES, search:CHANGES or mixed");
}

choices::choices(const schedule& how, uint64_t seed, uint64_t least_places)
    : is_(how.is), seed_(seed), lines_(seed % 3) {
  if (is_ == schedule::kind::mixed) is_ = seed % 2 == 0 ? schedule::kind::priority : schedule::kind::random;
  if (is_ == schedule::kind::search) {
    seed_ = 1;
    lines_ = seed % 2;
    are_copies_at_once_ = seed / 2 % 2 != 0;
    changes_ = numbered_set(seed / 4, how.changes < 0 ? 2 : how.changes);
  }
  if (is_ != schedule::kind::priority) return;
  generator random(~seed);
  const auto below = [&](uint64_t limit) { return (random() >> 32) % limit; };
  are_lanes_alone_ = below(4) == 0;
  const uint64_t count = how.changes < 0 ? 1 + below(3) : static_cast<uint64_t>(how.changes);
  const uint64_t places = how.places != 0 ? how.places : least_places << below(1 + below(8));
  while (changes_.size() < count)
    changes_.push_back(1 + below(places));
}

int64_t choices::first_priority(generator& random, uint32_t warp) const {
  if (are_random()) return 0;
  return is_ == schedule::kind::search ? int64_t{~warp} + (int64_t{1} << 32) : static_cast<int64_t>(random() >> 32) + 1;
}

// Threads that only poll must give way to those that they wait for.
int64_t choices::change(bool is_progress) {
  ++places_;
  const bool is_search = is_ == schedule::kind::search;
  for (size_t index = 0; index < changes_.size(); ++index)
    if (changes_[index] == places_) return is_search ? --lowest_ : -1 - static_cast<int64_t>(index);
  idle_places_ = is_progress ? 0 : idle_places_ + 1;
  if (idle_places_ < (is_search ? 4 : 64)) return 0;
  idle_places_ = 0;
  return --lowest_;
}

bool choices::is_at_once(uint32_t copy) const {
  if (is_ == schedule::kind::priority) return generator(seed_ + copy)() >> 63 != 0;
  return are_copies_at_once_;
}

}  // namespace model
