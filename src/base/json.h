// JSON files, read strictly: each message names the file, the line, the value in it and what was expected there.
//
//   text --JsonDocument::parse--> document --root()--> JsonNode --at("match")--> JsonNode --text()--> "..."
//                                 document.problem(): the first thing that was wrong
//
// A JsonNode is one value of a document. Its readers check the type, the range or the word, note what is wrong in the
// document and return a harmless value, so that a file is read straight through and asked for its problem at the end.
// The first problem stays; what follows from it is not reported. A member that is not there is an empty node, from
// which every reader returns its default: `at` notes that it is missing, `find` does not. `allowKeys` refuses a key
// that nobody reads and proposes the nearest known one. A key written twice is refused, and so are comments and
// trailing commas, which are not JSON.
//
// A node holds the address of its value and nothing else. Where that value stands is searched when a message needs it,
// so a file without faults pays nothing for its places. Nodes refer to their document, which must outlive them unmoved.
// Not here: what a file means. Each reader says that in its own folder; src/machine/schema.json and
// patterns/schema.json say it again for editors, and tests hold reader and schema against each other. Tested by
// tests/base/json_test.cpp.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptosync {

class JsonNode;

class JsonDocument {
public:
  /// `name` is used in messages.
  static llvm::Expected<JsonDocument> parse(std::string_view text, std::string_view name);
  /// Reads a text that is part of the program and stays. Whether it has a key twice is for the tests to find, and its
  /// lines are counted only for a message.
  static llvm::Expected<JsonDocument> builtIn(std::string_view text, std::string_view name);

  JsonNode root();
  /// Returns the first problem that a reader noted, or success.
  llvm::Error problem() const;
  bool failed() const { return !noted.empty(); }

private:
  friend class JsonNode;
  static llvm::Expected<JsonDocument> read(std::string_view text, std::string_view name);
  /// Returns "NAME:LINE: POINTER: MESSAGE". The line is that of the innermost part of the pointer that is there.
  std::string messageAt(std::string_view pointer, const llvm::Twine &message) const;
  std::string pointerOf(const nlohmann::json &wanted) const;
  unsigned lineOf(std::string_view pointer) const;

  std::string name;
  nlohmann::json value;
  std::string noted;
  std::string_view kept; // the text of a built-in document, which outlives this
  std::string ownText;   // that of any other
};

class JsonNode {
public:
  using Names = llvm::ArrayRef<llvm::StringRef>;

  /// Returns false for a member that is not there.
  explicit operator bool() const { return value != nullptr; }
  bool isObject() const { return value && value->is_object(); }
  bool isArray() const { return value && value->is_array(); }
  bool isString() const { return value && value->is_string(); }
  bool isInteger() const { return value && value->is_number_integer(); }
  bool isNull() const { return value && value->is_null(); }

  /// Notes a problem at this value. Where nothing is, it has been noted already.
  void fail(const llvm::Twine &message) const;
  /// Returns the line of this value, from 1.
  unsigned line() const;

  bool has(llvm::StringRef key) const { return isObject() && value->contains(key.str()); }
  /// Returns the member `key`, an empty node without it. Notes a value that is no object.
  JsonNode find(llvm::StringRef key) const;
  /// The same, and notes that the key is missing.
  JsonNode at(llvm::StringRef key) const;
  /// Notes a key that is none of `known`, and a value that is no object.
  void allowKeys(Names known) const;
  /// Returns the members of an object, in alphabetical order of their keys.
  std::vector<std::pair<std::string, JsonNode>> members() const;
  /// Returns the elements of an array of at least `least` and at most `most`.
  std::vector<JsonNode> items(std::size_t least = 1, std::size_t most = SIZE_MAX) const;

  /// Returns a string of at least one character.
  std::string text() const;
  /// Returns a string, which may be empty.
  std::string anyText() const;
  /// Returns the elements of an array as strings of at least one character.
  std::vector<std::string> texts() const;
  /// Returns a string that is `valid`; otherwise it "is no WHAT".
  std::string name(llvm::StringRef what, llvm::function_ref<bool(llvm::StringRef)> valid) const;
  /// Returns the elements of an array as such names, none of them twice.
  std::vector<std::string> names(llvm::StringRef what, llvm::function_ref<bool(llvm::StringRef)> valid,
                                 std::size_t least = 1) const;
  /// Returns one of the words; "" after noting that it is none of them.
  std::string word(Names words) const;
  /// Returns the value that the word here stands for; `otherwise` where nothing is.
  template <typename Value>
  Value choice(Value otherwise, llvm::ArrayRef<std::pair<llvm::StringRef, std::type_identity_t<Value>>> names) const {
    if (!value)
      return otherwise;
    std::vector<llvm::StringRef> words;
    for (const auto &[name, meaning] : names)
      words.push_back(name);
    std::string given = word(words);
    for (const auto &[name, meaning] : names)
      if (given == name)
        return meaning;
    return otherwise;
  }
  /// Returns a whole number from `least` to `most`; `otherwise` where nothing is.
  std::int64_t integer(std::int64_t least = INT64_MIN, std::int64_t most = INT64_MAX, std::int64_t otherwise = 0) const;
  /// Returns a number of at least `least`, or above it, and at most `most`.
  enum class Bound { AtLeast, Above };
  double number(Bound bound, double least, double most = std::numeric_limits<double>::infinity()) const;
  bool boolean() const;
  /// Notes every element of an array that equals an earlier one.
  void allowNoRepeats() const;

private:
  friend class JsonDocument;
  JsonNode(JsonDocument &document, const nlohmann::json *value) : document(&document), value(value) {}
  void wrongType(const llvm::Twine &expected) const;
  void noteNoInteger() const;

  JsonDocument *document;
  const nlohmann::json *value;
};

/// Returns true for a C identifier.
bool isIdentifier(llvm::StringRef name);

} // namespace ptosync
