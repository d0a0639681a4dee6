#include "differential/native_run.h"

#include "fuzz/random_source.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace ptosync::differential {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kScalars = 16;
const char *const kQueries[] = {"get_block_idx",   "get_block_num",   "get_subblockid",
                                "get_subblocknum", "get_subblockdim", "get_coreid"};

/// The recorder's numbers of the pipes.
constexpr Pipe kPipesByNumber[] = {Pipe::S, Pipe::V, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::M, Pipe::All, Pipe::FIX};

bool isPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// A name of the library as the text uses it.
struct Mention {
  bool called = false, withArguments = false, inComm = false;
};

std::map<std::string, Mention> mentions(const std::string &text) {
  std::map<std::string, Mention> found;
  for (std::size_t i = 0; i < text.size();) {
    if (!isPart(text[i])) {
      ++i;
      continue;
    }
    std::size_t begin = i;
    while (i < text.size() && isPart(text[i]))
      ++i;
    std::size_t next = text.find_first_not_of(" \t\r\n", i);
    Mention &mention = found[text.substr(begin, i - begin)];
    mention.called = true;
    mention.withArguments |= next != std::string::npos && text[next] == '<';
    mention.inComm |= begin >= 6 && text.compare(begin - 6, 6, "comm::") == 0;
  }
  return found;
}

/// What recorder.h declares itself, and members.
bool declaredByHeader(const std::string &name) {
  static const std::set<std::string> names = {
      "TASSIGN",        "TRESHAPE",        "TSUBVIEW",        "TALIAS",      "set_flag",      "wait_flag",
      "get_buf",        "rls_buf",         "pipe_barrier",    "data",        "Tile",          "Shape",
      "Stride",         "TPipe",           "GlobalTensor",    "SetValidRow", "SetValidCol",   "SetValidShape",
      "GetValidRow",    "GetValidCol",     "GetValue",        "SetValue",    "get_block_idx", "get_block_num",
      "get_subblockid", "get_subblocknum", "get_subblockdim", "get_coreid",  "Wait",          "Test"};
  return names.count(name) != 0;
}

/// Every mix of up to five types and values.
void declareTemplates(std::string &out, const std::string &name) {
  for (unsigned count = 1; count <= 5; ++count)
    for (unsigned kinds = 0; kinds < (1u << count); ++kinds) {
      out += "RECORD_TEMPLATE(" + name;
      for (unsigned i = 0; i < count; ++i)
        out += (kinds >> i) & 1 ? ", auto" : ", typename";
      out += ")\n";
    }
}

std::string declarations(const NativeProgram &program, const std::set<std::string> &extra) {
  std::string global, inPto, inComm;
  auto declare = [&](const std::string &name, const Mention &mention) {
    std::string &out = mention.inComm ? inComm : global;
    out += "RECORD(" + name + ")\n";
    if (mention.withArguments)
      declareTemplates(out, name);
    if (!mention.inComm)
      inPto += "using ::" + name + ";\n";
  };
  for (const auto &[name, mention] : mentions(program.text))
    if ((program.instructions.count(name) || extra.count(name)) && !declaredByHeader(name))
      declare(name, mention);
  return global + "namespace pto {\n" + inPto + "namespace comm {\n" + inComm + "}\n}\n";
}

/// Lines that include the library's headers become empty.
std::string withoutLibraryIncludes(const std::string &text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t start = line.find_first_not_of(" \t");
    bool include = start != std::string::npos && line[start] == '#' &&
                   line.find("include", start) != std::string::npos &&
                   (line.find("\"pto/") != std::string::npos || line.find("<pto/") != std::string::npos);
    out += include ? "" : line;
    out += '\n';
  }
  return out;
}

