#include "synthesis/edited_kernel.h"

#include "rewrite/sync_edits.h"
#include "synthesis/kernel_state.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>

namespace ptosync::synthesis {

Lift liftOnly(const Lift &lift, const std::string &kernel) {
  return [&lift, kernel](const std::string &text) {
    llvm::Expected<Module> module = lift(text);
    if (module)
      std::erase_if(module->kernels, [&](const Kernel &other) { return other.name != kernel; });
    return module;
  };
}

Lift remembering(const Lift &lift) {
  constexpr std::size_t kMostRemembered = 8;
  struct Read {
    std::string text;
    Module module;
  };
  return [&lift, last = std::make_shared<std::deque<Read>>()](const std::string &text) -> llvm::Expected<Module> {
    auto known = std::find_if(last->begin(), last->end(), [&](const Read &read) { return read.text == text; });
    if (known != last->end())
      return known->module;
    llvm::Expected<Module> module = lift(text);
    if (!module)
      return module;
    last->push_front({text, *module});
    if (last->size() > kMostRemembered)
      last->pop_back();
    return module;
  };
}

llvm::Expected<EditedFile> EditedFile::read(const Module &input, SyncPlan plan, const Lift &lift) {
  EditedFile file(input, std::move(plan));
  const PlannedEdits planned = editsFor(input, file.carriedOut);
  llvm::Expected<std::string> text = applyEdits(input.source, planned.edits);
  if (!text)
    return text.takeError();
  std::vector<std::size_t> order(planned.edits.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return planned.edits[a].range.begin < planned.edits[b].range.begin; });
  std::vector<std::uint32_t> beginOf(order.size()); // by edit, of its replacement in the text
  std::uint32_t from = 0, to = 0;
  for (std::size_t i : order) {
    const Edit &edit = planned.edits[i];
    file.pieces.push_back({to, from, edit.range.begin - from});
    beginOf[i] = to + edit.range.begin - from;
    to = beginOf[i] + static_cast<std::uint32_t>(edit.replacement.size());
    from = edit.range.end;
  }
  file.pieces.push_back({to, from, static_cast<std::uint32_t>(input.source.text().size()) - from});
  llvm::Expected<Module> lifted = lift(*text);
  if (!lifted)
    return lifted.takeError();
  file.lifted = std::make_unique<Module>(std::move(*lifted));
  std::vector<std::uint32_t> begins;
  begins.reserve(planned.added.size());
  for (const PlannedEdits::Put &put : planned.added)
    begins.push_back(beginOf[put.edit] + static_cast<std::uint32_t>(put.at));
  if (!file.findSites(begins))
    return llvm::createStringError("with syncs put in it does not have the syncs that it had");
  return file;
}

/// Which sync each site is. `begins`: of those that were added, in the text. False: one is neither, or one is missing.
bool EditedFile::findSites(const std::vector<std::uint32_t> &begins) {
  std::map<std::uint32_t, std::size_t> added;
  for (std::size_t i = 0; i < begins.size(); ++i)
    added[begins[i]] = i;
  std::map<std::uint32_t, SiteId> old;
  for (SiteId site = 0; site < input->sites.size(); ++site)
    if (!carriedOut.removed.count(site))
      old[input->sites[site].range.begin] = site;
  siteOfAdded.assign(begins.size(), kNone);
  std::size_t found = 0;
  for (SiteId site = 0; site < lifted->sites.size(); ++site) {
    const std::uint32_t begin = lifted->sites[site].range.begin;
    originOf.push_back(kNone);
    if (auto own = added.find(begin); own != added.end()) {
      siteOfAdded[own->second] = site;
      continue;
    }
    auto origin = isCopied(begin) ? old.find(*inputOffset(begin)) : old.end();
    if (origin == old.end() || input->sites[origin->second].text != lifted->sites[site].text)
      return false;
    originOf.back() = origin->second;
    if (const SyncSite &was = input->sites[origin->second]; was.protection == Protection::NotOneStatement) {
      lifted->sites[site].protection = was.protection; // whoever read the input may know more than its text says
      lifted->sites[site].keepReason = was.keepReason;
    }
    ++found;
  }
  return found == old.size();
}

std::vector<std::set<SiteId>> EditedFile::sitesByEdit(std::size_t count) const {
  std::vector<std::set<SiteId>> sites(count);
  for (std::size_t i = 0; i < siteOfAdded.size(); ++i)
    if (std::uint32_t edit = carriedOut.added[i].edit; siteOfAdded[i] != kNone && edit < count)
      sites[edit].insert(siteOfAdded[i]);
  return sites;
}

