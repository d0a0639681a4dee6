#include "report/html_report.h"

#include "optimize/wording.h"
#include "report/json_report.h"
#include "report/needed_syncs.h"
#include "report/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

// The frame of every page.

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedHtmlFiles();

namespace {

std::string embeddedFile(std::string_view wanted) {
  for (const auto &[file, text] : embeddedHtmlFiles())
    if (file == wanted)
      return std::string(text);
  return "";
}

/// `text` with one occurrence of `mark` replaced.
std::string withReplaced(std::string text, std::string_view mark, const std::string &with) {
  std::size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), with);
}

} // namespace

std::string htmlPage(const std::string &name, const nlohmann::ordered_json &data) {
  std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), safe;
  for (char c : text)
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  std::string page = withReplaced(embeddedFile("frame.html"), "PTOSYNC_STYLE", embeddedFile("page.css"));
  page = withReplaced(std::move(page), "PTOSYNC_NAME", name);
  page = withReplaced(std::move(page), "PTOSYNC_BODY", embeddedFile(name + ".html"));
  page = withReplaced(std::move(page), "PTOSYNC_SCRIPT",
                      embeddedFile("page_parts.js") + embeddedFile("timeline.js") + embeddedFile(name + ".js"));
  return withReplaced(std::move(page), "PTOSYNC_DATA", safe);
}

// The page for reviewers.

namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 10) / 10; }

/// How far what a removal relies on may be trusted: the weakest first.
struct Relied {
  std::set<std::string> grades;
  bool library = false;

  void add(const Evidence &evidence, const std::map<std::string, std::string> &ruleGrades) {
    if (evidence.by == Evidence::By::Rule) {
      auto grade = ruleGrades.find(evidence.rule);
      grades.insert(grade == ruleGrades.end() ? "D" : grade->second);
    }
    library = library || evidence.by == Evidence::By::Library;
  }
  std::string weakest() const {
    return library ? "library version" : grades.empty() ? "none beyond the model" : "grade " + *grades.rbegin();
  }
};

class PageData {
public:
  explicit PageData(const HtmlInput &input) : input(input) {}

  Json make() {
    Json lines = Json::array();
    for (std::uint32_t line = 1; line <= input.source->lineCount(); ++line)
      lines.push_back(std::string(input.source->line(line)));
    DrawnRuns drawn;
    Json kernels = Json::array();
    for (const DrawnKernel &kernel : input.kernels)
      kernels.push_back(drawn.kernelJson(kernel));
    return {{"file", input.source->name()}, {"verdict", input.verdict}, {"estimate", input.estimate},
            {"lines", std::move(lines)},    {"sites", sites()},         {"edits", edits()},
            {"approval", approvalJson()},   {"loops", loops()},         {"kernels", std::move(kernels)},
            {"texts", drawn.takeTexts()}};
  }

private:
  /// What an approval left out is an edit as well, to be ticked: those are numbered behind what is made.
  const std::vector<ApprovalOutcome::Held> &held() const {
    static const std::vector<ApprovalOutcome::Held> none;
    return input.decisions && input.decisions->approval ? input.decisions->approval->held : none;
  }
  std::uint32_t numberOfHeld(std::size_t index) const {
    return editsOf(*input.decisions->result) + 1 + static_cast<std::uint32_t>(index);
  }

  /// The entries that an approval file has of them (rewrite/approval.h).
  Json edits() const {
    Json list = Json::array();
    auto add = [&](std::uint32_t number, const EditName &edit) {
      list.push_back(approvalEntry(edit));
      list.back()["number"] = number;
    };
    if (input.decisions)
      for (const auto &[number, edit] : nameEdits(*input.decisions->module, *input.decisions->result))
        add(number, edit);
    for (std::size_t i = 0; i < held().size(); ++i)
      add(numberOfHeld(i), held()[i].edit);
    return list;
  }

  /// What was decided before, for the page to go on from.
  Json approvalJson() const {
    if (!input.approval)
      return nullptr;
    Json json = {{"approved", Json::array()}, {"rejected", Json::array()}};
    for (const EditName &edit : input.approval->approved)
      json["approved"].push_back(approvalEntry(edit));
    for (const EditName &edit : input.approval->rejected)
      json["rejected"].push_back(approvalEntry(edit));
    json["rest"] = input.approval->applyRest ? "apply" : "hold";
    return json;
  }

  Json sites() const {
    Json list = Json::array();
    if (!input.decisions)
      return list;
    std::map<SiteId, double> gains = gainsOf();
    std::map<SiteId, std::uint32_t> heldEdits;
    for (std::size_t i = 0; i < held().size(); ++i)
      for (SiteId site : held()[i].sites)
        heldEdits.try_emplace(site, numberOfHeld(i));
    for (const SiteDecision &decision : input.decisions->result->decisions)
      if (decision.site < input.decisions->module->sites.size()) {
        list.push_back(siteJson(decision, gains.count(decision.site) ? gains.at(decision.site) : 0));
        if (auto edit = heldEdits.find(decision.site); edit != heldEdits.end() && decision.verdict == Verdict::Kept)
          list.back()["edit"] = edit->second;
      }
    return list;
  }

  std::map<SiteId, double> gainsOf() const {
    std::map<SiteId, double> gains;
    if (input.decisions->costs)
      for (const KernelCost &kernel : input.decisions->costs->kernels)
        for (const std::vector<timing::SyncCost> *costs : {&kernel.removed, &kernel.kept})
          for (const timing::SyncCost &cost : *costs)
            gains[cost.site] += cost.gain;
    return gains;
  }