std::string translationUnit(const NativeProgram &program, const std::set<std::string> &extra) {
  std::string out = "#include \"recorder.h\"\n";
  out += program.section == Section::Cube ? "#define __DAV_CUBE__\n" : "#define __DAV_VEC__\n";
  out += declarations(program, extra);
  out += "#line 1 \"kernel.cpp\"\n" + withoutLibraryIncludes(program.text);
  out += "\n#line 1 \"cases\"\nstatic const recorder::Case recorderCases[] = {\n";
  for (const std::string &kernel : program.kernels)
    out += "{\"" + kernel + "\", [] { recorder::callKernel(&::" + kernel + "); }},\n";
  out += "};\nint main(int count, char **arguments) {\n  return recorder::recorder_main(count, arguments, "
         "recorderCases, " +
         std::to_string(program.kernels.size()) + ");\n}\n";
  return out;
}

std::string readAll(const fs::path &path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void writeAll(const fs::path &path, const std::string &text) {
  std::ofstream stream(path);
  stream << text;
}

/// Gone with everything in it when it goes out of scope.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "ptosync-differential-XXXXXX").string();
    path = mkdtemp(pattern.data()) ? pattern : std::string();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  fs::path path;
};

bool runCommand(const std::string &command) {
  int status = std::system(command.c_str());
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Functions that the compiler misses.
std::set<std::string> undeclared(const std::string &errors) {
  std::set<std::string> names;
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);)
    for (const char *mark :
         {"undeclared identifier '", "undeclared template name '", "no member named '", "no template named '"})
      if (std::size_t at = line.find(mark); at != std::string::npos) {
        at += std::string(mark).size();
        bool member = std::string(mark).rfind("no member", 0) == 0;
        std::size_t end = line.find('\'', at);
        if (end != std::string::npos && (!member || line.find("namespace 'pto") != std::string::npos))
          names.insert(line.substr(at, end - at));
      }
  return names;
}

std::string firstError(const std::string &errors) {
  std::size_t at = errors.find("error: ");
  if (at == std::string::npos)
    return errors.substr(0, 200);
  std::size_t begin = errors.rfind('\n', at);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return errors.substr(begin, errors.find('\n', at) - begin);
}

/// Kernels that cannot be called by their name (overloads, templates); by their line in the table.
void dropUncallable(NativeProgram &program, const std::string &errors) {
  std::set<std::string> uncallable;
  for (std::size_t at = errors.find("cases:"); at != std::string::npos; at = errors.find("cases:", at + 1)) {
    std::size_t line = std::strtoul(errors.c_str() + at + 6, nullptr, 10);
    if (line >= 2 && line - 2 < program.kernels.size())
      uncallable.insert(program.kernels[line - 2]);
  }
  std::erase_if(program.kernels, [&](const std::string &kernel) { return uncallable.count(kernel) != 0; });
}

bool compile(NativeProgram program, const NativeTools &tools, const fs::path &folder, std::string &error) {
  std::set<std::string> extra;
  std::string object = (folder / "kernel.o").string(), binary = (folder / "kernel").string();
  for (int attempt = 0; attempt < 3; ++attempt) {
    writeAll(folder / "kernel.cpp", translationUnit(program, extra));
    std::string flags =
        " -std=c++17 -O0 -w -ferror-limit=0 -fno-spell-checking -fsanitize-coverage=func,trace-loads,trace-stores";
    if (tools.sanitize)
      flags += " -fsanitize=undefined -fsanitize-trap=undefined";
    if (runCommand(tools.compiler + flags + " -I" + tools.recorderDirectory + " -c " +
                   (folder / "kernel.cpp").string() + " -o " + object + " 2>" + (folder / "errors").string())) {
      if (runCommand(tools.compiler + " -no-pie -Wl,--unresolved-symbols=ignore-all " + object + " " +
                     tools.runtimeLibrary + " -o " + binary + " 2>" + (folder / "errors").string()))
        return true;
      error = "link: " + readAll(folder / "errors").substr(0, 300);
      return false;
    }
    std::string errors = readAll(folder / "errors");
    error = firstError(errors);
    std::size_t before = extra.size(), kernels = program.kernels.size();
    dropUncallable(program, errors);
    for (const std::string &name : undeclared(errors))
      extra.insert(name);
    if (extra.size() == before && (program.kernels.size() == kernels || program.kernels.empty()))
      return false;
  }
  return false;
}

class LogReader {
public:
  explicit LogReader(const std::string &log) : stream(log) {}

