// Synchronises the kernels of a file from nothing: `sync`.
#pragma once

#include "synthesis/resync.h"

namespace ptosync::synthesis {

// Every barrier and flag of a file placed by what its data asks for, whatever the file has.
//
//   TLOAD(v1, g);                       TLOAD(v1, g);
//   TADDS(v2, v1, 1);      -->          set_flag(PIPE_MTE2, PIPE_V, 0); wait_flag(PIPE_MTE2, PIPE_V, 0);
//                                       TADDS(v2, v1, 1);
//                                       pipe_barrier(PIPE_ALL);                    the end fence, if there is none
//
//   Module --forgotten, end fences--> bare text --resync.h, the input no candidate--> placed --openOrder--> right, or
//     open --PIPE_ALL in front of every instruction--> ordered --resync.h, the input stands--> right
//
// What is forgotten: each barrier and flag that may be edited. What stays: syncs that a keep comment or a macro holds,
// that stand in a helper which is called several times, or that read their event from memory, each with all of its
// flag's; the end fence, drains in front of a cache flush, and what a library call does inside.
//
// Sound because of what is asked of the text that results, from nothing (openOrder): no conflict open, not even one
// that a contested rule of the machine orders, for from nothing there is no input to lean on; no order open relative
// to a fence, nothing that still runs where the kernel ends, and every flag binary. Whoever publishes it has it
// replayed against full order (order_comparison.h). The first placement may be refused; the second one has PIPE_ALL
// everywhere, so it is right wherever a statement can stand between the two of a pair, and everything on the way from
// it to the result is verified against it. A kernel for which that is not so is left as it came, and says why. Where
// what is placed is the same statement as one that is forgotten beside it, that one stays instead.
// Deterministic. Tested by tests/synthesis/synchronise_test.cpp and the fuzzer's --strip.

/// As `resync`. `inputStands`: a kernel whose own syncs are right is asked too what `resync` makes of those, and has
/// that where placing all of them from nothing gains nothing. Kernels that are `left` say why.
llvm::Expected<ResyncResult> synchronise(const Module &module, const Machine &machine, const Catalogue &catalogue,
                                         const timing::CostTable &costs, const ResyncOptions &options,
                                         const Lift &lift);

} // namespace ptosync::synthesis
