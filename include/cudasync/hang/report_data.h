// The report of a hang as data: the text and the JSON of a report are written from it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REPORT_DATA_H
#define CUDASYNC_HANG_REPORT_DATA_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/kind.h>

// A longer wait without progress, in milliseconds, is a hang. What the host sets has precedence.
#if !defined(CUDASYNC_HANG_TIMEOUT_MS)
#define CUDASYNC_HANG_TIMEOUT_MS 15000
#endif

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
  // A file, without its folders, and a line: "kernel.cu:41". Line 0: a place that is not in the user's code.
  CUDASYNC_API_OUT_OF_LINE text& place(const char* file, uint32 line) {
    if (file == nullptr) return *this << "an unknown place";
    const char* name = file;
    for (const char* at = file; *at != 0; ++at)
      if (*at == '/') name = at + 1;
    *this << name;
    return line == 0 ? *this : *this << ":" << line;
  }
};

// The enumerators are also the words of the JSON, in docs/api/hang_report.md and python/cudasync/hang_report.py: a
// test compares them. Append new ones, or increase the version if the meaning of an old one changes.
inline constexpr uint32 report_version = 1;

// clang-format off
#define CUDASYNC_INCIDENTS(EACH) EACH(hang) EACH(too_many_arrivals) EACH(named_barrier)

// In groups, each of which one function explains: see explain_as.
#define CUDASYNC_CAUSES(EACH) \
  EACH(unknown) \
  EACH(record_replaced) EACH(pipeline_not_initialized) EACH(barrier_not_initialized) EACH(state_not_readable) \
  EACH(initialized_twice) EACH(arrivals_before_init) EACH(overwritten) \
  EACH(answer_not_requested) EACH(answer_not_released) \
  EACH(bytes_of_other_blocks) EACH(bytes_at_other_barrier) EACH(bytes_not_expected) EACH(copy_not_complete) \
  EACH(bytes_differ) EACH(expected_without_arrival) \
  EACH(stage_not_released) EACH(stage_not_filled) EACH(released_too_often) EACH(wrong_stage_released) \
  EACH(too_many_consumers) \
  EACH(first_parity) EACH(parity_not_flipped) EACH(phase_not_begun) EACH(overtaken) EACH(token_of_other_phase) \
  EACH(token_of_other_barrier) \
  EACH(arrived_after_drop) EACH(arrived_before_bytes) EACH(arrived_in_own_block) EACH(arrived_twice) \
  EACH(arrived_too_often) EACH(count_below_lanes) EACH(count_below_arrivers) EACH(too_many_producers) \
  EACH(no_arrival) EACH(other_blocks_missing) EACH(count_above_threads) EACH(all_threads_arrived) \
  EACH(count_above_arrivers) EACH(one_lane_of_each_warp) EACH(updates_below_count) EACH(one_thread_only) \
  EACH(rounds_differ) EACH(waiters_do_not_arrive) EACH(threads_missing) \
  EACH(turn_not_passed) EACH(group_too_large) EACH(arrived_at_other_barrier) \
  EACH(stages_in_a_circle) EACH(barriers_in_a_circle) EACH(arrival_skipped) \
  EACH(arrivals_missing) EACH(participants_missing) EACH(rank_missing) EACH(host_missing) EACH(no_permit) \
  EACH(value_unchanged) EACH(lock_held) EACH(named_arrivals_missing) \
  EACH(named_barriers_in_a_circle) EACH(named_barrier_misused) EACH(in_local_memory) EACH(permits_in_a_circle) \
  EACH(signal_missing) EACH(message_missing) EACH(message_overwritten)

// What the numbers of a cause count.
#define CUDASYNC_NUMBERS(EACH)                                                                       \
  EACH(expected) EACH(arrived) EACH(arrivers) EACH(arrivals) EACH(threads) EACH(lost)                \
  EACH(waits_in_a_row) EACH(parity) EACH(phases) EACH(stage) EACH(fills) EACH(releases)              \
  EACH(fewest_releases) EACH(block) EACH(bytes_expected) EACH(bytes_copied) EACH(missing)            \
  EACH(rank) EACH(phase) EACH(is_own) EACH(value) EACH(warp) EACH(id) EACH(capacity) EACH(suggested) \
  EACH(awaited) EACH(index)
// clang-format on

#define CUDASYNC_ENUMERATOR(NAME) NAME,

enum class incident : uint32 { CUDASYNC_INCIDENTS(CUDASYNC_ENUMERATOR) };
enum class cause : uint32 { CUDASYNC_CAUSES(CUDASYNC_ENUMERATOR) };
enum class number : uint32 { CUDASYNC_NUMBERS(CUDASYNC_ENUMERATOR) };

#undef CUDASYNC_ENUMERATOR

#if CUDASYNC_HAS_HOST
#define CUDASYNC_WORD(NAME) #NAME,

inline constexpr const char* words_of_incidents[] = {CUDASYNC_INCIDENTS(CUDASYNC_WORD)};
inline constexpr const char* words_of_causes[] = {CUDASYNC_CAUSES(CUDASYNC_WORD)};
inline constexpr const char* words_of_numbers[] = {CUDASYNC_NUMBERS(CUDASYNC_WORD)};

#undef CUDASYNC_WORD
#endif

#undef CUDASYNC_NUMBERS
#undef CUDASYNC_CAUSES
#undef CUDASYNC_INCIDENTS

// A part of the text of the report, in place of a copy.
struct text_span {
  uint32 begin;
  uint32 length;
};

struct reported_object {
  uint64 address;
  kind what;
  role who;
  uint32 stage;      // if it has a role
  uint32 has_phase;  // whether the next four are known
  uint32 expected;   // arrivals in the current phase
  uint32 arrived;
  uint32 parity;
  int32 bytes;                  // outstanding; negative: more have been copied than expected
  text_span line, name, place;  // place: of init; empty if it is not known
};

// Threads that wait for an object at one place.
struct reported_wait {
  uint32 object;  // its index
  uint32 parity;  // ~0: the wait is for a token
  uint32 threads;
  uint32 others;  // of other blocks
  text_span line, place;
  uint32 warps[32];  // the threads of the block that reports: a bit for each lane
};

struct reported_number {
  uint64 value;
  number what;
  uint32 unused;
};

struct reported_cause {
  cause what;
  uint32 object;  // its index, or ~0
  uint32 numbers_used;
  text_span text, remedy;
  uint32 warps[32];  // the threads that the cause is about
  reported_number numbers[6];
};

inline constexpr uint32 most_objects_in_report = 12;

struct report_data {
  uint32 version;
  incident what;
  uint32 milliseconds;  // without progress
  uint32 threads;       // of the block
  uint32 block[3];
  uint32 left_out;  // waiting threads that are not in the list
  uint32 objects_used;
  uint32 waits_used;
  text_span headline;
  uint32 unexplained;  // objects whose waits the causes may not explain: a bit for each index
  uint32 unused;
  reported_cause why;
  reported_cause other;    // if it is not certain: another possible cause, otherwise unknown
  reported_cause further;  // of a wait that `why` names, or of a second hang; otherwise unknown
  reported_object objects[most_objects_in_report];
  reported_wait waits[most_objects_in_report];
};

// The report for the host, in memory that host and device can access. is_complete is written last.
struct host_report {
  uint32 is_complete;
  text<8192> words;
  report_data data;
};

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CHECKED

#endif
