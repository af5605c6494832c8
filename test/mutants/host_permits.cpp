// The checks of latches, semaphores, grid_barrier and GPUs' and hosts' barriers that test_mutants.py runs on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <cuda/latch>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#include <cudasync/peer_barrier.h>
#include <cudasync/world_barrier.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace backend = cudasync::backend;
using cudasync::int32;
using cudasync::participant;
using cudasync::uint32;
using cudasync::uint64;
using std::chrono::milliseconds;

constexpr cudasync::target::host here{};
constexpr cudasync::thread_scope scope = cudasync::thread_scope_system;
using latch = cuda::latch<scope>;
using semaphore = cuda::counting_semaphore<scope>;
using binary_semaphore = cuda::binary_semaphore<scope>;
using barrier = cudasync::grid_barrier<scope>;

// --- Orders ---

// One thread writes a message and sends; the other receives when that has happened, so that it need not wait, and reads.
template <class Send, class Receive>
void pass_message(Send send, Receive receive) {
  std::atomic<bool> is_sent{false};
  int message = 0;  // not atomic
  std::thread sender([&] {
    message = 1;
    send();
    is_sent.store(true, std::memory_order_relaxed);
  });
  while (!is_sent.load(std::memory_order_relaxed))
    std::this_thread::yield();
  receive();
  expect(message == 1, "the message has come");
  sender.join();
}

void messages_by_latch() {
  for (int round = 0; round < 20; ++round) {
    latch first(1);
    pass_message([&] { first.count_down(); }, [&] { first.wait(); });
    latch second(2);
    pass_message([&] { second.count_down(); }, [&] { second.arrive_and_wait(); });
  }
}
void messages_by_latch_tried() {
  latch bar(1);
  pass_message([&] { bar.count_down(); }, [&] { expect(bar.try_wait(), "the latch is open"); });
}
template <class Semaphore>
void messages_by_acquire() {
  Semaphore permits(0);
  pass_message([&] { permits.release(); }, [&] { permits.acquire(); });
}
template <class Semaphore>
void messages_by_try_acquire() {
  Semaphore permits(0);
  pass_message([&] { permits.release(); }, [&] { expect(permits.try_acquire(), "there is a permit"); });
}
// The other one waits: it has taken its place in the queue before the release.
void send_a_message_to_a_waiter() {
  backend::permit_queue<scope> queue(0);
  int message = 0;  // not atomic
  std::thread receiver([&] {
    acquire_permit(here, queue);
    expect(message == 1, "the message has come");
  });
  while (backend::available_permits(__atomic_load_n(&queue.word, __ATOMIC_RELAXED)) == 0)
    std::this_thread::yield();
  message = 1;
  release_permits(here, queue, 1);
  receiver.join();
}
// Several: a receiver that has slept is ordered by its waking, too.
void messages_to_a_waiter() {
  for (int message = 0; message < 20; ++message)
    send_a_message_to_a_waiter();
}
void messages_by_grid() {
  barrier bar;
  init(&bar);
  int slots[2][threads] = {};  // not atomic
  run_threads([&](int rank) {
    const participant self{static_cast<uint32>(rank), threads};
    for (int phase = 0; phase < 100; ++phase) {
      slots[phase % 2][rank] = phase + 1;
      if (phase % 2 == 0) {
        bar.arrive_and_wait(self);
      } else {
        bar.wait(bar.arrive(self), self);
      }
      for (const int value : slots[phase % 2])
        expect(value == phase + 1, "a message is of its phase");
    }
  });
}

// --- Counts, in one thread: what has to wait does something else first, and then sleeps no more ---

template <class Object>
Object* object = nullptr;  // of the events below
int events = 0;

template <class Object, class Wait>
void run_before_sleep(Object& what, void (*event)(), Wait wait) {
  sleeps_are_endless = true;
  object<Object> = &what;
  events = 0;
  for (backend::parking_lot& place : backend::parking_lots)
    place.notices = 0xffffffff;  // the next one is 0
  before_sleep = event;
  wait();
  before_sleep = nullptr;
  sleeps_are_endless = false;
}
void expect_to_wake(void (*end)()) {
  const int before = wakes;
  end();
  expect(wakes > before, "who sleeps is woken");
}

void count_down_last() {
  ++events;
  expect_to_wake([] { object<latch>->count_down(); });
}
void count_down_last_three() {
  ++events;
  expect_to_wake([] { object<latch>->count_down(3); });
}
void latches() {
  latch of_four(4);
  run_before_sleep(of_four, count_down_last_three, [&] { of_four.arrive_and_wait(); });
  expect(events == 1 && of_four.try_wait(), "a latch opens with the last arrivals");
  for (const int expected : {2, 3, 1 << 16, 1 << 30}) {
    latch bar(expected);
    bar.count_down(expected - 2);
    bar.count_down(0);
    expect(!bar.try_wait(), "two arrivals are missing");
    run_before_sleep(bar, count_down_last, [&] { bar.arrive_and_wait(); });
    expect(events == 1 && bar.try_wait(), "a latch opens with the last arrival");
  }
}

