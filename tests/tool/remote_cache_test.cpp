// The message that names an entry on a server. The server itself: tests/scripts/remote_cache_test.sh.
#include "tool/remote_cache.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

const std::string kDigest(64, 'a');

} // namespace

TEST_CASE("remote cache: the message is what protocol buffers make of it") {
  CHECK(actionText({"text", "", 0}) == "\x2a\x04text");
  CHECK(actionText({"", kDigest, 300}) == "\x32\x45\x0a\x40" + kDigest + "\x10\xac\x02");
}

TEST_CASE("remote cache: a message is read as it was written") {
  const std::optional<StoredAction> inside = readAction(actionText({std::string("\0\xff", 2), "", 0}));
  REQUIRE(inside);
  CHECK(inside->text == std::string("\0\xff", 2));
  const std::optional<StoredAction> named = readAction(actionText({"", kDigest, std::uint64_t(1) << 40}));
  REQUIRE(named);
  CHECK(named->digest == kDigest);
  CHECK(named->size == std::uint64_t(1) << 40);
}

TEST_CASE("remote cache: fields of others are passed over") {
  // exit_code = 1, an output file, a fixed64, a fixed32.
  const std::string others = "\x20\x01\x12\x03\x0a\x01x"
                             "\x69"
                             "12345678"
                             "\x75"
                             "1234";
  const std::optional<StoredAction> action = readAction(others + actionText({"text", "", 0}) + others);
  REQUIRE(action);
  CHECK(action->text == "text");
}

TEST_CASE("remote cache: what is no message, or names nothing, is none") {
  const std::string whole = actionText({"", kDigest, 300});
  for (std::size_t i = 0; i < whole.size(); ++i)
    CHECK_FALSE(readAction(llvm::StringRef(whole).take_front(i)));
  CHECK_FALSE(readAction("<html>404</html>"));
  CHECK_FALSE(readAction("\x20\x01"));                              // an action without an output
  CHECK_FALSE(readAction(actionText({"", "../../etc/passwd", 1}))); // no digest
  CHECK_FALSE(readAction(std::string(100, '\xff')));
}
