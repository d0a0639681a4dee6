#include "fuzz/exhaustive_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <tuple>

namespace ptosync::fuzz {
namespace {

enum class Letter : std::uint8_t { Load, Store, Fill, Scale, Move, Barrier, Set, Wait, Get, Release };

constexpr std::array<Pipe, 3> kWordPipes = {Pipe::MTE2, Pipe::V, Pipe::MTE3};
constexpr std::uint8_t kFlagIds = 2;
constexpr int kMostTrips = 4;

using Flags = std::uint32_t; // a bit each

/// Instructions: `tile`. Barriers: `source`, All for all. Flags: `source`, `destination`, `id`, and the bit of the
/// three. Get and release: `source`, `id`.
struct Symbol {
  Letter letter = Letter::Barrier;
  std::uint8_t tile = 0, id = 0;
  Pipe source = Pipe::All, destination = Pipe::All;
  Flags flag = 0;
  bool instruction() const { return letter < Letter::Barrier; }
};

using Word = std::vector<Symbol>;

std::vector<Symbol> alphabet() {
  std::vector<Symbol> all;
  for (auto [letter, pipe] :
       {std::pair(Letter::Load, Pipe::MTE2), std::pair(Letter::Store, Pipe::MTE3), std::pair(Letter::Fill, Pipe::V),
        std::pair(Letter::Scale, Pipe::V), std::pair(Letter::Move, Pipe::V)})
    for (std::uint8_t tile : {0, 1})
      all.push_back({letter, tile, 0, pipe, Pipe::All});
  for (Pipe pipe : {Pipe::MTE2, Pipe::V, Pipe::MTE3, Pipe::All})
    all.push_back({Letter::Barrier, 0, 0, pipe, Pipe::All, 0});
  for (Letter letter : {Letter::Set, Letter::Wait}) {
    Flags flag = 1;
    for (Pipe source : kWordPipes)
      for (Pipe destination : kWordPipes)
        for (std::uint8_t id = 0; id < kFlagIds && source != destination; ++id, flag <<= 1)
          all.push_back({letter, 0, id, source, destination, flag});
  }
  return all;
}

/// The statements [begin, end) stand in a loop, or an arm; [middle, end) in the other arm.
struct Shape {
  enum class Kind { Straight, Loop, Arm, Arms };
  Kind kind = Kind::Straight;
  std::size_t begin = 0, middle = 0, end = 0;
};

std::vector<Shape> shapesOf(std::size_t length) {
  std::vector<Shape> shapes = {{}};
  for (std::size_t begin = 0; begin < length; ++begin)
    for (std::size_t end = begin + 1; end <= length; ++end) {
      shapes.push_back({Shape::Kind::Loop, begin, end, end});
      shapes.push_back({Shape::Kind::Arm, begin, end, end});
      for (std::size_t middle = begin + 1; middle < end; ++middle)
        shapes.push_back({Shape::Kind::Arms, begin, middle, end});
    }
  return shapes;
}

/// Takes the flags of the statements [begin, end); false if one is set twice or waited for in vain.
bool take(const Word &word, std::size_t begin, std::size_t end, Flags &full) {
  for (std::size_t i = begin; i < end; ++i) {
    const Symbol &symbol = word[i];
    if (!symbol.flag)
      continue;
    if ((symbol.letter == Letter::Set) == ((full & symbol.flag) != 0))
      return false;
    full ^= symbol.flag;
  }
  return true;
}

/// As it runs with `trips` round the loop, or through the arm of that number (0: the second, or none).
bool balanced(const Word &word, const Shape &shape, int trips) {
  Flags full = 0;
  if (!take(word, 0, shape.begin, full))
    return false;
  if (shape.kind == Shape::Kind::Arms && trips == 0 && !take(word, shape.middle, shape.end, full))
    return false;
  for (int trip = 0; trip < trips; ++trip)
    if (!take(word, shape.begin, shape.kind == Shape::Kind::Arms ? shape.middle : shape.end, full))
      return false;
  return take(word, shape.end, word.size(), full) && full == 0;
}

bool balanced(const Word &word, const Shape &shape) {
  int most = shape.kind == Shape::Kind::Straight ? 0 : shape.kind == Shape::Kind::Loop ? kMostTrips : 1;
  for (int trips = 0; trips <= most; ++trips)
    if (!balanced(word, shape, trips))
      return false;
  return true;
}

/// True if the word, continued to `length`, can be the one that stands for those that are equal but for names: ids come
/// in order, and the first instruction names tile A. At most two flags, all of them set and waited for.
bool mayBecomeCanonical(const Word &word, std::size_t length) {
  Flags sets = 0, waits = 0;
  bool instruction = false;
  for (const Symbol &symbol : word) {
    if (symbol.instruction() && !instruction && symbol.tile != 0)
      return false;
    instruction |= symbol.instruction();
    (symbol.letter == Letter::Set ? sets : waits) |= symbol.flag;
    // The flag's neighbour of the next lower id has the next lower bit.
    if (symbol.id > 0 && !((sets | waits) & (symbol.flag >> 1)))
      return false;
  }
  std::size_t missing = static_cast<std::size_t>(std::popcount(sets ^ waits)) + !instruction;
  return std::popcount(sets | waits) <= kFlagIds && missing <= length - word.size();
}

bool tellsSomething(const Word &word) {
  std::set<Pipe> working;
  bool sync = false;
  for (const Symbol &symbol : word)
    if (symbol.instruction())
      working.insert(symbol.source);
    else
      sync = true;
  return sync && !working.empty() && std::all_of(word.begin(), word.end(), [&](const Symbol &symbol) {
           return symbol.letter != Letter::Barrier || symbol.source == Pipe::All || working.count(symbol.source);
         });
}

bool isLarge(Storage storage) { return storage == Storage::ApartLarge || storage == Storage::OverlapLarge; }
bool overlaps(Storage storage) { return storage == Storage::OverlapSmall || storage == Storage::OverlapLarge; }
bool sharesGlobal(Storage storage) { return isLarge(storage) != overlaps(storage); }

class Builder {
public:
  explicit Builder(Storage storage)
      : large(isLarge(storage)), overlap(overlaps(storage)), shared(sharesGlobal(storage)) {}

