// Random kernels of two accesses of global memory, and whether the two may meet.
//
// A kernel stores or loads at a place of one argument, synchronises, and stores or loads at another place that is
// written as generated text: sums, casts, differences, shifts, choices, variables, helpers, memory. Beside the text the
// generator keeps what each number is, as a function of a world: where the arguments lie, what the integers are, what
// memory holds. Three kinds of kernels:
//
//   meets   the second place is the first one, by an identity of arithmetic that leads over other addresses or numbers;
//           or another argument, and the text says that the two may be one buffer; or the argument's other mapping, far
//           away. Some world shows it, unless only the last is the reason. The sync must stay, and the replay must
//           object to a text without it
//   apart   the places are in two arguments, or certain to be apart in one, in forms that kernels have. The sync goes,
//           and the replay agrees
//   random  anything: the two engines must not disagree
//
// The text is judged by what the worlds say, never by what it looks like to the tool. Equal seeds give equal kernels.
#pragma once

#include "fuzz/random_source.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptosync::aliasing {

/// One call of a kernel.
struct World {
  std::array<std::uint64_t, 3> begin{}; // of p, q, r
  std::int32_t n = 0;
  std::int64_t m = 0;
  std::array<std::int64_t, 8> memory{}; // what w points to
};

/// A number of 64 bits without a sign, as text and as what it is.
struct Number {
  std::string text;
  std::function<std::uint64_t(const World &)> value;
};

enum class Expected : std::uint8_t { Meets, Apart, Random };

struct AliasKernel {
  Expected expected = Expected::Random;
  std::string form;   // what the generator made
  std::string before; // what stands in front of the kernel: helpers, macros
  std::string text;   // the kernel; lines of the sync end in "// sync"
  std::string behind; // host code behind the kernel
  bool shown = false; // Meets: some world has the two at one place. Apart: no world that was tried has
};

inline constexpr std::int64_t kBytes = 2048; // of an access
/// The distance of a page's second mapping.
inline constexpr std::int64_t kFarAway = 0x80000000000;

/// Text in front of all kernels of a file.
std::string commonText();

AliasKernel makeKernel(std::uint64_t seed, const std::string &name);

} // namespace ptosync::aliasing
