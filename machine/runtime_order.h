// Which work of streams and graphs is ordered, and the races of work that is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_ORDER_H
#define CUDASYNC_MACHINE_RUNTIME_ORDER_H

#include "footprint.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace model {

using work_number = uint64_t;  // 0: of work that is done

// Vector clocks of chains: in a chain, each piece of work comes after the one before it, as in a stream.
class work_order {
 public:
  void add(work_number made, const std::vector<work_number>& after, const std::string& where);
  void begin(work_number which, work_number last_added);
  void end(work_number which);
  // The host has waited for this work: what it adds from now on comes after it.
  void tell_host(const std::vector<work_number>& all);
  void tell_host_all();
  bool host_knows(work_number which) const;
  void forget_memory(uint64_t start, uint64_t bytes);
  // What it has accessed. tells_host, asks_host: by strong accesses to memory that both see, and so in no order that is known.
  void note(work_number which, footprint made, bool tells_host, bool asks_host);

 private:
  using clock = std::map<uint32_t, work_number>;  // of each chain, the last piece that is known
  struct work {
    uint32_t chain;
    clock known;  // before it, and itself
    std::string where;
    work_number added_at_begin = 0;  // the last one
    bool is_open = true, tells_host = false;
    std::vector<footprint> accesses;  // of each kernel, if it is several
  };

  static void join(clock& to, const clock& from);
  static bool knows(const clock& all, const work& which, work_number number);
  bool are_ordered(work_number early, work_number late) const;
  void compare(work_number kept, const footprint& old, work_number here, const footprint& made_now);
  void forget();
  void limit_memory(work& last);

  std::map<work_number, work> all_;
  std::map<uint32_t, work_number> last_of_;  // chains
  clock host_;
  uint32_t chains_ = 0;
  size_t open_ = 0;
  bool is_limited_ = false;
};

}  // namespace model

#endif
