// Reading the fields of a JSON document one after the other, without a check behind each.
//
//   JsonDocument --JsonFields--> values, and the first problem
//
// Every reader of a field takes its parent and the parent's pointer; what is wrong is noted, once, and a harmless value
// returned, so that a whole file is read straight through and the caller asks at the end. Messages name file, line,
// pointer, what was expected, and of a word the ones that are allowed.
// Unknown keys are not looked for: a schema does (machine/machine_schema.h).
// Tested by tests/json/json_fields_test.cpp.
#pragma once

#include "json/json_document.h"

#include <string>
#include <utility>
#include <vector>

namespace ptosync {

class JsonFields {
public:
  using Json = nlohmann::json;

  /// The document must outlive this.
  explicit JsonFields(const JsonDocument &document) : document(document) {}

  /// The first problem, if there was one.
  llvm::Error problem() const;
  bool failed() const { return !problemText.empty(); }
  /// "FILE:LINE: POINTER: expected EXPECTED".
  void fail(const std::string &pointer, const std::string &expected);

  /// Null if `key` is not there; a problem if it is required.
  const Json &member(const Json &parent, const std::string &key, const std::string &at, bool required = true);
  const Json &array(const Json &parent, const std::string &key, const std::string &at, bool required = true);
  const Json &object(const Json &parent, const std::string &key, const std::string &at, bool required = true);
  std::string text(const Json &parent, const std::string &key, const std::string &at, bool required = true);
  std::int64_t integer(const Json &parent, const std::string &key, const std::string &at);
  std::int64_t integer(const Json &parent, const std::string &key, const std::string &at, std::int64_t otherwise);
  /// A number of at least `least`.
  double number(const Json &parent, const std::string &key, const std::string &at, double least);
  /// False without the key.
  bool flag(const Json &parent, const std::string &key, const std::string &at);
  /// One string, or a list of them.
  std::vector<std::string> strings(const Json &value, const std::string &at);

  /// The value that `key` names; `otherwise` without the key.
  template <typename Value>
  Value choice(const Json &parent, const std::string &key, const std::string &at, Value otherwise,
               const std::vector<std::pair<const char *, Value>> &names) {
    std::string given = text(parent, key, at, false);
    if (given.empty())
      return otherwise;
    std::vector<std::string> allowed;
    for (const auto &[name, value] : names) {
      if (given == name)
        return value;
      allowed.emplace_back(name);
    }
    failWord(at + "/" + key, given, allowed);
    return otherwise;
  }
  /// `given` is none of these.
  void failWord(const std::string &pointer, const std::string &given, const std::vector<std::string> &allowed);

  /// `visit(element, pointer)` for each element of an array.
  template <typename Visit> static void each(const Json &list, const std::string &at, Visit visit) {
    for (std::size_t i = 0; i < list.size(); ++i)
      visit(list[i], at + "/" + std::to_string(i));
  }

private:
  const JsonDocument &document;
  std::string problemText;
};

} // namespace ptosync
