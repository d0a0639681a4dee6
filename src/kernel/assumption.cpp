#include "kernel/assumption.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

using Wide = __int128;

constexpr Wide kLargest = Wide(1) << 62; // number in an assumption

/// A sum: factors by name, and a constant.
struct Sum {
  std::map<std::string, Wide> factors;
  Wide constant = 0;
};

bool isLarge(Wide number) { return number > kLargest || number < -kLargest; }

class AssumptionReader {
public:
  explicit AssumptionReader(llvm::StringRef text) : rest(text) {}

  llvm::Expected<std::vector<Assumption>> read() {
    std::vector<Assumption> all;
    do {
      const char *begin = rest.ltrim().data();
      std::optional<Assumption> one = comparison();
      if (!one)
        return llvm::createStringError(problem);
      one->text = llvm::StringRef(begin, static_cast<std::size_t>(rest.data() - begin)).rtrim().str();
      all.push_back(std::move(*one));
    } while (takes("&&"));
    if (!rest.trim().empty())
      return llvm::createStringError("'" + rest.trim().take_front(kShown).str() +
                                     "' is not read: write comparisons of sums joined by &&, as in v5 >= 0 && v5 < 48");
    return all;
  }

private:
  static constexpr std::size_t kShown = 20;

  bool takes(llvm::StringRef token) {
    llvm::StringRef after = rest.ltrim();
    if (!after.consume_front(token))
      return false;
    rest = after;
    return true;
  }

  std::string shownRest() const {
    const llvm::StringRef left = rest.trim();
    return left.empty() ? "at the end" : "in front of '" + left.take_front(kShown).str() + "'";
  }

  bool fails(const std::string &text) {
    if (problem.empty())
      problem = text;
    return false;
  }

  std::optional<Assumption> comparison() {
    Sum left, right;
    if (!sum(left))
      return std::nullopt;
    static constexpr const char *kOperators[] = {"<=", ">=", "==", "<", ">"};
    const char *const *op = llvm::find_if(kOperators, [&](const char *one) { return takes(one); });
    if (op == std::end(kOperators)) {
      fails("a comparison by <, <=, ==, >= or > is missing " + shownRest());
      return std::nullopt;
    }
    if (!sum(right))
      return std::nullopt;
    return between(left, *op, right);
  }

  /// left - right, without the constant.
  std::optional<Assumption> between(Sum left, llvm::StringRef op, const Sum &right) {
    for (const auto &[name, factor] : right.factors)
      left.factors[name] -= factor;
    std::erase_if(left.factors, [](const auto &one) { return one.second == 0; });
    if (left.factors.empty()) {
      fails("a comparison without an argument says nothing of a run");
      return std::nullopt;
    }
    const Wide bound = right.constant - left.constant;
    if (isLarge(bound) || llvm::any_of(left.factors, [](const auto &one) { return isLarge(one.second); })) {
      fails("its numbers are too large");
      return std::nullopt;
    }
    Assumption made;
    for (const auto &[name, factor] : left.factors)
      made.terms.push_back({name, {}, {}, static_cast<std::int64_t>(factor)});
    const auto at = static_cast<std::int64_t>(bound);
    if (op == "<" || op == "<=" || op == "==")
      made.highest = op == "<" ? at - 1 : at;
    if (op == ">" || op == ">=" || op == "==")
      made.lowest = op == ">" ? at + 1 : at;
    return made.terms.size() == 1 ? single(std::move(made)) : made;
  }

  /// Bounds of the number itself, whole ones.
  static Assumption single(Assumption made) {
    const std::int64_t factor = made.terms[0].factor;
    auto down = [&](std::int64_t bound) { // towards the lower number
      const std::int64_t quotient = bound / factor;
      return quotient - (bound % factor != 0 && (bound < 0) != (factor < 0) ? 1 : 0);
    };
    auto up = [&](std::int64_t bound) { return down(bound) + (bound % factor != 0 ? 1 : 0); };
    const bool hasLow = made.lowest != INT64_MIN, hasHigh = made.highest != INT64_MAX;
    const std::int64_t low = made.lowest, high = made.highest;
    made.lowest = INT64_MIN;
    made.highest = INT64_MAX;
    if (factor > 0 ? hasLow : hasHigh)
      made.lowest = up(factor > 0 ? low : high);
    if (factor > 0 ? hasHigh : hasLow)
      made.highest = down(factor > 0 ? high : low);
    made.terms[0].factor = 1;
    return made;
  }

  bool sum(Sum &into) {
    Wide sign = takes("-") ? -1 : 1;
    do {
      if (!product(into, sign))
        return false;
      if (takes("+"))
        sign = 1;
      else if (takes("-"))
        sign = -1;
      else
        return true;
    } while (true);
  }

