// An error that is its text. Its class says what a caller does about it.
//
//   class SourceError : public TextError<SourceError> { using TextError::TextError; };
//
// Not for errors that carry more than a text. Tested by tests/kernel/text_error_test.cpp.
#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <utility>

namespace ptosync {

template <typename Self> class TextError : public llvm::ErrorInfo<Self> {
public:
  static inline char ID = 0; // its address tells the classes apart
  explicit TextError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text;
};

} // namespace ptosync
