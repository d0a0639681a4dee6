// Changes the text of a kernel the way a fuzzer should: by lines, tokens and blocks.
//
//   text --0..n steps--> text      text, text --splice--> text
//
// Bytes changed at random hardly ever pass Clang's parser, and what does not pass never reaches the
// lowering. So most steps keep the text close to C++: lines are taken out, doubled, moved, brought in from a
// list of spellings that emitted kernels have, names and numbers are exchanged, blocks are wrapped, emptied and
// left open. A few steps do change bytes. Equal seeds give equal texts.
// Tested by the run of ptosync_frontend_replay over mutated seeds (README.md).
#pragma once

#include "fuzz/random_source.h"

#include <string>
#include <string_view>

namespace ptosync::fuzz {

/// A text of at most `largest` bytes; may equal the input.
std::string mutateKernel(std::string_view text, RandomSource &random, std::size_t largest);

/// The beginning of one text and the end of another, cut at lines.
std::string spliceKernels(std::string_view first, std::string_view second, RandomSource &random, std::size_t largest);

} // namespace ptosync::fuzz
