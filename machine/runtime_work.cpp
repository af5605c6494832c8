// The work that a program gives to the device: streams, and the order in which it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_work.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>

namespace model {

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : otherwise;
}
bool looks_for_races() {
  const char* const races = std::getenv("CUDASYNC_MACHINE_RACES");
  return races == nullptr || std::strcmp(races, "0") != 0;
}

work_queue& work_queue::only() {
  static work_queue* const one = new work_queue;  // the thread outlives main
  return *one;
}

work_queue::work_queue() : random_(static_cast<uint32_t>(from_environment("CUDASYNC_MACHINE_SEED", 1))) {}

work_number work_queue::add(std::vector<work_number> after, action what, const std::string& where, early_begin early) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!runs_) {
    runs_ = true;
    std::thread([this] { run(); }).detach();
    std::atexit([] { only().finish_all(); });  // a program may end without waiting for its kernels
  }
  order_.add(last_ + 1, after, where);
  after.erase(std::remove_if(after.begin(), after.end(), [this](work_number each) { return !is_open(each); }),
              after.end());
  early.beside.erase(std::remove_if(early.beside.begin(), early.beside.end(),
                                    [this](work_number each) { return order_.host_knows(each); }),
                     early.beside.end());
  open_.push_back({++last_, std::move(after), std::move(what), std::move(early)});
  was_asked_ = false;
  changed_.notify_all();
  return last_;
}

bool work_queue::is_open(work_number number) const {
  return std::any_of(open_.begin(), open_.end(), [=](const piece& each) { return each.number == number; });
}
bool work_queue::is_open(const std::vector<work_number>& all) const {
  return std::any_of(all.begin(), all.end(), [this](work_number each) { return is_open(each); });
}

void work_queue::finish(const std::vector<work_number>& all, const char* call) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++waiters_;
  calls_.push_back(call);
  changed_.notify_all();
  changed_.wait(lock, [&] { return !is_open(all); });
  calls_.erase(std::find(calls_.begin(), calls_.end(), call));
  --waiters_;
  order_.tell_host(all);
}

void work_queue::finish_all(const char* call) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++waiters_;
  calls_.push_back(call);
  changed_.notify_all();
  changed_.wait(lock, [this] { return open_.empty(); });
  calls_.erase(std::find(calls_.begin(), calls_.end(), call));
  --waiters_;
  order_.tell_host_all();
}

std::string work_queue::call_of_host() {
  std::error_code failed;
  const std::filesystem::directory_iterator threads("/proc/self/task", failed);
  if (failed) return "";
  const auto count = static_cast<size_t>(std::distance(begin(threads), end(threads)));
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool are_all = count == calls_.size() + 1;  // and the one of the device
  return are_all && std::strncmp(calls_.front(), "cuda", 4) == 0 ? calls_.front() : "";
}

bool work_queue::is_done(const std::vector<work_number>& all, bool asks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  was_asked_ = was_asked_ || asks;
  if (asks) changed_.notify_all();
  if (is_open(all)) return false;
  if (asks) order_.tell_host(all);
  return true;
}

// One of those that need not wait. Unless some run, the oldest never has to.
bool work_queue::run_one(std::unique_lock<std::mutex>& lock) {
  std::vector<std::list<piece>::iterator> ready;
  for (auto each = open_.begin(); each != open_.end(); ++each)
    if (!each->runs && !is_open(each->after)) ready.push_back(each);
  if (ready.empty()) return false;
  const auto chosen = ready[random_() % ready.size()];
  chosen->runs = true;
  const work_number outer = std::exchange(current_, chosen->number);
  order_.begin(current_, last_);
  const action what = std::move(chosen->what);
  lock.unlock();
  what();
  lock.lock();
  order_.end(current_);
  current_ = outer;
  open_.erase(chosen);
  changed_.notify_all();
  return true;
}

std::optional<early_begin> work_queue::take_early_begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto is_current = [this](const piece& each) { return each.number == current_; };
  return std::exchange(std::find_if(open_.begin(), open_.end(), is_current)->early, std::nullopt);
}

bool work_queue::run_others() {
  std::unique_lock<std::mutex> lock(mutex_);
  return run_one(lock);
}

void work_queue::run() {
  constexpr auto rest = std::chrono::milliseconds(20);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !open_.empty(); });
    for (work_number seen = 0; chooses_ && waiters_ == 0 && !was_asked_ && seen != last_;) {
      seen = last_;
      changed_.wait_for(lock, rest, [&] { return waiters_ != 0 || was_asked_ || seen != last_; });
    }
    run_one(lock);
  }
}

