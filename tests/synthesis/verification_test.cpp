#include "rewrite/sync_edits.h"
#include "synthesis/synthesised.h"
#include "synthesis/verification.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

// The rule above all: what is not right is not accepted, whoever proposes it.

using namespace ptosync::synthesis;

namespace {

std::optional<std::string> verdict(const std::string &before, const std::string &after) {
  Module was = lift(before), is = lift(after);
  return refusal(was, is, "k", was.kernels.front().section, machineOf("a3"), {});
}

std::string without(const std::string &text, std::size_t line) {
  std::string result;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at) + 1;
    if (number++ != line)
      result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

bool isFlag(const std::string &line) { return line.find("_flag(PIPE_") != std::string::npos; }

/// "PIPE_MTE2, PIPE_V, EVENT_ID0)": what a flag statement is about.
std::string flagOf(const std::string &line) {
  std::size_t open = line.find("_flag(") + 6;
  return line.substr(open, line.find(')', open) - open);
}

} // namespace

TEST_CASE("a kernel synchronised otherwise is accepted if it is right") {
  CHECK(verdict(serialLoop(), overlappedLoop()) == std::nullopt);
  CHECK(verdict(overlappedLoop(), serialLoop()) == std::nullopt);
  CHECK(verdict(serialLoop(), serialLoop()) == std::nullopt);
}

TEST_CASE("a proposer that forgets one statement, or one flag, is caught") {
  std::string right = overlappedLoop();
  std::vector<std::string> lines = linesOf(right);
  std::size_t tried = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!isFlag(lines[i]))
      continue;
    INFO("without " << lines[i]);
    CHECK(verdict(serialLoop(), without(right, i)).has_value());
    std::string flagless;
    for (const std::string &line : lines)
      if (!isFlag(line) || flagOf(line) != flagOf(lines[i]))
        flagless += line;
    CHECK(verdict(serialLoop(), flagless).has_value());
    ++tried;
  }
  CHECK(tried == 12);
}

TEST_CASE("a proposer that puts a wait behind what must wait, or a set in front of what must be over, is caught") {
  std::vector<std::string> lines = linesOf(overlappedLoop());
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    bool wait = lines[i].find("wait_flag") != std::string::npos,
         set = lines[i + 1].find("set_flag") != std::string::npos;
    bool work = lines[wait ? i + 1 : i].find("    T") == 0;
    if (!work || !(wait || set))
      continue;
    std::vector<std::string> swapped = lines;
    std::swap(swapped[i], swapped[i + 1]);
    std::string text;
    for (const std::string &line : swapped)
      text += line;
    INFO(text);
    CHECK(verdict(serialLoop(), text).has_value());
  }
}

TEST_CASE("a proposer that uses one id for two flags at once is caught") {
  std::string text = overlappedLoop();
  LoopSyncs syncs;
  syncs.before = setFlag("V", "MTE2", 0) + setFlag("V", "MTE2", 0);
  syncs.load = waitFlag("V", "MTE2", 0);
  syncs.add = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
  syncs.store = setFlag("V", "MTE2", 0) + setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.behind = waitFlag("V", "MTE2", 0) + waitFlag("V", "MTE2", 0);
  CHECK(verdict(serialLoop(), loopKernel(syncs)).has_value());
}

TEST_CASE("a hazard that the input has is no excuse") {
  LoopSyncs syncs;
  syncs.add = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
  std::string broken = loopKernel(syncs);
  CHECK(verdict(broken, broken).has_value());
  CHECK(verdict(broken, overlappedLoop()) == std::nullopt);
}

TEST_CASE("another kernel is not the same kernel") {
  std::string other = overlappedLoop();
  other.replace(other.find("1.0f"), 4, "2.0f");
  other.replace(other.find("TADDS(v2, v1"), 12, "TADDS(v1, v1");
  CHECK(verdict(serialLoop(), other).has_value());
}

// The rule above all: what is not right is not accepted, whoever proposes it.

using namespace ptosync::synthesis;

namespace {

/// By site of the second version: the next of the first that is spelled alike, in order; kNone if there is none.
std::vector<SiteId> alike(const Module &was, const Module &is) {
  std::vector<SiteId> origins;
  SiteId next = 0;
  for (const SyncSite &site : is.sites) {
    SiteId same = next;
    while (same < was.sites.size() && was.sites[same].text != site.text)
      ++same;
    origins.push_back(same < was.sites.size() ? same : SiteId{kNone});
    next = same < was.sites.size() ? same + 1 : next;
  }
  return origins;
}

std::optional<std::string> checked(const std::string &before, const std::string &after,
                                   std::vector<Finding> *left = nullptr) {
  Module was = lift(before), is = lift(after);
  FixCheckOptions options;
  FixCheck check = llvm::cantFail(FixCheck::of(was, machineOf("a3"), options));
  FixCheck::Left found;
  std::optional<std::string> reason = check.refusal(is, alike(was, is), found);
  if (left)
    *left = found.findings;
  return reason;
}

std::string loopWith(const std::string &add, const std::string &store) {
  LoopSyncs syncs;
  syncs.add = add;
  syncs.store = store;
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  return loopKernel(syncs);
}

const std::string kLoad = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
const std::string kStore = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);

} // namespace

TEST_CASE("fix check: a missing flag that is put in is accepted, and its finding is gone") {
  std::vector<Finding> left;
  CHECK(checked(loopWith("", kStore), loopWith(kLoad, kStore), &left) == std::nullopt);
  CHECK(left.empty());
}

TEST_CASE("fix check: a change that mends one and breaks another is refused") {
  CHECK(checked(loopWith("", kStore), loopWith(kLoad, "")) != std::nullopt);
  CHECK(checked(loopWith("", kStore), loopWith(kLoad, setFlag("V", "MTE3", 0))) != std::nullopt);
  CHECK(checked(loopWith("", kStore), loopWith(kLoad + setFlag("MTE2", "V", 0), kStore)) != std::nullopt);
}

TEST_CASE("fix check: a flag whose waits are too late is refused as its order is") {
  std::string late = setFlag("MTE2", "V", 0);
  std::string text = loopWith(late, waitFlag("MTE2", "V", 0) + kStore);
  std::vector<Finding> left;
  std::optional<std::string> reason = checked(loopWith(late, kStore), text, &left);
  CHECK((reason || !left.empty())); // the pair is as open as it was
}

TEST_CASE("fix check: waits that hold each other up are refused") {
  std::string before = loopWith(kLoad, kStore);
  std::string after = loopWith(waitFlag("V", "MTE2", 0) + kLoad + setFlag("V", "MTE2", 0), kStore);
  CHECK(checked(before, after) != std::nullopt);
}

TEST_CASE("fix check: another statement is refused") {
  std::string text = loopWith(kLoad, kStore), other = text;
  std::size_t at = other.find("    TADDS(");
  other.insert(at, "    TADDS(v2, v1, 2.0f);\n");
  CHECK(checked(text, other) != std::nullopt);
}
