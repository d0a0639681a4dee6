#include "synthesis/merged_versions.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ptosync::synthesis {
namespace {

const Sync *syncOf(const Statement &statement) { return std::get_if<Sync>(&statement.action); }

using Run = std::vector<const Statement *>; // syncs between two other statements

class Merger {
public:
  Merger(const Kernel &before, const Kernel &after) : before(before), after(after) {}

  std::optional<MergedVersions> run() {
    if (before.blocks.size() != after.blocks.size() || !sameVariables())
      return std::nullopt;
    merged.kernel = after;
    for (BlockId block = 0; block < after.blocks.size(); ++block)
      if (!mergeBlock(block))
        return std::nullopt;
    return std::move(merged);
  }

private:
  bool sameVariables() const {
    return std::equal(before.variables.begin(), before.variables.end(), after.variables.begin(), after.variables.end(),
                      [](const Variable &a, const Variable &b) { return a.name == b.name && a.type == b.type; });
  }

  static bool sameStatement(const Statement &a, const Statement &b) {
    if (a.action.index() != b.action.index())
      return false;
    if (const auto *assign = std::get_if<Assign>(&a.action))
      return assign->variable == std::get<Assign>(b.action).variable;
    const auto *instruction = std::get_if<Instruction>(&a.action);
    return !instruction || instruction->name == std::get<Instruction>(b.action).name;
  }

  bool sameSync(const Statement &a, const Statement &b) const {
    const Sync &x = *syncOf(a), &y = *syncOf(b);
    return x.kind == y.kind && x.source == y.source && x.destination == y.destination &&
           sameExpression(before.expressions, x.event, after.expressions, y.event);
  }

  /// The syncs from `at` on; `at` is then the next other statement, or the end.
  static Run nextRun(const std::vector<Statement> &statements, std::size_t &at) {
    Run run;
    for (; at < statements.size() && syncOf(statements[at]); ++at)
      run.push_back(&statements[at]);
    return run;
  }

  bool mergeBlock(BlockId number) {
    const Block &old = before.blocks[number], &now = after.blocks[number];
    if (old.terminator.kind != now.terminator.kind || old.terminator.whenTrue != now.terminator.whenTrue ||
        old.terminator.whenFalse != now.terminator.whenFalse)
      return false;
    std::vector<Statement> statements;
    std::size_t oldAt = 0, nowAt = 0;
    for (;;) {
      const Run oldRun = nextRun(old.statements, oldAt), nowRun = nextRun(now.statements, nowAt);
      mergeRuns(oldRun, nowRun, statements);
      const bool oldEnds = oldAt == old.statements.size(), nowEnds = nowAt == now.statements.size();
      if (oldEnds || nowEnds) {
        merged.kernel.blocks[number].statements = std::move(statements);
        return oldEnds && nowEnds;
      }
      if (!sameStatement(old.statements[oldAt], now.statements[nowAt]))
        return false;
      statements.push_back(now.statements[nowAt]);
      ++oldAt;
      ++nowAt;
    }
  }

  /// The longest common subsequence is in both; the rest keeps its order.
  void mergeRuns(const Run &old, const Run &now, std::vector<Statement> &into) {
    std::vector<std::vector<std::size_t>> common(old.size() + 1, std::vector<std::size_t>(now.size() + 1, 0));
    for (std::size_t i = old.size(); i-- > 0;)
      for (std::size_t j = now.size(); j-- > 0;)
        common[i][j] =
            sameSync(*old[i], *now[j]) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::size_t i = 0, j = 0;
    while (i < old.size() || j < now.size()) {
      if (i < old.size() && j < now.size() && sameSync(*old[i], *now[j])) {
        add(*now[j++], into);
        ++i;
      } else if (j == now.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1])) {
        merged.onlyBefore.insert(addOfBefore(*old[i++], into));
      } else {
        merged.onlyAfter.insert(add(*now[j++], into));
      }
    }
  }

  SiteId add(Statement statement, std::vector<Statement> &into) {
    std::get<Sync>(statement.action).site = sites;
    into.push_back(std::move(statement));
    return sites++;
  }

  SiteId addOfBefore(Statement statement, std::vector<Statement> &into) {
    Sync &sync = std::get<Sync>(statement.action);
    sync.event = merged.kernel.expressions.copyOf(before.expressions, sync.event);
    return add(std::move(statement), into);
  }

  const Kernel &before, &after;
  MergedVersions merged;
  SiteId sites = 0;
};

} // namespace

std::optional<MergedVersions> mergeVersions(const Kernel &before, const Kernel &after) {
  return Merger(before, after).run();
}

} // namespace ptosync::synthesis
