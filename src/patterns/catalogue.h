// The patterns that a run uses: the built-in ones, those the user adds, and the choice among them.
//
//   embedded files, user files --add--> Catalogue --select("gu,final-div")--> Catalogue --> nominate
//
// Patterns are kept in the order in which they are asked: by priority, then by id. A barrier belongs to
// the first that nominates it, so named patterns, which stand first, take theirs before a generic one
// does; the order decides what a removal is attributed to, never what is removed in the end.
// Nothing is read from disk here.
// Tested by tests/patterns/catalogue_test.cpp.
#pragma once

#include "patterns/pattern.h"

#include <llvm/Support/Error.h>

#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

/// Returns the file name and the text of every pattern in patterns/, without schema.json. The build generates it.
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedPatterns();

class Catalogue {
public:
  static llvm::Expected<Catalogue> builtIn(PatternCases cases = PatternCases::Left);

  /// Adds a pattern. Fails if its id or one of its aliases is taken, or means something else in a selection.
  llvm::Error add(Pattern pattern);

  /// Returns the patterns that `spec` names: "default" or "all" (every pattern), "none", "off", "disable" or "disabled"
  /// (no pattern), or ids and aliases separated by commas. Rewrites are never among them: they are asked for one by
  /// one, with `find`. Fails if a name is unknown, and names the nearest one.
  llvm::Expected<Catalogue> select(std::string_view spec) const;

  /// Returns the patterns in the order in which they are asked.
  const std::vector<Pattern> &patterns() const { return ordered; }
  /// Returns the pattern that answers to the name, or null. The pointer is valid until the next `add`.
  const Pattern *find(std::string_view idOrAlias) const;

private:
  std::vector<Pattern> ordered;
};

} // namespace ptosync
