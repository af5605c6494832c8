// A barrier of the GPUs of several hosts, with groups of host threads as GPUs, and networks that deliver as late as they may.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cudasync/world_barrier.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using cudasync::participant;
using cudasync::uint32;
using cudasync::uint64;
using cudasync::world_barrier;
using cudasync::world_part;

static_assert(sizeof(world_part<>) == 512 && alignof(world_part<>) == 128 && world_part<72>::max_peers == 72);
static_assert(cudasync::backend::signals_of_rail(1, 8) == 0 && cudasync::backend::signals_of_rail(2, 8) == 7);
static_assert(cudasync::backend::signals_of_rail(8, 8) == 7 && cudasync::backend::signals_of_rail(9, 8) == 14);
static_assert(cudasync::backend::signals_of_rail(128, 8) == 21 && cudasync::backend::signals_of_rail(128, 128) == 127);

namespace {

// The writes of one GPU that are under way, by the host that they go to.
class wire {
 public:
  explicit wire(uint32 hosts) : writes_(hosts) {}
  void put(uint32 host, int& place, int value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    writes_[host].push_back([&place, value] { place = value; });
  }
  void deliver(uint32 host) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& write : writes_[host])
      write();
    writes_[host].clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::vector<std::function<void()>>> writes_;
};

// The GPUs of one rank on all hosts: their signals, and their writes to each other.
struct network {
  explicit network(uint32 hosts, uint32 signals) {
    for (uint32 host = 0; host < hosts; ++host) {
      wires.push_back(std::make_unique<wire>(hosts));
      numbers.push_back(std::make_unique<std::atomic<uint64>[]>(signals));
      for (uint32 signal = 0; signal < signals; ++signal)
        numbers.back()[signal] = 0;
    }
  }
  uint32 hosts() const { return static_cast<uint32>(wires.size()); }

  std::vector<std::unique_ptr<wire>> wires;
  std::vector<std::unique_ptr<std::atomic<uint64>[]>> numbers;
};

struct rail_of_network {
  network* all;
  uint32 own;

  uint32 rank() const { return own; }
  uint32 count() const { return all->hosts(); }
  bool is_raised(uint32 signal, uint64 number) const {
    return all->numbers[own][signal].load(std::memory_order_acquire) >= number;
  }
  void wait(uint32 signal, uint64 number) const {
    while (!is_raised(signal, number))
      std::this_thread::yield();
  }
};

// As NVSHMEM: writes arrive no sooner than the sender waits for them.
template <uint32 Radix>
struct completing_rail : rail_of_network {
  static uint32 signals(uint32 hosts) { return cudasync::backend::signals_of_rail(hosts, Radix); }
  uint32 radix() const { return Radix; }
  void complete() const {
    for (uint32 host = 0; host < count(); ++host)
      all->wires[own]->deliver(host);
  }
  void raise(uint32 signal, uint64 number, uint32 host) const {
    all->numbers[host][signal].store(number, std::memory_order_release);
  }
};

// As NCCL: writes arrive no sooner than the next signal to the same target, and signals can only be counted.
struct ordering_rail : rail_of_network {
  static uint32 signals(uint32 hosts) { return hosts; }
  uint32 radix() const { return count() < 2 ? 2 : count(); }
  void complete() const {}
  void raise(uint32 signal, uint64, uint32 host) const {
    all->wires[own]->deliver(host);
    all->numbers[host][signal].fetch_add(1, std::memory_order_release);
  }
};

// The parts of the GPUs of a host, and their addresses.
struct host_memory {
  explicit host_memory(uint32 gpus) : memory(new world_part<>[gpus]) {
    std::memset(static_cast<void*>(memory.get()), 0, gpus * sizeof(world_part<>));
    for (uint32 gpu = 0; gpu < gpus; ++gpu)
      parts.push_back(&memory[gpu]);
  }

  std::unique_ptr<world_part<>[]> memory;
  std::vector<world_part<>*> parts;
};

struct shape {
  uint32 hosts, gpus, blocks;
};

