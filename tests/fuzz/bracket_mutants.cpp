#include "fuzz/bracket_mutants.h"

#include <algorithm>
#include <optional>

namespace ptosync::fuzz {
namespace {

using List = std::vector<Statement>;

enum class Change { Drop, LaterGet, EarlierRelease, OtherId };
constexpr Change kChanges[] = {Change::Drop, Change::LaterGet, Change::EarlierRelease, Change::OtherId};

const char *nameOf(Change change) {
  switch (change) {
  case Change::Drop: return "dropped";
  case Change::LaterGet: return "later get";
  case Change::EarlierRelease: return "earlier release";
  case Change::OtherId: return "other id";
  }
  return "?";
}

/// The two ends of a bracket, in the list of this number.
struct Bracket {
  std::size_t list = 0, get = 0, release = 0;
};

bool sameId(const Scalar &one, const Scalar &other) {
  return one.kind == other.kind && one.constant == other.constant && one.variable == other.variable &&
         std::equal(one.operands.begin(), one.operands.end(), other.operands.begin(), other.operands.end(), sameId);
}

std::vector<Bracket> bracketsOf(FuzzKernel &kernel) {
  std::vector<Bracket> brackets;
  const std::vector<List *> lists = listsOf(kernel);
  for (std::size_t number = 0; number < lists.size(); ++number) {
    const List &list = *lists[number];
    for (std::size_t get = 0; get < list.size(); ++get) {
      if (list[get].kind != Statement::Kind::GetBuffer)
        continue;
      std::size_t release = get + 1;
      while (release < list.size() &&
             !(list[release].kind == Statement::Kind::ReleaseBuffer && list[release].source == list[get].source &&
               sameId(list[release].value, list[get].value)))
        ++release;
      if (release < list.size())
        brackets.push_back({number, get, release});
    }
  }
  return brackets;
}

bool isWork(const Statement &statement) { return statement.kind == Statement::Kind::Instruction; }

/// False if the change says nothing here: no instruction stands in the bracket.
bool apply(Change change, List &list, const Bracket &bracket, std::int64_t otherId) {
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(bracket.get);
  const auto last = list.begin() + static_cast<std::ptrdiff_t>(bracket.release);
  switch (change) {
  case Change::Drop: first->kind = last->kind = Statement::Kind::Nothing; return true;
  case Change::LaterGet: {
    auto work = std::find_if(first, last, isWork);
    if (work == last)
      return false;
    std::rotate(first, first + 1, work + 1);
    return true;
  }
  case Change::EarlierRelease: {
    auto work = last;
    while (work != first && !isWork(*work))
      --work;
    if (work == first)
      return false;
    std::rotate(work, last, last + 1);
    return true;
  }
  case Change::OtherId:
    if (first->value.isConstant() && first->value.constant == otherId)
      return false;
    first->value = last->value = Scalar::of(otherId);
    return true;
  }
  return false;
}

} // namespace

std::vector<BracketMutant> bracketMutants(const FuzzKernel &kernel, std::size_t most, RandomSource &random) {
  constexpr std::int64_t kOtherIds = 12;
  FuzzKernel original = kernel;
  std::vector<std::pair<Bracket, Change>> all;
  for (const Bracket &bracket : bracketsOf(original))
    for (Change change : kChanges)
      all.push_back({bracket, change});
  std::vector<BracketMutant> mutants;
  while (!all.empty() && mutants.size() < most) {
    const std::size_t chosen = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())));
    const auto [bracket, change] = all[chosen];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(chosen));
    BracketMutant mutant{kernel, nameOf(change), 0};
    List &list = *listsOf(mutant.kernel)[bracket.list];
    mutant.line = list[bracket.get].line;
    if (apply(change, list, bracket, random.below(kOtherIds)))
      mutants.push_back(std::move(mutant));
  }
  return mutants;
}

} // namespace ptosync::fuzz