constexpr uint64 queue_word(uint32 released, int32 available) {
  return (uint64{released} << 32) + static_cast<uint64>(available);
}

// Those who wait before this thread, which are no threads, and behind it.
int earlier = 0;
int later = 0;

// A release is for one of those who came before, and the last for this one.
void serve_queue() {
  using queue = backend::permit_queue<scope>;
  if (events == 0) object<queue>->word -= static_cast<uint64>(later);
  expect(!try_acquire_permit(here, *object<queue>), "nobody overtakes those who wait");
  expect(++events < 10, "a thread is served in its turn");
  before_sleep = serve_queue;
  expect_to_wake([] { release_permits(here, *object<queue>, 1); });
}
void queue_tickets() {
  for (const uint32 released : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu}) {
    for (earlier = 0; earlier <= 2; ++earlier) {
      for (later = 0; later <= 1; ++later) {
        backend::permit_queue<scope> queue(0);
        queue.word = queue_word(released - static_cast<uint32>(earlier), -earlier);
        run_before_sleep(queue, serve_queue, [&] { acquire_permit(here, queue); });
        expect(events == earlier + 1, "a thread is served after those who came before");
        expect(queue.word == queue_word(released + 1, -later), "releases and waiting threads are counted");
        expect(!try_acquire_permit(here, queue), "no permit is left");
      }
    }
  }
}

constexpr uint32 flag_word(uint32 next, uint32 waiting, uint32 permit) {
  return next % 256 << 24 | waiting << 2 | permit;
}

// A permit comes, which is not for this thread unless it is the last; then whose ticket is next takes it.
void serve_flag() {
  using flag = backend::permit_flag<scope>;
  flag& permit = *object<flag>;
  before_sleep = serve_flag;
  if (events == 0) permit.word += flag_word(0, static_cast<uint32>(later), 0);
  if (events++ % 2 == 0) {
    expect(events / 2 <= earlier, "a thread takes the permit when its ticket is next");
    expect_to_wake([] { release_permits(here, *object<flag>, 1); });
    expect(!backend::take_free_permit(here, permit), "no acquire overtakes those who wait");
    expect(try_acquire_permit(here, permit), "before each turn, a try takes a permit that is there");
    release_permits(here, permit, 1);
    expect(!try_acquire_permit(here, permit), "only one try before each turn does");
    release_permits(here, permit, 1);  // has no effect
  } else {
    permit.word = backend::after_turn(permit.word);
    expect_to_wake([] { backend::notify(here, &object<flag>->word); });
  }
}
void flag_tickets() {
  for (const uint32 next : {0u, 100u, 254u, 255u}) {
    for (earlier = 1; earlier <= 3; ++earlier) {
      for (later = 0; later <= 1; ++later) {
        backend::permit_flag<scope> flag(0);
        flag.word = flag_word(next, static_cast<uint32>(earlier), 0);
        run_before_sleep(flag, serve_flag, [&] { acquire_permit(here, flag); });
        expect(events == 2 * earlier + 1, "a thread is served after those who came before");
        const uint32 turn = next + static_cast<uint32>(earlier) + 1;
        expect(flag.word == (later == 0 ? 0 : flag_word(turn, 1, 0)), "turns are counted while threads wait");
        expect(!try_acquire_permit(here, flag), "no permit is left");
      }
    }
  }
}

template <class Semaphore>
void time_out(Semaphore& permits) {
  const auto start = std::chrono::steady_clock::now();
  expect(!permits.try_acquire_for(milliseconds(5)), "there is no permit");
  expect(std::chrono::steady_clock::now() - start >= milliseconds(5), "a timed acquire lasts its time");
  run_before_sleep(
      permits, [] { expect_to_wake([] { object<Semaphore>->release(); }); },
      [&] { expect(permits.try_acquire_for(std::chrono::hours(1)), "a release ends a timed acquire"); });
  expect(!permits.try_acquire(), "it took the permit");
}
void timed_acquires() {
  semaphore permits(1);
  expect(permits.try_acquire() && !permits.try_acquire(), "one permit is one");
  time_out(permits);
  permits.release(3);
  for (int permit = 0; permit < 3; ++permit)
    permits.acquire();
  time_out(permits);
  binary_semaphore permit(1);
  permit.acquire();
  time_out(permit);
}

