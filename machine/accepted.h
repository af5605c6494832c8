// Which forms of which instructions the machine implements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_ACCEPTED_H
#define CUDASYNC_MACHINE_ACCEPTED_H

#include <string>
#include <string_view>
#include <vector>

namespace model {

// The first word of an instruction that is not implemented beside its other words, or nothing. If such words were ignored,
// results would be wrong without a message. words: the parts of "add.rn.f32".
std::string_view find_unknown_word(const std::vector<std::string_view>& words);

// "add.rn.f32" has three.
std::vector<std::string_view> split_at_dots(std::string_view text);

// The rows of the table, one a line: "add ?rn|rz|rm|rp ?ftz ?sat f32".
std::string accepted_forms();

}  // namespace model

#endif