void work_queue::note_accesses(footprint made) {
  if (sticky_error() != cudaSuccess) return;
  bool tells_host = false, asks_host = false;
  for (const footprint::range& each : made.ranges)
    if (made.kinds[each.kind].is_strong && is_memory_of_host(each.start))
      (made.kinds[each.kind].is_write ? tells_host : asks_host) = true;
  const std::lock_guard<std::mutex> lock(mutex_);
  order_.note(current_, std::move(made), tells_host, asks_host);
}
bool work_queue::wants_accesses() const {
  return chooses_ && has_streams_beside_each_other() && looks_for_races();
}
void work_queue::forget_memory(uint64_t start, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  order_.forget_memory(start, bytes);
}
void work_queue::tell_host() {
  const std::lock_guard<std::mutex> lock(mutex_);
  order_.tell_host({current_});
}

// --- Streams ---

namespace {

std::list<stream>& all_streams() {
  static auto* const all = new std::list<stream>(1);  // the legacy one first
  return *all;
}

std::atomic<uint64_t> now{0};
std::atomic<cudaError_t> sticky{cudaSuccess};

}  // namespace

std::recursive_mutex& runtime_mutex() {
  static auto* const one = new std::recursive_mutex;
  return *one;
}

stream& make_stream(unsigned flags, int priority) {
  work_queue::only().choose_order();
  static uint64_t made = 1;
  stream one;
  one.blocks = (flags & cudaStreamNonBlocking) == 0;
  one.flags = flags;
  one.priority = priority;
  one.id = ++made;
  return *all_streams().insert(all_streams().end(), one);
}

// Its work goes on: the stream is removed when that is done.
void end_stream(stream& which) {
  static auto* const ended = new std::vector<stream*>;
  ended->push_back(&which);
  for (size_t index = 0; index < ended->size();) {
    stream* const each = (*ended)[index];
    if (!work_queue::only().is_done({each->last}, false)) {
      ++index;
      continue;
    }
    all_streams().remove_if([=](const stream& other) { return &other == each; });
    ended->erase(ended->begin() + static_cast<long>(index));
  }
}

thread_local int default_stream_of_thread::count_ = 0;

stream& stream_of(cudaStream_t handle) {
  if (handle == nullptr) handle = default_stream_of_thread::is_used() ? cudaStreamPerThread : cudaStreamLegacy;
  if (handle == cudaStreamLegacy) return all_streams().front();
  if (handle != cudaStreamPerThread) return *reinterpret_cast<stream*>(handle);
  static thread_local stream* own = nullptr;
  if (own == nullptr) {
    const runtime_lock lock(runtime_mutex());
    own = &make_stream(cudaStreamDefault, 0);
    static unsigned threads = 0;
    own->thread = ++threads;
  }
  return *own;
}

bool is_legacy(const stream& which) {
  return &which == &all_streams().front();
}

std::string name_of(const stream& which) {
  if (is_legacy(which)) return "the default stream";
  if (which.thread != 0) return "the default stream of thread " + std::to_string(which.thread);
  return "stream " + std::to_string(which.id - 1);
}

// The default stream waits for others, unless they do not block.
bool has_streams_beside_each_other() {
  const runtime_lock lock(runtime_mutex());
  const auto& all = all_streams();
  return graphs_were_launched() || all.size() > 2 ||
         std::any_of(all.begin(), all.end(), [](const stream& each) { return !each.blocks; });
}

std::vector<work_number> work_of(const stream& which) {
  const runtime_lock lock(runtime_mutex());
  const stream& legacy = all_streams().front();
  std::vector<work_number> all{which.last};
  if (is_legacy(which)) {
    for (const stream& each : all_streams())
      if (each.blocks) all.push_back(each.last);
  } else if (which.blocks) {
    all.push_back(legacy.last);
  }
  return all;
}

cudaError_t issue(cudaStream_t handle, cudaGraphNodeType type, action what, bool may_begin_early) {
  const runtime_lock lock(runtime_mutex());
  stream& on = stream_of(handle);
  if (on.captures_into != nullptr) {
    on.tail = {&add_node(*on.captures_into, type, on.tail, std::move(what), may_begin_early)};
    return cudaSuccess;
  }
  early_begin early;
  if (may_begin_early) early.beside = {on.last};
  on.last = work_queue::only().add(work_of(on), std::move(what), name_of(on), std::move(early));
  return cudaSuccess;
}

// --- Time and errors ---

uint64_t device_nanoseconds() {
  return now;
}
void spend_nanoseconds(uint64_t duration) {
  now += duration;
}

namespace {
thread_local cudaError_t last = cudaSuccess;
}

cudaError_t result(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}
cudaError_t sticky_error() {
  return sticky;
}
void fail(cudaError_t status) {
  sticky = status;
}

}  // namespace model

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t status = model::last != cudaSuccess ? model::last : model::sticky_error();
  model::last = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() {
  return model::last != cudaSuccess ? model::last : model::sticky_error();
}

}  // extern "C"
