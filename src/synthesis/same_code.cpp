#include "synthesis/same_code.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ptosync::synthesis {
namespace {

class Versions {
public:
  Versions(const Kernel &before, const Kernel &after, Unfollowed unfollowed)
      : before(before), after(after), unfollowed(unfollowed) {}

  std::optional<std::string> difference() const {
    for (BlockId block = 0; block < std::min(before.blocks.size(), after.blocks.size()); ++block)
      if (std::optional<std::string> found = blockDifference(before.blocks[block], after.blocks[block]))
        return found;
    if (before.blocks.size() != after.blocks.size())
      return "one version has a branch that the other has not";
    return objectDifference();
  }

  std::optional<std::string> differenceOfWork() const {
    std::vector<std::pair<Cursor, Cursor>> left = {{Cursor{0, 0}, Cursor{0, 0}}};
    std::set<std::pair<Cursor, Cursor>> seen;
    while (!left.empty()) {
      const Cursor was = toWork(before, left.back().first), is = toWork(after, left.back().second);
      left.pop_back();
      if (!seen.insert({was, is}).second)
        continue;
      const Statement *old = was.statementIn(before), *now = is.statementIn(after);
      const Terminator &from = before.blocks[was.block].terminator, &to = after.blocks[is.block].terminator;
      if (old && now) {
        if (!sameStatement(*old, *now))
          return at(old->line, now->line);
        left.push_back({{was.block, was.position + 1}, {is.block, is.position + 1}});
        continue;
      }
      if (old || now || from.kind != to.kind || !same(from.condition, to.condition))
        return at(old ? old->line : from.line, now ? now->line : to.line);
      if (from.kind == Terminator::Kind::Return)
        continue;
      left.push_back({{from.whenTrue, 0}, {to.whenTrue, 0}});
      if (from.kind == Terminator::Kind::Branch)
        left.push_back({{from.whenFalse, 0}, {to.whenFalse, 0}});
    }
    return objectDifference();
  }

private:
  /// In front of a statement, or at the end of its block.
  struct Cursor {
    BlockId block = 0;
    std::size_t position = 0;
    auto operator<=>(const Cursor &) const = default;
    const Statement *statementIn(const Kernel &kernel) const {
      const std::vector<Statement> &statements = kernel.blocks[block].statements;
      return position < statements.size() ? &statements[position] : nullptr;
    }
  };
  static constexpr std::size_t kMostFollowed = 64; // blocks without work, one behind the other
  static constexpr unsigned kMostNested = 8;       // branches around syncs

  /// Past syncs, jumps and branches that decide about nothing but syncs.
  static Cursor toWork(const Kernel &kernel, Cursor cursor) {
    for (std::size_t followed = 0; followed < kMostFollowed; ++followed) {
      const Statement *statement = cursor.statementIn(kernel);
      while (statement && std::holds_alternative<Sync>(statement->action)) {
        ++cursor.position;
        statement = cursor.statementIn(kernel);
      }
      const std::optional<BlockId> next = statement ? std::nullopt : behind(kernel, cursor.block, kMostNested);
      if (!next)
        break;
      cursor = {*next, 0};
    }
    return cursor;
  }

  /// Where a block leads to, whatever it branches on; nothing if that matters.
  static std::optional<BlockId> behind(const Kernel &kernel, BlockId block, unsigned nested) {
    const Terminator &end = kernel.blocks[block].terminator;
    if (end.kind == Terminator::Kind::Jump)
      return end.whenTrue;
    if (end.kind == Terminator::Kind::Return || nested == 0)
      return std::nullopt;
    const std::vector<BlockId> one = withoutWork(kernel, end.whenTrue, nested - 1),
                               other = withoutWork(kernel, end.whenFalse, nested - 1);
    for (BlockId meeting : one)
      if (std::find(other.begin(), other.end(), meeting) != other.end())
        return meeting;
    return std::nullopt;
  }

