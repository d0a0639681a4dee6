// Holds what an engine knows where a call is issued: valid regions of tiles, bounds of scalar arguments.
//
// The machine model asks; each engine answers from its own analysis. What an engine does not answer is unknown, and
// unknown is as wide as it can be. Plain data; tested with tests/machine/form_choice_test.cpp and
// operand_bytes_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace ptosync {

/// The inclusive bounds of an argument's value.
struct ArgumentRange {
  std::int64_t lowest = 0, highest = 0;
};

/// Returns the tile with whatever is known of its valid region at the call; by default with what its type says.
using TileAtCall = std::function<Tile(const Tile &)>;

struct CallState {
  CallState() = default;
  CallState(TileAtCall tile, std::function<std::optional<ArgumentRange>(const Operand &)> range = {})
      : tileAtCall(std::move(tile)), rangeOf(std::move(range)) {}
  template <typename Callable, std::enable_if_t<std::is_invocable_r_v<Tile, Callable, const Tile &>, int> = 0>
  CallState(Callable tile) : tileAtCall(std::move(tile)) {}

  Tile tile(const Tile &declared) const { return tileAtCall ? tileAtCall(declared) : declared; }
  /// Returns the bounds of an argument; empty if it is no scalar or nothing is known of it.
  std::optional<ArgumentRange> range(const Operand &argument) const {
    return rangeOf ? rangeOf(argument) : std::nullopt;
  }

private:
  TileAtCall tileAtCall;
  std::function<std::optional<ArgumentRange>(const Operand &)> rangeOf;
};

} // namespace ptosync
