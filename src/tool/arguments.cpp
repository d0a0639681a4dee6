#include "tool/arguments.h"

#include "base/nearest_name.h"

#include <algorithm>
#include <set>

namespace ptosync {

namespace cl = llvm::cl;

namespace {

bool isHelp(llvm::StringRef name) { return name == "help" || name == "h"; }

/// The script that `patch-vec-barriers` replaces takes empty lists.
bool mayBeEmpty(llvm::StringRef name) { return name.starts_with("remove-vec-barrier"); }

std::string withDashes(llvm::StringRef name) { return (name.size() == 1 ? "-" : "--") + name.str(); }

std::string suggestion(llvm::StringRef name, const std::vector<std::string> &known) {
  std::optional<std::string> nearest = nearestName(name.str(), known);
  return nearest ? "; did you mean '" + withDashes(*nearest) + "'?" : "";
}

class ArgumentReader {
public:
  ArgumentReader(cl::SubCommand &command, cl::OptionCategory &category) : command(command), category(category) {
    for (const auto &entry : command.OptionsMap)
      if (llvm::is_contained(entry.second->Categories, &category))
        known.push_back(entry.getKey().str());
    known.insert(known.end(), {"help", "version"});
    std::sort(known.begin(), known.end());
  }

  llvm::Error read(llvm::ArrayRef<std::string> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      llvm::StringRef argument = arguments[i];
      if (argument == "--") {
        positional.insert(positional.end(), arguments.begin() + i + 1, arguments.end());
        break;
      }
      if (!argument.starts_with("-") || argument == "-") {
        positional.push_back(argument.str());
        continue;
      }
      bool tookNext = false;
      if (llvm::Error error = readOption(argument, arguments.drop_front(i + 1), tookNext))
        return error;
      i += tookNext;
    }
    return checkPositional();
  }

  std::vector<std::string> result(const std::string &program) const {
    std::string name = command.getName().str();
    if (!answer.empty())
      return {program, name, answer};
    std::vector<std::string> all = {program, name};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    for (const std::string &word : positional)
      all.push_back((word.front() == '@' ? "./" : "") + word); // no response file
    return all;
  }

private:
  llvm::Error wrong(const std::string &text) const {
    return llvm::createStringError(command.getName().str() + ": " + text);
  }

  llvm::Error readOption(llvm::StringRef argument, llvm::ArrayRef<std::string> behind, bool &tookNext) {
    auto [name, value] = argument.drop_while([](char c) { return c == '-'; }).split('=');
    if (llvm::StringRef joined = joinedName(argument); !joined.empty()) {
      options.push_back("--" + joined.str() + "=" + argument.drop_front(2).str());
      return llvm::Error::success();
    }
    bool dashes = argument.starts_with("---");
    bool hasValue = argument.contains('=');
    if (!dashes && (isHelp(name) || name == "version") && !hasValue) {
      answer = name == "version" ? "--version" : "--help";
      return llvm::Error::success();
    }
    auto found = command.OptionsMap.find(name);
    if (dashes || found == command.OptionsMap.end() || !llvm::is_contained(found->second->Categories, &category))
      return wrong("unknown option '" + argument.split('=').first.str() + "'" + suggestion(name, known) +
                   " (see ptosync " + command.getName().str() + " --help)");
    cl::Option &option = *found->second;
    std::string spelled = withDashes(name);
    bool once = option.getNumOccurrencesFlag() == cl::Optional || option.getNumOccurrencesFlag() == cl::Required;
    if (!seen.insert(name.str()).second && once)
      return wrong(spelled + " is given twice");
    if (option.getValueExpectedFlag() != cl::ValueRequired)
      return readSwitch(spelled, hasValue, value);
    std::string text = value.str();
    if (!hasValue) {
      if (behind.empty() || (behind.front().size() > 1 && behind.front()[0] == '-'))
        return wrong(spelled + ": expected a value, " + option.ValueStr.str() +
                     (behind.empty()
                          ? ""
                          : ", but '" + behind.front() + "' is an option (" + spelled + "=VALUE takes any value)"));
      text = behind.front();
      tookNext = true;
    }
    if (text.empty() && !mayBeEmpty(name))
      return wrong(spelled + "=: expected a value, " + option.ValueStr.str());
    options.push_back("--" + name.str() + "=" + text);
    return llvm::Error::success();
  }