  /// The blocks that are entered from `block` on before any work: the last one may hold some.
  static std::vector<BlockId> withoutWork(const Kernel &kernel, BlockId block, unsigned nested) {
    std::vector<BlockId> entered = {block};
    while (entered.size() < kMostFollowed) {
      std::size_t position = 0;
      const bool works = next(kernel.blocks[entered.back()].statements, position) != nullptr;
      const std::optional<BlockId> further = works ? std::nullopt : behind(kernel, entered.back(), nested);
      if (!further)
        break;
      entered.push_back(*further);
    }
    return entered;
  }

  static std::string at(std::uint32_t lineBefore, std::uint32_t lineAfter) {
    std::string text = "the code differs";
    if (lineAfter)
      text += " at line " + std::to_string(lineAfter);
    if (lineBefore && lineBefore != lineAfter)
      text += lineAfter ? " (line " + std::to_string(lineBefore) + " before)"
                        : " at line " + std::to_string(lineBefore) + " of the first file";
    return text;
  }

  /// The next statement that is no sync; null at the end.
  static const Statement *next(const std::vector<Statement> &statements, std::size_t &position) {
    while (position < statements.size() && std::holds_alternative<Sync>(statements[position].action))
      ++position;
    return position < statements.size() ? &statements[position++] : nullptr;
  }

  std::optional<std::string> blockDifference(const Block &old, const Block &now) const {
    std::size_t oldAt = 0, nowAt = 0;
    for (;;) {
      const Statement *was = next(old.statements, oldAt), *is = next(now.statements, nowAt);
      if (!was && !is)
        break;
      if (!was || !is || !sameStatement(*was, *is))
        return at(was ? was->line : 0, is ? is->line : 0);
    }
    const Terminator &was = old.terminator, &is = now.terminator;
    if (was.kind != is.kind || was.whenTrue != is.whenTrue || was.whenFalse != is.whenFalse ||
        !same(was.condition, is.condition))
      return at(was.line, is.line);
    return std::nullopt;
  }

  bool sameStatement(const Statement &a, const Statement &b) const {
    if (a.action.index() != b.action.index())
      return false;
    if (const auto *assign = std::get_if<Assign>(&a.action)) {
      const auto &other = std::get<Assign>(b.action);
      return assign->variable == other.variable && same(assign->value, other.value);
    }
    if (const auto *store = std::get_if<ArrayStore>(&a.action)) {
      const auto &other = std::get<ArrayStore>(b.action);
      return store->first == other.first && store->count == other.count && same(store->index, other.index) &&
             same(store->value, other.value);
    }
    return sameInstruction(std::get<Instruction>(a.action), std::get<Instruction>(b.action));
  }

  bool sameInstruction(const Instruction &a, const Instruction &b) const {
    return a.name == b.name && a.templateArguments == b.templateArguments &&
           a.templateConstants == b.templateConstants && a.results == b.results && a.isVolatile == b.isVolatile &&
           a.followed == b.followed &&
           std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                      [this](const Operand &x, const Operand &y) { return sameOperand(x, y); });
  }

