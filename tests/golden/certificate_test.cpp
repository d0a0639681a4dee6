// The checker of certificates against the replay: mutants of what `opt` makes of the corpus and of real kernels.
//
// Each output is certified against its input, or not, with a reason. Then one sync of it is dropped, moved behind the
// next line or in front of the one above, narrowed to another pipe, or gets other pipes or another id. A mutant that
// the checker accepts must be as good as the input for the replay, which shares nothing with it; where no run shows a
// loss it may be one all the same, so the test is one of the checker's errors, not of its completeness. `ptosync_tests
// "[certificate-mutants]"` asks about every mutant and prints the figures; the usual run takes every so many-th.
#include "check/check.h"
#include "check/facts.h"
#include "replay/verify.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

struct Figures {
  std::size_t kernels = 0, edits = 0, certified = 0;
  std::size_t mutants = 0, refused = 0, equivalent = 0;
  std::vector<std::string> wrong; // accepted, and the replay finds a loss
};

check::Answer answerOf(const std::string &before, const std::string &after, const std::string &arch) {
  check::Answer proposal;
  const std::string facts = check::factsOf(arch);
  return check::checkCertificate(before, after, facts, check::propose(before, after, facts, proposal));
}

/// Begin and end of each sync statement of the text that is no comment.
std::vector<std::pair<std::size_t, std::size_t>> syncsIn(const std::string &text) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t line = 0; line < text.size(); line = text.find('\n', line) + 1) {
    std::size_t begin = text.find_first_not_of(' ', line);
    for (const char *name : {"pipe_barrier(", "set_flag(", "wait_flag(", "get_buf(", "rls_buf("})
      if (begin != std::string::npos && text.compare(begin, std::string(name).size(), name) == 0)
        found.emplace_back(begin, text.find(';', begin) + 1);
    if (text.find('\n', line) == std::string::npos)
      break;
  }
  return found;
}

constexpr int kWays = 6; // in which a sync is damaged

/// The text with its sync at that place damaged in the `way`-th way; empty if that changes nothing.
std::string mutant(const std::string &text, std::pair<std::size_t, std::size_t> place, int way) {
  const auto [begin, end] = place;
  std::string sync = text.substr(begin, end - begin);
  std::string changed = text;
  if (way == 0)
    return changed.replace(begin, end - begin, ";");
  if (way == 1) { // behind the next line
    std::size_t line = text.find('\n', end), next = text.find('\n', line + 1);
    if (next == std::string::npos || text.substr(line, next - line).find_first_of("{}") != std::string::npos)
      return {};
    changed.insert(next, "\n" + sync);
    return changed.replace(begin, end - begin, ";");
  }
  if (way == 2) { // in front of the line above
    const std::size_t line = text.rfind('\n', begin);
    const std::size_t above = line == std::string::npos ? line : text.rfind('\n', line - 1);
    if (above == std::string::npos || text.substr(above, line - above).find_first_of("{}") != std::string::npos)
      return {};
    return changed.replace(begin, end - begin, ";").insert(above, "\n" + sync);
  }
  if (way == 3) { // a barrier of all pipes becomes one of a pipe, another one that of another pipe
    if (sync.rfind("pipe_barrier(", 0) != 0)
      return {};
    return changed.replace(begin, end - begin,
                           sync.find("PIPE_V)") != std::string::npos ? "pipe_barrier(PIPE_MTE2);"
                                                                     : "pipe_barrier(PIPE_V);");
  }
  if (way == 4) { // the other way round
    std::size_t first = sync.find("PIPE_"), firstEnd = sync.find_first_of(",)", first),
                second = sync.find("PIPE_", firstEnd);
    std::size_t secondEnd = second == std::string::npos ? second : sync.find(',', second);
    if (second == std::string::npos)
      return {};
    const std::string one = sync.substr(first, firstEnd - first), other = sync.substr(second, secondEnd - second);
    sync.replace(second, secondEnd - second, one).replace(first, firstEnd - first, other);
    return changed.replace(begin, end - begin, sync);
  }
  std::size_t id = sync.find("EVENT_ID");
  if (id == std::string::npos)
    return {};
  sync[id + 8] = static_cast<char>('0' + (sync[id + 8] - '0' + 1) % 8);
  return changed.replace(begin, end - begin, sync);
}

