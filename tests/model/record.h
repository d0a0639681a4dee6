// What the recorder wrote, read back. The form of the lines: standins/recorder.h.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace probes {

struct Piece {
  bool write = false;
  std::string space;
  std::uint64_t begin = 0, end = 0;
};

struct RecordedEvent {
  enum class Kind { Access, Barrier, Set, Wait, Signal, Await } kind = Kind::Access;
  std::string pipe, intrinsic; // Barrier, Signal, Await: the pipe; flags: the source
  std::string destination;     // flags
  std::uint64_t id = 0;        // flags
  std::vector<Piece> pieces;
};

struct RecordedCall {
  std::vector<RecordedEvent> events;
  std::vector<std::string> unknown; // intrinsics that the stand-ins do not describe
  std::vector<std::string> refused; // demands of the library that the call does not meet
  bool ended = false;
};

/// By probe. Throws std::runtime_error on a line that is none.
std::map<std::string, RecordedCall> readRecord(std::istream &stream);

} // namespace probes
