#include "base/fingerprint.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/SHA1.h>

#include <cstdint>

namespace ptosync {
namespace {

bool isNumbered(llvm::StringRef word) {
  constexpr std::size_t kDigitsOfAddress = 8;
  llvm::StringRef stem = word.rtrim("0123456789");
  const std::size_t digits = word.size() - stem.size();
  if (stem.empty() || digits == 0)
    return false;
  return stem == "v" || stem.ends_with("_v") || (stem.ends_with("_") && digits >= kDigitsOfAddress);
}

} // namespace

std::string StableNames::stable(std::string_view given) {
  llvm::StringRef text(given);
  std::string result;
  while (!text.empty()) {
    llvm::StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.empty()) {
      result += text.front();
      text = text.drop_front();
      continue;
    }
    if (isNumbered(word))
      result.append("#").append(std::to_string(numbers.try_emplace(word.str(), numbers.size()).first->second));
    else
      result += word;
    text = text.drop_front(word.size());
  }
  return result;
}

std::string fingerprintOf(std::string_view text, std::size_t digits) {
  llvm::SHA1 hash;
  hash.update(llvm::StringRef(text));
  const auto bytes = hash.final();
  return llvm::toHex(llvm::ArrayRef<std::uint8_t>(bytes.data(), bytes.size()), /*LowerCase=*/true).substr(0, digits);
}

} // namespace ptosync
