#include "kernel/text_error.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

class FirstError : public TextError<FirstError> {
  using TextError::TextError;
};
class SecondError : public TextError<SecondError> {
  using TextError::TextError;
};

} // namespace

TEST_CASE("an error that is its text says it, and its class tells it apart") {
  llvm::Error first = llvm::make_error<FirstError>("k.cpp:3: no");
  CHECK(first.isA<FirstError>());
  CHECK_FALSE(first.isA<SecondError>());
  CHECK(llvm::toString(std::move(first)) == "k.cpp:3: no");
  CHECK(SecondError("other").convertToErrorCode() == llvm::inconvertibleErrorCode());
}
