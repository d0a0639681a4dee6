#include "frontend/conditionals.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace ptosync {
namespace {

constexpr llvm::StringLiteral kPlainWords[] = {"defined", "&&", "||", "!", "(", ")", " ", "\t"};
constexpr llvm::StringLiteral kCoreWords[] = {"__DAV_CUBE__", "__DAV_VEC__"};
constexpr llvm::StringLiteral kChipWords[] = {"__CCE_AICORE__",
                                              "__NPU_ARCH__",
                                              "__CCE_KT_TEST__",
                                              "__CPU_SIM",
                                              "__COSTMODEL",
                                              "__PTO_AUTO__",
                                              "PTO_NPU_ARCH_A2A3",
                                              "PTO_NPU_ARCH_A5",
                                              "PTO_NPU_ARCH_A6",
                                              "PTO_NPU_ARCH_KIRIN9030",
                                              "PTO_NPU_ARCH_KIRINX90",
                                              "PTO_URMA_SUPPORTED",
                                              "PTO_COMM_NOT_SUPPORTED",
                                              "==",
                                              "!=",
                                              ">=",
                                              "<=",
                                              "<",
                                              ">",
                                              "0",
                                              "1",
                                              "2",
                                              "3",
                                              "4",
                                              "5",
                                              "6",
                                              "7",
                                              "8",
                                              "9"};
constexpr llvm::StringLiteral kChipCoreWords[] = {"__DAV_C220_CUBE__", "__DAV_C220_VEC__", "__DAV_C310_CUBE__",
                                                  "__DAV_C310_VEC__"};

template <std::size_t N> void longest(const llvm::StringLiteral (&words)[N], llvm::StringRef text, std::size_t &known) {
  for (llvm::StringRef word : words)
    if (text.starts_with(word))
      known = std::max(known, word.size());
}

/// "if", "ifdef", "elif", "else", "endif", ... of a directive's line; empty for any other line.
llvm::StringRef directiveOf(llvm::StringRef line) {
  line = line.trim();
  if (!line.consume_front("#"))
    return {};
  return line.ltrim().take_while([](char c) { return c >= 'a' && c <= 'z'; });
}

/// The line of the `#endif` of a guard around the whole text; 0 if there is none.
std::uint32_t endOfGuard(const SourceText &header, std::uint32_t &first) {
  std::vector<std::pair<std::uint32_t, llvm::StringRef>> directives;
  int level = 0;
  std::uint32_t end = 0;
  for (std::uint32_t number = 1; number <= header.lineCount(); ++number) {
    llvm::StringRef line = llvm::StringRef(header.line(number)).trim(), word = directiveOf(line);
    if (word.empty() || line.contains("pragma once"))
      continue;
    if (end != 0)
      return 0; // something follows
    directives.emplace_back(number, line);
    if (directives.size() == 1 && word != "ifndef")
      return 0;
    level += word.starts_with("if") ? 1 : word == "endif" ? -1 : 0;
    if (level == 0)
      end = number;
    if (level == 1 && directives.size() > 1 && word.starts_with("el"))
      return 0;
  }
  if (end == 0 || directives.size() < 3 || directiveOf(directives[1].second) != "define")
    return 0;
  auto name = [](llvm::StringRef line) {
    line = line.drop_front().ltrim().drop_while([](char c) { return c >= 'a' && c <= 'z'; }).ltrim();
    return line.take_while([](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
  };
  if (name(directives[0].second) != name(directives[1].second))
    return 0;
  first = directives[0].first;
  return end;
}

} // namespace

bool isForeignCondition(std::string_view text, KnownMacros known) {
  llvm::StringRef line = llvm::StringRef(text).trim();
  if (!line.consume_front("#"))
    return false;
  line = line.ltrim();
  if (!line.consume_front("ifdef") && !line.consume_front("ifndef") && !line.consume_front("if") &&
      !line.consume_front("elif"))
    return false;
  line = line.split("//").first.split("/*").first;
  while (!line.empty()) {
    std::size_t word = 0;
    longest(kPlainWords, line, word);
    if (known.core)
      longest(kCoreWords, line, word);
    if (known.chip)
      longest(kChipWords, line, word);
    if (known.chip && known.core)
      longest(kChipCoreWords, line, word);
    if (word == 0)
      return true;
    line = line.drop_front(word);
  }
  return false;
}

bool tellsCoresApart(std::string_view text, bool chip) {
  auto mentions = [&](llvm::StringRef word) { return text.find(word) != std::string_view::npos; };
  return llvm::any_of(kCoreWords, mentions) || (chip && llvm::any_of(kChipCoreWords, mentions));
}

std::uint32_t endOfConditional(const SourceText &source, std::uint32_t first) {
  int level = 1;
  for (std::uint32_t number = first + 1; number <= source.lineCount(); ++number) {
    llvm::StringRef word = directiveOf(source.line(number));
    level += word.starts_with("if") ? 1 : word == "endif" ? -1 : 0;
    if (level == 0)
      return number;
  }
  return source.lineCount();
}

std::set<std::uint32_t> foreignConditionals(const SourceText &source, KnownMacros known) {
  std::set<std::uint32_t> lines;
  for (std::uint32_t number = 1; number <= source.lineCount(); ++number)
    if (isForeignCondition(source.line(number), known))
      lines.insert(number);
  return lines;
}

std::vector<ForeignRegion> foreignRegions(const SourceText &header, KnownMacros known) {
  std::uint32_t guardBegin = 0, guardEnd = endOfGuard(header, guardBegin);
  struct Open {
    std::uint32_t line;
    bool foreign;
  };
  std::vector<Open> open;
  std::vector<ForeignRegion> regions;
  const std::vector<ForeignRegion> all = {{1, header.lineCount()}};
  for (std::uint32_t number = 1; number <= header.lineCount(); ++number) {
    llvm::StringRef word = directiveOf(header.line(number));
    bool guard = guardEnd != 0 && (number == guardBegin || number == guardEnd);
    if (word.starts_with("if")) {
      open.push_back({number, !guard && isForeignCondition(header.line(number), known)});
    } else if (word.starts_with("elif")) {
      if (open.empty())
        return all;
      open.back().foreign |= word != "elif" || isForeignCondition(header.line(number), known);
    } else if (word == "endif") {
      if (open.empty())
        return all;
      if (open.back().foreign)
        regions.push_back({open.back().line, number});
      open.pop_back();
    }
  }
  return open.empty() ? regions : all;
}

} // namespace ptosync