  /// "I" of `-Iinclude`, "D" of `-DNAME=VALUE`, "U": as compilers take them. Empty for any other argument.
  llvm::StringRef joinedName(llvm::StringRef argument) const {
    llvm::StringRef name = argument.slice(1, 2);
    bool joined = argument.size() > 2 && argument[0] == '-' && llvm::StringRef("IDU").contains(name) && argument[2] != '=';
    return joined && command.OptionsMap.count(name) ? name : llvm::StringRef();
  }

  llvm::Error readSwitch(const std::string &spelled, bool hasValue, llvm::StringRef value) {
    if (hasValue && value != "true" && value != "false")
      return wrong(spelled + "=" + value.str() + ": is a switch, it takes no value");
    if (!hasValue || value == "true")
      options.push_back(spelled);
    return llvm::Error::success();
  }

  llvm::Error checkPositional() const {
    if (!answer.empty())
      return llvm::Error::success();
    std::size_t least = 0, most = 0;
    bool unlimited = false;
    std::string wanted;
    for (const cl::Option *option : command.PositionalOpts) {
      cl::NumOccurrencesFlag count = option->getNumOccurrencesFlag();
      least += count == cl::Required || count == cl::OneOrMore;
      unlimited = unlimited || count == cl::ZeroOrMore || count == cl::OneOrMore;
      ++most;
      wanted += (wanted.empty() ? "" : " ") + option->HelpStr.str();
    }
    if (positional.size() < least)
      return wrong("expected " + wanted + " (see ptosync " + command.getName().str() + " --help)");
    if (!unlimited && positional.size() > most)
      return wrong("'" + positional[most] + "': one argument too many, expected " + wanted);
    for (const std::string &word : positional)
      if (word.empty())
        return wrong("an argument is empty, expected " + wanted);
    return llvm::Error::success();
  }

  cl::SubCommand &command;
  cl::OptionCategory &category;
  std::vector<std::string> known, options, positional;
  std::set<std::string> seen;
  std::string answer; // --help or --version: nothing else counts
};

} // namespace

llvm::Expected<std::vector<std::string>> checkArguments(const std::vector<std::string> &arguments,
                                                        const std::vector<cl::SubCommand *> &commands,
                                                        cl::OptionCategory &category) {
  const std::string program = "ptosync";
  std::vector<std::string> names;
  for (const cl::SubCommand *command : commands)
    names.push_back(command->getName().str());
  std::string expected;
  for (const std::string &name : names)
    expected += (expected.empty() ? "" : name == names.back() ? " or " : ", ") + name;
  if (arguments.empty())
    return llvm::createStringError("expected a command: " + expected + " (see ptosync --help)");
  llvm::StringRef first = arguments.front();
  if (first == "--help" || first == "-help" || first == "-h" || first == "--version" || first == "-version")
    return std::vector<std::string>{program, first.ends_with("version") ? "--version" : "--help"};
  if (first.starts_with("-")) {
    llvm::StringRef name = first.drop_while([](char c) { return c == '-'; }).split('=').first;
    std::string hint = suggestion(name, {"help", "version"});
    return llvm::createStringError("unknown option '" + first.split('=').first.str() + "'" +
                                   (hint.empty() ? "; a command comes first: " + expected : hint));
  }
  auto found = std::find(names.begin(), names.end(), first);
  if (found == names.end()) {
    std::optional<std::string> nearest = nearestName(first.str(), names);
    return llvm::createStringError("unknown command '" + first.str() + "'; " +
                                   (nearest ? "did you mean '" + *nearest + "'?" : "expected " + expected));
  }
  ArgumentReader reader(*commands[found - names.begin()], category);
  if (llvm::Error error = reader.read(llvm::ArrayRef(arguments).drop_front()))
    return std::move(error);
  return reader.result(program);
}

} // namespace ptosync
