// Does a certificate prove that one version of a kernel keeps every order of another one?
//
//   BEFORE, AFTER --parse, merge--> one text in which every sync says which version has it
//                 --walk.h, with the certificate's claims--> pairs that BEFORE may order on some way and AFTER may not
//                 --meeting.h--> none of them must be ordered: certified
//
// The claim that is certified: every flag of AFTER is binary on every way, and on every way, for every number of
// iterations, AFTER orders what must be ordered and BEFORE orders. A certificate can claim more, that AFTER orders
// every conflict in memory: then BEFORE is taken to order them all. Nothing of the certificate is believed: it says
// only where the walk's loops begin, and the walk checks that. Trusted are this folder's reader and rules, the
// machine's facts, and what docs/certificate.md lists. A kernel that the walk refuses is not certified. Tested by
// tests/check/check_test.cpp and damage_test.cpp, and by tests/golden/certificate_test.cpp.
#pragma once

#include "check/certificate.h"
#include "check/meeting.h"

#include <string>
#include <vector>

namespace ptosync::check {

struct KernelAnswer {
  std::string kernel, core;
  std::size_t edits = 0; // sync statements that only one version has
  bool certified = false;
  bool ordered = false; // also that every conflict in memory is ordered, whatever BEFORE orders
  std::string reason;   // why it is not certified; of a proposal, also why it is not ordered
};

struct Answer {
  std::vector<KernelAnswer> kernels;
  std::string problem; // of the files or the certificate as a whole; nothing is certified then
  std::size_t edits() const;
  std::size_t certifiedEdits() const;
  bool certified() const { return problem.empty() && edits() == certifiedEdits(); }
};

/// Both versions as a core's compiler reads them, as one text.
struct Merged {
  File file;
  std::map<std::string, std::size_t> edits; // by function: syncs that only one version has
};

/// Throws Refused if the versions differ in more than syncs.
Merged merge(const std::string &before, const std::string &after, const Machine &machine, const std::string &core);

/// The functions that are called by no other, in the order of the file, with the edits that they run through.
std::vector<std::pair<std::string, std::size_t>> rootsOf(const Merged &merged);

/// Throws Refused if some pair is lost that must be ordered.
void refuseLost(const std::set<std::pair<Instance, int>> &lost, Scene &scene);

/// `machine`: the text of src/machine/ARCH.json.
Answer checkCertificate(const std::string &before, const std::string &after, const std::string &machine,
                        const std::string &certificate);

/// Looks for a certificate; `answer` says what it proves. Untrusted: nothing that it makes is believed unchecked.
/// `ordered`: also for one that says that every conflict in memory is ordered.
std::string propose(const std::string &before, const std::string &after, const std::string &machine, Answer &answer,
                    bool ordered = false);

} // namespace ptosync::check
