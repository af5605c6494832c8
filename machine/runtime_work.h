// The work that a program gives to the device: streams, and the order in which it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_WORK_H
#define CUDASYNC_MACHINE_RUNTIME_WORK_H

#include "runtime_order.h"

#include <condition_variable>
#include <cuda_runtime_api.h>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <vector>

namespace model {

using action = std::function<void()>;

// Of a dependent launch.
struct early_begin {
  std::vector<work_number> beside;  // work that it may begin beside, if that lets it
  bool lets_next_begin = false;     // whether or not it executes griddepcontrol.launch_dependents
};

// All work runs in one thread, one piece at a time, in any order that the program allows: a kernel of another stream runs
// beside one only while that waits for something. The host goes on meanwhile.
class work_queue {
 public:
  static work_queue& only();
  // where: "stream 1"
  work_number add(std::vector<work_number> after, action what, const std::string& where = "", early_begin early = {});
  // Of the work that runs, for the first kernel of it that asks. The work that the host knows to be done is not in it.
  std::optional<early_begin> take_early_begin();
  // What the work that runs has accessed: reports what this races with.
  void note_accesses(footprint made);
  bool wants_accesses() const;
  work_number current() const { return current_; }  // that runs
  void forget_memory(uint64_t start, uint64_t bytes);
  void tell_host();   // of the work that runs, and of what is before it
  bool run_others();  // from work that waits: a piece of other work, if one need not wait
  // The seed chooses the order only among what has been added: so work waits until the host waits, asks, or rests.
  void choose_order() { chooses_ = true; }
  // call: the function of the runtime in which the host waits.
  void finish(const std::vector<work_number>& all, const char* call = __builtin_FUNCTION());
  void finish_all(const char* call = __builtin_FUNCTION());
  std::string call_of_host();  // one in which a thread of the host waits, if all do
  bool is_done(const std::vector<work_number>& all, bool asks = true);  // who asks wants it to begin

 private:
  struct piece {
    work_number number;
    std::vector<work_number> after;
    action what;
    std::optional<early_begin> early;
    bool runs = false;
  };

  work_queue();
  void run();
  bool run_one(std::unique_lock<std::mutex>& lock);
  bool is_open(work_number number) const;
  bool is_open(const std::vector<work_number>& all) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<piece> open_;  // one that runs included
  std::mt19937 random_;
  work_order order_;
  work_number last_ = 0, current_ = 0;  // added; that runs
  int waiters_ = 0;
  std::vector<const char*> calls_;  // in which they wait
  bool chooses_ = false, was_asked_ = false, runs_ = false;
};

struct graph;
struct node;

struct stream {
  bool blocks = true;  // the legacy stream and this one wait for each other
  unsigned flags = 0;
  int priority = 0;
  unsigned thread = 0;  // of cudaStreamPerThread: a number, from 1
  uint64_t id = 0;
  work_number last = 0;
  graph* captures_into = nullptr;  // while it is captured
  std::vector<node*> tail;         // captured nodes after which the next one comes
};

// Of one mutex: streams, events, graphs, allocations, what is registered.
std::recursive_mutex& runtime_mutex();
using runtime_lock = std::lock_guard<std::recursive_mutex>;

stream& stream_of(cudaStream_t handle);
// While there is one, a null handle is the stream of this thread.
class default_stream_of_thread {
 public:
  default_stream_of_thread() { ++count_; }
  ~default_stream_of_thread() { --count_; }
  default_stream_of_thread(const default_stream_of_thread&) = delete;
  static bool is_used() { return count_ != 0; }

 private:
  static thread_local int count_;
};
bool is_legacy(const stream& which);
std::string name_of(const stream& which);  // "stream 1"
bool has_streams_beside_each_other();
bool graphs_were_launched();
bool is_memory_of_host(uint64_t address);
stream& make_stream(unsigned flags, int priority);
void end_stream(stream& which);
// What has to be done for all before to be done.
std::vector<work_number> work_of(const stream& which);

// Adds work to the stream, or a node to the graph that captures it. type: of the node.
cudaError_t issue(cudaStream_t on, cudaGraphNodeType type, action what, bool may_begin_early = false);
node& add_node(graph& to, cudaGraphNodeType type, std::vector<node*> after, action what, bool may_begin_early);

// Simulated time on the device, of which only what runs takes any.
uint64_t device_nanoseconds();
void spend_nanoseconds(uint64_t duration);

// Errors. A kernel that fails leaves an error that stays.
cudaError_t result(cudaError_t status);
cudaError_t sticky_error();
void fail(cudaError_t status);
void report(const finding& one);

uint64_t from_environment(const char* name, uint64_t otherwise);
bool looks_for_races();  // CUDASYNC_MACHINE_RACES: not with 0, but with all

}  // namespace model

#endif
