// Writes a kernel as a list that can be laid beside another version's: instructions and syncs in reading order, and
// loops.
//
//   Kernel + LoopNest --outlineOf--> items, loops
//
// Reading order is that of the control flow: a loop's body in front of what follows it, an arm in front of the join,
// helper calls expanded. Where a new piece of control flow begins stands a boundary, so that what moves into a branch
// is seen to move. Names of variables, lines and addresses are not looked at. Scalar code and code that cannot be
// reached is left out. Tested by tests/compare/outline_test.cpp.
#pragma once

#include "machine/machine.h"
#include "replay/run/control_flow.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptosync::compare {

/// The group under which an item is counted.
enum class Family : std::uint8_t {
  Instruction,
  Sync,      // a barrier, a set, a wait, the end fence
  CrossCore, // a call that signals to or waits for the other core, or for anyone
  Fifo,      // a call that takes, fills, hands on or frees an entry of a FIFO between the cores
  Boundary,  // a branch is taken, or paths meet: no statement
};

/// "instruction", "sync", "cross-core", "fifo".
const char *familyName(Family family);

struct OutlineItem {
  Family family = Family::Boundary;
  std::string kind;                     // "TADD", "pipe_barrier(PIPE_V)", "set_flag(PIPE_MTE2, PIPE_V)", "end fence"
  const Statement *statement = nullptr; // null: a boundary
  replay::LoopId loop = kNone;          // innermost
};

struct OutlineLoop {
  replay::LoopId loop = kNone;            // in the nest
  std::uint32_t line = 0, depth = 0;      // depth 0: outermost
  std::vector<std::size_t> inner;         // of Outline::loops, in reading order
  std::map<std::string, double> contents; // statements of each kind of instruction, inner loops included
};

struct Outline {
  std::vector<OutlineItem> items;
  std::vector<OutlineLoop> loops;     // in reading order
  std::vector<std::size_t> outermost; // of `loops`
};

Outline outlineOf(const Kernel &kernel, const replay::LoopNest &nest, const Machine &machine);

/// "set_flag(PIPE_MTE2, PIPE_V)": without the event id, which is an allocation and not what is ordered.
std::string syncKindText(const Sync &sync);

} // namespace ptosync::compare
