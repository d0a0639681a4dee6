// Pipes of an Ascend core and the two core sections of a kernel file.
//
// A core has a scalar unit that hands every instruction to the queue of one pipe; pipes run
// concurrently. PIPE_ALL is no pipe: it is the argument of a barrier over all of them.
// Tested by tests/kernel/pipe_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptosync {

enum class Pipe : std::uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, All };

/// Number of real pipes (without `Pipe::All`).
inline constexpr std::size_t kPipeCount = 7;

/// The real pipes in the order of their enumerators.
inline constexpr std::array<Pipe, kPipeCount> kPipes = {Pipe::S,    Pipe::V,    Pipe::M,  Pipe::MTE1,
                                                        Pipe::MTE2, Pipe::MTE3, Pipe::FIX};

inline std::size_t index(Pipe pipe) { return static_cast<std::size_t>(pipe); }

/// The spellings used in kernels, in the order of the enumerators.
inline constexpr std::array<std::string_view, kPipeCount + 1> kPipeNames = {
    "PIPE_S", "PIPE_V", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_ALL"};

/// Returns the spelling of a pipe: "PIPE_V".
inline std::string_view pipeName(Pipe pipe) { return kPipeNames[index(pipe)]; }

/// Returns the pipe of that spelling; empty if there is none.
inline std::optional<Pipe> parsePipe(std::string_view name) {
  for (std::size_t i = 0; i < kPipeNames.size(); ++i)
    if (kPipeNames[i] == name)
      return static_cast<Pipe>(i);
  return std::nullopt;
}

/// A set of real pipes.
class PipeSet {
public:
  PipeSet() = default;
  static PipeSet all() { return PipeSet((1u << kPipeCount) - 1); }
  void insert(Pipe pipe) { bits |= 1u << index(pipe); }
  bool contains(Pipe pipe) const { return (bits >> index(pipe)) & 1u; }
  bool empty() const { return bits == 0; }
  std::size_t size() const { return static_cast<std::size_t>(__builtin_popcount(bits)); }
  PipeSet operator|(PipeSet other) const { return PipeSet(bits | other.bits); }
  bool operator==(const PipeSet &other) const = default;

private:
  explicit PipeSet(std::uint32_t bits) : bits(bits) {}
  std::uint32_t bits = 0;
};

/// Says which of the two programs in a file a kernel belongs to. `Both`: its text has no section of its own, so the two
/// programs are the same.
enum class Section : std::uint8_t { Cube, Vec, Both };

/// Returns "cube", "vec" or "both".
inline std::string_view sectionName(Section section) {
  return section == Section::Cube ? "cube" : section == Section::Vec ? "vec" : "both";
}

} // namespace ptosync
