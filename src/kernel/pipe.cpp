#include "kernel/pipe.h"

namespace ptosync {
namespace {
constexpr std::array<std::string_view, kPipeCount + 1> kNames = {"PIPE_S",    "PIPE_V",    "PIPE_M",   "PIPE_MTE1",
                                                                 "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_ALL"};
} // namespace

std::string_view pipeName(Pipe pipe) { return kNames[index(pipe)]; }

std::optional<Pipe> parsePipe(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name)
      return static_cast<Pipe>(i);
  return std::nullopt;
}

std::string_view sectionName(Section section) {
  switch (section) {
  case Section::Cube: return "cube";
  case Section::Vec: return "vec";
  case Section::Both: return "both";
  }
  return "both";
}

} // namespace ptosync
