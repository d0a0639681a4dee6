// Mutants of emitted kernels with brackets of buffer ids, and whether the tool notices what they lose.
//
//   text --one bracket changed--> text' --lift both, runs of the replay--> traces --clocks of its own--> orders lost
//                                 text' --verify against text--> findings
//
// What the random kernels cannot show: brackets as the assembler writes them, around its whole repertoire. The mutants
// are those of bracket_mutants.h, made line by line. No tree says here what a kernel does, so the runs, the bytes and
// the rules that excuse a pair are the replay's (replay/run, replay/judge/conflict.h). The clocks are not: they are
// kept in the order in which statements are handed out, with the meaning of flags and brackets stated anew, and are
// compared by pipe. So what is tested is whether the replay keeps the orders of brackets apart; that its bytes are
// right is not. Run as `ptosync_fuzz --buffers --mutants M FILE...`, which is its own test.
#pragma once

#include "fuzz/judge.h"

#include <string>

namespace ptosync::fuzz {

/// Adds at most `most` mutants of the file to `counts`, by kind. Returns what the tool does not find of what they lose,
/// or claims of them although it is not so; or why the file cannot be read.
std::vector<Violation> examineFileMutants(const std::string &path, std::size_t most, Trust trust,
                                          std::map<std::string, MutantCounts> &counts);

} // namespace ptosync::fuzz
