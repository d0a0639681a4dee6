#include "profile/calibration.h"

#include "base/parallel.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace ptosync::timing {
namespace {

using SquareMatrix = std::vector<std::vector<double>>;

constexpr double kSingular = 1e-9;     // of the largest eigenvalue, columns scaled to one
constexpr double kUndetermined = 1e-6; // share of an unknown in what cannot be told apart
constexpr int kMostSweeps = 60;

/// Jacobi's method: `matrix` becomes diagonal, columns of the result are its eigenvectors.
SquareMatrix diagonalise(SquareMatrix &matrix) {
  std::size_t n = matrix.size();
  SquareMatrix vectors(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    vectors[i][i] = 1;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (std::abs(matrix[p][q]) < 1e-300)
          continue;
        double angle = 0.5 * std::atan2(2 * matrix[p][q], matrix[q][q] - matrix[p][p]);
        double c = std::cos(angle), s = std::sin(angle);
        for (std::size_t k = 0; k < n; ++k) {
          double a = matrix[k][p], b = matrix[k][q];
          matrix[k][p] = c * a - s * b;
          matrix[k][q] = s * a + c * b;
        }
        for (std::size_t k = 0; k < n; ++k) {
          double a = matrix[p][k], b = matrix[q][k];
          matrix[p][k] = c * a - s * b;
          matrix[q][k] = s * a + c * b;
          a = vectors[k][p];
          b = vectors[k][q];
          vectors[k][p] = c * a - s * b;
          vectors[k][q] = s * a + c * b;
        }
      }
  return vectors;
}

struct Normal {
  SquareMatrix matrix;
  std::vector<double> right, scale;
};

/// The normal equations, with columns of length one.
Normal normalEquations(const std::vector<Equation> &equations, std::size_t n) {
  Normal normal{SquareMatrix(n, std::vector<double>(n, 0)), std::vector<double>(n, 0), std::vector<double>(n, 0)};
  for (const Equation &equation : equations)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        normal.matrix[i][j] += equation.weight * equation.factors[i] * equation.factors[j];
      normal.right[i] += equation.weight * equation.factors[i] * equation.value;
    }
  for (std::size_t i = 0; i < n; ++i)
    normal.scale[i] = normal.matrix[i][i] > 0 ? std::sqrt(normal.matrix[i][i]) : 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      normal.matrix[i][j] /= normal.scale[i] * normal.scale[j];
    normal.right[i] /= normal.scale[i];
  }
  return normal;
}

} // namespace

std::vector<std::optional<Unknown>> solveLeastSquares(const std::vector<Equation> &equations, std::size_t n,
                                                      double smallestVariance) {
  Normal normal = normalEquations(equations, n);
  SquareMatrix vectors = diagonalise(normal.matrix);
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k)
    largest = std::max(largest, normal.matrix[k][k]);
  std::vector<double> values(n, 0), variances(n, 0), open(n, 0);
  std::size_t rank = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double eigenvalue = normal.matrix[k][k], along = 0;
    bool known = eigenvalue > kSingular * std::max(largest, kSingular);
    rank += known;
    for (std::size_t i = 0; i < n; ++i)
      along += vectors[i][k] * normal.right[i];
    for (std::size_t i = 0; i < n; ++i) {
      if (!known) {
        open[i] += vectors[i][k] * vectors[i][k];
        continue;
      }
      values[i] += vectors[i][k] * along / eigenvalue / normal.scale[i];
      variances[i] += vectors[i][k] * vectors[i][k] / eigenvalue / (normal.scale[i] * normal.scale[i]);
    }
  }
  double squares = 0, weights = 0;
  for (const Equation &equation : equations) {
    weights += equation.weight;
    double left = 0;
    for (std::size_t i = 0; i < n; ++i)
      left += equation.factors[i] * values[i];
    squares += equation.weight * (left - equation.value) * (left - equation.value);
  }
  double spread = equations.size() > rank ? squares / static_cast<double>(equations.size() - rank) : 0;
  if (!equations.empty())
    spread = std::max(spread, smallestVariance * weights / static_cast<double>(equations.size()));
  std::vector<std::optional<Unknown>> found(n);
  for (std::size_t i = 0; i < n; ++i)
    if (open[i] < kUndetermined)
      found[i] = Unknown{values[i], std::sqrt(variances[i] * spread)};
  return found;
}

