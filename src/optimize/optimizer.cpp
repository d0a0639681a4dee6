#include "optimize/optimizer.h"

#include "optimize/evidence.h"
#include "optimize/pins.h"
#include "ordering/pending.h"
#include "patterns/matcher.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ptosync {
namespace {

struct AnalysedKernel {
  std::unique_ptr<Program> program; // the analysis refers to it
  std::unique_ptr<Pending> pending;
  std::map<SiteId, ConflictPair> pinned;
};

class Optimizer {
public:
  Optimizer(const Module &module, const Machine &machine, const Catalogue &catalogue, const OptimizeOptions &options)
      : module(module), machine(machine), catalogue(catalogue), options(options) {}

  OptimizeResult run() {
    result.decisions.resize(module.sites.size());
    for (SiteId site = 0; site < module.sites.size(); ++site)
      result.decisions[site].site = site;
    for (const Kernel &kernel : module.kernels)
      analyse(kernel);
    collectSites();
    nominateSites();
    std::vector<SiteId> order = candidates();
    for (SiteId site : order)
      decide(site);
    for (SiteDecision &decision : result.decisions)
      if (decision.verdict == Verdict::Removed)
        collectEvidence(decision);
    return std::move(result);
  }

private:
  void analyse(const Kernel &kernel) {
    AnalysedKernel entry;
    if (!kernel.analysable) {
      result.skipped.push_back({kernel.name, kernel.section, kernel.line, kernel.reason});
    } else {
      llvm::Expected<Program> program = buildProgram(kernel, machine, options.ordering);
      if (program) {
        entry.program = std::make_unique<Program>(std::move(*program));
        entry.pending = std::make_unique<Pending>(*entry.program);
        entry.pinned = pinnedSites(*entry.program, *entry.pending);
        reportOpen(kernel, entry);
      } else {
        result.skipped.push_back({kernel.name, kernel.section, kernel.line, llvm::toString(program.takeError())});
      }
    }
    kernels.push_back(std::move(entry));
  }

  void reportOpen(const Kernel &kernel, const AnalysedKernel &entry) {
    std::set<std::pair<const Statement *, const Statement *>> listed; // one line a pair, not one a distance
    for (const OpenConflict &open : entry.pending->open()) {
      const Node &earlier = entry.program->nodes[entry.program->nodeOfBit[open.pair.bit]];
      const Node &later = entry.program->nodes[open.pair.later];
      // Unknown calls conflict with everything by assumption; they have a list of their own.
      if (!earlier.unknown && !later.unknown && listed.insert({earlier.statement, later.statement}).second)
        result.unresolved.push_back(
            {kernel.name, kernel.section, entry.pending->hazards().describe(open.pair), open.rule});
    }
    std::set<std::string> known; // copies of a loop's phases say the same
    for (const TokenEvent &fault : entry.pending->tokenFaults()) {
      TokenFault report{kernel.name, kernel.section, faultText(*entry.program, fault), kernel.line};
      if (fault.event != kNone)
        report.line = entry.program->blocks[fault.step][fault.event].statement->line;
      if (known.insert(report.text + std::to_string(report.line)).second)
        result.tokenFaults.push_back(std::move(report));
    }
  }

  static std::string faultText(const Program &program, const TokenEvent &fault) {
    const Flag &flag = program.flags[fault.flag];
    std::string text = "flag (" + std::string(pipeName(flag.source)) + ", " +
                       std::string(pipeName(flag.destination)) + ", " + std::to_string(flag.id) + ") ";
    bool maybe = fault.state == Token::Maybe;
    if (fault.event == kNone)
      return text + (maybe ? "may still be" : "is still") + " set at the kernel's end";
    if (program.blocks[fault.step][fault.event].kind == Event::Kind::Access)
      return text + (maybe ? "may be" : "is") + " set while a library call uses it inside";
    if (program.blocks[fault.step][fault.event].kind == Event::Kind::Set)
      return text + (maybe ? "may still be" : "is still") + " set when it is set again";
    return text + (maybe ? "is set on some paths only" : "is not set on any path") + " where it is waited for";
  }

