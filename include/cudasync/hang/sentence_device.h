// The sentences of a report: texts with placeholders for numbers, threads, objects and lines of the user's code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_SENTENCE_DEVICE_H
#define CUDASYNC_HANG_SENTENCE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/causes.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/ptx/address.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The causes of a report. other: if the likely one is not certain. named: of a wait in it. further: a second hang.
enum class part_of_report : uint32 { likely, other, named, further };

// The output and the arguments of say(), and the report as data. Only one report is written at a time.
struct sentence_space {
  text<sizeof(host_report::words.bytes)> words;
  report_data data;
  uint64 values[8];
  uint64 count;        // the last number, or the size of the last set: it selects singular or plural
  uint64 about;        // the subject that the next cause is about, if its text does not name it; otherwise 0
  subject named;       // the object of the last {o}
  uint64 other_block;  // 1 + the number of a block of which the cause says that it does not come; 0: none
  thread_set warps;    // of a set: a bit for each
  thread_set part_of_set;
  thread_set told;      // threads of which a last call is written
  part_of_report part;  // that is being written
};

CUDASYNC_DEVICE_VARIABLE sentence_space report_text;

CUDASYNC_DEVICE void put(const char* string) {
  report_text.words << string;
}

CUDASYNC_DEVICE reported_cause& current_cause() {
  report_data& data = report_text.data;
  return report_text.part == part_of_report::likely  ? data.why
         : report_text.part == part_of_report::other ? data.other
                                                     : data.further;
}

// Marks a part of the text: what is written between the two calls.
CUDASYNC_DEVICE void begin(text_span& part) {
  part.begin = report_text.words.length;
}
CUDASYNC_DEVICE void end(text_span& part) {
  part.length = report_text.words.length - part.begin;
}
inline __device__ __noinline__ void end_line(text_span& part) {
  end(part);
  put("\n");
}

inline __device__ __noinline__ void put_place(uint64 from) {
  const site place{from};
  report_text.words.place(from != 0 ? place.file() : nullptr, place.line());
}

inline __device__ __noinline__ void put_place(text_span& part, uint64 from) {
  begin(part);
  put_place(from);
  end(part);
}

// The members of a set: "thread 3", "threads 0-31, 40", "warps 0-2, 5".
inline __device__ __noinline__ void put_members(const char* name, const thread_set& set) {
  report_text.count = set.size();
  report_text.words << name << (report_text.count == 1 ? " " : "s ");
  uint32 ranges = 0;
  uint32 shown = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < most_threads && ranges < 6; ++rank) {
    if (!set.has(rank)) continue;
    const uint32 first = rank;
    while (rank + 1 < most_threads && set.has(rank + 1))
      ++rank;
    report_text.words << (ranges++ == 0 ? "" : ", ") << first;
    if (first != rank) report_text.words << "-" << rank;
    shown += rank + 1 - first;
  }
  if (shown != report_text.count) report_text.words << " and " << report_text.count - shown << " more";
}

inline __device__ __noinline__ void put_block(uint64 number) {
  const uint64 row = number / gridDim.x;
  report_text.words << "(" << number % gridDim.x << "," << row % gridDim.y << "," << row / gridDim.y << ")";
}

// The warps of this block that have called the library: a bit for each.
inline __device__ __noinline__ uint32 warps_with_calls() {
  const uint32 first = ptx::get_sreg_smid() * warps_of_multiprocessor;
  uint32 found = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < warps_of_multiprocessor; ++index)
    CUDASYNC_NO_UNROLL
  for (const call_record& each : warps[(first + index) % CUDASYNC_CHECKED_WARPS].calls) {
    const uint32 owner = static_cast<uint32>(read_far(each.stamp) >> 32);
    if (owner >> 5 == tag_of_block()) found |= uint32{1} << owner % 32;
  }
  return found;
}

inline __device__ __noinline__ uint32 put_members_of(const thread_set& set, uint32 of_warps) {
  thread_set& part = report_text.part_of_set;
  CUDASYNC_NO_UNROLL
  for (uint32 warp = 0; warp < 32; ++warp)
    part.warps[warp] = (of_warps >> warp & 1) != 0 ? set.warps[warp] : 0;
  const uint32 size = part.size();
  if (size != 0) put_members("thread", part);
  return size;
}

