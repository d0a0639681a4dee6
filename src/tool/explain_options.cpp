#include "tool/explain_options.h"

#include <llvm/ADT/StringExtras.h>

namespace ptosync {

namespace cl = llvm::cl;

ExplainDefinitions::ExplainDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : place(cl::Positional, cl::desc("KERNEL.cpp:LINE | KERNEL.cpp:TILE | --memory KERNEL.cpp"), cl::sub(command),
            cl::cat(category), cl::Required),
      memory("memory", cl::desc("who holds which bytes of each memory and when, peak and slack, of a whole file"),
             cl::sub(command), cl::cat(category)) {}

std::string ExplainDefinitions::read(ExplainCommandOptions &options) const {
  if (memory) {
    options = {place, 0, {}, true};
    return {};
  }
  llvm::Expected<ExplainCommandOptions> parsed = parsePlace(place);
  if (!parsed)
    return "explain: " + llvm::toString(parsed.takeError());
  options = std::move(*parsed);
  return {};
}

llvm::Expected<ExplainCommandOptions> parsePlace(const std::string &text) {
  auto wrong = [&] { return llvm::createStringError(text + ": expected FILE:LINE or FILE:TILE, or --memory FILE"); };
  auto [file, last] = llvm::StringRef(text).rsplit(':');
  if (file.empty() || last.empty())
    return wrong();
  ExplainCommandOptions options;
  auto isNumber = [](llvm::StringRef word) { return !word.empty() && llvm::all_of(word, llvm::isDigit); };
  if (auto [before, line] = file.rsplit(':'); isNumber(last) && isNumber(line) && !before.empty()) {
    file = before;
    last = line;
  }
  options.file = file.str();
  if (isNumber(last)) {
    if (last.getAsInteger(10, options.line) || options.line == 0)
      return wrong();
    return options;
  }
  bool name = !llvm::isDigit(last.front()) && llvm::all_of(last, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!name)
    return wrong();
  options.tile = last.str();
  return options;
}

} // namespace ptosync