  FuzzKernel build(const Word &word, const Shape &shape) {
    FuzzKernel kernel;
    kernel.variables = {{"v0", "int32_t"}, {"v1", "int32_t"}, {"v2", "int32_t"}};
    kernel.limitVariable = 1;
    for (std::uint32_t i = 0; i < 2; ++i)
      declareTile(kernel, i);
    std::vector<Statement> statements;
    for (const Symbol &symbol : word)
      statements.push_back(statementOf(symbol));
    auto take = [&](std::size_t begin, std::size_t end) {
      return std::vector<Statement>(statements.begin() + static_cast<std::ptrdiff_t>(begin),
                                    statements.begin() + static_cast<std::ptrdiff_t>(end));
    };
    auto append = [&](const std::vector<Statement> &more) {
      kernel.body.insert(kernel.body.end(), more.begin(), more.end());
    };
    if (shape.kind == Shape::Kind::Straight) {
      append(statements);
      return kernel;
    }
    append(take(0, shape.begin));
    Statement whole;
    whole.kind = shape.kind == Shape::Kind::Loop ? Statement::Kind::Loop : Statement::Kind::If;
    whole.variable = 2;
    whole.lower = Scalar::of(0);
    whole.upper = Scalar::read(0);
    whole.value = Scalar::make(Scalar::Kind::Greater, {Scalar::read(0), Scalar::of(1)});
    whole.body = take(shape.begin, shape.middle);
    whole.otherwise = take(shape.middle, shape.end);
    kernel.body.push_back(std::move(whole));
    append(take(shape.end, word.size()));
    return kernel;
  }

private:
  void declareTile(FuzzKernel &kernel, std::uint32_t number) {
    FuzzTile tile;
    tile.name = number == 0 ? "a" : "b";
    tile.rows = large ? 16 : 4;
    tile.columns = 64;
    tile.validRows = Scalar::of(tile.rows);
    tile.validColumns = Scalar::of(tile.columns);
    std::int64_t bytes = tile.rows * tile.columns * tile.elementBytes;
    kernel.tiles.push_back(tile);
    Statement declaration;
    declaration.kind = Statement::Kind::DeclareTile;
    declaration.tile = number;
    declaration.value = Scalar::of(number == 0 ? 0 : overlap ? bytes / 2 : bytes);
    kernel.body.push_back(declaration);
  }

