#include "fuzz/precision.h"

#include <map>
#include <set>

namespace ptosync::fuzz {
namespace {

/// Sites that go together, by what they are called.
std::map<std::string, std::set<SiteId>> unitsOf(const Kernel &kernel, const std::vector<SyncSite> &sites) {
  std::map<std::string, std::set<SiteId>> units;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *sync = std::get_if<Sync>(&statement.action)) {
        const SyncSite &site = sites[sync->site];
        if (!isEditable(site))
          continue;
        const std::size_t flag = site.text.find("_flag("), buffer = site.text.find("_buf(");
        if (buffer != std::string::npos) { // with all others of its pipe and id
          units["bracket " + site.text.substr(buffer + 4)].insert(sync->site);
          continue;
        }
        units[flag == std::string::npos ? "line " + std::to_string(site.line) + " " + site.text
                                        : "flag " + site.text.substr(flag + 5)]
            .insert(sync->site);
      }
  return units;
}

Module moduleOf(Kernel kernel, const std::set<SiteId> &without) {
  for (Block &block : kernel.blocks)
    std::erase_if(block.statements, [&](const Statement &statement) {
      const auto *sync = std::get_if<Sync>(&statement.action);
      return sync && without.count(sync->site);
    });
  Module module;
  module.kernels.push_back(std::move(kernel));
  return module;
}

} // namespace

Precision precisionOf(const Kernel &input, const Kernel &edited, const std::vector<SyncSite> &sites,
                      const Machine &machine, const replay::Options &options) {
  Precision precision;
  Module before = moduleOf(input, {});
  for (const auto &[name, unit] : unitsOf(edited, sites)) {
    ++precision.kept;
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(before, moduleOf(edited, unit), machine, options, {Section::Both}, replay::Unanalysable::Skip);
    if (!verdict)
      llvm::consumeError(verdict.takeError());
    else if (verdict->agreed())
      precision.removable.push_back(name);
  }
  return precision;
}

} // namespace ptosync::fuzz
