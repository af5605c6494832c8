// Barriers, signals and mailboxes of GPUs, with groups of host threads as GPUs: layout, phases, visibility of plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"
#include "timing.h"

#include <cudasync/peer_barrier.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

using cudasync::participant;
using cudasync::peer_barrier;
using cudasync::peer_block_barrier;
using cudasync::peer_mailbox;
using cudasync::peer_part;
using cudasync::peer_signal;
using cudasync::uint32;

static_assert(sizeof(peer_part<>) == 256 && alignof(peer_part<>) == 128 && sizeof(peer_part<32>) == 256);
static_assert(sizeof(peer_part<72>) == 512 && peer_part<72>::max_peers == 72);
static_assert(std::is_trivially_default_constructible_v<peer_part<>> && !std::is_copy_constructible_v<peer_part<>>);
static_assert(sizeof(peer_signal) == 4 && std::is_trivially_default_constructible_v<peer_signal>);
static_assert(alignof(peer_mailbox<float, 1>) == 8 && alignof(peer_mailbox<double, 1>) == 16);  // of one instruction
static_assert(sizeof(peer_mailbox<float, 100>) == 2 * 100 * 8 && sizeof(peer_mailbox<double, 100, 3>) == 3 * 100 * 16);
static_assert(!std::is_constructible_v<peer_barrier<>::arrival_token, uint32>);

namespace {

// The parts of some GPUs, each with the parts of some blocks, and their addresses. The first phase is number phase + 1.
template <uint32 MostPeers = 8>
class team {
 public:
  explicit team(uint32 peers, uint32 blocks = 1, uint32 phase = 0) : peers_(peers) {
    for (uint32 peer = 0; peer < peers; ++peer) {
      memory_.emplace_back(new peer_part<MostPeers>[blocks]);
      parts_.push_back(memory_.back().get());
      for (uint32 block = 0; block < blocks; ++block) {
        uint32* const words = reinterpret_cast<uint32*>(&parts_.back()[block]);
        std::memset(static_cast<void*>(words), 0, sizeof(peer_part<MostPeers>));
        for (uint32 other = 0; other < peers; ++other)
          words[other] = phase << 16;
        words[(sizeof(peer_part<MostPeers>) - 128) / 4] = phase << 16;
      }
    }
  }
  peer_barrier<MostPeers> barrier(uint32 rank) { return {parts_.data(), rank, peers_}; }
  peer_part<MostPeers>* const* parts() const { return parts_.data(); }

 private:
  uint32 peers_;
  std::vector<std::unique_ptr<peer_part<MostPeers>[]>> memory_;
  std::vector<peer_part<MostPeers>*> parts_;
};

participant take_part(int rank, int count) {
  return {static_cast<uint32>(rank), static_cast<uint32>(count)};
}

}  // namespace