  Statement statementOf(const Symbol &symbol) const {
    Statement statement;
    statement.source = symbol.source;
    statement.destination = symbol.destination;
    statement.value = Scalar::of(symbol.id);
    Operand own, other, tensor, literal;
    own.kind = other.kind = Operand::Kind::Tile;
    own.tile = symbol.tile;
    other.tile = 1 - symbol.tile;
    literal.literal = "2.0f";
    tensor.kind = Operand::Kind::Tensor;
    tensor.tensor = {symbol.letter == Letter::Store && !shared ? 1u : 0u, 4, 64, 64, Scalar::of(0)};
    switch (symbol.letter) {
    case Letter::Load: statement.opcode = "TLOAD", statement.operands = {own, tensor}; break;
    case Letter::Store: statement.opcode = "TSTORE", statement.operands = {tensor, own}; break;
    case Letter::Fill: statement.opcode = "TEXPANDS", statement.operands = {own, literal}; break;
    case Letter::Scale: statement.opcode = "TMULS", statement.operands = {own, own, literal}; break;
    case Letter::Move: statement.opcode = "TMULS", statement.operands = {other, own, literal}; break;
    case Letter::Barrier: statement.kind = Statement::Kind::Barrier; break;
    case Letter::Set: statement.kind = Statement::Kind::SetFlag; break;
    case Letter::Wait: statement.kind = Statement::Kind::WaitFlag; break;
    case Letter::Get: statement.kind = Statement::Kind::GetBuffer; break;
    case Letter::Release: statement.kind = Statement::Kind::ReleaseBuffer; break;
    }
    return statement;
  }