namespace {

/// Tried for both costs, in cycles.
constexpr std::array<double, 16> kIssueCandidates = {0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64};
/// Values with which the distances are at most so much worse than the best fit as well as it.
constexpr double kAsGood = 1.02, kAsGoodCycles = 0.05;
/// A value is known if those that fit as well lie within so many cycles, or this share of it.
constexpr double kKnownCycles = 2, kKnownShare = 0.25;

struct Distances {
  double error = 0; // mean of |estimated - recorded|
  double mean = 0;  // recorded
};

/// Between neighbouring calls of a pipe.
Distances distancesWith(const std::vector<IssueCore> &cores, const IssueCost &issue) {
  Distances distances;
  double count = 0;
  for (const IssueCore &core : cores) {
    EngineOptions options;
    options.record = true;
    options.issue = issue;
    Timing run = runEngine(core.plan, options);
    for (std::size_t i = 0; i + 1 < core.calls.size(); ++i) {
      const AlignedCall &call = core.calls[i], &next = core.calls[i + 1];
      if (core.plan.operations[call.operation].pipe != core.plan.operations[next.operation].pipe)
        continue;
      double recorded = next.start - call.start;
      distances.error += std::abs(run.slices[next.operation].start - run.slices[call.operation].start - recorded);
      distances.mean += recorded;
      ++count;
    }
  }
  distances.error /= std::max(count, 1.0);
  distances.mean /= std::max(count, 1.0);
  return distances;
}

/// The best value of one cost, and the range of those that are as good with some value of the other.
struct Range {
  double best = 0, low = 0, high = 0;
  bool known() const { return high - low <= std::max(2 * kKnownCycles, 2 * kKnownShare * best); }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct IssueRanges {
  Range instruction, sync;
};

/// All pairs are tried, since one may stand for the other.
IssueRanges bestIssue(const std::vector<IssueCore> &cores) {
  constexpr std::size_t kCount = kIssueCandidates.size();
  std::vector<double> errors(kCount * kCount);
  auto costAt = [](std::size_t i) { return IssueCost{kIssueCandidates[i / kCount], kIssueCandidates[i % kCount]}; };
  runInParallel(errors.size(), [&](std::size_t i) { errors[i] = distancesWith(cores, costAt(i)).error; });
  auto best = static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
  IssueCost found = costAt(best);
  IssueRanges ranges{{found.instruction, found.instruction, found.instruction}, {found.sync, found.sync, found.sync}};
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (errors[i] <= errors[best] * kAsGood + kAsGoodCycles) {
      ranges.instruction.add(costAt(i).instruction);
      ranges.sync.add(costAt(i).sync);
    }
  return ranges;
}

} // namespace

void takeMeasured(IssueCore &core) {
  for (const AlignedCall &call : core.calls) {
    Operation &operation = core.plan.operations[call.operation];
    double duration = call.end - call.start, modelled = operation.throughput + operation.latency;
    double throughput = call.distance
                            ? *call.distance
                            : std::min(duration, modelled > 0 ? duration * operation.throughput / modelled : 0);
    operation.throughput = throughput;
    operation.latency = duration - throughput;
  }
}

FittedEntry fitIssue(const std::vector<IssueCore> &cores, const IssueCost &before) {
  FittedEntry entry;
  entry.shape.group = CostShape::Group::Other;
  entry.sizes = 1;
  for (const IssueCore &core : cores)
    entry.executions += static_cast<double>(core.calls.size());
  IssueCost issue = before;
  IssueRanges ranges = bestIssue(cores);
  if (ranges.instruction.known())
    issue.instruction = ranges.instruction.best;
  if (ranges.sync.known())
    issue.sync = ranges.sync.best;
  auto add = [&](const char *name, double was, double is, const Range &range) {
    entry.parameters.push_back({name, was, is, (range.high - range.low) / 2, range.known()});
    if (!range.known())
      entry.reason += (entry.reason.empty() ? "" : "; ") + std::string(name) +
                      ": other values fit as well, the pipes hardly waited for it";
  };
  add("instruction", before.instruction, issue.instruction, ranges.instruction);
  add("sync", before.sync, issue.sync, ranges.sync);
  Distances first = distancesWith(cores, before), last = distancesWith(cores, issue);
  entry.residualBefore = first.mean > 0 ? first.error / first.mean : 0;
  entry.residualAfter = last.mean > 0 ? last.error / last.mean : 0;
  return entry;
}

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
  entry.reason = "all its numbers: those of the table fit as well";
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
  entry.reason = possible ? whyItStays(entry, measurements)
                          : "all its numbers: the best fit is negative, so the formula is another one";
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
