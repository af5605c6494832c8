// Barriers and signals of GPUs, each of which has one or two threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_RELACY_PEERS_H
#define CUDASYNC_TEST_RELACY_PEERS_H

#include "scenario.h"

#include <cudasync/backend/grid/peer_number.h>
#include <cudasync/backend/grid/peer_phase.h>

namespace peers {

struct part {
  friend backend::peer_memory<2>& memory_of(part& object) { return object.memory; }

  backend::peer_memory<2> memory;
};

// The parts of two GPUs.
struct team {
  team() {
    for (part& each : parts) {
      explored::explore<uint32>(each.memory.phases);
      explored::explore<uint32>(each.memory.arrivals);
      for (uint32& slot : each.memory.phases)
        explore_parking_lot(&slot);
    }
  }
  backend::peer_team<part> at(uint32 rank) { return backend::make_team(addresses, rank, 2, 0); }

  part parts[2] = {};
  part* addresses[2] = {&parts[0], &parts[1]};
};

struct two_gpus : scenario {
  void thread(unsigned rank) override {
    const backend::peer_team<part> own = all.at(rank);
    for (int phase = 0; phase < 2; ++phase) {
      slots[phase][rank].write(1);
      backend::await_peers(here, own, backend::arrive_at_peers(here, own, {0, 1}));
      EXPECT(slots[phase][1 - rank].read() == 1);
    }
  }

  team all;
  message slots[2][2];
};

// Two blocks and one.
struct three_blocks : scenario {
  void thread(unsigned rank) override {
    const backend::peer_team<part> own = all.at(rank / 2);
    const backend::grid_share share{rank % 2, rank == 2 ? 1u : 2u};
    slots[rank].write(1);
    backend::await_peers(here, own, backend::arrive_at_peers(here, own, share));
    for (message& each : slots)
      EXPECT(each.read() == 1);
  }

  team all;
  message slots[3];
};

// The slots are written again in the next phase.
struct namesakes : scenario {
  void thread(unsigned rank) override {
    const backend::peer_team<part> own = all.at(rank);
    uint32 last = backend::last_phase(here, own);
    for (int phase = 0; phase < 2; ++phase) {
      slots[phase][rank].write(1);
      last += backend::one_phase;
      backend::arrive_for_block(here, own, last);
      backend::await_peers(here, own, last);
      EXPECT(slots[phase][1 - rank].read() == 1);
    }
  }

  team all;
  message slots[2][2];
};

// A stage that is written again after the receiver's signal.
struct one_stage : scenario {
  one_stage() {
    for (uint32* number : {&full, &empty}) {
      explored::explore<uint32>(*number);
      explore_parking_lot(number);
    }
  }
  void thread(unsigned rank) override {
    for (uint32 round = 1; round <= 2; ++round) {
      if (rank == 0) {
        if (round == 2) backend::await_number(here, empty, 1);
        stage.write(static_cast<int>(round));
        backend::raise_number(here, full, round);
      } else {
        backend::await_number(here, full, round);
        EXPECT(stage.read() == static_cast<int>(round));
        backend::raise_number(here, empty, round);
      }
    }
  }

  uint32 full = 0;
  uint32 empty = 0;
  message stage;
};

}  // namespace peers

#endif
