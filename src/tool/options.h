// What a command line asks for, as plain values: what all commands share, and by command what one alone is asked.
//
//   arguments --option_table--> GivenOptions --parseCommandLine--> ToolOptions
//
// Here the values are read and held against one another; nothing is opened, but a folder is looked for. Exit codes: 0
// clean or done, 1 findings, 2 usage, configuration or pattern error, 3 the input could not be analysed, 4 not refuted,
// and not proved.
// Tested by tests/tool/options_test.cpp, audit_options_test.cpp, explain_options_test.cpp, patch_options_test.cpp and
// tests/scripts/misuse_test.sh.
#pragma once

#include "audit/config.h"
#include "base/exit_codes.h"
#include "base/shard.h"
#include "optimize/decision.h"
#include "report/kernel_table.h"
#include "run/run.h"
#include "tool/option_table.h"
#include <llvm/Support/Error.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// How the name of a file of --depfile ends.
inline constexpr const char *kDepfileEnd = ".d";

/// Prints "ptosync: MESSAGE" on standard error and returns the exit code of a command line that cannot be obeyed.
int usage(const std::string &message);

struct OptCommandOptions {
  std::string print;                 // "", "kernel", "chains", "flags", "prelude"
  std::vector<std::string> rewrites; // --rewrite, as given
  std::string sarif;                 // file to write; empty: none
  bool github = false;               // also print annotations
  std::string approved;              // the file of an approval; empty: every edit is made
  std::optional<Verdict> only;       // restricts the text report to this verdict
  bool bisect = false, cost = false;
  bool resync = false;  // place syncs anew
  bool needed = false;  // ask of each sync that stays whether some run needs it
  bool minimal = false; // and exit with 1 if one is undecided
};

enum class AuditFormat { Text, Json, Sarif, Github };

struct AuditCommandOptions {
  AuditFormat format = AuditFormat::Text;
  std::string print; // "" or "config"
  std::string sarif; // file to write; empty: none
  std::string baseline;
  bool writeBaseline = false;
  std::string newFromRev; // leave out what this revision of git has; empty: nothing
  bool fixes = false;     // also say what mends each finding
};

struct ExplainCommandOptions {
  std::string file;
  std::uint32_t line = 0; // 0: `tile` or `memory`
  std::string tile;
  bool memory = false;
  bool json = false;
  bool needed = false; // also ask runs of the file whether one needs the sync
};

struct VerifyCommandOptions {
  std::string after; // the second file or folder; ToolOptions::input is the first
  bool json = false;
  bool requireProof = false; // what is not proved counts as a finding
};

struct TimelineCommandOptions {
  std::string input;
  std::string trace; // write a trace for viewers here; empty: none
  std::string html;  // write a page here; empty: none
  bool limit = false;
  std::string profile;                   // the folder of a simulator run; empty: none
  std::vector<std::string> profileCores; // of it
  std::string calibrate;                 // write fitted durations here; empty: no
};

enum class CompareFormat { Text, Csv, Json };

struct CompareCommandOptions {
  std::string a, b; // two files, or two folders
  CompareFormat format = CompareFormat::Text;
  std::string output;             // empty: standard output
  std::string html;               // write a page here; empty: none; of folders: into this folder
  std::optional<double> failOver; // percent
};

struct ModelCommandOptions {
  std::string calls;  // --calls: the kernel file; empty: not asked
  bool check = false; // --check
  std::string hashes; // --hashes: the version's name; empty: not asked
  bool json = false;
};

/// The options of the text script whose place `patch-vec-barriers` takes. Where one is absent its environment variable
/// speaks, and where that is empty too, the default: no lines, the pattern `gu`.
struct PatchOptions {
  std::string lines, patterns; // as given; `parsePatchLines` and `parsePatchPatterns` read them
  bool unsafe = false;         // also take requested lines that are not proved
};

/// Where the results of earlier runs are kept: tool/result_cache.h.
struct CacheOptions {
  std::string folder; // empty: none
  std::uint64_t mostBytes = std::uint64_t(1) << 30;
  std::string remote;    // "http://host:port/prefix"; empty: none
  bool readOnly = false; // nothing is sent to `remote`
};

/// Whether a text for a person has colours.
enum class Colour : std::uint8_t { Auto, Always, Never };

class RunWatch; // run_watch.h

struct ToolOptions : RunChoices {
  Command command = Command::Optimize;
  std::map<std::string, std::vector<std::string>, std::less<>> asked; // every option as it was given
  CacheOptions cache;
  std::string input, output;
  std::vector<std::string> inputs; // files and folders, of the commands that take many; `input` is the first
  bool several = false;            // they are more than one file
  std::string standardInputName = "stdin.cpp"; // what '-' is taken for
  std::vector<std::string> excludes;           // patterns of names that are left out of folders
  unsigned jobs = 0;                           // kernels at a time; 0: as many as the machine has processors
  std::optional<Shard> shard;                  // the part of the kernels that this run deals with; empty: all
  std::string shardStatusFile;                 // made where a test runner has chosen the shard; empty: none
  std::string filesFrom;                       // a file that names more inputs of `merge`; empty: none
  std::string depfile;                         // what was read goes here, as rules of make; empty: no
  AuditConfig given, environment; // what the command line and the environment say of what a configuration can say
  std::string machineFile;
  std::vector<std::string> patternFiles;
  bool quiet = false; // findings, errors and what was asked for: no summary, no progress
  Colour colour = Colour::Auto;
  std::string root; // the folder at which the paths of diffs begin; empty: the git work tree's
  bool dryRun = false, verbose = false, timings = false;
  // Where the results of `opt` and `fix` go. The report and the page of several kernels are folders.
  bool inPlace = false, check = false, diff = false;
  std::string outputFolder, report, html; // empty: none; the report "-": standard output
  std::string certificate;                // certificates of the edits go here; empty: none
  bool certify = false;                   // nothing is published that is not certified
  std::string table;                      // a table over the kernels goes here; empty: none
  std::string stats;                      // what the run has taken goes here; empty: nowhere
  TableForm format = TableForm::Text;     // of what standard output gets of it
  std::string timingFile;                 // of what estimates times: over the built-in numbers; empty: none
  OptCommandOptions opt;
  AuditCommandOptions audit;
  ExplainCommandOptions explain;
  ModelCommandOptions model;
  VerifyCommandOptions verify;
  std::string topic;  // the id of `rule` and `patterns show`
  PatchOptions patch; // patch-vec-barriers
  TimelineCommandOptions timeline;
  CompareCommandOptions compare;
  RunWatch *watch = nullptr; // looks after the runs of kernels; null: nobody does
};

/// Holds an exit code instead of options where there is nothing left to do: --help, errors. A message has been printed
/// then.
struct ParsedCommandLine {
  ToolOptions options;
  int exitCode = -1; // >= 0: stop with it
};
ParsedCommandLine parseCommandLine(int argc, const char *const *argv);

/// Reads FILE:LINE, FILE:LINE:COLUMN as compilers write it, or FILE:TILE.
llvm::Expected<ExplainCommandOptions> parsePlace(const std::string &text);

/// Reads line numbers separated by commas; empty parts and white space are skipped. Numbers outside the file are not an
/// error here.
llvm::Expected<std::set<std::int64_t>> parsePatchLines(std::string_view text);

/// Returns ids without aliases; `none`, `off`, `disable` and `disabled` stand for nothing. Names of patterns are the
/// script's, and others are refused as the script refuses them.
llvm::Expected<std::set<std::string>> parsePatchPatterns(std::string_view text);

} // namespace ptosync
