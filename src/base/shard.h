// One shard of a run of many kernels: which it has, and what of the whole run its documents say.
//
//   sorted kernels    a b c d e f g      --shard=2/3 has    b     e
//   (index % count)   0 1 2 0 1 2 0
//
// A shard takes every N-th kernel of the list, so that neighbours of a kind are spread over all of them. The list is
// that of the whole run, the same in every shard. Its length and a digest of its names go into the shard's documents,
// with the exit code of the shard, so that `ptosync merge` can tell that all shards are there, that they divided one
// list, and what the whole run comes to. Where several shards are read, merging them is dealing in turn.
//
// Numbers count from 1, as with jest, playwright, cargo-nextest and LLVM's lit. Bazel counts from 0 in
// TEST_SHARD_INDEX; that variable alone is read so. Nothing here knows what a kernel is. Tested by
// tests/base/shard_test.cpp.
#pragma once

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

struct Shard {
  std::size_t number = 1, count = 1; // number: from 1
  std::size_t of = 0;                // kernels of the whole run
  std::string list; // a digest of their names, in their order, and of what else is the same in all shards
  int exitCode = 0; // of this shard

  bool holds(std::size_t index) const { return index % count == number - 1; }
  /// Returns where in the whole list the `place`-th of this shard stands.
  std::size_t indexOf(std::size_t place) const { return place * count + number - 1; }
  /// Returns how many of the list this shard has.
  std::size_t size() const { return (of + count - number) / count; }
  /// Returns "shard 2/3".
  std::string name() const;
};

/// Reads "2/3". The error says what was expected, without the name of the option.
llvm::Expected<Shard> parseShard(std::string_view text);

/// Reads the two variables of Bazel's test runner, which count from 0.
llvm::Expected<Shard> parseTestShard(std::string_view index, std::string_view total);

/// Notes the names of the whole run's kernels, in their order, with what else must be the same in all shards.
void noteList(Shard &shard, const std::vector<std::string> &names, const std::string &more = "");

nlohmann::ordered_json shardJson(const Shard &shard);
/// Reads that; the error says what is wrong.
llvm::Expected<Shard> readShard(const nlohmann::ordered_json &json);

} // namespace ptosync
