#include "kernel/sync_plan.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <tuple>

namespace ptosync {

TextPlace placeInFront(const SourceText &source, std::uint32_t offset) {
  const LineColumn at = source.position(offset);
  const bool alone = llvm::StringRef(source.line(at.line)).take_front(at.column - 1).trim().empty();
  return {offset, 0, alone ? TextPlace::Line::InFront : TextPlace::Line::Shared, offset};
}

void sortByPlace(std::vector<AddedSync> &added) {
  std::stable_sort(added.begin(), added.end(), [](const AddedSync &a, const AddedSync &b) {
    return std::tie(a.place.offset, a.place.rank) < std::tie(b.place.offset, b.place.rank);
  });
}

void append(SyncPlan &plan, const SyncPlan &more) {
  plan.removed.insert(more.removed.begin(), more.removed.end());
  plan.added.insert(plan.added.end(), more.added.begin(), more.added.end());
}

} // namespace ptosync
