#include "base/shard.h"

#include "base/exit_codes.h"
#include "base/fingerprint.h"

#include <llvm/ADT/StringRef.h>

namespace ptosync {
namespace {

constexpr std::size_t kListDigits = 16;

/// A whole number without a sign.
bool readNumber(llvm::StringRef text, std::size_t &number) { return !text.getAsInteger(10, number); }

} // namespace

std::string Shard::name() const { return "shard " + std::to_string(number) + "/" + std::to_string(count); }

llvm::Expected<Shard> parseShard(std::string_view text) {
  Shard shard;
  auto [number, count] = llvm::StringRef(text).split('/');
  if (!readNumber(number, shard.number) || !readNumber(count, shard.count) || shard.number == 0 ||
      shard.number > shard.count)
    return llvm::createStringError("expected I/N, the I-th of N shards, with I from 1 to N: the first of four is 1/4, "
                                   "the last one 4/4");
  return shard;
}

llvm::Expected<Shard> parseTestShard(std::string_view index, std::string_view total) {
  Shard shard;
  if (!readNumber(index, shard.number) || !readNumber(total, shard.count) || shard.number >= shard.count)
    return llvm::createStringError("TEST_SHARD_INDEX=" + std::string(index) + ", TEST_TOTAL_SHARDS=" +
                                   std::string(total) + ": expected two numbers, the index from 0 to the total less 1");
  ++shard.number;
  return shard;
}

void noteList(Shard &shard, const std::vector<std::string> &names, const std::string &more) {
  std::string all;
  for (const std::string &name : names)
    all.append(name).push_back('\0');
  shard.of = names.size();
  shard.list = fingerprintOf(all + more, kListDigits);
}

nlohmann::ordered_json shardJson(const Shard &shard) {
  return {{"number", shard.number},
          {"count", shard.count},
          {"kernels", shard.of},
          {"list", shard.list},
          {"exitCode", shard.exitCode}};
}

llvm::Expected<Shard> readShard(const nlohmann::ordered_json &json) {
  Shard shard;
  auto number = [&](const char *key, std::size_t &value) {
    const bool is = json.is_object() && json.contains(key) && json[key].is_number_unsigned();
    if (is)
      value = json[key].get<std::size_t>();
    return is;
  };
  std::size_t code = 0;
  const bool whole = number("number", shard.number) && number("count", shard.count) && number("kernels", shard.of) &&
                     number("exitCode", code) && json.contains("list") && json["list"].is_string();
  if (!whole || shard.number == 0 || shard.number > shard.count || code > kExitUndecided)
    return llvm::createStringError("'shard' does not say which shard of how many it is");
  shard.list = json["list"].get<std::string>();
  shard.exitCode = static_cast<int>(code);
  return shard;
}

} // namespace ptosync
