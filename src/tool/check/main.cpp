// `ptosync-check BEFORE AFTER CERTIFICATE`: does the certificate prove that AFTER keeps every order of BEFORE?
//
// Exit codes: 0 it does; 1 the certificate is refused, or something that was edited is not certified; 2 the usage is
// wrong or a file cannot be read. docs/certificate.md has the rest. Tested by tests/tool/opt_command_test.cpp.
#include "check/check.h"
#include "check/facts.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

bool read(const std::string &name, std::string &into) {
  std::ifstream stream(name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  into = text.str();
  return stream.good() || stream.eof();
}

int usage() {
  std::cerr << "usage: ptosync-check [--arch=a3|a5] BEFORE.cpp AFTER.cpp CERTIFICATE.json\n"
               "       ptosync-check [--arch=a3|a5] --propose [--ordered] BEFORE.cpp AFTER.cpp > CERTIFICATE.json\n";
  return 2;
}

} // namespace

int main(int count, char **arguments) {
  std::string arch = "a3";
  std::vector<std::string> names, texts;
  bool proposes = false, ordered = false;
  for (int i = 1; i < count; ++i) {
    std::string argument = arguments[i];
    if (argument.rfind("--arch=", 0) == 0)
      arch = argument.substr(7);
    else if (argument == "--propose")
      proposes = true;
    else if (argument == "--ordered")
      ordered = true;
    else if (argument.rfind("--", 0) == 0)
      return usage();
    else
      names.push_back(argument);
  }
  using namespace ptosync::check;
  const std::string facts = factsOf(arch);
  if (facts.empty() || names.size() != (proposes ? 2 : 3))
    return usage();
  for (const std::string &name : names) {
    texts.emplace_back();
    if (!read(name, texts.back())) {
      std::cerr << name << ": cannot be read\n";
      return 2;
    }
  }
  Answer answer;
  if (proposes)
    std::cout << propose(texts[0], texts[1], facts, answer, ordered);
  else
    answer = checkCertificate(texts[0], texts[1], facts, texts[2]);
  std::ostream &out = proposes ? std::cerr : std::cout;
  if (!answer.problem.empty())
    out << names[1] << ": not certified: " << answer.problem << "\n";
  for (const KernelAnswer &kernel : answer.kernels)
    if (kernel.edits != 0 || kernel.ordered)
      out << names[1] << ": " << kernel.kernel << " (" << kernel.core
          << "): " << (kernel.certified ? "certified, " : "not certified, ") << kernel.edits << " syncs differ"
          << (kernel.ordered ? ", every conflict in memory is ordered" : "")
          << (kernel.reason.empty() ? "" : ": " + kernel.reason) << "\n";
  out << answer.certifiedEdits() << " of " << answer.edits() << " differing syncs certified\n";
  return answer.certified() ? 0 : 1;
}
