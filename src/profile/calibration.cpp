#include "profile/calibration.h"

#include "profile/issue_fit.h"
#include "profile/least_squares.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ptosync::timing {
namespace {

/// Shorter durations count as this long: a tick more or less says nothing.
constexpr double kShortestCounted = 20;

/// A fit that is better by less than this share of the durations is not taken.
constexpr double kWorthwhile = 0.001;

/// Of a duration between two whole ticks, in square cycles.
constexpr double kTickVariance = 1.0 / 6;

/// All calls of one shape.
struct Measured {
  std::vector<double> durations;
  std::optional<double> distance; // the shortest: a longer one waited for something else
  double executions = 0;

  double duration() const {
    std::vector<double> sorted = durations;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

/// A parameter as an unknown: what it is multiplied with.
struct Term {
  std::string name;
  double before = 0;
  bool latency = false; // no part of the throughput
  double (*factor)(const CostShape &) = nullptr;
};

std::vector<Term> termsOf(const CostShape &shape, const CostTable &costs) {
  using Shape = const CostShape &;
  auto one = [](Shape) { return 1.0; };
  if (shape.group == CostShape::Group::Path) {
    const PathCost &path = costs.path(shape.from, shape.to);
    return {{"bytesPerCycle", 1 / path.bytesPerCycle, false, [](Shape s) { return s.bytes; }},
            {"latency", path.latency, true, one}};
  }
  if (shape.group == CostShape::Group::Matrix) {
    const MatrixCost &matrix = costs.matrix();
    return {{shape.wide ? "perTileFloat" : "perTile", shape.wide ? matrix.perTileFloat : matrix.perTile, false,
             [](Shape s) { return s.tiles; }},
            {"fixed", matrix.fixed, true, one}};
  }
  const VectorCost &vector = costs.vectorCost(shape.name);
  std::vector<Term> terms;
  if (vector.fixed > 0)
    terms.push_back({"fixed", vector.fixed, false, one});
  if (vector.perRow > 0)
    terms.push_back({"perRow", vector.perRow, false, [](Shape s) { return s.rows; }});
  terms.push_back({"perRepeat", vector.perRepeat, false, [](Shape s) { return s.repeats; }});
  terms.push_back({"latency", vector.latency, true, one});
  return terms;
}

/// Shapes of one entry have the same.
CostShape entryOf(const CostShape &shape) {
  CostShape entry;
  entry.group = shape.group;
  if (shape.group == CostShape::Group::Path) {
    entry.from = shape.from;
    entry.to = shape.to;
  } else if (shape.group == CostShape::Group::Vector) {
    entry.name = shape.name;
  } else {
    entry.wide = shape.wide;
  }
  return entry;
}

using Measurements = std::map<CostShape, Measured>;

std::vector<Equation> equationsOf(const Measurements &measurements, const std::vector<Term> &terms) {
  std::vector<Equation> equations;
  for (const auto &[shape, measured] : measurements) {
    double weight = 1 / std::max(measured.duration(), kShortestCounted);
    weight *= weight * std::sqrt(measured.executions);
    Equation whole{{}, measured.duration(), weight}, throughput{{}, measured.distance.value_or(0), weight};
    for (const Term &term : terms) {
      whole.factors.push_back(term.factor(shape));
      throughput.factors.push_back(term.latency ? 0 : term.factor(shape));
    }
    equations.push_back(whole);
    if (measured.distance)
      equations.push_back(throughput);
  }
  return equations;
}

double residualOf(const Measurements &measurements, const std::vector<Term> &terms, const std::vector<double> &values) {
  double squares = 0, count = 0;
  for (const auto &[shape, measured] : measurements) {
    double modelled = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
      modelled += values[i] * terms[i].factor(shape);
    for (double duration : measured.durations) {
      double error = (modelled - duration) / std::max(duration, kShortestCounted);
      squares += error * error;
      ++count;
    }
  }
  return std::sqrt(squares / std::max(count, 1.0));
}

std::string whyItStays(const FittedEntry &entry, const Measurements &measurements) {
  std::string names;
  for (const FittedParameter &parameter : entry.parameters)
    if (!parameter.fitted)
      names += (names.empty() ? "" : ", ") + parameter.name;
  if (names.empty())
    return "";
  if (entry.sizes > 1)
    return names + ": the sizes in the profile do not tell them apart";
  char text[160];
  std::snprintf(text, sizeof text, ": one size, never one right behind another: their sum is known alone, %.0f cycles",
                measurements.begin()->second.duration());
  return names + text;
}

/// What the ticks' rounding leaves open is no reason to write other numbers.
void keepAll(FittedEntry &entry) {
  for (FittedParameter &parameter : entry.parameters)
    parameter = {parameter.name, parameter.before, parameter.before, 0, false};
  entry.residualAfter = entry.residualBefore;
  entry.reason = "all: the numbers of the table fit as well";
}

FittedEntry fitEntry(const CostShape &entryShape, const Measurements &measurements, const CostTable &costs) {
  FittedEntry entry;
  entry.shape = entryShape;
  entry.sizes = measurements.size();
  for (const auto &[shape, measured] : measurements)
    entry.executions += measured.executions;
  std::vector<Term> terms = termsOf(measurements.begin()->first, costs);
  std::vector<std::optional<Unknown>> solution =
      solveLeastSquares(equationsOf(measurements, terms), terms.size(), kTickVariance);
  bool possible = true;
  for (std::size_t i = 0; i < terms.size(); ++i) // a latency a hair below 0 is the ticks' rounding
    possible = possible && (!solution[i] || solution[i]->value > (terms[i].latency ? -1 : 0));
  std::vector<double> before, after;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    bool fitted = possible && solution[i];
    double value = fitted ? std::max(solution[i]->value, 0.0) : terms[i].before;
    double error = fitted ? solution[i]->error : 0;
    before.push_back(terms[i].before);
    after.push_back(value);
    bool inverse = terms[i].name == "bytesPerCycle";
    entry.parameters.push_back({terms[i].name, inverse ? 1 / terms[i].before : terms[i].before,
                                inverse ? 1 / value : value, inverse ? error / (value * value) : error, fitted});
  }
  entry.residualBefore = residualOf(measurements, terms, before);
  entry.residualAfter = residualOf(measurements, terms, after);
  entry.reason =
      possible ? whyItStays(entry, measurements) : "all: what fits best is negative, the formula is another one";
  if (entry.fitted() && entry.residualAfter > entry.residualBefore - kWorthwhile)
    keepAll(entry);
  return entry;
}

double rounded(double value) {
  if (value == 0)
    return 0;
  double scale = std::pow(10, 5 - std::ceil(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

nlohmann::ordered_json entryJson(const FittedEntry &entry, const std::string &source) {
  nlohmann::ordered_json json;
  if (entry.shape.group == CostShape::Group::Path)
    json = {{"from", entry.shape.from}, {"to", entry.shape.to}};
  else if (entry.shape.group == CostShape::Group::Vector)
    json = {{"names", {entry.shape.name}}};
  std::string errors;
  char text[96];
  for (const FittedParameter &parameter : entry.parameters)
    if (parameter.fitted) {
      json[parameter.name] = rounded(parameter.after);
      std::snprintf(text, sizeof text, "%s +- %.3g, ", parameter.name.c_str(), parameter.error);
      errors += text;
    }
  std::snprintf(text, sizeof text, "residual %.1f %%, %.1f %% before", 100 * entry.residualAfter,
                100 * entry.residualBefore);
  json["source"] = "fitted to " + source + ": " + std::to_string(std::llround(entry.executions)) + " executions of " +
                   std::to_string(entry.sizes) + (entry.sizes == 1 ? " size" : " sizes");
  json["error"] = errors + text;
  return json;
}

} // namespace

std::string entryName(const FittedEntry &entry) {
  switch (entry.shape.group) {
  case CostShape::Group::Path: return entry.shape.from + " -> " + entry.shape.to;
  case CostShape::Group::Matrix: return entry.shape.wide ? "matrix, 32 bits" : "matrix";
  case CostShape::Group::Vector: return entry.shape.name;
  default: return "scalar unit";
  }
}

bool FittedEntry::fitted() const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const FittedParameter &parameter) { return parameter.fitted; });
}

bool Calibration::anything() const {
  return std::any_of(entries.begin(), entries.end(), [](const FittedEntry &entry) { return entry.fitted(); });
}

Calibration calibrate(const std::vector<CalibrationCore> &cores, const Machine &machine, const CostTable &costs) {
  Calibration calibration;
  std::map<CostShape, Measurements> entries;
  std::vector<IssueCore> issued;
  for (const CalibrationCore &core : cores) {
    Alignment alignment = alignProfile(*core.profile, *core.timing);
    calibration.unmatched += alignment.unmatched;
    calibration.disordered.insert(calibration.disordered.end(), alignment.disordered.begin(),
                                  alignment.disordered.end());
    const replay::Subject &subject = core.timing->subject();
    const replay::Trace &trace = core.timing->trace();
    for (const AlignedCall &call : alignment.calls) {
      calibration.calls += call.count;
      const replay::Event &event = trace.events[core.timing->plan().operations[call.operation].event];
      CostShape shape = costs.shapeOf(subject.works[trace.instances[event.instance].work], subject.kernel, machine);
      if (shape.group != CostShape::Group::Path && shape.group != CostShape::Group::Matrix &&
          shape.group != CostShape::Group::Vector)
        continue;
      if (shape.group != CostShape::Group::Vector)
        shape.name.clear();
      Measured &measured = entries[entryOf(shape)][shape];
      measured.durations.push_back(call.end - call.start);
      measured.executions += call.count;
      if (call.distance)
        measured.distance = std::min(measured.distance.value_or(*call.distance), *call.distance);
    }
    if (core.profile->timed())
      issued.push_back({core.timing->plan(), std::move(alignment.calls)});
  }
  for (const auto &[entry, measurements] : entries)
    calibration.entries.push_back(fitEntry(entry, measurements, costs));
  for (IssueCore &core : issued)
    takeMeasured(core);
  if (!issued.empty())
    calibration.entries.push_back(fitIssue(issued, costs.issue()));
  return calibration;
}

std::string calibrationText(const Calibration &calibration, const CostTable &costs, const std::string &source) {
  nlohmann::ordered_json json = {{"schema", 1}, {"arch", costs.arch()}, {"source", "fitted to " + source}};
  for (const FittedEntry &entry : calibration.entries) {
    if (!entry.fitted())
      continue;
    nlohmann::ordered_json written = entryJson(entry, source);
    if (entry.shape.group == CostShape::Group::Path)
      json["paths"].push_back(std::move(written));
    else if (entry.shape.group == CostShape::Group::Vector)
      json["vector"].push_back(std::move(written));
    else if (entry.shape.group == CostShape::Group::Matrix && json.contains("matrix"))
      json["matrix"].update(written); // both widths: one entry of the table
    else
      json[entry.shape.group == CostShape::Group::Matrix ? "matrix" : "issue"] = std::move(written);
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace ptosync::timing
