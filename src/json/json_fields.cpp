#include "json/json_fields.h"

#include "json/nearest_name.h"

namespace ptosync {

llvm::Error JsonFields::problem() const {
  return failed() ? llvm::createStringError(problemText) : llvm::Error::success();
}

void JsonFields::fail(const std::string &pointer, const std::string &expected) {
  if (!failed())
    problemText = llvm::toString(document.error(pointer.empty() ? "/" : pointer, "expected " + expected));
}

void JsonFields::failWord(const std::string &pointer, const std::string &given,
                          const std::vector<std::string> &allowed) {
  std::string expected = allowed.size() == 1 ? "" : "one of ";
  for (const std::string &word : allowed)
    expected += (&word == &allowed.front() ? "\"" : ", \"") + word + "\"";
  std::optional<std::string> near = nearestName(given, allowed);
  fail(pointer, expected + ", found \"" + given + "\"" + (near ? "; did you mean \"" + *near + "\"?" : ""));
}

const JsonFields::Json &JsonFields::member(const Json &parent, const std::string &key, const std::string &at,
                                           bool required) {
  static const Json nothing;
  if (!parent.is_object()) {
    fail(at, "an object");
    return nothing;
  }
  auto found = parent.find(key);
  if (found != parent.end())
    return *found;
  if (required)
    fail(at + "/" + key, "this key to be present");
  return nothing;
}

const JsonFields::Json &JsonFields::array(const Json &parent, const std::string &key, const std::string &at,
                                          bool required) {
  static const Json none = Json::array();
  const Json &value = member(parent, key, at, required);
  if (value.is_array())
    return value;
  if (!value.is_null() || required)
    fail(at + "/" + key, "an array");
  return none;
}

const JsonFields::Json &JsonFields::object(const Json &parent, const std::string &key, const std::string &at,
                                           bool required) {
  static const Json none = Json::object();
  const Json &value = member(parent, key, at, required);
  if (value.is_object())
    return value;
  if (!value.is_null() || required)
    fail(at + "/" + key, "an object");
  return none;
}

std::string JsonFields::text(const Json &parent, const std::string &key, const std::string &at, bool required) {
  const Json &value = member(parent, key, at, required);
  if (value.is_string())
    return value.get<std::string>();
  if (!value.is_null() || required)
    fail(at + "/" + key, "a string");
  return {};
}

std::int64_t JsonFields::integer(const Json &parent, const std::string &key, const std::string &at) {
  const Json &value = member(parent, key, at);
  if (value.is_number_integer())
    return value.get<std::int64_t>();
  fail(at + "/" + key, "a whole number");
  return 0;
}

std::int64_t JsonFields::integer(const Json &parent, const std::string &key, const std::string &at,
                                 std::int64_t otherwise) {
  return member(parent, key, at, false).is_null() ? otherwise : integer(parent, key, at);
}

double JsonFields::number(const Json &parent, const std::string &key, const std::string &at, double least) {
  const Json &value = member(parent, key, at);
  if (value.is_number() && value.get<double>() >= least)
    return value.get<double>();
  fail(at + "/" + key, least > 0 ? "a number above 0" : "a number of at least 0");
  return least;
}

bool JsonFields::flag(const Json &parent, const std::string &key, const std::string &at) {
  const Json &value = member(parent, key, at, false);
  if (!value.is_null() && !value.is_boolean())
    fail(at + "/" + key, "true or false");
  return value.is_boolean() && value.get<bool>();
}

std::vector<std::string> JsonFields::strings(const Json &value, const std::string &at) {
  if (value.is_string())
    return {value.get<std::string>()};
  std::vector<std::string> result;
  if (!value.is_array())
    fail(at, "a string or an array of strings");
  else
    each(value, at, [&](const Json &entry, const std::string &place) {
      if (entry.is_string())
        result.push_back(entry.get<std::string>());
      else
        fail(place, "a string");
    });
  return result;
}

} // namespace ptosync