void attack(const std::string &path, const std::string &arch, std::size_t every, Figures &figures) {
  const std::string before = readText(path), after = patched(run(before, {arch}, path));
  const check::Answer answer = answerOf(before, after, arch);
  ++figures.kernels;
  figures.edits += answer.edits();
  figures.certified += answer.problem.empty() ? answer.certifiedEdits() : 0;
  const Module module = lift(before, arch, path);
  std::size_t number = 0;
  if (before.size() > 30000) // each mutant is certified from nothing
    return;
  for (const auto &place : syncsIn(after))
    for (int way = 0; way < kWays; ++way) {
      if (number++ % every != 0)
        continue;
      const std::string text = mutant(after, place, way);
      if (text.empty())
        continue;
      ++figures.mutants;
      if (!answerOf(before, text, arch).certified()) {
        ++figures.refused;
        continue;
      }
      llvm::Expected<replay::Verdict> verdict = replay::verify(module, lift(text, arch, path), machineOf(arch), {},
                                                               {Section::Both}, replay::Unanalysable::Skip);
      if (!verdict)
        FAIL(path << ": " << llvm::toString(verdict.takeError()));
      ++figures.equivalent;
      if (!verdict->agreed())
        figures.wrong.push_back(path + ": way " + std::to_string(way) + " of " +
                                after.substr(place.first, place.second - place.first) + ": " +
                                verdict->findings.front().text);
    }
}

std::string summary(const Figures &figures) {
  std::string text = std::to_string(figures.kernels) + " kernels, " + std::to_string(figures.certified) + " of " +
                     std::to_string(figures.edits) + " edits certified; " + std::to_string(figures.mutants) +
                     " mutants: " + std::to_string(figures.refused) + " refused, " +
                     std::to_string(figures.equivalent) + " accepted, of which " +
                     std::to_string(figures.wrong.size()) + " are wrong\n";
  for (const std::string &place : figures.wrong)
    text += "  " + place + "\n";
  return text;
}

Figures attackCorpus(std::size_t every) {
  Figures figures;
  for (const std::string &folder : corpusFolders())
    if (const std::string path = corpusPath(folder + "/kernel.cpp");
        readText(path).find("arch a5") == std::string::npos)
      attack(path, "a3", every, figures);
  std::cout << "corpus: " << summary(figures);
  return figures;
}

Figures attackShared(std::size_t every) {
  Figures figures;
  for (const std::string &path : sharedKernels())
    attack(path, archOf(path), every, figures);
  std::cout << "real kernels: " << summary(figures);
  return figures;
}

} // namespace

TEST_CASE("certificates: no mutant of a corpus kernel is certified that the replay objects to", "[certificates]") {
  const Figures figures = attackCorpus(std::getenv("PTOSYNC_SOAK") ? 3 : 41);
  CHECK(figures.wrong.empty());
  CHECK(figures.mutants > 40);
  CHECK(figures.certified * 100 >= figures.edits * 75); // the corpus has what is outside of the subset, too
}

TEST_CASE("certificates: nearly all edits of real kernels are certified, and no wrong mutant", "[shared]") {
  if (sharedKernels().empty()) {
    WARN("skipped: there are no kernels beside the repository");
    return;
  }
  const Figures figures = attackShared(std::getenv("PTOSYNC_SOAK") ? 7 : 131);
  CHECK(figures.wrong.empty());
  CHECK(figures.certified * 100 >= figures.edits * 97);
}

TEST_CASE("certificates: every mutant", "[.][certificate-mutants]") {
  CHECK(attackCorpus(1).wrong.empty());
  CHECK(attackShared(1).wrong.empty());
}
