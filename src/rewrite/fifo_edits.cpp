#include "rewrite/fifo_edits.h"

namespace ptosync {

llvm::Expected<std::vector<Edit>> slotEdits(const SourceText &source, const std::vector<SlotSpelling> &spellings,
                                            std::int64_t before, std::int64_t after, std::string_view pattern) {
  std::vector<Edit> edits;
  std::string note = " /* ptosync: " + std::to_string(after) + " local slots, were " + std::to_string(before) + " [" +
                     std::string(pattern) + "] */";
  std::uint32_t told = 0;
  for (const SlotSpelling &spelling : spellings) {
    if (spelling.range.begin == spelling.range.end)
      return llvm::createStringError(source.name() + ":" + std::to_string(spelling.line) +
                                     ": the local slot count of this TPipe is not spelled as a number of its own");
    edits.push_back({spelling.range, std::to_string(after) + (told == spelling.line ? std::string() : note)});
    told = spelling.line;
  }
  return edits;
}

} // namespace ptosync