llvm::Expected<std::size_t> EditedFile::numberOf(const Kernel &kernel) const {
  const Kernel *same = kernelLike(*lifted, kernel);
  if (!same || !same->analysable)
    return llvm::createStringError("with syncs put in it is not read as the same kernel");
  return static_cast<std::size_t>(same - lifted->kernels.data());
}

/// True if the byte there is one of the input.
bool EditedFile::isCopied(std::uint32_t offset) const {
  return inputOffset(offset) && inputOffset(offset + 1) == *inputOffset(offset) + 1;
}

std::optional<std::uint32_t> EditedFile::inputOffset(std::uint32_t offset) const {
  auto piece = std::prev(std::upper_bound(pieces.begin(), pieces.end(), offset,
                                          [](std::uint32_t at, const Copied &one) { return at < one.to; }));
  return offset - piece->to <= piece->size ? std::optional(piece->from + (offset - piece->to)) : std::nullopt;
}

std::uint32_t EditedFile::inputLine(std::uint32_t line) const {
  const std::string_view text = lifted->source.line(line);
  if (text.empty())
    return 0;
  auto begin = static_cast<std::uint32_t>(text.data() - lifted->source.text().data());
  // What was put in front of a statement on its line is passed.
  for (std::uint32_t i = 0; i < text.size(); ++i)
    if (text[i] != ' ' && text[i] != '\t' && isCopied(begin + i))
      return input->source.position(*inputOffset(begin + i)).line;
  return 0;
}

void EditedFile::leaveOut(const std::set<SiteId> &sites) { *lifted = withoutSites(std::move(*lifted), sites); }

SyncPlan joined(const std::vector<SyncPlan> &plans) {
  SyncPlan all;
  for (const SyncPlan &plan : plans)
    append(all, plan);
  sortByPlace(all.added);
  return all;
}

llvm::Expected<TrialKernel> TrialKernel::read(const Module &module, std::size_t kernel, const SyncPlan &base,
                                              std::vector<SyncPlan> candidates, const Lift &lift) {
  // What a choice removes is left out of what was read: the text removes nothing.
  std::vector<SyncPlan> plans = candidates;
  plans.push_back(base);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i].removed.clear();
    for (AddedSync &sync : plans[i].added)
      sync.edit = static_cast<std::uint32_t>(i); // by which it is known below
  }
  llvm::Expected<EditedFile> file = EditedFile::read(module, joined(plans), lift);
  if (!file)
    return file.takeError();
  TrialKernel trial(std::move(*file));
  for (const auto &[site, removal] : base.removed)
    trial.removedByBase.insert(site);
  trial.plans = std::move(candidates);
  trial.sites = trial.file.sitesByEdit(trial.plans.size());
  if (llvm::Error error = trial.settle(module, kernel))
    return std::move(error);
  return trial;
}

/// Finds the kernel, and which candidates fit.
llvm::Error TrialKernel::settle(const Module &input, std::size_t kernel) {
  llvm::Expected<std::size_t> same = file.numberOf(input.kernels[kernel]);
  if (!same)
    return same.takeError();
  number = *same;
  const std::vector<SyncSite> &lifted = module().sites;
  for (SiteId site = 0; site < lifted.size(); ++site)
    if (SiteId origin = origins()[site]; origin != kNone && lifted[site].protection != input.sites[origin].protection)
      return llvm::createStringError("with syncs put in, a keep comment would hold another sync");
  std::set<SiteId> here = ptosync::sitesOf(whole());
  for (std::size_t i = 0; i < plans.size(); ++i)
    fit.push_back(sites[i].size() == plans[i].added.size() &&
                  std::all_of(sites[i].begin(), sites[i].end(), [&](SiteId site) {
                    return here.count(site) && lifted[site].protection == Protection::None;
                  }));
  if (numberedStatements(whole()).size() != numberedStatements(input.kernels[kernel]).size())
    return llvm::createStringError("with syncs put in it does not have the statements that it had");
  return llvm::Error::success();
}

std::set<SiteId> TrialKernel::without(const std::set<std::size_t> &chosen) const {
  std::set<SiteId> out;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (!chosen.count(i))
      out.insert(sites[i].begin(), sites[i].end());
  std::set<SiteId> removed = removedByBase;
  for (std::size_t i : chosen)
    for (const auto &[site, removal] : plans[i].removed)
      removed.insert(site);
  for (SiteId site = 0; site < origins().size(); ++site)
    if (origins()[site] != kNone && removed.count(origins()[site]))
      out.insert(site);
  return out;
}

Kernel TrialKernel::with(const std::set<std::size_t> &chosen) const { return withoutSites(whole(), without(chosen)); }

Module TrialKernel::moduleWith(const std::set<std::size_t> &chosen) const {
  return withoutSites(module(), without(chosen));
}

} // namespace ptosync::synthesis