TEST_CASE("the last arrival on the last GPU ends a phase, whichever it is") {
  constexpr int blocks = 2;
  std::vector<int> order(4);
  std::iota(order.begin(), order.end(), 0);
  do {
    team<> all(2);
    for (int phase = 0; phase < 3; ++phase) {
      std::vector<peer_barrier<>::arrival_token> tokens;
      for (const int who : order)
        tokens.push_back(all.barrier(static_cast<uint32>(who % 2)).arrive(take_part(who / 2, blocks)));
      for (std::size_t at = 0; at < order.size(); ++at)
        all.barrier(static_cast<uint32>(order[at] % 2)).wait(std::move(tokens[at]));
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("one GPU meets alone, and 72 meet") {
  team<> alone(1);
  for (int phase = 0; phase < 3; ++phase)
    alone.barrier(0).arrive_and_wait(take_part(0, 1));
  team<72> many(72);
  std::vector<peer_barrier<72>::arrival_token> tokens;
  for (uint32 rank = 0; rank < 72; ++rank)
    tokens.push_back(many.barrier(rank).arrive(take_part(0, 1)));
  for (uint32 rank = 0; rank < 72; ++rank)
    many.barrier(rank).wait(std::move(tokens[rank]));
}

TEST_CASE("a GPU has up to 65,536 blocks") {
  constexpr int blocks = 65536;
  team<> all(2);
  for (int phase = 0; phase < 2; ++phase) {
    auto other = all.barrier(1).arrive(take_part(0, 1));
    for (int block = blocks - 1; block > 0; --block)
      static_cast<void>(all.barrier(0).arrive(take_part(block, blocks)));
    auto last = all.barrier(0).arrive(take_part(0, blocks));
    all.barrier(0).wait(std::move(last));
    all.barrier(1).wait(std::move(other));
  }
}

// GPUs with different numbers of blocks; phases across the wrap-around.
TEST_CASE("what any thread wrote before it arrived, all read after they waited") {
  const std::vector<int> blocks = GENERATE(std::vector<int>{1, 1}, std::vector<int>{2, 2}, std::vector<int>{1, 2, 3});
  const int peers = static_cast<int>(blocks.size());
  const int threads = std::accumulate(blocks.begin(), blocks.end(), 0);
  constexpr int phases = 300;
  team<> all(static_cast<uint32>(peers), 1, 65536 - 100);
  failure_count failures;
  std::vector<int> slots[2] = {std::vector<int>(threads), std::vector<int>(threads)};  // not atomic
  run_threads(threads, [&](int thread) {
    int rank = 0;
    int block = thread;
    for (; block >= blocks[rank]; ++rank)
      block -= blocks[rank];
    auto bar = all.barrier(static_cast<uint32>(rank));
    for (int phase = 1; phase <= phases; ++phase) {
      std::vector<int>& now = slots[phase % 2];
      now[thread] = phase;
      if (phase % 2 == 0) {
        bar.arrive_and_wait(take_part(block, blocks[rank]));
      } else {
        auto token = bar.arrive(take_part((block + phase) % blocks[rank], blocks[rank]));
        if (phase % 20 == thread) std::this_thread::yield();
        bar.wait(std::move(token));
      }
      for (const int value : now)
        failures.expect(value == phase);
    }
  });
  CHECK(failures.value() == 0);
}

TEST_CASE("a block meets its namesakes alone, each pair at its own speed") {
  constexpr int peers = 3;
  constexpr int blocks = 2;
  team<> all(peers, blocks, 65536 - 50);
  failure_count failures;
  int slots[blocks][2][peers] = {};  // not atomic
  run_threads(peers * blocks, [&](int thread) {
    const int rank = thread % peers;
    const int block = thread / peers;
    const int phases = block == 0 ? 300 : 100;
    for (int launch = 0; launch < 2; ++launch) {
      peer_block_barrier bar(all.parts(), static_cast<uint32>(rank), peers, static_cast<uint32>(block));
      for (int phase = 1; phase <= phases; ++phase) {
        int (&now)[peers] = slots[block][phase % 2];
        now[rank] = phase + 1000 * launch;
        if (phase % 2 == 0)
          bar.arrive_and_wait();
        else
          bar.wait(bar.arrive());
        for (const int value : now)
          failures.expect(value == phase + 1000 * launch);
      }
    }
  });
  CHECK(failures.value() == 0);
}

TEST_CASE("a wait lasts until the last arrival and ends with it") {
  team<> all(2);
  const auto wait = [&](int) { all.barrier(0).arrive_and_wait(take_part(0, 1)); };
  const auto end = [&](int) { static_cast<void>(all.barrier(1).arrive(take_part(0, 1))); };
  check_wakes(wait, end);
}

TEST_CASE("a signal passes what was written before it, in a ring of two stages") {
  peer_signal full, empty;
  std::memset(static_cast<void*>(&full), 0, sizeof full);
  std::memset(static_cast<void*>(&empty), 0, sizeof empty);
  failure_count failures;
  int stages[2] = {};  // not atomic
  constexpr uint32 rounds = 1000;
  run_threads(2, [&](int rank) {
    for (uint32 round = 1; round <= rounds; ++round) {
      int& stage = stages[round % 2];
      if (rank == 0) {
        if (round > 2) empty.wait(round - 2);
        stage = static_cast<int>(round);
        full.signal(round);
      } else {
        full.wait(round);
        failures.expect(stage == static_cast<int>(round));
        empty.signal(round);
      }
    }
  });
  CHECK(failures.value() == 0);
}

TEST_CASE("numbers of signals wrap around, and a wait for an earlier number returns") {
  peer_signal sign;
  const uint32 near_the_end = 0xfffffffe;
  std::memcpy(static_cast<void*>(&sign), &near_the_end, sizeof sign);
  sign.wait(near_the_end - 5);
  sign.signal(1);
  sign.wait(0xffffffff);
  sign.wait(1);
}

TEST_CASE("mailboxes of two stages pass values both ways without signals") {
  constexpr uint32 size = 8;
  constexpr uint32 rounds = 500;
  using mailbox = peer_mailbox<int, size>;
  const auto boxes = std::make_unique<mailbox[]>(2);
  std::memset(static_cast<void*>(boxes.get()), 0, 2 * sizeof(mailbox));
  failure_count failures;
  const uint32 first = GENERATE(1u, 0u - 250);  // the numbers of messages wrap around
  run_threads(2, [&](int rank) {
    for (uint32 round = first; round != first + rounds; ++round)
      for (uint32 index = 0; index < size; ++index) {
        const int base = static_cast<int>(round % 10000 * size + index);
        boxes[1 - rank].put(round, index, 2 * base + rank);
        failures.expect(boxes[rank].take(round, index) == 2 * base + 1 - rank);
      }
  });
  CHECK(failures.value() == 0);
}