  /// Which kernels run through each site, and how deep in loops.
  void collectSites() {
    kernelsOf.resize(module.sites.size());
    depth.assign(module.sites.size(), 0);
    for (std::size_t k = 0; k < module.kernels.size(); ++k) {
      const Kernel &kernel = module.kernels[k];
      for (BlockId block = 0; block < kernel.blocks.size(); ++block)
        for (const Statement &statement : kernel.blocks[block].statements)
          if (const auto *sync = std::get_if<Sync>(&statement.action)) {
            kernelsOf[sync->site].insert(k);
            if (kernels[k].program)
              depth[sync->site] = std::max(
                  depth[sync->site], kernels[k].program->graph->depthOf(kernels[k].program->graph->loopOf(block)));
          }
    }
    for (SiteId site = 0; site < module.sites.size(); ++site) {
      std::set<std::string> names;
      std::set<Section> sections;
      for (std::size_t k : kernelsOf[site]) {
        names.insert(module.kernels[k].name);
        sections.insert(module.kernels[k].section);
      }
      result.decisions[site].kernels.assign(names.begin(), names.end());
      result.decisions[site].sections.assign(sections.begin(), sections.end());
    }
  }

  void nominateSites() {
    std::map<std::string, std::size_t> rank;
    for (std::size_t i = 0; i < catalogue.patterns().size(); ++i)
      rank[catalogue.patterns()[i].id] = i;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (!kernels[k].program)
        continue;
      const Program &program = *kernels[k].program;
      std::map<const Statement *, std::vector<NodeId>> nodes;
      for (NodeId id = 0; id < program.nodes.size(); ++id)
        nodes[program.nodes[id].statement].push_back(id);
      auto access = [&](const Statement &statement, const Operand &operand) -> const Access * {
        for (NodeId id : nodes[&statement])
          for (const Access &candidate : program.nodes[id].accesses)
            if (candidate.tile && candidate.name == operand.spelling)
              return &candidate;
        return nullptr;
      };
      SameStorage same = [&](const Kernel &, const Statement &first, const Operand &a, const Statement &second,
                             const Operand &b) {
        const Access *x = access(first, a), *y = access(second, b);
        return x && y && x->space == y->space && x->base == y->base;
      };
      PipeOf pipes = [&](const Kernel &kernel, const Instruction &instruction) {
        PipeSet set;
        for (const EffectPhase &phase : effectsOf(kernel, instruction, machine, Trust::Tile).phases)
          set.insert(phase.pipe);
        return set;
      };
      for (const auto &[site, id] :
           nominate(module.kernels[k], catalogue, machine.arch(), options.ordering.trust, same, pipes)) {
        std::string &claimed = result.decisions[site].pattern;
        if (claimed.empty() || rank[id] < rank[claimed])
          claimed = id;
      }
    }
  }

  std::vector<SiteId> candidates() {
    std::vector<SiteId> order;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (screen(site))
        order.push_back(site);
    std::stable_sort(order.begin(), order.end(), [&](SiteId a, SiteId b) {
      bool allA = module.sites[a].source == Pipe::All, allB = module.sites[b].source == Pipe::All;
      return allA != allB ? allA : depth[a] > depth[b];
    });
    return order;
  }

  void keep(SiteId site, KeptReason reason, std::string detail) {
    SiteDecision &decision = result.decisions[site];
    decision.verdict = Verdict::Kept;
    decision.reason = reason;
    decision.detail = std::move(detail);
  }

  /// Settles what needs no proof; true if the site is a candidate.
  bool screen(SiteId id) {
    const SyncSite &site = module.sites[id];
    SiteDecision &decision = result.decisions[id];
    if (site.protection != Protection::None) {
      keep(id, KeptReason::Protected, protectionText(site));
      return false;
    }
    if (site.kind == SyncKind::SetFlag || site.kind == SyncKind::WaitFlag) {
      keep(id, KeptReason::NotSupported, "flags are analysed but not edited");
      return false;
    }
    if (kernelsOf[id].empty()) {
      keep(id, KeptReason::NotAnalysed, "no kernel runs through it");
      return false;
    }
    for (std::size_t k : kernelsOf[id])
      if (!kernels[k].program) {
        keep(id, KeptReason::NotAnalysed, "kernel " + module.kernels[k].name + " was not analysed");
        return false;
      }
    if (decision.pattern.empty()) {
      keep(id, KeptReason::NotNominated, "no enabled pattern matches");
      return false;
    }
    if (!options.lines.empty() && !options.lines.count(site.line)) {
      keep(id, KeptReason::Limit, "left out by --lines");
      return false;
    }
    return true;
  }

