// A certificate as JSON: what a walk claims of the beginnings of its loops (docs/certificate.md has the form).
//
//   KernelProof <--read, write--> {"kernel", "core", "rows", "nodes", "instances", "loops": [loop records]}
//
// Loop records stand in the order in which a walk comes to the loops. What runs at the beginning of a turn is grouped
// by its ways: [[[unknown, known], ..], instances], each a list of numbers as ranges, "0-3,7". The reader refuses what
// it does not know; it proves nothing. Tested by tests/check/damage_test.cpp.
#pragma once

#include "check/walk.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::check {

struct KernelProof {
  std::string kernel, core;
  std::string doubts = "any"; // or whether inside orders, and scalar waits hold: "00" to "11"
  std::string claim = "kept"; // what BEFORE orders is ordered; "ordered": every conflict in memory is
  std::vector<LoopRecord> loops;
};

/// How the walk takes what sources leave open. "any": for AFTER nothing orders, for BEFORE everything does, so that the
/// proof holds however it is. Else both take it alike, and there is a proof for each of the four ways. Throws Refused.
void setDoubts(const std::string &doubts, Scene &scene);

/// `scene` receives ages, places, rows, and a node without a name for each that the proof speaks of. Throws Refused.
KernelProof readProof(const nlohmann::json &json, Scene &scene);
nlohmann::ordered_json writeProof(const KernelProof &proof, const Scene &scene);

/// The number of the loop at that place of the text.
int loopNumber(const std::string &at);

} // namespace ptosync::check