void messages_by_queue() {
  messages_by_acquire<semaphore>();
}
void messages_by_queue_tried() {
  messages_by_try_acquire<semaphore>();
}
void messages_by_flag() {
  messages_by_acquire<binary_semaphore>();
}
void messages_by_flag_tried() {
  messages_by_try_acquire<binary_semaphore>();
}

constexpr uint32 participants = 3;
void arrive_last() {
  ++events;
  expect_to_wake([] { static_cast<void>(object<barrier>->arrive(participant{1, participants})); });
}
void grid_phases() {
  barrier bar;
  init(&bar);
  for (int phase = 0; phase < 4; ++phase) {
    auto first = bar.arrive(participant{2, participants});
    run_before_sleep(bar, arrive_last, [&] { bar.arrive_and_wait(participant{0, participants}); });
    expect(events == 1, "a phase ends with the last arrival");
    bar.wait(std::move(first), participant{2, participants});
  }
}

// The object is the part of the other GPU, number or mailbox.
using part = cudasync::peer_part<>;
using mailbox = cudasync::peer_mailbox<int, 4>;
part* parts[2];
void arrive_as_peer() {
  expect_to_wake([] {
    cudasync::peer_barrier bar(parts, 1, 2);
    static_cast<void>(bar.arrive(participant{0, 1}));
  });
}
void peers_wake() {
  part memory[2] = {};
  parts[0] = &memory[0];
  parts[1] = &memory[1];
  cudasync::peer_barrier bar(parts, 0, 2);
  for (int phase = 0; phase < 3; ++phase) {
    auto token = bar.arrive(participant{0, 1});
    run_before_sleep(memory[0], arrive_as_peer, [&] { bar.wait(std::move(token)); });
  }
}
// A world of one GPU with two blocks: block 0 wakes the other.
struct no_rail {
  uint32 rank() const { return 0; }
  uint32 count() const { return 1; }
  uint32 radix() const { return 2; }
  void complete() const {}
  void raise(uint32, uint64, uint32) const {}
  bool is_raised(uint32, uint64) const { return true; }
  void wait(uint32, uint64) const {}
};
using world_part = cudasync::world_part<>;
using world_barrier = cudasync::world_barrier<no_rail>;
world_part* world_parts[1];
world_barrier::arrival_token* token_of_first;
void release_world() {
  expect_to_wake([] { world_barrier(no_rail(), world_parts, 0, 1).wait(std::move(*token_of_first)); });
}
void worlds_wake() {
  world_part memory[1] = {};
  world_parts[0] = memory;
  world_barrier bar(no_rail(), world_parts, 0, 1);
  for (int phase = 0; phase < 3; ++phase) {
    auto first = bar.arrive(participant{0, 2});
    token_of_first = &first;
    auto second = bar.arrive(participant{1, 2});
    run_before_sleep(memory[0], release_world, [&] { bar.wait(std::move(second)); });
  }
}

// Host 7 of 9, which meet in two rounds of three: what it does, in turn. A signal to a host is 10 times the signal plus the
// host, a wait for a signal is 100 plus the signal, and 200 is the completion of what was put.
struct recording_rail {
  std::vector<uint32>* calls;

  uint32 rank() const { return 7; }
  uint32 count() const { return 9; }
  uint32 radix() const { return 3; }
  void complete() const { calls->push_back(200); }
  void raise(uint32 signal, uint64, uint32 host) const { calls->push_back(10 * signal + host); }
  bool is_raised(uint32, uint64) const { return true; }
  void wait(uint32 signal, uint64) const { calls->push_back(100 + signal); }
};
void rounds_of_hosts() {
  world_part memory[1] = {};
  world_parts[0] = memory;
  std::vector<uint32> calls;
  cudasync::world_barrier<recording_rail> bar({&calls}, world_parts, 0, 1);
  bar.arrive_and_wait(participant{0, 1});
  const std::vector<uint32> expected{200, 8, 10, 100, 101, 21, 34, 102, 103};
  expect(calls == expected, "a host completes, tells the two after it, hears, and tells those three further");
}
void signals_wake() {
  cudasync::peer_signal sign{};
  run_before_sleep(
      sign, [] { expect_to_wake([] { object<cudasync::peer_signal>->signal(1); }); }, [&] { sign.wait(1); });
}
void mailboxes_wake() {
  mailbox box{};
  run_before_sleep(
      box, [] { expect_to_wake([] { object<mailbox>->put(1, 2, 7); }); },
      [&] { expect(box.take(1, 2) == 7, "a value comes"); });
}

}  // namespace

int main(int, char** arguments) {
  const char* name = arguments[1];
  CHECKS
}