  static std::string protectionText(const SyncSite &site) {
    switch (site.protection) {
    case Protection::KeepComment:
      return "kept by comment" + (site.keepReason.empty() ? "" : ": " + site.keepReason);
    case Protection::Tail:
      return "the kernel's end fence";
    case Protection::Flush:
      return "drains scalar stores in front of a cache flush";
    case Protection::NotOneStatement:
    case Protection::None:
      break;
    }
    return "not a statement of its own (macro, or part of an expression)";
  }

  void decide(SiteId id) {
    for (std::size_t k : kernelsOf[id])
      if (auto pin = kernels[k].pinned.find(id); pin != kernels[k].pinned.end()) {
        if (pin->second.later == kNone)
          return keep(id, KeptReason::Hazard, "work may still be running at the kernel's end");
        keep(id, KeptReason::Unresolved, "it may be what orders a pair that is not seen to be ordered");
        result.decisions[id].witness = kernels[k].pending->hazards().describe(pin->second);
        return;
      }
    if (options.maxRemovals && removals >= *options.maxRemovals)
      return keep(id, KeptReason::Limit, "left out by --max-removals");
    for (std::size_t k : kernelsOf[id]) {
      Pending::Trial trial = kernels[k].pending->tryRemoval({id});
      if (!trial.allowed) {
        for (std::size_t other : kernelsOf[id])
          kernels[other].pending->abandon();
        return refuse(id, k, trial);
      }
    }
    for (std::size_t k : kernelsOf[id])
      kernels[k].pending->commit();
    result.decisions[id].verdict = Verdict::Removed;
    result.decisions[id].reason = KeptReason::None;
    ++removals;
  }

  void refuse(SiteId id, std::size_t k, const Pending::Trial &trial) {
    if (trial.atEnd)
      return keep(id, KeptReason::Hazard, "work would still be running at the kernel's end");
    keep(id, KeptReason::Hazard,
         trial.fence                                            ? "it orders work relative to an opaque fence"
         : trial.witness && trial.witness->kind == HazardKind::FlagReuse ? "without it a flag could be set again too early"
                                                                : "without it nothing orders this pair");
    if (trial.witness)
      result.decisions[id].witness = kernels[k].pending->hazards().describe(*trial.witness);
  }

  void collectEvidence(SiteDecision &decision) {
    for (std::size_t k : kernelsOf[decision.site])
      for (Evidence &evidence : evidenceOf(*kernels[k].program, *kernels[k].pending, decision.site))
        decision.evidence.push_back(std::move(evidence));
    // Several calls of one helper may say "nothing" while another has a reason.
    bool reason = std::any_of(decision.evidence.begin(), decision.evidence.end(),
                              [](const Evidence &e) { return e.by != Evidence::By::Nothing; });
    auto surplus = [&](const Evidence &e) { return e.by == Evidence::By::Nothing && (reason || &e != &decision.evidence.front()); };
    std::vector<Evidence> kept;
    for (Evidence &evidence : decision.evidence)
      if (!surplus(evidence))
        kept.push_back(std::move(evidence));
    decision.evidence = std::move(kept);
  }

  const Module &module;
  const Machine &machine;
  const Catalogue &catalogue;
  const OptimizeOptions &options;
  OptimizeResult result;
  std::vector<AnalysedKernel> kernels;
  std::vector<std::set<std::size_t>> kernelsOf; // by site
  std::vector<std::uint32_t> depth;             // by site
  std::size_t removals = 0;
};

} // namespace

OptimizeResult optimize(const Module &module, const Machine &machine, const Catalogue &catalogue,
                        const OptimizeOptions &options) {
  return Optimizer(module, machine, catalogue, options).run();
}

} // namespace ptosync
