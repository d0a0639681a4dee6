// A kernel with its syncs placed anew: event ids given to flags, and the text that results.
#pragma once

#include "optimize/decision.h"
#include "ordering/pending.h"
#include "ordering/syncs.h"
#include "rewrite/text_edit.h"
#include "synthesis/trial_kernel.h"

namespace ptosync::synthesis {

// Event ids for the flags that stay: few, and no two flags on one id that could be in each other's way.
//
//   flags, each on an id of its own --interference--> colouring with the ids that there are
//
// Two flags of the same pipes may share an id if neither can be set where the other may still be set or may still be
// waited for: in program order, and as the pipes run. Ids that a library call uses inside, and reserved ones, are left
// alone. What comes out is analysed again like any kernel. Tested by tests/synthesis/placed_kernel_test.cpp.

struct IdAssignment {
  std::vector<std::int64_t> ids;            // of the proposed flags, in their order
  std::set<std::pair<Pipe, Pipe>> shortage; // pairs of pipes whose ids do not suffice; then `ids` means nothing
};

/// For `proposed`, each a web of its own on ids of no one else: ids below `ids` of their pair of pipes. Of a flag with
/// several ids the first one: the others follow as they do now.
IdAssignment assignIds(const Program &program, const Pending &pending, const std::vector<std::set<SiteId>> &proposed,
                       unsigned ids, const std::set<std::int64_t> &reserved);

// A file with one kernel's syncs placed anew, read again, so that they can be placed once more.
//
//   input + decisions --text--> lifted --decisions on that--> the same as decisions on the input
//
// What is decided about the text that was made refers to places in it; each is one of the input too: a statement that
// is the input's, or a sync that was added beside one. Whether the result is right is not judged here: it is verified
// from nothing like any other (verification.h). Tested by tests/synthesis/placed_kernel_test.cpp.

/// Of a sync that goes because those of its kernel were placed anew.
void decideGone(SiteDecision &decision);

/// The same with each sync that moves taken out and added where it goes.
OptimizeResult withMovesAdded(const Module &module, const Kernel &kernel, OptimizeResult decided);

class PlacedKernel {
public:
  /// `kernel` is one of `input`; `placed` decides about its sites. The error says why the text cannot be used.
  static llvm::Expected<PlacedKernel> read(const Module &input, std::size_t kernel, const OptimizeResult &placed,
                                           const Lift &lift);

  const Module &module() const { return *lifted; }
  /// Its number in module().
  std::size_t kernel() const { return number; }

  /// `placed` and, on top of it, `decided` about sites of module(). Empty: a place of it is none of
  /// the input.
  std::optional<OptimizeResult> joined(const OptimizeResult &decided) const;

private:
  struct Standing {
    std::uint32_t offset; // in module()
    std::uint8_t side;    // of what stands there: in front of it 0, itself 1, behind it 2
    std::uint8_t rank;
    AddedSync sync; // of the input
    auto place() const { return std::tuple(offset, side, rank); }
  };

  bool findOrigins();
  bool isCopied(std::uint32_t offset) const;
  std::optional<std::uint32_t> inputOffset(std::uint32_t offset) const;
  std::uint32_t inputLine(std::uint32_t line) const;
  std::uint32_t beginOf(SiteId site, const AddedSync &as) const;
  std::optional<Standing> standing(const AddedSync &added) const;
  void keepReason(AddedSync &sync, const std::set<std::size_t> &dropped) const;

  const Module *input = nullptr;
  OptimizeResult placed;
  std::vector<Edit> edits; // of the input's text, in order
  std::unique_ptr<Module> lifted;
  std::size_t number = 0;
  std::vector<SiteId> siteOfInput;       // by site of module(); kNone: added
  std::map<SiteId, std::size_t> addedAs; // by site of module(): its number in placed.added
};

} // namespace ptosync::synthesis
