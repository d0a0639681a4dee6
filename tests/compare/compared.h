// Helpers for tests of the comparison: two texts, lifted and laid beside each other.
#pragma once

#include "compare/compare.h"
#include "support/corpus.h"
#include "timing/timed.h"

#include <catch2/catch.hpp>

#include <string>

namespace ptosync::test {

struct ComparedTexts {
  ComparedTexts(const std::string &textA, const std::string &textB, replay::Options options = {},
                const std::string &arch = "a3")
      : a(lift(textA, arch)), b(lift(textB, arch)),
        result(llvm::cantFail(compare::compareModules(a, b, machineOf(arch), costsOf(arch),
                                                      compare::CompareOptions{std::move(options)}))) {}
  ComparedTexts(const ComparedTexts &) = delete;

  const compare::KernelComparison &kernel() const { return result.kernels.at(0); }

  /// The syncs that differ, "gone pipe_barrier(PIPE_V) TADD>TMUL 8>-", joined by "; ".
  std::string changes() const {
    std::string text;
    for (const compare::SyncComparison &sync : kernel().syncs) {
      if (sync.change == compare::MatchKind::Same)
        continue;
      auto line = [](const std::optional<compare::SyncPlace> &place) {
        return place ? std::to_string(place->line) : std::string("-");
      };
      text += (text.empty() ? "" : "; ") + std::string(matchKindName(sync.change)) + " " + sync.kind + " " +
              (sync.earlier.empty() ? "" : sync.earlier + ">" + sync.later + " ") + line(sync.a) + ">" + line(sync.b);
    }
    return text;
  }

  Module a, b;
  compare::Comparison result;
};

/// Three tiles apart from each other, v1 to v3, so short that the machine orders nothing by itself.
inline std::string threeTiles() {
  return tile("v1", "float", 8, 64, 0) + tile("v2", "float", 8, 64, 8192) + tile("v3", "float", 8, 64, 16384);
}
/// Line of the first statement behind threeTiles() in a vectorKernel.
inline constexpr unsigned kBehindTiles = kBodyLine + 3;

} // namespace ptosync::test
