// Real kernels with one statement taken out, mended, and held against the kernel they come from: what `fix` calls
// mended has every order that the real kernel has, by the replay, which shares nothing with what decides.
//
// Every n-th sync of the smaller kernels beside the repository; `ptosync_tests "[fix-recall]"` takes more of all of
// them and prints what it takes. Skipped where the kernels are not there.
#include "replay/verify.h"
#include "rewrite/text_edit.h"
#include "synthesis/fixed.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <iostream>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct MendCounts {
  std::size_t broken = 0; // the replay objects to the kernel without the statement, and the audit says so
  std::size_t mended = 0; // nothing is left
  std::size_t single = 0; // by one statement, beside those that mend what the real kernel lacks
  std::size_t noted = 0;  // but for what is left of the real kernel as well
  std::size_t statements = 0;
  double seconds = 0, slowest = 0;
  std::vector<std::string> wrong, left; // places
};

bool agree(const Module &before, const Module &after, const std::string &arch) {
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, after, machineOf(arch), {}, {Section::Both}, replay::Unanalysable::Skip);
  return llvm::cantFail(std::move(verdict)).agreed();
}

std::size_t mendableIn(const Module &module, const std::string &arch) {
  std::size_t count = 0;
  for (const Finding &finding : audit(module, machineOf(arch), {}).findings)
    count += isMendable(finding.rule) || finding.severity == Severity::Error;
  return count;
}

Module liftWithout(const Module &module, const std::vector<SiteId> &sites, const std::string &arch,
                   const std::string &path) {
  std::vector<Edit> edits;
  for (SiteId site : sites)
    edits.push_back(removalEdit(module.source, module.sites[site], ""));
  return lift(llvm::cantFail(applyEdits(module.source, std::move(edits))), arch, path);
}

std::size_t statementsOf(const FixResult &result) {
  std::size_t statements = 0;
  for (const SyncPlan &change : result.changes)
    statements += change.added.size() + change.removed.size();
  return statements;
}

void dropAndMend(const std::string &path, std::size_t most, MendCounts &counts) {
  std::string arch = archOf(path);
  Module module = lift(readText(path), arch, path);
  if (mendableIn(module, arch) != 0)
    return; // faulty as it is
  const FixResult real = fixed(module, arch);
  std::size_t step = std::max<std::size_t>(1, module.sites.size() / most);
  for (SiteId site = step / 2; site < module.sites.size(); site += step) {
    if (!isEditable(module.sites[site]))
      continue;
    Module dropped = liftWithout(module, {site}, arch, path);
    if (agree(module, dropped, arch) || mendableIn(dropped, arch) == 0)
      continue;
    ++counts.broken;
    std::string place = nameOf(path) + ":" + std::to_string(module.sites[site].line);
    auto start = std::chrono::steady_clock::now();
    FixResult result = fixed(dropped, arch);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    counts.seconds += seconds;
    counts.slowest = std::max(counts.slowest, seconds);
    if (result.left() > real.left()) {
      std::string why;
      for (const Defect &defect : result.defects)
        if (!defect.mended && isMendable(defect.finding.rule))
          why = defect.reason;
      counts.left.push_back(place + " " + module.sites[site].text + ": " + why);
      continue;
    }
    ++counts.mended;
    counts.noted += result.left() != 0;
    const std::size_t statements = statementsOf(result), lacked = statementsOf(real);
    counts.statements += statements;
    counts.single += statements == 1 + lacked;
    if (!agree(module, lift(result.text, arch, path), arch))
      counts.wrong.push_back(place + " " + module.sites[site].text);
  }
}

/// Nothing that may be edited stays; then the kernel is mended.
void dropAllAndMend(const std::string &path, MendCounts &counts) {
  std::string arch = archOf(path);
  Module module = lift(readText(path), arch, path);
  if (mendableIn(module, arch) != 0)
    return;
  std::vector<SiteId> editable;
  for (SiteId site = 0; site < module.sites.size(); ++site)
    if (isEditable(module.sites[site]))
      editable.push_back(site);
  Module dropped = liftWithout(module, editable, arch, path);
  if (mendableIn(dropped, arch) == 0)
    return;
  ++counts.broken;
  FixResult result = fixed(dropped, arch);
  counts.mended += result.left() == 0;
  if (result.left() != 0)
    counts.left.push_back(nameOf(path));
  else if (!agree(module, lift(result.text, arch, path), arch))
    counts.wrong.push_back(nameOf(path));
}

std::string mendSummary(const MendCounts &counts) {
  std::string text = std::to_string(counts.mended) + " of " + std::to_string(counts.broken) +
                     " broken kernels mended, " + std::to_string(counts.single) + " by one statement, " +
                     std::to_string(counts.statements) + " statements in all, " + std::to_string(counts.noted) +
                     " with what is left of the real kernel, " + std::to_string(counts.seconds) + " s, at most " +
                     std::to_string(counts.slowest) + " s for one\n";
  for (const std::string &place : counts.wrong)
    text += "  not as it was: " + place + "\n";
  for (const std::string &place : counts.left)
    text += "  left: " + place + "\n";
  return text;
}

} // namespace

TEST_CASE("fix recall: real kernels without one statement are mended, and right", "[shared]") {
  if (sharedKernels().empty()) {
    WARN("skipped: there are no kernels beside the repository");
    return;
  }
  constexpr std::uintmax_t kLargest = 20000; // bytes
  MendCounts counts;
  for (const std::string &path : sharedKernels())
    if (std::filesystem::file_size(path) <= kLargest)
      dropAndMend(path, 5, counts);
  INFO(mendSummary(counts));
  CHECK(counts.wrong.empty());
  CHECK(counts.broken >= 60);
  CHECK(counts.mended * 100 >= counts.broken * 85);
  // All but one: a barrier that a meeting of the vector and the scalar pipe stands for.
  CHECK(counts.mended - counts.single <= 1);
}

TEST_CASE("fix recall: real kernels without any sync are mended, and right", "[shared]") {
  if (sharedKernels().empty()) {
    WARN("skipped: there are no kernels beside the repository");
    return;
  }
  constexpr std::uintmax_t kLargest = 14000; // bytes
  MendCounts counts;
  for (const std::string &path : sharedKernels())
    if (std::filesystem::file_size(path) <= kLargest)
      dropAllAndMend(path, counts);
  INFO(mendSummary(counts));
  CHECK(counts.wrong.empty());
  CHECK(counts.broken >= 20);
  CHECK(counts.mended * 100 >= counts.broken * 70);
}

TEST_CASE("fix recall: all real kernels", "[.][fix-recall]") {
  MendCounts counts;
  for (const std::string &path : sharedKernels()) {
    std::size_t mended = counts.mended, broken = counts.broken;
    dropAndMend(path, 6, counts);
    std::cout << nameOf(path) << ": " << counts.mended - mended << " of " << counts.broken - broken << std::endl;
  }
  std::cout << mendSummary(counts);
  CHECK(counts.wrong.empty());
}
