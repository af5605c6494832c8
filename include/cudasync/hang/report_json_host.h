// The report of a hang as JSON, written from its data. docs/api/hang_report.md describes the members.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REPORT_JSON_HOST_H
#define CUDASYNC_HANG_REPORT_JSON_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/report_data.h>

#include <string>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The enumerators of kind and role.
inline constexpr const char* words_of_kinds[] = {
    "nothing", "barrier",   "counter_barrier", "grid_barrier", "peer_barrier", "world_barrier", "named_barrier",
    "latch",   "semaphore", "atomic_value",    "atomic_lock",  "peer_signal",  "peer_mailbox",  "group"};
inline constexpr const char* words_of_roles[] = {"none", "producer", "consumer", "scheduler", "queue_consumer"};

class report_json {
 public:
  explicit report_json(const host_report& one) : report_(one), data_(one.data) {}

  std::string text() const {
    return "{\"version\":" + std::to_string(data_.version) + ",\"incident\":" + word(words_of_incidents, data_.what) +
           ",\"headline\":" + part(data_.headline) + ",\"milliseconds\":" + std::to_string(data_.milliseconds) +
           ",\"block\":[" + std::to_string(data_.block[0]) + ',' + std::to_string(data_.block[1]) + ',' +
           std::to_string(data_.block[2]) + "],\"threads\":" + std::to_string(data_.threads) +
           ",\"objects\":" + objects() + ",\"left_out\":" + std::to_string(data_.left_out) +
           ",\"likely_cause\":" + cause_of(data_.why) + ",\"remedy\":" + part(data_.why.remedy) +
           ",\"other_causes\":[" + (data_.other.what == cause::unknown ? "" : cause_of(data_.other)) + ']' +
           ",\"other_remedy\":" + part(data_.other.remedy) + ",\"further_causes\":[" +
           (data_.further.what == cause::unknown ? "" : cause_of(data_.further)) +
           "],\"further_remedy\":" + part(data_.further.remedy) + ",\"unexplained\":" + unexplained() + '}';
  }

 private:
  template <class Enumeration, size_t Count>
  static std::string word(const char* const (&words)[Count], Enumeration which) {
    const size_t index = static_cast<size_t>(which);
    return '"' + std::string(words[index < Count ? index : 0]) + '"';
  }

  static std::string number_or_null(uint32 value) { return value == ~uint32{0} ? "null" : std::to_string(value); }

  // A part of the text as a string; null if it is empty.
  std::string part(text_span which) const {
    if (which.length == 0 || which.begin > sizeof report_.words.bytes) return "null";
    std::string result = "\"";
    for (const char byte : std::string(report_.words.bytes, report_.words.length).substr(which.begin, which.length)) {
      if (byte == '"' || byte == '\\') result += '\\';
      if (static_cast<unsigned char>(byte) >= 0x20) result += byte;
    }
    return result + '"';
  }

  // Ranges of threads: [[0,36],[38,255]].
  static std::string threads(const uint32 (&lanes)[32]) {
    const auto has = [&lanes](uint32 rank) { return (lanes[rank / 32] >> rank % 32 & 1) != 0; };
    std::string result;
    for (uint32 rank = 0; rank < 1024; ++rank) {
      if (!has(rank)) continue;
      result += (result.empty() ? "[" : ",[") + std::to_string(rank) + ',';
      while (rank + 1 < 1024 && has(rank + 1))
        ++rank;
      result += std::to_string(rank) + ']';
    }
    return '[' + result + ']';
  }

  std::string waits(uint32 object) const {
    std::string result;
    for (uint32 index = 0; index < data_.waits_used && index < most_objects_in_report; ++index) {
      const reported_wait& wait = data_.waits[index];
      if (wait.object != object) continue;
      result += result.empty() ? "{" : ",{";
      result += "\"threads\":" + threads(wait.warps) + ",\"other_blocks\":" + std::to_string(wait.others) +
                ",\"at\":" + part(wait.place) + ",\"parity\":" + number_or_null(wait.parity) +
                ",\"text\":" + part(wait.line) + '}';
    }
    return '[' + result + ']';
  }

  static std::string phase(const reported_object& object) {
    if (object.has_phase == 0) return "null";
    return "{\"parity\":" + std::to_string(object.parity) + ",\"arrived\":" + std::to_string(object.arrived) +
           ",\"expected\":" + std::to_string(object.expected) + ",\"bytes\":" + std::to_string(object.bytes) + '}';
  }

  std::string objects() const {
    std::string result;
    for (uint32 index = 0; index < data_.objects_used && index < most_objects_in_report; ++index) {
      const reported_object& object = data_.objects[index];
      const bool has_role = object.who != role::none;
      result += index == 0 ? "{" : ",{";
      result += "\"kind\":" + word(words_of_kinds, object.what) +
                ",\"role\":" + (has_role ? word(words_of_roles, object.who) : "null") +
                ",\"stage\":" + (has_role ? std::to_string(object.stage) : "null") + ",\"name\":" + part(object.name) +
                ",\"address\":" + std::to_string(object.address) + ",\"initialized_at\":" + part(object.place) +
                ",\"phase\":" + phase(object) + ",\"text\":" + part(object.line) + ",\"waits\":" + waits(index) + '}';
    }
    return '[' + result + ']';
  }

  std::string cause_of(const reported_cause& why) const {
    std::string numbers;
    for (uint32 index = 0; index < why.numbers_used; ++index) {
      const reported_number& each = why.numbers[index];
      numbers += (numbers.empty() ? "" : ",") + word(words_of_numbers, each.what) + ':' + std::to_string(each.value);
    }
    return "{\"cause\":" + word(words_of_causes, why.what) + ",\"object\":" + number_or_null(why.object) +
           ",\"threads\":" + threads(why.warps) + ",\"numbers\":{" + numbers + "},\"text\":" + part(why.text) + '}';
  }

  std::string unexplained() const {
    std::string result;
    for (uint32 index = 0; index < most_objects_in_report; ++index)
      if ((data_.unexplained >> index & 1) != 0) result += (result.empty() ? "" : ",") + std::to_string(index);
    return '[' + result + ']';
  }

  const host_report& report_;
  const report_data& data_;
};

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_HAS_HOST && CUDASYNC_CHECKED

#endif
