#include "fuzz/resynced_kernel.h"

#include "fuzz/kernel_text.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace ptosync::fuzz {
namespace {

constexpr std::uint32_t kLinesOfArrivals = 1u << 20;

std::vector<std::string> linesIn(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::optional<Pipe> pipeOf(const std::string &name) {
  for (std::size_t i = 0; i <= kPipeCount; ++i) {
    Pipe pipe = i == kPipeCount ? Pipe::All : static_cast<Pipe>(i);
    if (name == pipeName(pipe))
      return pipe;
  }
  return std::nullopt;
}

/// "EVENT_ID3", "(event_t)12", "(event_t)(v4%2)", "(event_t)(3+(v4/128+1)%2)": a constant, or one behind which so many
/// ids go round with a counter.
std::optional<Scalar> parseEvent(const std::string &text, const std::vector<ScalarVariable> &variables) {
  static const std::regex kConstant(R"((?:EVENT_ID|\(event_t\))(\d+))");
  static const std::regex kCounted(R"(\(event_t\)\((?:(\d+)\+)?\(?([A-Za-z_]\w*)(?:/(\d+))?(?:\+(\d+)\))?%(\d+)\))");
  std::smatch match;
  if (std::regex_match(text, match, kConstant))
    return Scalar::of(std::stoll(match[1]));
  if (!std::regex_match(text, match, kCounted))
    return std::nullopt;
  auto number = [&](std::size_t group, std::int64_t otherwise) {
    return Scalar::of(match[group].matched ? std::stoll(match[group]) : otherwise);
  };
  auto variable = std::find_if(variables.begin(), variables.end(),
                               [&](const ScalarVariable &one) { return one.name == match[2].str(); });
  if (variable == variables.end())
    return std::nullopt;
  Scalar count = Scalar::read(static_cast<std::uint32_t>(variable - variables.begin()));
  count = Scalar::make(Scalar::Kind::Divide, {count, number(3, 1)});
  count = Scalar::make(Scalar::Kind::Add, {count, number(4, 0)});
  count = Scalar::make(Scalar::Kind::Remainder, {count, number(5, 1)});
  return Scalar::make(Scalar::Kind::Add, {number(1, 0), count});
}

/// What stands between the brackets of "get_buf(PIPE_V,3,0);" without white space; nothing if the id is computed.
std::optional<Statement> parseBuffer(bool gets, const std::vector<std::string> &arguments) {
  static const std::regex kNumber(R"(\d+)");
  std::optional<Pipe> pipe = arguments.size() == 3 ? pipeOf(arguments[0]) : std::nullopt;
  if (!pipe || !std::regex_match(arguments[1], kNumber) || !std::regex_match(arguments[2], kNumber))
    return std::nullopt;
  Statement statement;
  statement.kind = gets ? Statement::Kind::GetBuffer : Statement::Kind::ReleaseBuffer;
  statement.source = *pipe;
  statement.value = Scalar::of(std::stoll(arguments[1]));
  statement.constant = std::stoll(arguments[2]);
  return statement;
}

/// "set_flag(PIPE_V,PIPE_MTE3,EVENT_ID0);" without white space; nothing if it is read as no sync.
std::optional<Statement> parseSync(const std::string &bare, const std::vector<ScalarVariable> &variables) {
  std::size_t open = bare.find('('), close = bare.rfind(");");
  if (open == std::string::npos || close == std::string::npos || close + 2 != bare.size())
    return std::nullopt;
  std::vector<std::string> arguments;
  std::istringstream stream(bare.substr(open + 1, close - open - 1));
  for (std::string argument; std::getline(stream, argument, ',');)
    arguments.push_back(argument);
  std::string name = bare.substr(0, open);
  if (name == "get_buf" || name == "rls_buf")
    return parseBuffer(name == "get_buf", arguments);
  Statement statement;
  bool barrier = name == "pipe_barrier", set = name == "set_flag";
  if ((!barrier && !set && name != "wait_flag") || arguments.size() != (barrier ? 1u : 3u))
    return std::nullopt;
  statement.kind = barrier ? Statement::Kind::Barrier : set ? Statement::Kind::SetFlag : Statement::Kind::WaitFlag;
  std::optional<Pipe> source = pipeOf(arguments[0]), destination = pipeOf(arguments[barrier ? 0 : 1]);
  if (!source || !destination)
    return std::nullopt;
  statement.source = *source;
  if (barrier)
    return statement;
  statement.destination = *destination;
  std::optional<Scalar> event = parseEvent(arguments[2], variables);
  if (!event)
    return std::nullopt;
  statement.value = *event;
  return statement;
}

class Weaver {
public:
  explicit Weaver(const FuzzKernel &kernel) : kernel(kernel) {}

  std::optional<FuzzKernel> weave(const std::vector<std::string> &before, const std::vector<std::string> &after) {
    auto collect = [&](const std::vector<Statement> &list) {
      forEachStatement(list, [&](const Statement &statement) {
        if (isSync(statement))
          own.emplace(statement.line, statement);
      });
    };
    collect(kernel.body);
    for (const Helper &helper : kernel.helpers)
      collect(helper.body);
    for (const std::string &line : after)
      if (std::optional<std::uint32_t> from = movedFrom(line))
        leaving.insert(*from);
    if (!align(before, after) || !knowArrivals())
      return std::nullopt;
    FuzzKernel woven = kernel;
    for (Helper &helper : woven.helpers)
      edit(helper.body);
    edit(woven.body);
    // What no statement follows stands at the end of the body.
    for (auto &[line, list] : arrivals)
      woven.body.insert(woven.body.end(), list.begin(), list.end());
    return woven;
  }

private:
  struct Came {
    std::uint32_t before; // line of the input that follows
    std::string bare;
    std::optional<std::uint32_t> from; // line of the input, if it moved
  };

  static std::optional<std::uint32_t> movedFrom(const std::string &line) {
    constexpr std::string_view kNote = "ptosync: moved from line ";
    std::size_t at = line.find(kNote);
    if (at == std::string::npos)
      return std::nullopt;
    return static_cast<std::uint32_t>(std::stoul(line.substr(at + kNote.size())));
  }

  bool align(const std::vector<std::string> &before, const std::vector<std::string> &after) {
    std::size_t next = 0; // line of the input, from 0
    for (const std::string &line : after) {
      std::string bare = bareText(line);
      bool marked = line.find("ptosync:") != std::string::npos && line.find("ptosync: keep") == std::string::npos;
      if (marked && !bare.empty()) {
        came.push_back({static_cast<std::uint32_t>(next + 1), bare, movedFrom(line)});
        continue;
      }
      // What moves takes its line along, unless a comment is left there.
      for (; !marked && leaving.count(static_cast<std::uint32_t>(next + 1)); ++next)
        went.insert(static_cast<std::uint32_t>(next + 1));
      if (next == before.size())
        return false;
      if (marked)
        went.insert(static_cast<std::uint32_t>(next + 1));
      else if (bare != bareText(before[next]))
        return false;
      ++next;
    }
    return next == before.size();
  }

  bool knowArrivals() {
    if (std::any_of(went.begin(), went.end(), [&](std::uint32_t line) { return !own.count(line); }))
      return false;
    std::uint32_t number = kLinesOfArrivals;
    for (const Came &one : came) {
      auto moved = one.from ? own.find(*one.from) : own.end();
      std::optional<Statement> statement =
          moved != own.end() ? std::optional(moved->second) : parseSync(one.bare, kernel.variables);
      if (!statement)
        return false;
      statement->line = ++number;
      statement->arrived = true;
      arrivals[one.before].push_back(*statement);
    }
    return true;
  }

  /// What came in front of `line` or of the lines above it that no statement begins on.
  void take(std::uint32_t line, std::vector<Statement> &list) {
    while (!arrivals.empty() && arrivals.begin()->first <= line) {
      list.insert(list.end(), arrivals.begin()->second.begin(), arrivals.begin()->second.end());
      arrivals.erase(arrivals.begin());
    }
  }

  void edit(std::vector<Statement> &list) {
    std::vector<Statement> result;
    for (Statement &statement : list) {
      take(statement.line, result);
      edit(statement.body);
      take(statement.bodyEnd, statement.body);
      edit(statement.otherwise);
      take(statement.otherwiseEnd, statement.otherwise);
      if (went.count(statement.line) && isSync(statement))
        statement.kind = Statement::Kind::Nothing;
      result.push_back(std::move(statement));
    }
    list = std::move(result);
  }

  const FuzzKernel &kernel;
  std::map<std::uint32_t, Statement> own; // syncs of the input, by line
  std::set<std::uint32_t> leaving, went;
  std::vector<Came> came;
  std::map<std::uint32_t, std::vector<Statement>> arrivals; // by the line of the input that follows
};

} // namespace

std::optional<FuzzKernel> resyncedKernel(const FuzzKernel &kernel, const std::string &before,
                                         const std::string &after) {
  return Weaver(kernel).weave(linesIn(before), linesIn(after));
}

} // namespace ptosync::fuzz
