// The checker's own reader: the text of a kernel file as a syntax tree, without Clang.
//
//   text --tokens--> preprocessed for one core --parse--> Function { parameters, body: Statement { Expression } }
//
// It reads the subset of C++ that docs/certificate.md lists, which is what the assembler prints: declarations, integer
// expressions, calls, `if`, `for`, `while`, `switch`, `break`, `continue`, `return`. Whatever it does not know is
// refused with its line: a function that was misread could be certified wrongly, one that is refused is only not
// certified. It does not resolve types or overloads, and it does not read headers.
// Tested by tests/check/check_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ptosync::check {

/// Thrown where something is outside of the subset or not proved; caught by `checkCertificate` and `propose` only.
struct Refused {
  std::string reason;
};

/// Most statements or expressions within one another: what reads and walks them calls itself. A walk counts those of
/// the functions that are called, too.
constexpr int kMostDepth = 300;

/// Throws Refused with "line N: WHAT".
[[noreturn]] void refuse(int line, const std::string &what);

struct Token {
  enum class Kind : std::uint8_t { Name, Number, Text, Mark, End } kind = Kind::End;
  std::string text;
  int line = 0, column = 0;
};

struct Expression {
  enum class Kind : std::uint8_t {
    Number,      // text
    Name,        // text, with its "::"
    Unary,       // text: the operator; one child
    Binary,      // text: the operator; two children. "=" and "+=" too
    Choice,      // a ? b : c
    Cast,        // type; one child
    Call,        // text: the function; children: arguments; templates
    Construct,   // type; children: arguments
    Method,      // text: the member; children: the object, then the arguments
    Index,       // a[b]
    List,        // { a, b }
    OtherLiteral // a string or a floating number
  } kind = Kind::Number;
  std::string text;
  std::string type;                   // of casts and constructions, as the text spells it, without spaces
  std::vector<std::string> templates; // explicit template arguments of a call
  std::vector<Expression> children;
  int line = 0, depth = 0; // how many are within one another here
};

struct Statement {
  enum class Kind : std::uint8_t {
    Block,
    Declare,
    Evaluate,
    If,
    Loop,
    Switch,
    Return,
    Break,
    Continue
  } kind = Kind::Block;
  int line = 0, column = 0;
  std::string type, name;           // of a declaration
  bool hasValue = false;            // Declare: it is initialised; Return: it returns something
  Expression value;                 // initial value, condition, expression
  std::vector<Statement> body;      // of a block; of a loop, its body; of an `if`, the first arm
  std::vector<Statement> otherwise; // second arm; of a loop, the step; of a switch, unused
  std::vector<Statement> before;    // of a loop: the initialisation
  bool hasCondition = true;         // a loop without one goes on until it is left
  std::vector<std::pair<std::vector<std::string>, std::vector<Statement>>> cases; // labels ("default") and what follows
  std::string id;   // line and column of the second version of a kernel
  int versions = 3; // of a sync: 1 only the first version has it, 2 only the second, 3 both
};

struct Parameter {
  std::string type, name;
  bool hasDefault = false;
  Expression byDefault;
  bool isReference() const { return type.find('&') != std::string::npos; }
};

struct Function {
  std::string name;
  bool device = false, entry = false; // AICORE or __global__; __global__
  std::vector<Parameter> parameters;
  std::vector<Statement> body;
  std::string problem;              // why its body is not read; empty: it is
  std::string spelled;              // such a body, token by token
  std::multiset<std::string> syncs; // its sync calls
  std::set<std::string> names;      // that stand in it: perhaps of functions that it calls, or whose address it takes
  std::string result;               // the type that it returns
  int line = 0;
};

struct File {
  std::map<std::string, Function> functions;
  std::vector<Statement> constants;                // of namespace scope
  std::map<std::string, std::int64_t> enumerators; // "Mode::kNone"
  std::set<std::string> taken;                     // names of all functions, of the host too, and of enumerations
  std::set<std::string> aliases;                   // of types
  std::set<std::string> typeParameters;            // of templates
  std::set<std::string> declared;                  // names of variables and parameters
  std::set<std::string> mentioned;                 // names outside of the bodies of a core, but for heads of functions
  std::string outside;                             // the text that is in no body of a function of a core
  std::vector<std::string> order;                  // of the functions, as they stand
  bool sections = false;                           // some text is for one core alone
  bool launches = false;                           // somewhere in the text, for the host too, a kernel is launched
};

/// The tokens of the text as the core with these macros sees it; `conditional`: some text is for one core alone.
std::vector<Token> tokensOf(const std::string &text, const std::set<std::string> &defined,
                            const std::set<std::string> &known, bool &conditional);

/// Reads the text as the core with `defined` macros compiles it; `known` are all macros that conditions may ask for.
/// Throws Refused.
File parse(const std::string &text, const std::set<std::string> &defined, const std::set<std::string> &known);

/// A number as it is written, with a sign; throws Refused if it is anything else.
std::int64_t writtenNumber(const std::string &text);

/// True for a statement `pipe_barrier(..)`, `set_flag(..)`, `wait_flag(..)`, `get_buf(..)` or `rls_buf(..)`.
bool isSync(const Statement &statement);

/// Whether its operator gives its first operand another value.
bool assigns(const Expression &expression);

/// The expression as text: equal texts are equal expressions.
std::string spell(const Expression &expression);

} // namespace ptosync::check
