// Random programs in the C++ that people write around emitted code.
//
// A program has a few base statements (arithmetic in all widths and signednesses, branches, loops, stores,
// instructions, syncs, all with operands that depend on what was computed) and one to four features, each a construct
// of the language or of the library. Nothing that is generated is undefined or unspecified: shifts and divisors are
// masked, signed arithmetic is kept in range by intervals or done in unsigned, a variable that an expression changes is
// not read elsewhere in it, addresses stay inside the arguments' memories, loops are short. Equal numbers give equal
// programs on every platform. Tested by tests/differential/unit/program_test.cpp.
#pragma once

#include "differential/program.h"
#include "fuzz/random_source.h"

#include <functional>
#include <optional>

namespace ptosync::differential {

/// Names of all features.
std::vector<std::string> featureNames();

/// Program `number` of `seed`; `only`: features to choose from (empty: all).
Program generateProgram(std::uint64_t seed, std::uint64_t number, const std::set<std::string> &only = {});

/// The state of one generation, for the features (generated_*.cpp).
class ProgramGenerator {
public:
  ProgramGenerator(std::uint64_t seed, std::uint64_t number);
  Program generate(const std::set<std::string> &only);

  using Wide = __int128;
  enum Type { Bool, I8, U8, I16, U16, I32, U32, I64, U64 };
  struct Expr {
    std::string text;
    Type type = I32;
    Wide low = 0, high = 0;
  };
  /// A place that holds a scalar. Places of one group may be one object.
  struct Scalar {
    std::string text;
    Type type = I32;
    bool writable = true;
    int group = 0;
    bool addressable = true; // no bit-field, no element by a computed index
  };

  // program_generator.cpp
  std::string fresh(const std::string &prefix);
  void emit(std::string text);
  void around(std::string text);
  /// `open`, what `inner` emits in a scope of its own, `close`.
  void block(std::string open, const std::function<void()> &inner, std::string close = "}");
  /// The same, in front of the kernel, with nothing of the kernel in scope.
  void function(std::string open, const std::function<void()> &inner, std::string close = "}");
  void inScope(const std::function<void()> &inner);
  void declare(std::string text, Type type, bool writable = true, int group = -1, bool addressable = true);
  int newGroup() { return nextGroup++; }
  void unite(int first, int second);
  void statements(int count);
  void statement();
  void baseStatement();
  std::string pickTile();
  bool chance(int percent) { return random.chance(percent); }
  std::int64_t below(std::int64_t bound) { return random.below(bound); }
  Type anyType() { return static_cast<Type>(random.between(I8, U64)); }
  Type wordType() { return random.pick(std::vector<Type>{I32, U32, I64, U64, I32}); }

  // generated_expressions.cpp
  static std::string spell(Type type);
  static int bitsOf(Type type);
  static bool isSigned(Type type);
  static Wide lowest(Type type);
  static Wide highest(Type type);
  static Type promoted(Type type);
  static Type common(Type left, Type right);
  Expr literal();
  Expr literalOf(Type type);
  Expr leaf();
  Expr expression(int depth);
  Expr cast(Type type, const Expr &value);
  Expr masked(const Expr &value, std::int64_t mask);
  Expr binary(const std::string &op, const Expr &left, const Expr &right);
  /// Of this very type.
  std::string of(Type type, int depth = 2);
  /// The same, fit for braces: nothing is narrowed.
  std::string exact(Type type, int depth = 2) { return cast(type, expression(depth)).text; }
  std::string any(int depth = 2) { return expression(depth).text; }
  std::string condition(int depth = 2);
  /// In [0, count), count a power of two.
  std::string index(int count);
  std::optional<Scalar> place(bool writable, std::optional<Type> type = {}, bool addressable = false);
  /// A variable of the type that can be referred to; made if there is none.
  Scalar variable(std::optional<Type> type = {});
  std::string compound(const Scalar &place);
  std::string load();
  /// While it lives, expressions do not read the group.
  struct Ban {
    Ban(ProgramGenerator &generator, int group) : generator(generator) { generator.banned.push_back(group); }
    ~Ban() { generator.banned.pop_back(); }
    ProgramGenerator &generator;
  };

  // generated_statements.cpp
  void observe(const std::string &value);
  void observe();
  void branch();
  void loop();
  void assign();
  void sync();
  void storeMemory();

  fuzz::RandomSource random;
  Program program;
  std::vector<Piece> *out = nullptr;
  std::vector<Scalar> scalars;
  std::vector<std::string> tiles;
  std::vector<int> banned;
  std::vector<std::function<void(ProgramGenerator &)>> features;
  int nextName = 0, nextGroup = 0, depth = 0, loops = 0, breakable = 0;
  bool hasMemory = true; // p, q, b, w are in scope
  bool hasTiles = true;
  bool mayLoad = true;
};

struct Feature {
  std::string name;
  void (*step)(ProgramGenerator &);
};

/// generated_language.cpp, generated_functions.cpp, generated_objects.cpp, generated_library.cpp,
/// generated_pointers.cpp
std::vector<Feature> languageFeatures();
std::vector<Feature> functionFeatures();
std::vector<Feature> objectFeatures();
std::vector<Feature> libraryFeatures();
std::vector<Feature> pointerFeatures();

} // namespace ptosync::differential
