// Lists what the machine model says of every call of a kernel, and prints it for people and programs.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/program.h"

#include <string>
#include <vector>

namespace ptosync {

// Lists what the machine model says of every call of a kernel: form, pipes, flags and bytes, at both trust levels.
//
// Taken from the programs that every decision is made on, so that whoever compares it with something else
// (scripts/check-model: with a run of the library) compares what decisions rest on. Calls inside expanded helpers are
// listed with their own line. A kernel that is not analysable has no calls and says why.
// Tested by tests/explain/call_effects_test.cpp.

struct CallAccess {
  std::string operand; // as spelled, or the name of hidden memory
  std::string space;
  std::string argument;              // GM: the pointer argument that `begin` counts from; empty elsewhere
  std::optional<std::int64_t> begin; // byte address; empty: not one constant
  std::optional<Footprint> bytes;    // empty: anywhere
  bool reads = false, writes = false, scratch = false, hidden = false;
  /// The distance that the chain rule takes for certain, in repeats between the write of a byte and its read, if the
  /// operand was written in order before (`readAfter`) or is read in order behind (`readBy`). It is empty if the rule
  /// does not speak of the operand.
  std::optional<std::int64_t> readAfter, readBy;
};

struct CallPhase {
  bool barrier = false; // inside the library call
  Pipe pipe = Pipe::S;
  std::vector<CallAccess> accesses;
};

struct CallEffects {
  std::string kernel;
  std::uint32_t line = 0;
  std::string name;
  std::optional<std::size_t> form; // index into the model's forms; empty: the call is unknown
  FenceKind fence = FenceKind::None;
  std::vector<HiddenFlag> flags;
  std::vector<std::string> operands; // as spelled
  std::vector<CallPhase> tile, library;
  bool inside = false; // the two differ: library trust relies on the call's inside
};

struct KernelCalls {
  std::string kernel, reason; // reason: why there are no calls; empty if there are
  Section section = Section::Both;
  std::vector<CallEffects> calls; // in textual order of their statements
};

std::vector<KernelCalls> callEffects(const Module &module, const Machine &machine, OrderingOptions options);

// Prints the answer of `ptosync model --calls`: what the model says of every call of a file.
//
// Plain data in, the same bytes for the same input. The text is one line a call and one a phase; the JSON holds all,
// its form named by "schema". Tested by tests/explain/call_effects_test.cpp.

struct CallReport {
  std::string file, arch, library, toolVersion;
  std::vector<KernelCalls> kernels;
};

inline constexpr int kCallJsonSchema = 1;

std::string callText(const CallReport &report);
std::string callJson(const CallReport &report);

} // namespace ptosync
