// ptosync_aliasing: looks for kernels whose two accesses may meet and that lose the sync between them.
//
//   ptosync_aliasing --seed S --count N [--arch a3|a5] [--trust tile|library] [--resync] [--print] [--show-missed]
//                    [--dump DIR] [--most-violations M]
//
// Kernel number k of a run is that of seed S + k (alias_kernel.h). Each is optimised with all patterns, the result is
// replayed against it, and the replay is asked about the kernel without its sync:
//
//   lost       the sync of two places that may meet goes
//   blind      the replay does not object to a kernel without such a sync
//   refused    the replay objects to what the optimiser made
//   kept       the sync of two places that are apart stays, or the replay objects to its removal
//   unread     the text is not accepted, or not analysed though it has to be
//   generator  the places are not what the generator says
//
// Exit 0: none of these; 1: some, each printed with its seed; 2: wrong arguments.
#include "aliasing/alias_kernel.h"

#include "replay/verify.h"
#include "rewrite/sync_edits.h"
#include "rewrite/text_edit.h"
#include "run/opt.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

namespace {

using namespace ptosync;
using namespace ptosync::aliasing;

constexpr std::uint64_t kBatch = 40; // kernels of a file

struct Arguments {
  std::uint64_t seed = 1, count = 400, mostViolations = 20;
  Trust trust = Trust::Tile;
  std::string arch = "a3", dump;
  bool resync = false, print = false, showMissed = false, valid = true;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--resync" || name == "--print" || name == "--show-missed") {
      (name == "--resync" ? arguments.resync : name == "--print" ? arguments.print : arguments.showMissed) = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (name == "--seed" || name == "--count" || name == "--most-violations") {
      char *end = nullptr;
      const std::uint64_t number = std::strtoull(value.c_str(), &end, 10);
      (name == "--seed" ? arguments.seed : name == "--count" ? arguments.count : arguments.mostViolations) = number;
      arguments.valid = arguments.valid && !value.empty() && *end == 0;
    } else if (name == "--arch" && (value == "a3" || value == "a5")) {
      arguments.arch = value;
    } else if (name == "--trust" && (value == "tile" || value == "library")) {
      arguments.trust = value == "tile" ? Trust::Tile : Trust::Library;
    } else if (name == "--dump" && !value.empty()) {
      arguments.dump = value;
    } else {
      arguments.valid = false;
    }
  }
  return arguments;
}

struct Seeded {
  std::uint64_t seed = 0;
  AliasKernel kernel;
  std::string name;
  std::uint32_t firstLine = 0, lastLine = 0;
};

std::string fileOf(std::vector<Seeded> &batch) {
  std::string text = commonText();
  auto lines = [](const std::string &of) { return static_cast<std::uint32_t>(std::count(of.begin(), of.end(), '\n')); };
  std::uint32_t line = 1 + lines(text);
  for (Seeded &one : batch) {
    one.firstLine = line;
    one.lastLine = line + lines(one.kernel.before + one.kernel.text) - 1;
    text += one.kernel.before + one.kernel.text + one.kernel.behind;
    line = one.lastLine + 1 + lines(one.kernel.behind);
  }
  return text;
}

/// The text without the lines that end in "// sync".
std::string withoutSyncs(const std::string &text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    result += line.ends_with("// sync") ? "\n" : line + "\n";
    at = end + 1;
  }
  return result;
}

class Judge {
public:
  explicit Judge(const Arguments &arguments)
      : arguments(arguments), machine(llvm::cantFail(Machine::builtIn(arguments.arch))),
        catalogue(llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("all"))),
        costs(llvm::cantFail(timing::CostTable::builtIn(arguments.arch))) {
    choices.optimize.ordering.trust = arguments.trust;
  }

  void judge(std::vector<Seeded> batch) {
    const std::string text = fileOf(batch);
    llvm::Expected<Module> module = liftText(text);
    if (!module) {
      const std::string why = llvm::toString(module.takeError());
      if (batch.size() == 1)
        return report("unread", batch.front(), why);
      for (Seeded &one : batch)
        judge({one});
      return;
    }
    for (const Seeded &one : batch)
      if (!one.kernel.shown)
        report("generator", one, "no world shows it");
    std::set<std::string> unread;
    for (const Kernel &kernel : module->kernels)
      if (!kernel.analysable)
        unread.insert(kernel.name);
    judgeDecisions(*module, batch, unread);
    judgeReplay(*module, text, batch, unread);
    for (const Seeded &one : batch) {
      ++total[one.kernel.expected];
      given += unread.count(one.name);
      if (unread.count(one.name) && one.kernel.expected == Expected::Apart)
        report("unread", one, "is not analysed");
    }
  }

  bool enough() const { return violations >= arguments.mostViolations; }
  std::uint64_t violations = 0, given = 0;
  std::map<Expected, std::uint64_t> total, missed;

