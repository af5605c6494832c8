// Changes an array in place, tile by tile, on host threads: one thread loads, two threads compute, one thread stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm is that of 05_load_modify_store.cu, with two threads instead of the copy engine. Each buffer has three
// barriers, for the events that a tile has been loaded, modified and stored. Each phase of a barrier is one tile. A
// thread that waits for a barrier at which it does not arrive has no token. It counts the tiles and waits by parity.
//
// 05_load_modify_store.host [elements] prints:
// expect: 4194304 elements: 0 are wrong
// PASS
#include <cuda/barrier>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

constexpr size_t tile_size = 16384;
constexpr size_t workers = 2;

using barrier = cuda::barrier<cuda::thread_scope_system>;

struct buffer {
  barrier loaded{1}, modified{workers}, stored{1};
  float values[tile_size];
};

float modified(float value) {
  return 2 * value + 1;
}

// Calls work(tile, size of the tile, buffer of the tile, parity of the buffer's phases) for each tile of the array.
template <class Work>
void for_each_tile(float* data, size_t size, buffer (&buffers)[2], Work work) {
  size_t round = 0;
  for (size_t first = 0; first < size; first += tile_size, ++round)
    work(data + first, std::min(tile_size, size - first), buffers[round % 2], round / 2 % 2 != 0);
}

void load(float* tile, size_t count, buffer& place, bool parity) {
  place.stored.wait_parity(!parity);  // waits until the previous tile is stored; returns at once for the first tile
  std::copy_n(tile, count, place.values);
  static_cast<void>(place.loaded.arrive());
}

void modify(size_t worker, size_t count, buffer& place, bool parity) {
  place.loaded.wait_parity(parity);
  for (size_t index = count * worker / workers; index < count * (worker + 1) / workers; ++index)
    place.values[index] = modified(place.values[index]);
  static_cast<void>(place.modified.arrive());
}

void store(float* tile, size_t count, buffer& place, bool parity) {
  place.modified.wait_parity(parity);
  std::copy_n(place.values, count, tile);
  static_cast<void>(place.stored.arrive());
}

int main(int argc, char** argv) {
  size_t size = 1 << 22;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  std::vector<float> before(size);
  for (size_t index = 0; index < size; ++index)
    before[index] = static_cast<float>(index % 10007);
  std::vector<float> after = before;

  static buffer buffers[2];
  std::vector<std::thread> threads;
  const auto start = [&](auto work) {
    threads.emplace_back([&, work] { for_each_tile(after.data(), size, buffers, work); });
  };
  start(load);
  start(store);
  for (size_t worker = 0; worker < workers; ++worker)
    start([worker](float*, size_t count, buffer& place, bool parity) { modify(worker, count, place, parity); });
  for (std::thread& thread : threads)
    thread.join();

  size_t wrong = 0;
  for (size_t index = 0; index < size; ++index)
    wrong += after[index] != modified(before[index]);
  std::printf("%zu elements: %zu are wrong\n", size, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
