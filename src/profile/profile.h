// What a simulator run recorded of one core, and the words in which its files say it.
#pragma once

#include "kernel/pipe.h"

#include <llvm/Support/Error.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ptosync::timing {

// Holds what a simulator run recorded of one core, in whichever of its files: instructions by kind, and when each ran.
//
//   instr_exe csv --readInstrExe--+
//   raw logs      --readInstrLogs-+--> CoreProfile --profile_match--> beside the estimate, or: another kernel's
//   trace.json    --readTrace-----+
//
// Plain data. Cycles throughout; a trace's microseconds are converted with the clock of the timing data. An
// instruction's cycles are its end minus its start, as the recording has them: those of neighbours may overlap.
// Tested through tests/profile/readers_test.cpp.

enum class ProfileFormat : std::uint8_t { InstrExe, RawLogs, Trace };

/// Returns the format's name: "instr_exe csv", "raw logs" or "trace.json".
std::string_view formatName(ProfileFormat format);

enum class ProfileKind : std::uint8_t {
  Work,
  Registers, // sets up what others read; no work of the pipe
  Barrier,
  Set,
  Wait,
};

/// The instructions of one kind: those with one queue and one name and, for flags, one pair of pipes and one id.
struct ProfileRow {
  ProfileKind kind = ProfileKind::Work;
  std::optional<Pipe> pipe;                     // whose queue it is; empty: one that the estimate does not have
  std::string queue, name;                      // "VECTOR", "VADD"
  Pipe source = Pipe::S, destination = Pipe::S; // Set, Wait: from, to; Barrier: its pipe, twice
  std::optional<std::int64_t> id;               // Set, Wait: if it was recorded
  double count = 0, cycles = 0;
};

/// One execution. Start and end are cycles since the core's first start.
struct ProfileEvent {
  double start = 0, end = 0;
  std::uint32_t row = 0, order = 0; // order: in which the recording names the starts
};

/// All executions of the instruction at one address.
struct ProfileAddress {
  std::uint64_t address = 0;
  std::uint32_t row = 0;
  double count = 0, cycles = 0;
};

/// The most kinds of instructions, and the most addresses of a csv, that a profile may have. No kernel has as many.
inline constexpr std::size_t kMostProfileRows = 100'000, kMostProfileAddresses = 1'000'000;
inline constexpr const char *kOverfull = "more than 100,000 different instructions: this is no profile of a kernel";

/// A recording with more executions than this gives counts and sums, and no single executions.
inline constexpr std::size_t kMostProfileEvents = 4'000'000;

struct CoreProfile {
  std::string core; // "core0.veccore0"
  ProfileFormat format = ProfileFormat::RawLogs;
  std::string file;                      // as messages name it
  std::vector<ProfileRow> rows;          // by kind, queue, name, pair and id
  std::vector<ProfileEvent> events;      // by start, then by order; none in a csv, or if there are too many
  std::vector<ProfileAddress> addresses; // by address; of a csv alone
  double cycles = 0;                     // from the first start to the last end; 0: the file has no times
  std::array<double, kPipeCount> busy{}; // cycles in which something of the pipe's own work ran; 0 without times

  bool timed() const { return !events.empty(); }
  /// Returns false for barriers and sets of a trace.json, which are cut down to their last cycle.
  bool knowsCost(ProfileKind kind) const {
    return format != ProfileFormat::Trace || (kind != ProfileKind::Barrier && kind != ProfileKind::Set);
  }
};

/// Collects instructions into the rows and events of a core.
class ProfileBuilder {
public:
  ProfileBuilder(std::string core, ProfileFormat format, std::string file);

  /// Returns true if there are more different rows than a kernel can have.
  bool overfull() const { return profile.rows.size() > kMostProfileRows; }
  /// Returns the index of the row like `row`, which has neither count nor cycles, and adds it if there is none.
  std::uint32_t rowOf(const ProfileRow &row);
  /// Adds count and cycles to a row, without an execution of its own.
  void count(std::uint32_t row, double count, double cycles);
  /// Adds one execution. Times are in cycles from any origin.
  void execution(std::uint32_t row, double start, double end, std::uint32_t order);
  /// Adds all executions of one address. `count` must be told of them, too.
  void address(std::uint64_t address, std::uint32_t row, double count, double cycles);
  CoreProfile finish();

private:
  CoreProfile profile;
  using Key = std::tuple<ProfileKind, std::string, std::string, Pipe, Pipe, std::int64_t>;
  std::map<Key, std::uint32_t> known;
  double first = 0, last = 0;
  bool any = false, full = false;
};

// Reads the words of a profile: queues, the mnemonics of syncs, and the text that says which flag is meant.
//
//   "VEC" -> PIPE_V    "SET_FLAG" + "PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:0," -> set, PIPE_MTE2 to PIPE_V, id 0
//
// Both spellings of the detail are read; an id that was not known when the text was written (0xffffffff) is none.
// The names are data: profile_names.json. Tested by tests/profile/profile_test.cpp.

class ProfileNames {
public:
  static llvm::Expected<ProfileNames> builtIn();

  /// Returns the row of an instruction of `queue`. Fails if the detail of a flag or barrier does not name its pipes;
  /// the error says what was expected.
  llvm::Expected<ProfileRow> row(std::string_view queue, std::string_view name, std::string_view detail) const;
  std::optional<Pipe> pipe(std::string_view queue) const;
  /// Returns false for an event that a trace draws in front of an instruction.
  bool isInstruction(std::string_view name) const { return !beside.count(name); }
  /// Returns the queue with this number in a core's own trace; empty if there is none.
  std::string queueOf(std::int64_t pid) const;

private:
  std::map<std::string, Pipe, std::less<>> pipes;
  std::map<std::int64_t, std::string> byNumber;
  std::map<std::string, ProfileKind, std::less<>> kinds;
  std::set<std::string, std::less<>> beside;
};

/// Returns true if `name` has the form "core3.veccore1".
bool isCoreName(std::string_view name);
/// Returns the core that stands last in a file's path; empty if none does.
std::string coreOfPath(std::string_view path);

} // namespace ptosync::timing