// The members of a set, those of warps that have called the library first: the others may not be meant to.
inline __device__ __noinline__ void put_candidates(const thread_set& set) {
  const uint32 callers = warps_with_calls();
  const uint32 size = put_members_of(set, callers);
  if (size != 0 && size != set.size()) put(" and, of warps that have never called the library, ");
  if (size != set.size()) put_members_of(set, ~callers);
  report_text.count = set.size();
}

// The last call of a thread of a block, or 0 if it is not known. The records of a multiprocessor are in a row.
inline __device__ __noinline__ site last_call_of(uint32 tag, uint32 rank, uint32 first, uint32 records) {
  site found{0};
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < records && found.bits == 0; ++index)
    found = last_call(warps[(first + index) % CUDASYNC_CHECKED_WARPS], tag << 5 | rank / 32, rank % 32);
  return found;
}
CUDASYNC_DEVICE site last_call_of_thread(uint32 rank) {
  return last_call_of(tag_of_block(), rank, ptx::get_sreg_smid() * warps_of_multiprocessor, warps_of_multiprocessor);
}
CUDASYNC_DEVICE site last_call_in_block(uint64 block, uint32 rank) {
  return last_call_of(tag_of(owner_of(block)), rank, 0, CUDASYNC_CHECKED_WARPS);
}

// Writes the last call of the first thread of a set of which one is known: " (last call of thread 3: k.cu:41)".
inline __device__ __noinline__ void put_last_call(const thread_set& set) {
  const uint32 callers = warps_with_calls();
  uint32 rank = 0;
  uint64 from = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 each = 0; each < threads_of_block() && from == 0; ++each) {
    rank = each;
    if (set.has(each) && (callers >> each / 32 & 1) != 0) from = last_call_of_thread(each).bits;
  }
  if (from == 0) return;
  report_text.told.add(set);
  report_text.words << " (last call of thread " << rank << ": ";
  put_place(from);
  put(")");
}

inline __device__ __noinline__ const object_record* find_initialized(uint64 address) {
  const object_record* const record = find(static_cast<uint32>(address));
  return record != nullptr && record->times != 0 ? record : nullptr;
}

CUDASYNC_DEVICE const object_record* record_of(subject what) {
  return what.what() == kind::barrier ? find_initialized(what.address()) : nullptr;
}

// Writes the name of an object: "barrier full[2]", or "barrier at 0x400" if it has none.
inline __device__ __noinline__ void put_name(subject what) {
  auto& words = report_text.words;
  if (what.who() != role::none) {
    words << (is_of_queue(what.who()) ? "answer " : "stage ") << what.stage();
    return put(what.who() == role::scheduler        ? " of a launch_queue (to be released by its consumers)"
               : what.who() == role::queue_consumer ? " of a launch_queue (to be requested by its scheduler)"
               : what.who() == role::producer       ? " (to be released by its consumers)"
                                                    : " (to be filled by its producers)");
  }
  const object_record* const record = record_of(what);
  if (record != nullptr && is_of_turns(*record))
    return static_cast<void>(words << turn_name << record->index % 1024 << " in stage " << record->index / 1024);
  if (what.is_cluster()) return put("the cluster's barrier");
  put(name_of(what.what()));
  if (what.what() == kind::group) return;
  put(" ");
  if (what.what() == kind::named_barrier) return static_cast<void>(words << what.address());
  if (record == nullptr || record->name == nullptr)
    return static_cast<void>((words << "at ").hexadecimal(what.address()));
  put(record->name);
  if (record->index != ~uint32{0}) words << "[" << record->index << "]";
}

// The same, with the line where the object was initialized, if it is known.
inline __device__ __noinline__ void put_object(subject what) {
  report_text.named = what;
  put_name(what);
  const object_record* const record = record_of(what);
  if (record == nullptr) return;
  put(" (initialized at ");
  put_place(record->from);
  put(")");
}