  bool large, overlap, shared;
};

/// True if no storage that comes before makes the same kernel: one tile overlaps nothing, a chain takes two vector
/// instructions, and loads meet stores only where there are both.
bool isFirstWith(Storage storage, const Word &word) {
  std::size_t vector = 0, tiles = 0;
  std::set<Letter> letters;
  for (const Symbol &symbol : word) {
    letters.insert(symbol.letter);
    vector += symbol.instruction() && symbol.source == Pipe::V;
    if (symbol.instruction())
      tiles |= symbol.letter == Letter::Move ? 3u : 1u << symbol.tile;
  }
  bool both = tiles == 3, chain = vector > 0, global = letters.count(Letter::Load) && letters.count(Letter::Store);
  auto features = [&](Storage of) {
    return std::tuple(both && overlaps(of), chain && isLarge(of), global && sharesGlobal(of));
  };
  for (Storage other : {Storage::ApartSmall, Storage::OverlapSmall, Storage::ApartLarge, Storage::OverlapLarge}) {
    if (other == storage)
      return true;
    if (features(other) == features(storage))
      return false;
  }
  return true;
}

} // namespace

void forEachSmallKernel(std::size_t length, Storage storage, llvm::function_ref<bool(MakeKernel)> visit) {
  const std::vector<Symbol> symbols = alphabet();
  const std::vector<Shape> shapes = shapesOf(length);
  Builder builder(storage);
  bool going = true;
  Word word;
  auto extend = [&](auto &self) -> void {
    if (word.size() == length) {
      if (!tellsSomething(word) || !isFirstWith(storage, word))
        return;
      for (const Shape &shape : shapes)
        if (going && balanced(word, shape))
          going = visit([&] { return builder.build(word, shape); });
      return;
    }
    for (const Symbol &symbol : symbols) {
      word.push_back(symbol);
      if (going && mayBecomeCanonical(word, length))
        self(self);
      word.pop_back();
    }
  };
  extend(extend);
}

namespace {

constexpr std::uint8_t kBufferIds = 2;

/// An instruction of a pipe, or an empty bracket of it; and the ids around it, a bit each.
struct Bracketed {
  Symbol symbol;
  bool empty = false;
  std::uint8_t ids = 0;
};

using BracketWord = std::vector<Bracketed>;

std::vector<Bracketed> bracketAlphabet() {
  std::vector<Bracketed> all;
  for (auto [letter, pipe] : {std::pair(Letter::Load, Pipe::MTE2), std::pair(Letter::Store, Pipe::MTE3),
                              std::pair(Letter::Fill, Pipe::V), std::pair(Letter::Move, Pipe::V)})
    for (std::uint8_t tile : {0, 1})
      for (std::uint8_t ids = 0; ids < 1 << kBufferIds; ++ids)
        all.push_back({{letter, tile, 0, pipe, Pipe::All}, false, ids});
  for (Pipe pipe : kWordPipes)
    for (std::uint8_t id = 0; id < kBufferIds; ++id)
      all.push_back({{Letter::Get, 0, id, pipe, Pipe::All}, true, static_cast<std::uint8_t>(1 << id)});
  return all;
}

/// Ids come in order, and the first instruction names tile A.
bool isCanonical(const BracketWord &word) {
  std::uint8_t seen = 0;
  bool instruction = false;
  for (const Bracketed &one : word) {
    if (!one.empty && !instruction && one.symbol.tile != 0)
      return false;
    instruction |= !one.empty;
    if ((one.ids & 2) && !(one.ids & 1) && !(seen & 1))
      return false;
    seen |= one.ids;
  }
  return true;
}

/// True if some id is taken by two pipes, and two instructions stand in the word.
bool maySynchronise(const BracketWord &word) {
  std::size_t instructions = 0;
  std::array<std::set<Pipe>, kBufferIds> takers;
  for (const Bracketed &one : word) {
    instructions += !one.empty;
    for (std::uint8_t id = 0; id < kBufferIds; ++id)
      if (one.ids & (1 << id))
        takers[id].insert(one.symbol.source);
  }
  return instructions > 1 &&
         std::any_of(takers.begin(), takers.end(), [](const auto &pipes) { return pipes.size() > 1; });
}

/// The statements of the word's letters, and where each letter begins among them.
struct Spelling {
  Word word;
  std::vector<std::size_t> begins;
};

/// `merged`: a bracket that begins where the last one of its id was of its pipe, and in the same part of the shape,
/// goes on from there.
Spelling spell(const BracketWord &letters, const Shape &shape, bool merged) {
  auto partOf = [&](std::size_t at) {
    return shape.kind == Shape::Kind::Straight ? 0 : (at >= shape.begin) + (at >= shape.middle) + (at >= shape.end);
  };
  auto next = [&](std::size_t at, std::uint8_t id, int step) { // the neighbour that takes the id, if it is one bracket
    for (std::size_t i = at + static_cast<std::size_t>(step); i < letters.size(); i += static_cast<std::size_t>(step)) {
      if (partOf(i) != partOf(at))
        return false;
      if (letters[i].ids & (1 << id))
        return letters[i].symbol.source == letters[at].symbol.source;
    }
    return false;
  };
  Spelling spelling;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const Bracketed &one = letters[i];
    spelling.begins.push_back(spelling.word.size());
    auto add = [&](Letter letter, std::uint8_t id) {
      spelling.word.push_back({letter, 0, id, one.symbol.source, Pipe::All});
    };
    for (std::uint8_t id = 0; id < kBufferIds; ++id)
      if ((one.ids & (1 << id)) && !(merged && next(i, id, -1)))
        add(Letter::Get, id);
    if (!one.empty)
      spelling.word.push_back(one.symbol);
    for (std::uint8_t id = kBufferIds; id-- > 0;)
      if ((one.ids & (1 << id)) && !(merged && next(i, id, 1)))
        add(Letter::Release, id);
  }
  spelling.begins.push_back(spelling.word.size());
  return spelling;
}

} // namespace

void forEachBracketKernel(std::size_t length, Storage storage, llvm::function_ref<bool(MakeKernel)> visit) {
  const std::vector<Bracketed> symbols = bracketAlphabet();
  const std::vector<Shape> shapes = shapesOf(length);
  Builder builder(storage);
  bool going = true;
  BracketWord word;
  auto complete = [&](const Shape &shape) {
    const Spelling plain = spell(word, shape, false), merged = spell(word, shape, true);
    if (!isFirstWith(storage, plain.word))
      return;
    for (const Spelling *spelling : {&plain, &merged}) {
      if (!going || (spelling == &merged && merged.word.size() == plain.word.size()))
        continue;
      const auto at = [&](std::size_t letter) { return spelling->begins[letter]; };
      going = visit([&] {
        return builder.build(spelling->word, {shape.kind, at(shape.begin), at(shape.middle), at(shape.end)});
      });
    }
  };
  auto extend = [&](auto &self) -> void {
    if (word.size() == length) {
      if (maySynchronise(word))
        for (const Shape &shape : shapes)
          complete(shape);
      return;
    }
    for (const Bracketed &symbol : symbols) {
      word.push_back(symbol);
      if (going && isCanonical(word))
        self(self);
      word.pop_back();
    }
  };
  extend(extend);
}

} // namespace ptosync::fuzz