  /// A number, a name, or one times the other.
  bool product(Sum &into, Wide sign) {
    Wide factor = sign;
    std::string name;
    do {
      if (takes("-"))
        factor = -factor;
      if (std::optional<Wide> value = number()) {
        factor *= *value;
        if (isLarge(factor))
          return fails("its numbers are too large");
      } else if (std::string one = identifier(); one.empty()) {
        return fails("a number or the name of an argument is missing " + shownRest());
      } else if (!name.empty()) {
        return fails("a product of two arguments is not read");
      } else {
        name = std::move(one);
      }
    } while (takes("*"));
    if (name.empty())
      into.constant += factor;
    else
      into.factors[name] += factor;
    return !isLarge(into.constant) || fails("its numbers are too large");
  }

  std::optional<Wide> number() {
    const llvm::StringRef from = rest.ltrim();
    llvm::StringRef after = from;
    std::uint64_t value = 0;
    if (from.empty() || !llvm::isDigit(from.front()) || after.consumeInteger(0, value))
      return std::nullopt;
    rest = after;
    return Wide(value);
  }

  std::string identifier() {
    const llvm::StringRef from = rest.ltrim();
    const llvm::StringRef name = from.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || llvm::isDigit(name.front()))
      return "";
    rest = from.drop_front(name.size());
    if (takes("(") && !takes(")"))
      return "";
    return name.str();
  }

  llvm::StringRef rest;
  std::string problem;
};

} // namespace

llvm::Expected<std::vector<Assumption>> readAssumptions(llvm::StringRef text) { return AssumptionReader(text).read(); }

NumberBounds boundsOf(const std::vector<Assumption> &assumptions, const Expression &number) {
  Assumption::Term term{number.name, std::nullopt, number.type};
  if (number.kind == Expression::Kind::Parameter)
    term.argument = static_cast<std::uint32_t>(number.constant);
  return boundsOf(assumptions, term);
}

NumberBounds boundsOf(const std::vector<Assumption> &assumptions, const Assumption::Term &number) {
  NumberBounds bounds;
  for (const Assumption &one : assumptions) {
    if (one.terms.size() != 1)
      continue;
    const Assumption::Term &term = one.terms[0];
    if (term.argument != number.argument || (!number.argument && term.name != number.name))
      continue;
    bounds.lowest = std::max(bounds.lowest, one.lowest);
    bounds.highest = std::min(bounds.highest, one.highest);
  }
  const unsigned bits = number.type.bits;
  if (bits == 0)
    return {};
  if (bits < 64) {
    const unsigned top = number.type.isSigned ? bits - 1 : bits;
    bounds.lowest = std::max(bounds.lowest, number.type.isSigned ? -(std::int64_t{1} << top) : std::int64_t{0});
    bounds.highest = std::min(bounds.highest, (std::int64_t{1} << top) - 1);
  } else if (!number.type.isSigned) {
    if (bounds.highest == INT64_MAX)
      return {};
    bounds.lowest = std::max<std::int64_t>(bounds.lowest, 0);
  }
  return bounds;
}

const Assumption *firstBroken(const std::vector<Assumption> &assumptions,
                              const std::function<std::int64_t(const Assumption::Term &)> &valueOf) {
  for (const Assumption &one : assumptions) {
    Wide sum = 0;
    for (const Assumption::Term &term : one.terms) {
      const std::int64_t value = valueOf(term);
      const bool isHuge = !term.type.isSigned && term.type.bits == 64 && value < 0;
      sum += Wide(term.factor) * (isHuge ? Wide(static_cast<std::uint64_t>(value)) : Wide(value));
    }
    if ((one.lowest != INT64_MIN && sum < one.lowest) || (one.highest != INT64_MAX && sum > one.highest))
      return &one;
  }
  return nullptr;
}

std::string describe(const Assumption &assumption) {
  switch (assumption.origin) {
  case Assumption::Origin::Comment: return assumption.text + " (line " + std::to_string(assumption.line) + ")";
  case Assumption::Origin::Option: return assumption.text + " (--assume)";
  case Assumption::Origin::Machine: break;
  }
  return assumption.text + " (machine model)";
}

std::vector<std::string> describe(const std::vector<Assumption> &assumptions) {
  std::vector<Assumption> joined;
  for (const Assumption &one : assumptions)
    if (!joined.empty() && joined.back().origin == one.origin && joined.back().line == one.line)
      joined.back().text += " && " + one.text;
    else
      joined.push_back(one);
  std::vector<std::string> texts;
  for (const Assumption &one : joined)
    texts.push_back(describe(one));
  return texts;
}

} // namespace ptosync