private:
  llvm::Expected<Module> liftText(const std::string &text) const {
    return liftModule(SourceText("kernel.cpp", text), frontendOptions(machine));
  }

  void report(const std::string &what, const Seeded &one, const std::string &why) {
    ++violations;
    std::cout << what << ": seed " << one.seed << ": " << one.kernel.form << (why.empty() ? "" : "\n  " + why) << "\n";
    if (!arguments.dump.empty()) {
      std::filesystem::create_directories(arguments.dump);
      std::ofstream(arguments.dump + "/" + std::to_string(one.seed) + ".cpp")
          << commonText() + one.kernel.before + one.kernel.text + one.kernel.behind;
    }
  }

  llvm::Expected<OptimizeResult> decide(const Module &module) const {
    if (!arguments.resync)
      return optimize(module, machine, catalogue, choices.optimize);
    llvm::Expected<synthesis::ResyncResult> result = placeSyncsAnew(module, machine, catalogue, costs, choices);
    if (!result)
      return result.takeError();
    return std::move(result->decisions);
  }

  std::map<std::string, std::string> findingsOf(const Module &before, const Module &after) const {
    std::map<std::string, std::string> found;
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(before, after, machine, replayOptions(choices), {Section::Both}, replay::Unanalysable::Skip);
    if (!verdict)
      throw std::runtime_error(llvm::toString(verdict.takeError()));
    for (const replay::Finding &finding : verdict->findings)
      found.emplace(finding.kernel, finding.run + ": " + finding.text);
    return found;
  }

  void judgeDecisions(const Module &module, const std::vector<Seeded> &batch, const std::set<std::string> &unread) {
    llvm::Expected<OptimizeResult> result = decide(module);
    if (!result)
      throw std::runtime_error(llvm::toString(result.takeError()));
    std::map<std::string, bool> edited;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      for (const Seeded &one : batch)
        if (one.firstLine <= module.sites[site].line && module.sites[site].line <= one.lastLine)
          edited[one.name] |= result->decisions[site].verdict != Verdict::Kept;
    const std::string patched = llvm::cantFail(patchedText(module, *result));
    const Module after = llvm::cantFail(liftText(patched));
    const std::map<std::string, std::string> found = findingsOf(module, after);
    for (const Seeded &one : batch) {
      const bool needed = one.kernel.expected == Expected::Meets;
      if (needed && edited[one.name])
        report("lost", one, "");
      if (found.count(one.name))
        report("refused", one, found.at(one.name));
      if (one.kernel.expected == Expected::Apart && !edited[one.name] && !unread.count(one.name)) {
        ++missed[Expected::Apart];
        report("kept", one, "by the optimiser");
      }
    }
  }

  void judgeReplay(const Module &module, const std::string &text, const std::vector<Seeded> &batch,
                   const std::set<std::string> &unread) {
    const Module bare = llvm::cantFail(liftText(withoutSyncs(text)));
    const std::map<std::string, std::string> found = findingsOf(module, bare);
    for (const Seeded &one : batch) {
      if (unread.count(one.name))
        continue;
      if (one.kernel.expected == Expected::Meets && !found.count(one.name))
        report("blind", one, "");
      if (one.kernel.expected == Expected::Apart && found.count(one.name))
        report("kept", one, "by the replay: " + found.at(one.name));
    }
  }

  const Arguments &arguments;
  const Machine machine;
  const Catalogue catalogue;
  const timing::CostTable costs;
  RunChoices choices;
};

} // namespace

int main(int argc, char **argv) {
  const Arguments arguments = parse(argc, argv);
  if (!arguments.valid) {
    std::cerr
        << "usage: ptosync_aliasing --seed S --count N [--arch a3|a5] [--trust tile|library] [--resync] [--print] "
           "[--dump DIR] [--most-violations M]\n";
    return 2;
  }
  Judge judge(arguments);
  for (std::uint64_t from = 0; from < arguments.count && !judge.enough(); from += kBatch) {
    std::vector<Seeded> batch;
    for (std::uint64_t k = from; k < std::min(arguments.count, from + kBatch); ++k) {
      const std::string name = "k" + std::to_string(k);
      batch.push_back({arguments.seed + k, makeKernel(arguments.seed + k, name), name});
    }
    if (arguments.print)
      std::cout << fileOf(batch);
    else
      judge.judge(std::move(batch));
  }
  if (arguments.print)
    return 0;
  std::cout << judge.total[Expected::Meets] << " that meet, " << judge.total[Expected::Apart] << " apart, "
            << judge.total[Expected::Random] << " random; " << judge.given << " given up; " << judge.violations
            << " violations\n";
  return judge.violations == 0 ? 0 : 1;
}
