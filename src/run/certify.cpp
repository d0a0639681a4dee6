#include "run/certify.h"

#include "check/check.h"
#include "check/facts.h"

namespace ptosync {
namespace {

/// Why the checker's facts are not those of the run; empty if they are.
std::string otherFacts(const Subject &subject) {
  if (subject.choices.machineText)
    return "the run has facts of its own (--machine)";
  const ModelChoices &choices = subject.choices.optimize.ordering;
  if (choices.trust != Trust::Tile)
    return "the run relies on the library's inside (--trust=library)";
  if (choices.argumentsMayAlias || choices.strictCopies || !choices.vectorOrder || choices.accumulateOrder ||
      choices.assemblerChain)
    return "the run has choices that are not the default:" + optionsText(choices);
  return "";
}

} // namespace

Certification certify(const Subject &subject, const std::string &before, const std::string &after, bool ordered) {
  Certification made;
  check::Answer proposal, answer;
  const std::string facts = check::factsOf(subject.machine->arch());
  made.certificate = check::propose(before, after, facts, proposal, ordered);
  if (const std::string other = otherFacts(subject); !other.empty())
    answer.problem = other;
  else
    answer = check::checkCertificate(before, after, facts, made.certificate);
  made.edits = answer.edits();
  made.certified = answer.problem.empty() ? answer.certifiedEdits() : 0;
  if (!answer.problem.empty())
    made.notCertified.push_back(answer.problem);
  for (std::size_t i = 0; i < answer.kernels.size(); ++i) {
    check::KernelAnswer kernel = answer.kernels[i];
    if (kernel.ordered && answer.problem.empty())
      made.ordered.push_back(kernel.kernel + " (" + kernel.core + ")");
    // Where nothing was found that could be checked, the search knows why.
    if (i < proposal.kernels.size() && !proposal.kernels[i].certified)
      kernel.reason = proposal.kernels[i].reason;
    if (!kernel.certified && answer.problem.empty())
      made.notCertified.push_back(kernel.kernel + " (" + kernel.core + "): " + std::to_string(kernel.edits) +
                                  " syncs differ: " + kernel.reason);
  }
  return made;
}

std::string certificationText(const Certification &certification) {
  std::string text = std::to_string(certification.certified) + " of " + std::to_string(certification.edits) +
                     " differing syncs certified\n";
  for (const std::string &line : certification.notCertified)
    text += "  not certified: " + line + "\n";
  for (const std::string &kernel : certification.ordered)
    text += "  certified: every conflict in memory of " + kernel + " is ordered\n";
  return text;
}

} // namespace ptosync
