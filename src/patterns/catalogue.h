// The patterns that a run uses: the built-in ones, those the user adds, and the choice among them.
//
//   embedded files, user files --add--> Catalogue --select("gu,final-div")--> Catalogue --> nominate
//
// Patterns are kept in the order in which they are asked: by priority, then by id. A barrier belongs to
// the first that nominates it, so named patterns, which stand first, take theirs before a generic one
// does; the order decides what a removal is attributed to, never what is removed in the end.
// Nothing is read from disk here.
//
//   Kernel --straight runs--> statements in a row --sequences around each barrier--> site -> pattern id
//
// A *straight run* is the statements of one block, continued where a block jumps unconditionally to a
// block that is entered from nowhere else. Sequences are matched within one run: statements before the
// barrier are looked for backwards, those after it forwards; scalar assignments and statements that
// occupy no pipe are skipped. A sequence does not reach into the arms of an `if`, around a loop, or
// across a join: the machine does, but a pattern only says where to look, and what it does not nominate
// the generic patterns will. Every other statement that no element stands for breaks the match.
//
// Nothing here is a proof. A barrier inside a helper that is called from several places is one site: it
// is nominated if one of the places matches, and the checker answers for all of them.
// The kernel's tail fence is never nominated; whether a site is protected otherwise is not known here.
// Tested by tests/patterns/catalogue_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "patterns/pattern.h"

#include <llvm/Support/Error.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

/// Returns the file name and the text of every pattern in patterns/, without schema.json, and as NAME#/cases the cases,
/// which its text is without. The build generates it.
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

/// Returns true if operand `a` of `first` and operand `b` of `second` are certain to start at the same storage, and
/// false if they differ or if that is not known, so that a pattern nominates less. `first` is not after `second` in the
/// text.
using SameStorage = std::function<bool(const Kernel &kernel, const Statement &first, const Operand &a,
                                       const Statement &second, const Operand &b)>;

/// Returns the pipes that an instruction may occupy: none if it only computes addresses, all if it is not known.
using PipeOf = std::function<PipeSet(const Kernel &kernel, const Instruction &instruction)>;

/// Returns for each barrier site of `kernel` that is nominated the id of the first pattern, in the catalogue's order,
/// that does so. Patterns for another architecture or a higher trust level take no part.
std::map<SiteId, std::string> nominate(const Kernel &kernel, const Catalogue &catalogue, std::string_view arch,
                                       Trust trust, const SameStorage &sameStorage, const PipeOf &pipeOf);

} // namespace ptosync
