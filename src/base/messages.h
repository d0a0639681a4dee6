// The words of messages: near names, counts and lists, text of a kernel on one line, errors that are their text.
//
// Text that comes from a kernel is made printable before it is shown: control bytes would break a line or drive the
// reader's terminal. Bytes above 127 stay as they are.
//
// Nearness of names is the number of single-character edits. A name that would need to change in more than about a
// third of its characters is not suggested, since a wrong guess is worse than none. Tested by
// tests/base/messages_test.cpp.
#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

/// Returns the candidate nearest to `name`, the first of equals; nothing if none is near.
std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string> &candidates);

/// Returns "; did you mean 'operands'?", or, if no candidate is near, "; expected one of 'a', 'b'".
/// Returns nothing if there are no candidates.
std::string suggestName(std::string_view name, const std::vector<std::string> &candidates);

/// Returns "4", "4 and 9", "4, 9, 12 and 14 more": at most `limit` lines, in the order given; one too many is shown all
/// the same, since "and 1 more" is longer.
std::string lineList(const std::vector<std::uint32_t> &lines, std::size_t limit);

/// Returns `text` on one line. Each run of white space or control bytes becomes one space, and there is none at the
/// ends.
std::string printable(std::string_view text);

/// Returns `text`, or, if it is longer than `most` bytes, its begin and "...". No character of UTF-8 is parted.
std::string beginOf(std::string_view text, std::size_t most);

/// Returns `text` with each byte that is no UTF-8 as "\xFF", so that JSON can hold it and different texts stay
/// different.
std::string validUtf8(std::string_view text);

/// Returns "no barriers", "1 barrier" or "7 barriers".
std::string countOf(std::size_t count, std::string_view singular);

/// Returns "line 4", "lines 4 and 9" or "lines 4, 9, 12 and 14 more": at most `limit` numbers, ascending, each once.
std::string describeLines(std::vector<std::uint32_t> lines, std::size_t limit);

/// Returns "a, b and 4 more", with the first `limit` of the names.
std::string firstOf(const std::vector<std::string> &names, std::size_t limit, const std::string &separator = ", ");

/// Returns a field of CSV as RFC 4180 has it: in quotes where it holds a comma, a quote or the end of a line.
std::string csvField(const std::string &text);

/// An error that is its text. Its class says what a caller does about it:
///
///   class SourceError : public TextError<SourceError> { using TextError::TextError; };
///
/// Errors that carry more than a text have classes of their own.
template <typename Self> class TextError : public llvm::ErrorInfo<Self> {
public:
  static inline char ID = 0;                                      // its address tells the classes apart
  explicit TextError(std::string text) : text(std::move(text)) {} // NOLINT(bugprone-crtp-constructor-accessibility)
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text;
};

} // namespace ptosync
