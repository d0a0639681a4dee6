// All small kernels, one after another: what random ones are likely to miss, these cannot.
//
// A kernel is a word of up to four or five statements over
//
//   loads into tile A or B (PIPE_MTE2), stores from them (PIPE_MTE3), and on PIPE_V: fill one, scale one in place, and
//   from each into the other; a barrier of each of these pipes and of all; set and wait of two flags between any two of
//   the pipes
//
// as it stands, or with a run of its statements in a loop over n, in the arm of a branch on n, or in the two arms of
// one. Storage is one of four layouts: A and B apart or overlapping by half, large enough for the same-access chain or
// not, loads and stores in one place of global memory or apart. Left out is what says nothing new: words without a sync
// or without an instruction, barriers of pipes that do nothing, flags that are not balanced (for 0 to 4 trips, on both
// arms), and all but one of the words that differ only in the names of the tiles and of the flags' ids. Equal numbers
// give equal kernels.
//
// Brackets of buffer ids (a5) have words of their own: each letter is one of the instructions, but for the scaling, or
// nothing, with brackets of none, one or both of two ids of its pipe around it, as the assembler writes them; and each
// word is there a second time with brackets that follow one another made one, where there are such. The shapes and the
// storage are the same. Left out are words in which no id is taken by two pipes, and those that differ in names only.
#pragma once

#include "fuzz/fuzz_kernel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptosync::fuzz {

enum class Storage { ApartSmall, OverlapSmall, ApartLarge, OverlapLarge };

/// Makes the kernel; to be called while it is visited or not at all, which lets a slice of a large set be reached
/// quickly.
using MakeKernel = llvm::function_ref<FuzzKernel()>;

/// Words of `length` statements in every shape. `visit` is called for each; false ends the enumeration.
void forEachSmallKernel(std::size_t length, Storage storage, llvm::function_ref<bool(MakeKernel)> visit);
/// The same of words of `length` letters with brackets.
void forEachBracketKernel(std::size_t length, Storage storage, llvm::function_ref<bool(MakeKernel)> visit);

} // namespace ptosync::fuzz
