#include "base/shard.h"

#include "base/exit_codes.h"
#include "base/messages.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("shard: I/N counts from 1, and what is none says what was expected") {
  llvm::Expected<Shard> shard = parseShard("2/4");
  REQUIRE(bool(shard));
  CHECK(shard->number == 2);
  CHECK(shard->count == 4);
  CHECK(shard->name() == "shard 2/4");
  for (const char *wrong : {"", "0/4", "5/4", "2", "2/", "/4", "-1/4", "2/4/4", "a/b", "2 / 4", "2/0", "1.5/4",
                            "99999999999999999999/99999999999999999999"}) {
    CAPTURE(wrong);
    llvm::Expected<Shard> read = parseShard(wrong);
    REQUIRE_FALSE(bool(read));
    CHECK(llvm::toString(read.takeError()).find("with I from 1 to N") != std::string::npos);
  }
}

TEST_CASE("shard: the variables of a test runner count from 0") {
  llvm::Expected<Shard> shard = parseTestShard("0", "3");
  REQUIRE(bool(shard));
  CHECK(shard->name() == "shard 1/3");
  for (auto [index, total] : {std::pair("3", "3"), std::pair("0", "0"), std::pair("x", "3"), std::pair("-1", "3")}) {
    llvm::Expected<Shard> read = parseTestShard(index, total);
    REQUIRE_FALSE(bool(read));
    CHECK(llvm::toString(read.takeError()).find("TEST_SHARD_INDEX=" + std::string(index)) == 0);
  }
}

TEST_CASE("shard: all shards together have each kernel once") {
  for (std::size_t of : {0u, 1u, 2u, 7u, 12u})
    for (std::size_t count = 1; count < 10; ++count) {
      std::vector<std::size_t> owners(of, 0);
      for (std::size_t number = 1; number <= count; ++number) {
        Shard shard{number, count, of, "", 0};
        std::size_t has = 0;
        for (std::size_t i = 0; i < of; ++i)
          if (shard.holds(i)) {
            ++owners[i];
            CHECK(shard.indexOf(has++) == i);
          }
        CHECK(shard.size() == has);
      }
      CHECK(owners == std::vector<std::size_t>(of, 1));
    }
}

TEST_CASE("shard: what is written is read again, and what is not whole is refused") {
  Shard shard{2, 3, 0, "", kExitNotAnalysed};
  noteList(shard, {"a.cpp", "b.cpp"});
  CHECK(shard.of == 2);
  Shard other = shard;
  noteList(other, {"a.cppb", ".cpp"});
  CHECK(other.list != shard.list);
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(shardJson(shard).dump());
  llvm::Expected<Shard> read = readShard(json);
  REQUIRE(bool(read));
  CHECK(shardJson(*read) == json);
  for (const char *key : {"number", "count", "kernels", "list", "exitCode"}) {
    nlohmann::ordered_json less = json;
    less.erase(key);
    llvm::Expected<Shard> damaged = readShard(less);
    CHECK_FALSE(bool(damaged));
    llvm::consumeError(damaged.takeError());
  }
}

TEST_CASE("exit codes: the gravest of several") {
  CHECK(graver(kExitDone, kExitUndecided) == kExitUndecided);
  CHECK(graver(kExitUndecided, kExitFindings) == kExitFindings);
  CHECK(graver(kExitFindings, kExitUndecided) == kExitFindings);
  CHECK(graver(kExitFindings, kExitNotAnalysed) == kExitNotAnalysed);
  CHECK(graver(kExitUsage, kExitNotAnalysed) == kExitUsage);
}
