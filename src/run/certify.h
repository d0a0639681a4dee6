// A certificate for what a run has made of a kernel, found and checked by the small checker of its own.
//
//   text before, text after --check/propose--> certificate --check/check--> which edits are certified, which are not
//
// The checker (src/check) shares no code with the tool; docs/certificate.md says what a certificate claims. It knows
// the built-in facts at trust `tile` and the default choices: where a run has others, nothing is certified, and the
// reason says so. What is not certified is not wrong; it is proved by the tool alone.
// Tested by tests/golden/certificate_test.cpp and tests/tool/opt_command_test.cpp.
#pragma once

#include "run/run.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ptosync {

struct Certification {
  std::string certificate;               // a JSON text; it may certify less than all
  std::size_t edits = 0, certified = 0;  // syncs that only one of the two texts has
  std::vector<std::string> notCertified; // "kernel (vec): 3 syncs differ: REASON"
  std::vector<std::string> ordered;      // kernels of which it says that every conflict in memory is ordered
  bool whole() const { return edits == certified && notCertified.empty(); }
};

/// Never fails: what cannot be certified is in `notCertified`. `ordered`: the certificate is to say of each kernel, if
/// it can, that every conflict in memory is ordered, whatever `before` orders.
Certification certify(const Subject &subject, const std::string &before, const std::string &after, bool ordered);

/// "12 of 12 differing syncs certified", and a line for each kernel that is not, or that is ordered by itself.
std::string certificationText(const Certification &certification);

} // namespace ptosync
