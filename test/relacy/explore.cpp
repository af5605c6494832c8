// Explores the named scenarios, or all of them, and reports for each the outcome and the number of executions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers.h"
#include "permits.h"
#include "phases.h"
#include "pipelines.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

namespace {

#define SCENARIO(type, threads, preemptions) {#type, threads, preemptions, make_scenario<type>}

const exploration all[] = {
    SCENARIO(phases::exchange<phases::counter>, 2, 2),
    SCENARIO(phases::tokens<phases::counter>, 3, 1),
    SCENARIO(phases::attempts<phases::counter>, 3, 2),
    SCENARIO(phases::drops<phases::counter>, 2, 2),
    SCENARIO(phases::all_drop<phases::counter>, 3, 2),
    SCENARIO(phases::exchange<phases::gate>, 2, 2),
    SCENARIO(phases::tokens<phases::gate>, 3, 0),
    SCENARIO(phases::attempts<phases::gate>, 3, 2),
    SCENARIO(phases::drops<phases::gate>, 2, 2),
    SCENARIO(phases::all_drop<phases::gate>, 3, 2),
    SCENARIO(phases::early_arrivals, 3, 2),
    SCENARIO(phases::crossing_phases<0x4000000>, 3, 2),
    SCENARIO(phases::crossing_phases<0x7fffffff>, 3, 2),
    SCENARIO(phases::large_counts, 2, 2),
    SCENARIO(phases::drop_beside_arrivals<2>, 3, 1),
    SCENARIO(phases::drop_beside_arrivals<3>, 2, 2),
    SCENARIO(phases::drop_from_many, 2, 2),
    SCENARIO(phases::large_drop_two_phases_ahead, 2, 2),
    SCENARIO(phases::large_drop, 2, 2),
    SCENARIO(phases::completion, 2, 1),
    SCENARIO(phases::grid, 2, 2),
    SCENARIO(phases::grid_of_three, 3, 1),
    SCENARIO(phases::count_down, 3, 2),
    SCENARIO(phases::count_down_and_wait, 2, 2),
    SCENARIO(phases::is_zero, 3, 2),
    SCENARIO(phases::latch_that_ends, 2, 2),
    SCENARIO(phases::gate_that_ends, 2, 2),
    SCENARIO(peers::two_gpus, 2, 2),
    SCENARIO(peers::three_blocks, 3, 1),
    SCENARIO(peers::namesakes, 2, 2),
    SCENARIO(peers::one_stage, 2, 2),
    SCENARIO(permits::two_of<permits::queue>, 2, 2),
    SCENARIO(permits::three_of<permits::queue>, 3, 2),
    SCENARIO(permits::hand_over<permits::queue>, 2, 2),
    SCENARIO(permits::attempts<permits::queue>, 3, 2),
    SCENARIO(permits::await_a_permit<permits::queue>, 2, 2),
    SCENARIO(permits::turns<permits::queue>, 3, 2),
    SCENARIO(permits::two_of<permits::flag>, 2, 2),
    SCENARIO(permits::three_of<permits::flag>, 3, 2),
    SCENARIO(permits::hand_over<permits::flag>, 2, 2),
    SCENARIO(permits::attempts<permits::flag>, 3, 2),
    SCENARIO(permits::await_a_permit<permits::flag>, 2, 2),
    SCENARIO(permits::turns<permits::flag>, 3, 2),
    SCENARIO(permits::two_at_once, 3, 2),
    SCENARIO(permits::released_again, 3, 1),
    SCENARIO(permits::same_ticket, 3, 0),
    SCENARIO(permits::same_ticket_released_again, 3, 1),
    SCENARIO(permits::event, 2, 2),
    SCENARIO(permits::try_before_turn, 2, 2),
    SCENARIO(permits::permits_that_end<permits::queue>, 2, 2),
    SCENARIO(permits::permits_that_end<permits::flag>, 2, 2),
    SCENARIO(permits::awaited_value, 3, 2),
    SCENARIO(permits::value_that_ends, 2, 2),
    SCENARIO(permits::awaited_relaxed, 3, 2),
    SCENARIO(pipelines::all_stay, 2, 2),
    SCENARIO(pipelines::unified, 2, 1),
    SCENARIO(pipelines::consumer_stops, 2, 2),
    SCENARIO(pipelines::two_stages, 2, 1),
    SCENARIO(pipelines::producer_leaves, 3, 0),
    SCENARIO(pipelines::consumer_leaves, 3, 0),
    SCENARIO(pipelines::last_producer_commits_less, 3, 0),
    SCENARIO(pipelines::unequal, 2, 1),
};

}  // namespace

// explore [--list] [--fault PLACE ORDER] [--times N] [--more-preemptions N] [--history] [--places] [NAME...]
// --fault: weakens one order. --history: shows the execution that fails. --places: lists the orders that are reached.
int main(int, char** arguments) {
  effort how;
  bool shows_history = false;
  bool shows_places = false;
  std::vector<const char*> names;  // all of them, if none is given
  for (++arguments; *arguments != nullptr; ++arguments) {
    if (std::strcmp(*arguments, "--list") == 0) {
      for (const exploration& each : all)
        std::printf("%s\n", each.name);
      return 0;
    }
    if (std::strcmp(*arguments, "--fault") == 0) {
      explored::faulty_place = std::atoi(*++arguments);
      explored::faulty_order = std::atoi(*++arguments);
    } else if (std::strcmp(*arguments, "--times") == 0) {
      how.times = static_cast<unsigned>(std::atoi(*++arguments));
    } else if (std::strcmp(*arguments, "--more-preemptions") == 0) {
      how.more_preemptions = static_cast<unsigned>(std::atoi(*++arguments));
    } else if (std::strcmp(*arguments, "--history") == 0) {
      shows_history = true;
    } else if (std::strcmp(*arguments, "--places") == 0) {
      shows_places = true;
    } else {
      names.push_back(*arguments);
    }
  }
  if (names.empty())
    for (const exploration& each : all)
      names.push_back(each.name);
  for (const char* name : names) {
    const exploration* each = all;
    while (std::strcmp(name, each->name) != 0)
      if (++each == std::end(all)) {
        std::fprintf(stderr, "there is no scenario %s\n", name);
        return 2;
      }
    explored::reached.reset();
    const outcome found = explore(*each, how, shows_history);
    std::printf("%s: %s, %llu executions", name, rl::test_result_str(found.result), found.executions);
    for (int place = 1; shows_places && place != explored::most_places; ++place)
      if (explored::reached[static_cast<std::size_t>(place)]) std::printf(" %d", place);
    std::printf("\n");
    std::fflush(stdout);
    if (found.result != rl::test_result_success) return 1;
  }
  return 0;
}