  /// What is known of one conflict, together: reasons for the same one stand behind it once.
  static Json conflictFacts(const std::vector<Evidence> &evidence) {
    Json list = Json::array();
    std::map<std::string, std::size_t> known; // by conflict: its place in the list
    for (const Evidence &fact : evidence) {
      std::string conflict = fact.conflict ? describeConflict(*fact.conflict) : "";
      auto [place, first] = known.try_emplace(conflict, list.size());
      if (first)
        list.push_back({{"family", fact.conflict ? conflictFamily(*fact.conflict) : ""},
                        {"conflict", std::move(conflict)},
                        {"facts", Json::array()}});
      list[place->second]["facts"].push_back((fact.relied ? "" : "also, not relied on: ") + describeEvidence(fact));
    }
    return list;
  }

  static Json keptFacts(const SiteDecision &decision) {
    Json entry = {{"family", decision.witness ? conflictFamily(*decision.witness) : ""},
                  {"conflict", decision.witness ? describeConflict(*decision.witness) : ""},
                  {"facts", Json::array()}};
    if (!decision.detail.empty())
      entry["facts"].push_back(printable(decision.detail));
    Json list = decision.witness || !decision.detail.empty() ? Json::array({std::move(entry)}) : Json::array();
    for (Json &fact : conflictFacts(decision.evidence))
      list.push_back(std::move(fact));
    return list;
  }

  Json siteJson(const SiteDecision &decision, double gain) const {
    const SyncSite &site = input.decisions->module->sites[decision.site];
    Json json = {{"line", site.line},
                 {"text", printable(site.text)},
                 {"pattern", decision.pattern},
                 {"edit", decision.edit},
                 {"gain", rounded(gain)},
                 {"cause", causeOf(decision)},
                 {"fact", ""},
                 {"replayed", !input.decisions->notReplayed.count(decision.site)}};
    if (decision.verdict == Verdict::Kept) {
      json["verdict"] = "kept";
      json["why"] = std::string(keptReasonName(decision.reason)) + ": " + std::string(explainReason(decision.reason));
      json["evidence"] = keptFacts(decision);
      addNeeded(json, decision.site);
      return json;
    }
    Relied relied;
    for (const Evidence &fact : decision.evidence)
      if (fact.relied)
        relied.add(fact, input.ruleGrades);
    bool moved = decision.verdict == Verdict::Moved;
    json["verdict"] = moved ? "moved" : "removed";
    if (moved)
      json["to"] = movedLines(input.decisions->module->source, decision);
    json["why"] = whyEdited(decision);
    json["fact"] = relied.weakest();
    json["evidence"] = conflictFacts(decision.evidence);
    addNeeded(json, decision.site);
    return json;
  }

  /// What runs say of a statement that stays, if they were asked: a fact of its own.
  void addNeeded(Json &json, SiteId site) const {
    if (!input.decisions->needed)
      return;
    auto found = input.decisions->needed->bySite.find(site);
    if (found != input.decisions->needed->bySite.end())
      json["evidence"].push_back(
          {{"family", ""}, {"conflict", ""}, {"facts", Json::array({neededLine(found->second)})}});
  }

  Json loops() const {
    Json list = Json::array();
    if (!input.decisions || !input.decisions->costs)
      return list;
    for (const KernelCost &kernel : input.decisions->costs->kernels)
      for (std::size_t i = 0; i < kernel.before.loops.size(); ++i) {
        const timing::LoopEstimate &loop = kernel.before.loops[i];
        double after = i < kernel.after.loops.size() ? kernel.after.loops[i].cycles : loop.cycles;
        list.push_back({{"kernel", kernelName(kernel.before)},
                        {"line", loop.line},
                        {"depth", loop.depth},
                        {"iterations", loop.iterations},
                        {"before", rounded(loop.cycles)},
                        {"after", rounded(after)},
                        {"limit", rounded(loop.limit)},
                        {"syncs", syncsOf(kernel, loop.loop)}});
      }
    return list;
  }

  static std::string kernelName(const timing::KernelEstimate &kernel) {
    return kernel.section == Section::Both ? kernel.kernel
                                           : kernel.kernel + " (" + std::string(sectionName(kernel.section)) + ")";
  }

  /// Pairs of a site's position among the decisions and its gain, the dearest first.
  Json syncsOf(const KernelCost &kernel, replay::LoopId loop) const {
    std::vector<timing::SyncCost> found;
    for (const std::vector<timing::SyncCost> *costs : {&kernel.removed, &kernel.kept})
      for (const timing::SyncCost &cost : *costs)
        if (cost.loop == loop && cost.gain >= 1)
          found.push_back(cost);
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.gain > b.gain; });
    const std::vector<SiteDecision> &decisions = input.decisions->result->decisions;
    Json list = Json::array();
    for (const timing::SyncCost &cost : found) {
      auto at = std::find_if(decisions.begin(), decisions.end(),
                             [&](const SiteDecision &decision) { return decision.site == cost.site; });
      if (at != decisions.end())
        list.push_back({at - decisions.begin(), rounded(cost.gain)});
    }
    return list;
  }

  const HtmlInput &input;
};

} // namespace

std::string htmlReport(const HtmlInput &input) { return htmlPage("page", PageData(input).make()); }

} // namespace ptosync
