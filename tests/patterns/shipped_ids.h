// The ids of the patterns that are built in, in the order in which they are asked: the named ones before the generic
// ones.
#pragma once

#include <string>
#include <vector>

namespace ptosync::test {

inline std::vector<std::string> shippedPatternIds() {
  return {"fifo-local-slots",
          "final-div",
          "gu",
          "softmax-exp-sum",
          "softmax-sum-add",
          "narrow-bracket",
          "nested-flags",
          "raise-set",
          "redundant-bracket",
          "redundant-flag",
          "redundant-generation",
          "redundant-pipe-all",
          "redundant-pipe-fix",
          "redundant-pipe-m",
          "redundant-pipe-mte1",
          "redundant-pipe-mte2",
          "redundant-pipe-mte3",
          "redundant-pipe-s",
          "redundant-pipe-v",
          "sink-into-arms",
          "sink-wait"};
}

} // namespace ptosync::test
