// generate_probes ARCH FOLDER: writes FOLDER/GROUP.cpp, the probes of one group with a main that runs them under the
// recorder, and prints one line a probe: GROUP NAME INSTRUCTION.
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
  } else {
    vectorA5(book);
    cubeA5(book);
  }
  return std::move(book.probes);
}
} // namespace probes

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
    calls[probe.group] += "  recorder::begin(\"" + name + "\", " + std::to_string(probe.fill) + ");\n  " + name + "(" +
                          arguments + ");\n  recorder::end();\n";
    std::cout << probe.group << " " << name << " " << probe.instruction << "\n";
  }
  for (const auto &[group, text] : kernels) {
    std::ofstream file(folder + "/" + group + ".cpp");
    file << "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
         << "#ifndef PTOSYNC_RECORD\nstruct MrgSortExecutedNumList {};\n#endif\n"
         << text << "#ifdef PTOSYNC_RECORD\nint main() {\n"
         << calls[group] << "}\n#endif\n";
  }
}
