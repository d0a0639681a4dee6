// The pages of the commands that answer a question and change nothing: `verify`, `compare`, `explain`, `model` and
// `patterns test`.
//
//   one text or two --lift--> Modules --replay, match, explain, look up--> the answer, as text or as JSON
//
// `audit` and `timeline` answer too, and have pages of their own. Tested by tests/tool/verify_command_test.cpp,
// tests/tool/compare_command_test.cpp, tests/tool/explain_command_test.cpp, tests/tool/model_command_test.cpp and
// tests/tool/patterns_command_test.cpp.
#pragma once

#include "compare/change_summary.h"
#include "replay/verify.h"
#include "report/answers.h"
#include "run/progress.h"
#include "run/run.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

enum class AnswerForm : std::uint8_t { Text, Json, Csv };

/// An answer, and whether every kernel that was asked about could be analysed.
struct Answer {
  std::string text;
  bool analysed = true;
};

struct VerifiedFiles {
  VerifyAnswer answer;
  std::string report;
  replay::Verdict verdict;
  synthesis::FileProof proof;
};

struct VerifyRequest {
  AnswerForm form = AnswerForm::Text;
  bool verbose = false; // text: also loops and trip counts
  bool quiet = false;   // text: findings alone
};

/// `verify`: has the second source lost an order that the first has? The static engine is asked for a proof, and both
/// are run in any case, since the two share nothing. Errors: a SettingError, replay::ArgumentError;
/// that a kernel cannot be analysed.
llvm::Expected<VerifiedFiles> verifyFiles(const RunInput &input, const VerifyRequest &request, Progress &progress);

struct CompareRequest {
  AnswerForm form = AnswerForm::Text;
  bool verbose = false;           // text: also what is the same, and every line number
  bool page = false;              // also the page
  std::optional<double> failOver; // percent that the second may take longer
  bool summary = false;           // also the summary, for which the replay is asked too
};

struct ComparedFiles {
  Answer answer;
  std::string page;
  std::vector<std::string> overLimit; // what breaks `failOver`
  std::optional<compare::ChangeSummary> summary;
  std::string changes;                 // with the summary: a line for each sync that differs, and each lost order
  nlohmann::ordered_json details = {}; // the same for programs
};

/// `compare`: two versions beside each other. Errors: a SettingError, replay::ArgumentError; that a source cannot be
/// read.
llvm::Expected<ComparedFiles> compareFiles(const RunInput &input, const CompareRequest &request, Progress &progress);

struct ExplainRequest {
  std::uint32_t line = 0; // 0: `tile`
  std::string tile;
  AnswerForm form = AnswerForm::Text;
  bool needed = false; // also ask runs of the file whether one needs the sync
};

/// `explain`: the syncs and instructions of a line, or a tile. Fails with a SettingError if nothing stands there.
llvm::Expected<Answer> explainFile(const RunInput &input, const ExplainRequest &request);

/// `explain --memory`: who holds which bytes of each memory, and when.
llvm::Expected<Answer> explainMemory(const RunInput &input, AnswerForm form);

/// `model --calls`: what the machine model says of every call.
llvm::Expected<Answer> explainCalls(const RunInput &input, AnswerForm form);

/// `model --check`: is the library of --pto-include the one that the models were made from? One line an architecture;
/// `analysed` is false if some fact is not proved for it. Fails with a SettingError.
llvm::Expected<Answer> checkModels(const RunInput &input);

/// `model --hashes`: a file for src/machine with the hashes of the library of --pto-include, under the version's name.
llvm::Expected<std::string> hashesOfLibrary(const std::string &includeDirectory, const std::string &version);

/// A case of a pattern; `problem` is empty if what it expects came true.
struct CaseOutcome {
  std::string pattern, name;
  std::string place; // "FILE:LINE"
  std::string problem;
};

/// `patterns test`: runs every case of every pattern, those of `patternTexts` included. Fails with a SettingError.
llvm::Expected<std::vector<CaseOutcome>> testPatterns(const RunInput &input);

} // namespace ptosync
