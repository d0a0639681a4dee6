// What a library call did, in order, as lines on standard output.
//
//   call NAME                                   the probe that follows
//   access PIPE INTRINSIC [R|W SPACE BEGIN END]...   one repeat of one intrinsic, bytes [BEGIN, END)
//   barrier PIPE
//   set SOURCE DESTINATION ID, wait SOURCE DESTINATION ID
//   signal PIPE, await PIPE                     to and from another core, queued on the pipe
//   unknown INTRINSIC                           an intrinsic whose effect the stand-ins do not describe
//   refuse CONDITION                            the library demands what the call does not give
//   end
//
// The stand-ins of intrinsics (a3.h, a5.h) report here; loads and stores of the scalar unit come through the
// compiler's own hooks (recorder.cpp). On-chip addresses are the numbers that TASSIGN was given.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace recorder {

enum class Space : std::uint8_t { UB, L1, L0A, L0B, L0C, BT, FB, GM };

struct Piece {
  bool write;
  Space space;
  std::uint64_t begin, end; // bytes
};

using Pieces = std::vector<Piece>;

/// Every byte of UB is `fill` when the probe starts.
void begin(const char *probe, int fill);
void end();
void access(const char *pipe, const char *intrinsic, const Pieces &pieces);
void barrier(const char *pipe);
void flag(bool set, const char *source, const char *destination, std::uint64_t id);
void signal(const char *pipe);
void await(const char *pipe);
void unknown(const char *intrinsic);
void refuse(const char *condition);

/// While one lives, loads and stores of compiled code are those of a vector function.
struct VectorScope {
  VectorScope();
  ~VectorScope();
};

/// Adds [begin, end) and joins it to the piece before where they meet.
inline void add(Pieces &pieces, bool write, Space space, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end)
    return;
  if (!pieces.empty()) {
    Piece &last = pieces.back();
    if (last.write == write && last.space == space && last.end == begin) {
      last.end = end;
      return;
    }
  }
  pieces.push_back({write, space, begin, end});
}

template <typename T> std::uint64_t at(T *pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
inline std::uint64_t at(std::uint64_t address) { return address; }

} // namespace recorder