  void read(NativeResult &result) {
    NativeRun *run = nullptr;
    for (std::string word; stream >> word;) {
      if (word == "run") {
        std::string kernel;
        stream >> kernel;
        number();
        result.runs[kernel].emplace_back();
        run = &result.runs[kernel].back();
      } else if (!run) {
        break;
      } else if (word == "a") {
        auto argument = static_cast<std::uint32_t>(number());
        run->arguments[argument] = number();
      } else if (word == "end") {
        std::string how;
        stream >> how;
        run->ending = how == "done"   ? NativeRun::Ending::Returned
                      : how == "full" ? NativeRun::Ending::Full
                      : how == "time" ? NativeRun::Ending::TimedOut
                                      : NativeRun::Ending::Crashed;
      } else {
        run->events.push_back(event(word));
      }
    }
  }

private:
  std::int64_t number() {
    std::int64_t value = 0;
    stream >> value;
    return value;
  }

  NativeEvent event(const std::string &kind) {
    NativeEvent event;
    switch (kind[0]) {
    case 'i':
    case 'w':
      event.kind = kind[0] == 'i' ? NativeEvent::Kind::Call : NativeEvent::Kind::Passive;
      stream >> event.name;
      event.line = static_cast<std::uint32_t>(number());
      operands(event);
      break;
    case 's':
    case 'q':
    case 'G':
    case 'R':
    case 'b': {
      event.kind = kind[0] == 's'   ? NativeEvent::Kind::SetFlag
                   : kind[0] == 'q' ? NativeEvent::Kind::WaitFlag
                   : kind[0] == 'G' ? NativeEvent::Kind::GetBuffer
                   : kind[0] == 'R' ? NativeEvent::Kind::ReleaseBuffer
                                    : NativeEvent::Kind::Barrier;
      std::int64_t source = number(), destination = number();
      event.pipesKnown = source >= 0 && source < 8 && destination >= 0 && destination < 8;
      if (event.pipesKnown) {
        event.source = kPipesByNumber[source];
        event.destination = kPipesByNumber[destination];
      }
      event.id = number();
      event.line = static_cast<std::uint32_t>(number());
      break;
    }
    default:
      event.kind = kind[0] == 'l' ? NativeEvent::Kind::Load : NativeEvent::Kind::Store;
      event.address = number();
      event.bytes = number();
      if (kind[0] == 'l')
        event.value = number();
    }
    return event;
  }

  void operands(NativeEvent &event) {
    std::string rest;
    std::getline(stream, rest);
    std::istringstream words(rest);
    for (std::string kind; words >> kind;) {
      NativeOperand operand;
      auto take = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
          std::int64_t value = 0;
          words >> value;
          operand.details.push_back(value);
        }
      };
      std::int64_t state = 1;
      switch (kind[0]) {
      case 'T':
        operand.kind = NativeOperand::Kind::Tile;
        words >> operand.value >> state;
        take(5);
        break;
      case 'G':
        operand.kind = NativeOperand::Kind::Tensor;
        words >> operand.value >> state;
        take(10);
        break;
      case 'F':
        operand.kind = NativeOperand::Kind::Fifo;
        words >> operand.value;
        take(2);
        break;
      case 'S':
      case 'P':
        operand.kind = kind[0] == 'S' ? NativeOperand::Kind::Scalar : NativeOperand::Kind::Pointer;
        words >> operand.value;
        break;
      default: break;
      }
      operand.storage = static_cast<NativeOperand::Storage>(state);
      event.operands.push_back(std::move(operand));
    }
  }

  std::istringstream stream;
};

} // namespace

NativeTools builtInTools() {
  return {PTOSYNC_CLANG, PTOSYNC_SOURCE_DIR "/tests/differential/recorder", PTOSYNC_RECORDER_RUNTIME, false};
}

