// Measures the cost of a trace. --json FILE writes the results; --record FOLDER only writes the documentation's traces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.h"

#include <cstring>
#include <iterator>

namespace bench { namespace {

double sample_barrier(const contestant& who, std::size_t configuration) {
  unsigned count = phases;
  void* arguments[] = {&count};
  const int threads = static_cast<int>(block_sizes[configuration]);
  return microseconds(who.kernel, gpu::current().multiprocessors, threads, arguments, who.name) * 1000 / phases;
}

void measure_all(report& results) {
  std::vector<std::string> sizes, tiles;
  for (const unsigned size : block_sizes)
    sizes.push_back(std::to_string(size) + " threads");
  for (const unsigned tile : ring_tiles)
    tiles.push_back(std::to_string(tile >> 10) + " KiB");
  results.add(measure(enrolled("trace", "arrive_and_wait"), std::size(block_sizes), 9, sample_barrier), sizes,
              "arrive_and_wait of a block, one block on every multiprocessor", "ns per phase");

  const device_array<char> source(ring_bytes);
  const device_array<float> total(1);
  const auto sample_ring = [&](const contestant& who, std::size_t configuration) {
    const char* data = source.data();
    unsigned count = static_cast<unsigned>(ring_bytes / ring_tiles[configuration]);
    float* sum = total.data();
    void* arguments[] = {&data, &count, &sum};
    const int shared_bytes = static_cast<int>(ring_tiles[configuration] * ring_stages);
    return microseconds(who.kernels[configuration], gpu::current().multiprocessors,
                        static_cast<int>(ring_consumers) + 32, arguments, who.name, shared_bytes);
  };
  results.add(measure(enrolled("trace", "bulk_pipeline"), std::size(ring_tiles), 9, sample_ring), tiles,
              "bulk_pipeline of 4 stages, 256 MiB, one block on every multiprocessor", "us per launch");
}

}}  // namespace bench

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--record") == 0) return bench::record_traces(argv[2]);
  return bench::run_suites(argc, argv, {{"trace", bench::measure_all}});
}
