// The machine for Python's ctypes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "accepted.h"
#include "machine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void copy_text(const std::string& from, char* to, size_t room) {
  if (room != 0) std::snprintf(to, room, "%s", from.c_str());
}

uint64_t places_of_last_run = 0;
bool uses_fast_path = true;

}  // namespace

extern "C" {

// For the next runs: false lets the general code execute everything.
void model_use_fast_path(int uses) {
  uses_fast_path = uses != 0;
}

// Null, and the reason in the text, when the machine cannot run the PTX.
void* model_load(const char* ptx, char* text, size_t room) {
  try {
    return new model::module(ptx);
  } catch (const std::exception& wrong) {
    copy_text(wrong.what(), text, room);
    return nullptr;
  }
}

// The table of instructions, and the first word of one that is not in it.
void model_forms(char* text, size_t room) {
  copy_text(model::accepted_forms(), text, room);
}

void model_unknown_word(const char* instruction, char* text, size_t room) {
  copy_text(std::string(model::find_unknown_word(model::split_at_dots(instruction))), text, room);
}

// What the kernel may reach and is not implemented, one a line.
void model_unsupported(void* loaded, const char* kernel, char* text, size_t room) {
  std::string all;
  try {
    for (const std::string& each : static_cast<model::module*>(loaded)->unsupported(kernel))
      all += each + "\n";
  } catch (const std::exception& wrong) {
    all = wrong.what();
  }
  copy_text(all, text, room);
}

void model_unload(void* loaded) {
  delete static_cast<model::module*>(loaded);
}

void model_allow(void* start, uint64_t bytes) {
  model::allow(start, bytes);
}

void model_forbid(void* start) {
  model::forbid(start);
}

// 0 finished, 1 trapped, 2 faulted, 3 hung, 4 ended by a race, or finished with races. The text: races, the error, then what
// was printed. finds_races: 1 ends the kernel at the first, 2 goes on.
int model_run(void* loaded, const char* kernel, const uint32_t* grid, const uint32_t* block, const uint32_t* cluster,
              uint64_t shared_bytes, const void* parameters, uint64_t parameter_bytes, uint64_t seed, int finds_races,
              char* text, size_t room) {
  model::launch how;
  how.grid = {grid[0], grid[1], grid[2]};
  how.block = {block[0], block[1], block[2]};
  how.cluster = {cluster[0], cluster[1], cluster[2]};
  how.has_clusters = how.cluster.count() > 1;
  how.dynamic_shared_bytes = shared_bytes;
  how.parameters.resize(parameter_bytes);
  std::memcpy(how.parameters.data(), parameters, parameter_bytes);
  model::settings with;
  with.seed = seed;
  with.most_steps = 30'000'000;  // some seconds
  with.uses_fast_path = uses_fast_path;
  with.finds_races = finds_races != 0;
  with.goes_on_after_races = finds_races == 2;
  with.is_strict = true;
  if (const char* const most = std::getenv("CUDASYNC_MACHINE_MOST_THREADS"))
    with.most_threads = std::strtoull(most, nullptr, 10);
  model::outcome done;
  try {
    with.how = model::schedule_from_environment();
    done = static_cast<model::module*>(loaded)->run(kernel, how, with);
  } catch (const std::exception& wrong) {
    done.how = model::outcome::end::faulted;
    done.error = wrong.what();
  }
  places_of_last_run = done.places;
  std::string said;
  for (const model::finding& each : done.findings) {
    model::append_to_report(model::json_of(each));
    if (each.is_of_order() || each.kind == "limit") said += model::text_of(each) + "\n";
  }
  if (!done.error.empty()) said += done.error + "\n";
  copy_text(said + done.printed, text, room);
  switch (done.how) {
  case model::outcome::end::trapped:
  case model::outcome::end::asserted:
    return 1;
  case model::outcome::end::faulted:
    return 2;
  case model::outcome::end::hung:
    return 3;
  default:
    return done.has_bugs() ? 4 : 0;
  }
}

// Where priorities could have changed in the last run, unless its schedule was random.
uint64_t model_places() {
  return places_of_last_run;
}

}  // extern "C"