  /// True if the text has no name in it, which may mean another thing in the other file.
  static bool isLiteral(const std::string &text) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (const auto c = static_cast<unsigned char>(text[i]); std::isalpha(c) || c == '_' || c == '$' || c >= 0x80)
        return false;
      else if (std::isdigit(c)) // with its prefix, exponent and suffix
        while (i + 1 < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[i + 1])) || text[i + 1] == '.' || text[i + 1] == '\''))
          ++i;
    return true;
  }

  bool sameOperand(const Operand &a, const Operand &b) const {
    if (a.kind != b.kind || a.index != b.index || a.bytes != b.bytes)
      return false;
    const bool named =
        a.kind == Operand::Kind::Tile || a.kind == Operand::Kind::Tensor || a.kind == Operand::Kind::Fifo;
    const bool spelt = a.spelling == b.spelling && (unfollowed == Unfollowed::Alike || isLiteral(a.spelling));
    return (named || a.value != kNone || spelt) && same(a.value, b.value, spelt);
  }

  /// As sameExpression, but for names and for values that the reader does not follow, and with what the text means by
  /// a value. `spelt`: the two have the same text.
  bool same(ExpressionId a, ExpressionId b, bool spelt = false) const {
    if (a == kNone || b == kNone)
      return a == b;
    const Expression &x = before.expressions[a], &y = after.expressions[b];
    if (x.kind != y.kind || x.op != y.op || x.sense != y.sense || x.type != y.type || x.count != y.count ||
        x.variable != y.variable || x.constant != y.constant || (x.kind == Expression::Kind::Query && x.name != y.name))
      return false;
    if (x.kind == Expression::Kind::Opaque && unfollowed != Unfollowed::Alike && !spelt)
      return false;
    for (std::size_t i = 0; i < x.operands.size(); ++i)
      if (!same(x.operands[i], y.operands[i], spelt))
        return false;
    return true;
  }

  static auto partsOf(const Tile &tile) {
    return std::tie(tile.location, tile.element, tile.elementBits, tile.rows, tile.cols, tile.blockLayout,
                    tile.innerLayout, tile.fractalBytes, tile.compactMode, tile.padded, tile.address,
                    tile.staticValidRows, tile.staticValidCols, tile.validRows, tile.validCols);
  }
  static auto partsOf(const Tensor &tensor) {
    return std::tie(tensor.element, tensor.elementBits, tensor.shape, tensor.stride, tensor.shapeVariables,
                    tensor.strideVariables, tensor.pointer);
  }
  static auto partsOf(const Fifo &fifo) {
    return std::tie(fifo.direction, fifo.flagBase, fifo.slotBytes, fifo.slots, fifo.localSlots, fifo.memory,
                    fifo.cubeToVec, fifo.vecToCube, fifo.pops);
  }

  static bool sameAssumption(const Assumption &a, const Assumption &b) {
    return a.lowest == b.lowest && a.highest == b.highest &&
           std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                      [](const Assumption::Term &x, const Assumption::Term &y) {
                        return x.argument == y.argument && (x.argument || x.name == y.name) && x.type == y.type &&
                               x.factor == y.factor;
                      });
  }

  template <typename Object>
  static std::optional<std::string> listDifference(const std::vector<Object> &old, const std::vector<Object> &now) {
    for (std::size_t i = 0; i < std::max(old.size(), now.size()); ++i)
      if (i >= old.size() || i >= now.size() || partsOf(old[i]) != partsOf(now[i]))
        return at(i < old.size() ? old[i].line : 0, i < now.size() ? now[i].line : 0);
    return std::nullopt;
  }

  /// What the statements use, and what is taken for true of the kernel.
  std::optional<std::string> objectDifference() const {
    for (std::optional<std::string> found :
         {listDifference(before.tiles, after.tiles), listDifference(before.tensors, after.tensors),
          listDifference(before.fifos, after.fifos)})
      if (found)
        return found;
    if (!std::equal(before.variables.begin(), before.variables.end(), after.variables.begin(), after.variables.end(),
                    [](const Variable &a, const Variable &b) { return a.type == b.type; }))
      return "the variables differ";
    if (before.escaped != after.escaped || before.addressesInMemory != after.addressesInMemory ||
        before.related != after.related)
      return "what may be at one address differs";
    if (!std::equal(before.assumptions.begin(), before.assumptions.end(), after.assumptions.begin(),
                    after.assumptions.end(), sameAssumption))
      return "what is assumed of the arguments differs";
    return std::nullopt;
  }

  const Kernel &before, &after;
  const Unfollowed unfollowed;
};

} // namespace

std::optional<std::string> workDifference(const Kernel &before, const Kernel &after, Unfollowed unfollowed) {
  return Versions(before, after, unfollowed).differenceOfWork();
}

std::optional<std::string> codeDifference(const Kernel &before, const Kernel &after, Unfollowed unfollowed) {
  return Versions(before, after, unfollowed).difference();
}

} // namespace ptosync::synthesis
