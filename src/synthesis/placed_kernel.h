// A kernel with its syncs placed anew, read again, so that they can be placed once more.
//
//   input + decisions --text--> lifted --decisions on that--> the same as decisions on the input
//
// What is decided about the text that was made refers to places in it; each is one of the input too: a statement that
// is the input's, or a sync that was added beside one. Whether the result is right is not judged here: it is verified
// from nothing like any other (verification.h). Tested by tests/synthesis/placed_kernel_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "synthesis/edited_kernel.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace ptosync::synthesis {

/// Decisions that edit nothing.
OptimizeResult keepingAll(const Module &module);

/// Of a sync that goes because those of its kernel were placed anew.
void decideGone(SiteDecision &decision);

/// The same with each sync of the kernel that moves taken out and added where it goes.
OptimizeResult withMovesAdded(const Module &module, const Kernel &kernel, OptimizeResult decided);

class PlacedKernel {
public:
  /// `kernel` is one of `input`; `placed` decides about its sites, and moves none. The error says why the text cannot
  /// be used.
  static llvm::Expected<PlacedKernel> read(const Module &input, std::size_t kernel, const OptimizeResult &placed,
                                           const Lift &lift);

  const Module &module() const { return file.module(); }
  /// Its number in module().
  std::size_t kernel() const { return number; }

  /// `placed` and, on top of it, `decided` about sites of module(). Empty: a place of it is none of
  /// the input.
  std::optional<OptimizeResult> joined(const OptimizeResult &decided) const;

private:
  struct Standing {
    std::uint32_t offset; // in module()
    std::uint8_t side;    // of what stands there: in front of it 0, itself 1, behind it 2
    std::uint32_t rank;
    AddedSync sync; // of the input
    auto place() const { return std::tuple(offset, side, rank); }
  };

  PlacedKernel(EditedFile file, const OptimizeResult &placed) : file(std::move(file)), placed(placed) {}
  std::uint32_t beginOf(std::size_t added) const;
  std::optional<Standing> standing(const AddedSync &added) const;
  void keepReason(AddedSync &sync, const std::set<std::size_t> &dropped) const;

  EditedFile file;
  OptimizeResult placed;
  std::size_t number = 0;
};

} // namespace ptosync::synthesis
