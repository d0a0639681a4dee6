// A kernel's text, compiled natively against recording declarations and run: what it did, event by event.
//
// The text is compiled as it is, but for its `#include "pto/..."` lines, by clang++-19 without optimisation; the
// recording library (recorder/) stands for the vendor's. Every run is a process of its own. What the library's names
// return is arbitrary; memories of the arguments hold small numbers. Not a kernel's semantics on the device: the order
// of execution is the program's, as the reader's is. Tested by the readers that are broken on purpose
// (broken_readers.h), which it has to tell from the one that is not.
#pragma once

#include "kernel/kernel.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::differential {

struct NativeOperand {
  enum class Kind : std::uint8_t { Tile, Tensor, Fifo, Scalar, Pointer, Other };
  /// Of a tile or tensor: whether it has an address, and whether the run tells which.
  enum class Storage : std::uint8_t { Unset, Set, Unknown };
  Kind kind = Kind::Other;
  Storage storage = Storage::Set;
  std::int64_t value = 0; // tile: address; tensor, FIFO: pointer; scalar, pointer: itself
  /// Tile: element bits, rows, cols, valid rows, valid cols. Tensor: shape, stride. FIFO: the two ring offsets.
  std::vector<std::int64_t> details;
};

struct NativeEvent {
  enum class Kind : std::uint8_t {
    Call,    // an instruction, or a call of an unknown name
    Passive, // only places an object or asks it: the reader need not show it
    SetFlag,
    WaitFlag,
    GetBuffer,
    ReleaseBuffer,
    Barrier,
    Load,
    Store // of the scalar unit
  };
  Kind kind = Kind::Call;
  std::string name;       // Call, Passive
  std::uint32_t line = 0; // 0: not known
  std::vector<NativeOperand> operands;
  Pipe source = Pipe::All, destination = Pipe::All;
  bool pipesKnown = true;              // false: a number that is no pipe's
  std::int64_t id = 0;                 // of a flag
  std::int64_t address = 0, bytes = 0; // of a load or store
  std::int64_t value = 0;              // of a load: its bytes, sign-extended
};

/// What a kernel is run with.
struct RunInputs {
  std::vector<std::int64_t> scalars; // by the number of the argument, 16
  std::map<std::string, std::int64_t> queries;
};

struct NativeRun {
  enum class Ending : std::uint8_t { Returned, Full, Crashed, TimedOut };
  std::map<std::uint32_t, std::int64_t> arguments; // as the kernel got them
  std::vector<NativeEvent> events;
  Ending ending = Ending::Returned;
  bool complete() const { return ending == Ending::Returned; }
};

struct NativeProgram {
  std::string text;                   // of the kernel file
  Section section = Section::Vec;     // whose macro is defined
  std::vector<std::string> kernels;   // names of the functions to run
  std::set<std::string> instructions; // names that the library has
};

struct NativeResult {
  std::string error;                                  // not compiled: the compiler's first words
  std::map<std::string, std::vector<NativeRun>> runs; // by kernel, one for each input
};

/// The compiler and the recording library on this machine.
struct NativeTools {
  std::string compiler, recorderDirectory, runtimeLibrary;
  bool sanitize = false; // undefined behaviour ends the run as a crash, with `error` set
};

/// The tools that the build found.
NativeTools builtInTools();

/// Compiles and runs; files live in a temporary folder that is gone afterwards.
NativeResult runNatively(const NativeProgram &program, const std::vector<RunInputs> &inputs, const NativeTools &tools,
                         std::size_t mostEvents = 4000);

/// The log of a run as text, one event; for messages.
std::string describe(const NativeEvent &event);
std::string describe(const NativeOperand &operand);

/// Inputs for `count` runs; equal seeds give equal inputs.
std::vector<RunInputs> chooseInputs(std::uint64_t seed, std::size_t count);

} // namespace ptosync::differential