CUDASYNC_DEVICE void put_value(char how, uint64 value) {
  const auto& set = *reinterpret_cast<const thread_set*>(value);
  if (how == 'n' || how == 'c') report_text.count = value;
  if (how == 'n') report_text.words << value;
  if (how == 's') put(reinterpret_cast<const char*>(value));
  if (how == 'f') put_place(value);
  if (how == 't') put_members("thread", set);
  if (how == 'm') put_candidates(set);
  if (how == 'w') {
    report_text.warps.clear();
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if (set.warps[warp] != 0) report_text.warps.add(warp);
    put_members("warp", report_text.warps);
  }
  if (how == 'l') put_last_call(set);
  if (how == 'o') put_object({value});
  if (how == 'i') put_name({value});
  if (how == 'b') put_block(value);
}

// Begins the cause or the remedy, or ends what has begun, and marks them.
inline __device__ __noinline__ void put_mark(char how) {
  reported_cause& why = current_cause();
  if (how == 'C') {
    put(report_text.part == part_of_report::likely  ? "cudasync:   likely cause: "
        : report_text.part == part_of_report::other ? "cudasync:   not certain; another possible cause: "
        : report_text.part == part_of_report::named ? "cudasync:   the cause of that wait: "
                                                    : "cudasync:   a second hang, which seems to be independent: ");
    begin(why.text);
    uint32 listed = 0;
    CUDASYNC_NO_UNROLL
    for (uint32 index = 0; index < report_text.data.objects_used; ++index)
      listed += report_text.data.objects[index].what != kind::group;
    if (report_text.about != 0 && listed > 1) {
      put_name({report_text.about});
      put(": ");
    }
    report_text.about = 0;
    return;
  }
  put(".");
  end(how == 'R' ? why.text : why.remedy);
  put("\n");
  if (how != 'R') return;
  put("cudasync:   remedy: ");
  begin(why.remedy);
}

// Writes one of the two texts of {one|more}. Returns the end of the placeholder.
inline __device__ __noinline__ const char* put_one_or_more(const char* at) {
  bool is_second = false;
  CUDASYNC_NO_UNROLL
  while (*++at != '}') {
    if (*at == '|')
      is_second = true;
    else if (is_second == (report_text.count != 1))
      report_text.words.put(*at);
  }
  return at;
}

// Writes a sentence, with the values in place of the placeholders.
inline __device__ __noinline__ void say_values(const char* sentence) {
  uint32 used = 0;
  CUDASYNC_NO_UNROLL
  for (const char* at = sentence; *at != 0; ++at) {
    if (*at != '{') {
      report_text.words.put(*at);
    } else if (at[2] != '}' || at[1] == '|') {
      at = put_one_or_more(at);
    } else {
      const char how = at[1];
      at += 2;
      if (how == 'C' || how == 'R' || how == '.')
        put_mark(how);
      else
        put_value(how, report_text.values[used++]);
    }
  }
}

CUDASYNC_DEVICE uint64 value_of(uint64 number) {
  return number;
}
template <class Object>
CUDASYNC_DEVICE uint64 value_of(const Object* string_or_set) {
  return reinterpret_cast<uintptr>(string_or_set);
}
CUDASYNC_DEVICE uint64 value_of(subject what) {
  return what.bits;
}

// The placeholders of a sentence:
//   {C} and {R}   begin the cause and the remedy; {.} ends the last of them
//   {n}           a number; {s} a string; {f} a file and a line; {b} a block
//   {t}           the threads of a set; {m} the same, of which not all may be missing; {w} their warps; {l} the last
//                 call of the first of them that has made one
//   {o}           an object; {i} the same without the line where it was initialized
//   {one|more}    one of two texts, selected by the last number or the size of the last set
//   {c}           a number that selects the text, but is not written
template <class... Values>
CUDASYNC_DEVICE void say(const char* sentence, Values... values) {
  static_assert(sizeof...(Values) <= sizeof report_text.values / sizeof report_text.values[0],
                "say() takes at most 8 values: write two sentences");
  [[maybe_unused]] uint64* place = report_text.values;
  ((*place++ = value_of(values)), ...);
  say_values(sentence);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
