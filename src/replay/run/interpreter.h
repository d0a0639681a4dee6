// Runs a lifted kernel with concrete inputs and writes down what it issues.
//
//   Kernel + Inputs --interpreter--> Trace --schedule--> who has completed when whom starts
//
// A Trace holds instructions with their work, and syncs, in program order. Loops, branches and gotos are followed as
// they come. What memory holds is drawn (MemoryContents), the same for both versions of a kernel. A long loop whose
// iterations repeat is not issued in full, unless the request forbids it: `Trace::skips` says what was left out. When
// and why is no concern of the interpreter (skip/skipping.h); without that it runs every iteration. It stops at the
// budget, and where a loop never ends. Tested by tests/replay/run/interpreter_test.cpp.
#pragma once

#include "replay/run/subject.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

/// One visit of a loop header: the iterations of a trace form a tree.
struct Iteration {
  std::uint32_t parent = kNone; // index into Trace::iterations
  LoopId loop = kNone;
  std::uint64_t number = 0; // of this activation of the loop, from 0, skipped ones counted
};

struct Instance {
  const Statement *statement = nullptr;
  std::uint32_t work = 0; // in the kernel's WorkTable
  std::uint32_t iteration = kNone;
};

struct Event {
  enum class Kind : std::uint8_t { Instruction, Barrier, SetFlag, WaitFlag, GetBuffer, ReleaseBuffer };
  Kind kind = Kind::Instruction;
  Pipe source = Pipe::All, destination = Pipe::All; // Barrier and buffer ids: the pipe, twice
  std::int64_t id = 0;                              // of flags and buffers
  std::uint32_t instance = kNone;                   // Instruction; otherwise the next one to come
  const Statement *statement = nullptr;
  std::uint32_t iteration = kNone; // the innermost visit it is part of

  bool isBuffer() const { return kind == Kind::GetBuffer || kind == Kind::ReleaseBuffer; }
};

/// Iterations left out because they repeat: at instance `instance`, in visit `visit` of a loop
/// `depth` loops deep, `periods` times `period` iterations were taken for done.
struct Skip {
  std::uint64_t instance = 0, visit = 0;
  std::uint32_t depth = 0;
  std::uint64_t period = 0, periods = 0;
  LoopId loop = kNone;
  std::uint32_t events = 0, iterations = 0; // of the trace, before it
};

enum class Ending : std::uint8_t {
  Returned,
  Budget,     // stopped: too long
  Endless,    // stopped: a loop goes on for ever, or as good as
  OtherSkips, // the iterations that another kernel left out do not repeat in this one
};

struct Trace {
  std::vector<Event> events;
  std::vector<Instance> instances;
  std::vector<Iteration> iterations;
  std::vector<Skip> skips;
  Ending ending = Ending::Returned;
  std::uint32_t lastLine = 0;                       // where it ended
  bool dependsOnMemory = false;                     // the way it went was decided by memory contents
  Decided decided;                                  // by which of them
  std::map<LoopId, std::set<std::uint64_t>> trips;  // iterations of each activation
  std::set<LoopId> ended;                           // loops that some activation came to the end of
  std::set<Way> ways;                               // taken; choices only if the subject was asked for its ways
  std::set<std::pair<BlockId, bool>> firstByMemory; // first outcomes of branches that memory contents decide
  std::set<BlockId> blocks;                         // entered
  bool overflowed = false;                          // signed arithmetic did: C++ says nothing of the run
  bool openIds = false;                             // an event id was used of which it is open what it is
  std::uint64_t statements = 0;                     // executed, scalar code included
};

/// Returns what an instance executed; `instance` is an index of trace.instances.
const Instruction &instructionOf(const Trace &trace, std::uint32_t instance);

/// Returns true if a loop that contains both goes from one iteration to another in between.
bool loopCarried(const Trace &trace, std::uint32_t earlier, std::uint32_t later);

/// Returns "iteration 2 of the loop at line 30, ..."; empty outside loops.
std::string describeIteration(const Trace &trace, const LoopNest &nest, std::uint32_t iteration);

enum class Detail : std::uint8_t {
  Full,
  Scout, // control flow only: the trace has no work, and no events
};

struct RunRequest {
  Inputs inputs;
  Detail detail = Detail::Full;
  Skipping skipping = Skipping::Allowed;
  std::uint64_t periodsFirst = 3; // that are run before any is skipped, from 3
  // Iterations may be left out although places in global memory are not proved to move evenly: for estimates.
  bool estimate = false;
  bool lowIds = false; // where it is open what an event id above the last one is, it is its low bits
  // Numbers that memory holds are what the run draws, so that every address that is made from them is one address.
  // Without it they stand for all that memory may hold.
  bool asDrawn = false;
  Tape *tape = nullptr;                      // all of the run is written there
  const std::vector<Skip> *follow = nullptr; // skip exactly these, or end with Ending::OtherSkips
};

Trace interpret(Subject &subject, const RunRequest &request, const Budget &budget);

} // namespace ptosync::replay
