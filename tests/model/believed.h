// What the tool said of a probe's call (`ptosync model --calls --format=json`), as sets of bytes.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace probes {

struct BelievedAccess {
  std::string operand, space;
  bool anywhere = false;
  std::uint64_t begin = 0, rows = 1, rowBytes = 0, stride = 0; // absolute, as the recorder writes them
  bool reads = false, writes = false, scratch = false, hidden = false;
  std::optional<std::int64_t> readAfter, readBy; // repeats, as the chain rule counts them
  std::uint64_t end() const { return begin + (rows - 1) * stride + rowBytes; }
};

struct BelievedPhase {
  std::string pipe;
  bool barrier = false;
  std::vector<BelievedAccess> accesses;
};

struct BelievedCall {
  std::string name, fence;
  std::optional<std::size_t> form; // empty: the model does not know the call
  std::set<std::array<std::string, 3>> flags;
  std::vector<BelievedPhase> tile, library;
  bool inside = false;
};

/// By kernel: the last call of the instruction that its name ends in.
std::map<std::string, BelievedCall> believedCalls(const nlohmann::json &dump);

} // namespace probes
