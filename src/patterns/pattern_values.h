// Values that several parts of a pattern file hold: texts, choices, lists of names.
//
// Each reads one node strictly and returns the error that names its place. Tested through
// tests/patterns/pattern_reader_test.cpp.
#pragma once

#include "json/json_document.h"
#include "json/nearest_name.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ptosync {

/// `value` into `target`, or the error.
template <typename T> llvm::Error take(llvm::Expected<T> value, T &target) {
  if (!value)
    return value.takeError();
  target = std::move(*value);
  return llvm::Error::success();
}

inline llvm::Error readText(const JsonNode &object, llvm::StringRef key, std::string &target) {
  llvm::Expected<JsonNode> node = object.member(key);
  return node ? take(node->string(), target) : node.takeError();
}

/// A string out of `choices`.
inline llvm::Expected<std::string> readChoice(const JsonNode &node, const std::vector<std::string> &choices) {
  std::string text;
  if (llvm::Error error = take(node.string(), text))
    return error;
  if (std::find(choices.begin(), choices.end(), text) == choices.end())
    return node.error("unknown value '" + text + "'" + suggestName(text, choices));
  return text;
}

/// An array of strings, none of them twice, that all satisfy `valid`.
template <typename Predicate>
llvm::Error readNames(const JsonNode &node, std::vector<std::string> &target, llvm::StringRef what, Predicate valid) {
  std::vector<JsonNode> items;
  if (llvm::Error error = take(node.items(), items))
    return error;
  for (const JsonNode &item : items) {
    std::string text;
    if (llvm::Error error = take(item.string(), text))
      return error;
    if (!valid(text))
      return item.error("'" + text + "' is no " + what);
    if (std::find(target.begin(), target.end(), text) != target.end())
      return item.error("'" + text + "' is listed twice");
    target.push_back(text);
  }
  return llvm::Error::success();
}

} // namespace ptosync