NativeResult runNatively(const NativeProgram &program, const std::vector<RunInputs> &inputs, const NativeTools &tools,
                         std::size_t mostEvents) {
  NativeResult result;
  TemporaryFolder folder;
  if (folder.path.empty()) {
    result.error = "no temporary folder";
    return result;
  }
  if (!compile(program, tools, folder.path, result.error))
    return result;
  std::string command = (folder.path / "kernel").string() + " " + std::to_string(mostEvents);
  for (const RunInputs &input : inputs) {
    command += " ";
    for (std::size_t i = 0; i < kScalars; ++i)
      command += std::to_string(i < input.scalars.size() ? input.scalars[i] : 0) + ",";
    for (const char *query : kQueries) {
      auto given = input.queries.find(query);
      command += std::to_string(given == input.queries.end() ? 0 : given->second) + ",";
    }
  }
  std::string log = (folder.path / "log").string();
  result.error.clear();
  if (!runCommand(command + " >" + log + " 2>" + (folder.path / "errors").string())) {
    result.error = "run: " + readAll(folder.path / "errors").substr(0, 300);
    return result;
  }
  LogReader(readAll(log)).read(result);
  return result;
}

std::string describe(const NativeOperand &operand) {
  std::string text;
  switch (operand.kind) {
  case NativeOperand::Kind::Tile: text = "tile"; break;
  case NativeOperand::Kind::Tensor: text = "tensor"; break;
  case NativeOperand::Kind::Fifo: text = "FIFO"; break;
  case NativeOperand::Kind::Scalar: text = "scalar"; break;
  case NativeOperand::Kind::Pointer: text = "pointer"; break;
  case NativeOperand::Kind::Other: return "other";
  }
  text += operand.storage == NativeOperand::Storage::Unset     ? " unplaced"
          : operand.storage == NativeOperand::Storage::Unknown ? " unknown"
                                                               : " " + std::to_string(operand.value);
  for (std::int64_t detail : operand.details)
    text += " " + std::to_string(detail);
  return text;
}

std::string describe(const NativeEvent &event) {
  auto pipes = [&] {
    return event.pipesKnown ? std::string(pipeName(event.source)) + "," + std::string(pipeName(event.destination))
                            : "?";
  };
  std::string line = event.line ? " line " + std::to_string(event.line) : "";
  switch (event.kind) {
  case NativeEvent::Kind::SetFlag: return "set_flag(" + pipes() + "," + std::to_string(event.id) + ")" + line;
  case NativeEvent::Kind::WaitFlag: return "wait_flag(" + pipes() + "," + std::to_string(event.id) + ")" + line;
  case NativeEvent::Kind::GetBuffer: return "get_buf(" + pipes() + "," + std::to_string(event.id) + ")" + line;
  case NativeEvent::Kind::ReleaseBuffer: return "rls_buf(" + pipes() + "," + std::to_string(event.id) + ")" + line;
  case NativeEvent::Kind::Barrier: return "pipe_barrier(" + pipes() + ")" + line;
  case NativeEvent::Kind::Load:
    return "load of " + std::to_string(event.bytes) + " bytes at " + std::to_string(event.address);
  case NativeEvent::Kind::Store:
    return "store of " + std::to_string(event.bytes) + " bytes at " + std::to_string(event.address);
  default: break;
  }
  std::string text = event.name + "(";
  for (const NativeOperand &operand : event.operands)
    text += (text.back() == '(' ? "" : "; ") + describe(operand);
  return text + ")" + line;
}

std::vector<RunInputs> chooseInputs(std::uint64_t seed, std::size_t count) {
  static const std::vector<std::int64_t> kValues = {0,  1,  2,  3,   4,   5,   7,    8,     16,        31,
                                                    64, -1, -2, 127, 128, 255, 1000, 65535, 2147483647};
  fuzz::RandomSource random(seed);
  std::vector<RunInputs> inputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kScalars; ++k)
      // The first run with small sizes: what is emitted takes them as extents.
      inputs[i].scalars.push_back(i == 0 ? static_cast<std::int64_t>(k % 4) + 1 : random.pick(kValues));
    std::int64_t blocks = random.between(1, 24);
    inputs[i].queries = {
        {"get_block_num", blocks}, {"get_block_idx", random.below(blocks)}, {"get_subblocknum", 2},
        {"get_subblockdim", 2},    {"get_subblockid", random.below(2)},     {"get_coreid", random.below(24)}};
  }
  return inputs;
}

} // namespace ptosync::differential
