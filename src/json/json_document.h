// A JSON file that is read strictly: every message names file, line and JSON pointer.
//
//   text --JsonDocument::parse--> document --root()--> JsonNode --member("match")--> JsonNode --string()--> ...
//
// A JsonNode is one value together with its place. Its readers check the type and say what they
// expected; `allowKeys` turns an unknown key into an error that proposes the nearest known one. A key
// written twice is an error too. Nodes refer to their document, which must outlive them unmoved.
// Comments and trailing commas are not JSON and are refused.
// Tested by tests/json/json_document_test.cpp.
#pragma once

#include "json/json_members.h"
#include "json/json_positions.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

class JsonNode;

class JsonDocument {
public:
  /// `name` is used in messages.
  static llvm::Expected<JsonDocument> parse(std::string_view text, std::string_view name);
  /// Of a text that is part of the program and stays: keys written twice are for its tests to find, and places are
  /// looked up only for a message, which every run gains time by. Without the root's members `left`, which are not
  /// even parsed.
  static llvm::Expected<JsonDocument> builtIn(std::string_view text, std::string_view name,
                                              std::initializer_list<std::string_view> left = {});

  /// The text of a member that was left out; empty if it was not.
  std::string_view leftOut(std::string_view key) const;

  /// The whole, for readers that go over it in their own way (json_fields.h).
  const nlohmann::json &json() const { return value; }

  JsonNode root() const;
  /// "NAME:LINE: POINTER: MESSAGE". The line is that of the innermost part of the pointer that is there.
  llvm::Error error(std::string_view pointer, const llvm::Twine &message) const;

private:
  friend class JsonNode;
  static llvm::Expected<JsonDocument> read(std::string_view text, std::string_view name);
  /// From 1.
  unsigned lineOf(std::string_view pointer) const;

  std::string name;
  nlohmann::json value;
  std::string_view text; // of a built-in document, which outlives this
  std::vector<JsonMember> leftMembers;
  JsonPositions positions;
};

class JsonNode {
public:
  /// An error at this value.
  llvm::Error error(const llvm::Twine &message) const;

  /// Fails unless this is an object that has no keys but `known`.
  llvm::Error allowKeys(const std::vector<std::string> &known) const;
  bool has(llvm::StringRef key) const;
  /// The member `key`, which must exist.
  JsonNode at(llvm::StringRef key) const;
  /// Fails unless this is an object that has `key`.
  llvm::Expected<JsonNode> member(llvm::StringRef key) const;
  /// The elements; fails unless this is an array of at least one.
  llvm::Expected<std::vector<JsonNode>> items() const;

  /// Fails unless this is a string of at least one character.
  llvm::Expected<std::string> string() const;
  llvm::Expected<std::int64_t> integer() const;
  llvm::Expected<bool> boolean() const;
  bool isArray() const { return value->is_array(); }
  /// True for an array or object without elements.
  bool empty() const { return value->empty(); }
  /// Where it stands, from 1.
  unsigned line() const;

private:
  friend class JsonDocument;
  JsonNode(const JsonDocument &document, const nlohmann::json &value, std::string pointer)
      : document(&document), value(&value), pointer(std::move(pointer)) {}
  llvm::Error wrongType(llvm::StringRef expected) const;

  const JsonDocument *document;
  const nlohmann::json *value;
  std::string pointer;
};

} // namespace ptosync
