// generate_probes ARCH FOLDER: writes FOLDER/GROUP.cpp, the probes of one group with a main that runs them under the
// recorder, and prints one line a probe: GROUP NAME INSTRUCTION CONSTANTS, the template constants of the call with
// commas between them, "-" if there are none.
#include "book.h"

#include <fstream>
#include <iostream>

namespace probes {
std::vector<Probe> probesOf(const std::string &arch) {
  Book book;
  if (arch == "a3") {
    elementwiseA3(book);
    rowsA3(book);
    movesA3(book);
    cubeA3(book);
    mixedWidths(book);
    templateFormsA3(book);
    betweenCoresA3(book);
  } else {
    vectorA5(book);
    cubeA5(book);
    templateFormsA5(book);
    betweenCoresA5(book);
  }
  unequalRegions(book);
  return std::move(book.probes);
}
} // namespace probes

namespace {

/// "MaskPattern::P0101,3" of NAME<@0, MaskPattern::P0101, 3>(...): what is a number or an enumerator.
std::string constantsOf(const probes::Probe &probe) {
  const std::size_t name = probe.call.rfind(probe.instruction + "<");
  std::string found, argument;
  int depth = 0;
  for (std::size_t i = name; name != std::string::npos && i < probe.call.size(); ++i) {
    const char c = probe.call[i];
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if ((c == '<' && depth == 1) || (c == ',' && depth == 1) || (c == '>' && depth == 0)) {
      const bool number = argument == "true" || argument == "false" ||
                          (!argument.empty() && argument.find_first_not_of("0123456789") == std::string::npos);
      const bool enumerator = argument.find("::") != std::string::npos && argument.find('<') == std::string::npos;
      if (number || enumerator)
        found += (found.empty() ? "" : ",") + argument;
      argument.clear();
      if (depth == 0)
        break;
    } else if (depth >= 1 && c != ' ') {
      argument += c;
    }
  }
  return found.empty() ? "-" : found;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: generate_probes a3|a5 FOLDER\n";
    return 2;
  }
  std::string arch = argv[1], folder = argv[2];
  std::map<std::string, std::string> kernels, calls; // by group
  std::size_t number = 0;
  for (const probes::Probe &probe : probes::probesOf(arch)) {
    std::string name = "p" + std::to_string(number++) + "_" + probe.instruction;
    std::string text = probes::kernelText(probe, name, arch);
    if (text.empty())
      continue;
    kernels[probe.group] += text;
    std::string arguments;
    for (std::size_t i = 0; i < probe.tensors.size(); ++i)
      arguments += (i ? ", " : "") + std::string("(") + probe.tensors[i].element + " *)" +
                   std::to_string(0x10000000 + i * 0x1000000);
    // What making a FIFO signals is not the call's.
    if (!probe.fifo.empty()) {
      arguments += (arguments.empty() ? "" : ", ") + std::string("*fifo_of_") + name;
      calls[probe.group] +=
          "  auto *fifo_of_" + name + " = new " + probe.fifo + "((void *)0x1f000000, 0x20000, 0x20000);\n";
    }
    calls[probe.group] += "  recorder::begin(\"" + name + "\", " + std::to_string(probe.fill) + ");\n  " + name + "(" +
                          arguments + ");\n  recorder::end();\n";
    std::cout << probe.group << " " << name << " " << probe.instruction << " " << constantsOf(probe) << "\n";
  }
  for (const auto &[group, text] : kernels) {
    std::ofstream file(folder + "/" + group + ".cpp");
    file << "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
         << "#ifndef PTOSYNC_RECORD\nstruct MrgSortExecutedNumList {};\n#endif\n"
         << text << "#ifdef PTOSYNC_RECORD\nint main() {\n"
         << calls[group] << "}\n#endif\n";
  }
}