// In each phase, each block puts the number of the phase into the memory of the GPUs of its rank on all hosts, and stores it
// into that of the GPUs of its host. After the barrier each block finds the numbers of all blocks of these GPUs.
template <class Rail>
void exchange(shape all, int phases) {
  std::vector<host_memory> memory;
  std::vector<network> rails;
  for (uint32 host = 0; host < all.hosts; ++host)
    memory.emplace_back(all.gpus);
  for (uint32 gpu = 0; gpu < all.gpus; ++gpu)
    rails.emplace_back(all.hosts, Rail::signals(all.hosts));
  const uint32 blocks = all.hosts * all.gpus * all.blocks;
  // By the block that reads, the parity of the phase, and the block that writes; not atomic.
  std::vector<std::vector<int>> slots[2];
  for (auto& half : slots)
    half.assign(all.hosts * all.gpus, std::vector<int>(blocks));
  failure_count failures;
  run_threads(static_cast<int>(blocks), [&](int thread) {
    const uint32 own = static_cast<uint32>(thread);
    const uint32 block = own % all.blocks, gpu = own / all.blocks % all.gpus, host = own / all.blocks / all.gpus;
    const Rail rail{{&rails[gpu], host}};
    world_barrier<Rail> bar(rail, memory[host].parts.data(), gpu, all.gpus);
    for (int phase = 1; phase <= phases; ++phase) {
      auto& now = slots[phase % 2];
      for (uint32 other = 0; other < all.gpus; ++other)
        now[host * all.gpus + other][own] = phase;
      for (uint32 other = 0; other < all.hosts; ++other)
        if (other != host) rails[gpu].wires[host]->put(other, now[other * all.gpus + gpu][own], phase);
      const participant self{(block + static_cast<uint32>(phase)) % all.blocks, all.blocks};
      if (phase % 2 == 0) {
        bar.arrive_and_wait(self);
      } else {
        auto token = bar.arrive(self);
        if (phase % 20 == thread) std::this_thread::yield();
        bar.wait(std::move(token));
      }
      const std::vector<int>& here = now[host * all.gpus + gpu];
      for (uint32 writer = 0; writer < blocks; ++writer) {
        const uint32 its_gpu = writer / all.blocks % all.gpus, its_host = writer / all.blocks / all.gpus;
        if (its_gpu == gpu || its_host == host) failures.expect(here[writer] == phase);
      }
    }
  });
  CHECK(failures.value() == 0);
}

}  // namespace

TEST_CASE("a world of one GPU, and of one host, meets without a network") {
  exchange<completing_rail<8>>({1, 1, 1}, 5);
  exchange<completing_rail<8>>({1, 2, 2}, 50);
  exchange<ordering_rail>({1, 2, 1}, 50);
}

TEST_CASE("what was put into the memory of other hosts has arrived after the barrier") {
  const shape all =
      GENERATE(shape{2, 1, 1}, shape{2, 2, 1}, shape{2, 2, 2}, shape{3, 1, 2}, shape{5, 1, 1}, shape{4, 2, 1});
  exchange<completing_rail<2>>(all, 60);
  exchange<completing_rail<3>>(all, 60);
  exchange<completing_rail<8>>(all, 60);
}

TEST_CASE("on a network that only orders signals, each host hears from every other") {
  const shape all = GENERATE(shape{2, 1, 1}, shape{2, 2, 2}, shape{3, 1, 2}, shape{5, 1, 1}, shape{4, 2, 1});
  exchange<ordering_rail>(all, 60);
}

// Each host knows after round r of radix^(r + 1) hosts, so no host leaves a phase before all have arrived in it.
TEST_CASE("no host leaves a phase before the last has arrived, whichever it is") {
  for (const uint32 hosts : {2u, 3u, 4u, 7u, 9u, 10u})
    for (uint32 last = 0; last < hosts; ++last) {
      std::vector<host_memory> memory;
      network rail(hosts, completing_rail<3>::signals(hosts));
      for (uint32 host = 0; host < hosts; ++host)
        memory.emplace_back(1);
      std::atomic<bool> has_arrived{false};
      failure_count failures;
      run_threads(static_cast<int>(hosts), [&](int thread) {
        const uint32 host = static_cast<uint32>(thread);
        world_barrier<completing_rail<3>> bar({{&rail, host}}, memory[host].parts.data(), 0, 1);
        if (host == last) {
          for (int turn = 0; turn < 50; ++turn)
            std::this_thread::yield();
          has_arrived = true;
        }
        bar.arrive_and_wait(participant{0, 1});
        failures.expect(has_arrived);
      });
      CHECK(failures.value() == 0);
    }
}
