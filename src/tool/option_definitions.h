// The subcommands and options of the command line as llvm::cl wants them; options.cpp makes plain values of them.
//
// What one command alone has stands with it: audit_options.h and its like. Tested by tests/tool/options_test.cpp.
#pragma once

#include "tool/options.h"

#include <llvm/Support/CommandLine.h>

#include <string>

namespace ptosync {

namespace cl = llvm::cl;

/// Options live here, not at namespace scope: nothing outside parsing sees them.
struct OptionDefinitions {
  cl::OptionCategory category{"ptosync options"};
  cl::SubCommand opt{"opt", "take out or weaken syncs that order nothing"};
  cl::SubCommand audit{"audit", "report what is wrong with the synchronisation of kernels; change nothing"};
  cl::SubCommand fix{"fix", "put in what is missing from a broken kernel, each change verified"};
  cl::SubCommand explain{"explain", "say why a sync is there, what an instruction waits for, who touches a tile"};
  cl::SubCommand verify{"verify", "replay two versions of a kernel: has the second one lost any order?"};
  cl::SubCommand timeline{"timeline", "estimate when each pipe does what, and what it waits for"};
  cl::SubCommand compare{"compare",
                         "lay two versions of a kernel beside each other: statements, estimated time, syncs"};
  cl::SubCommand patterns{"patterns", "list, show or test the patterns"};
  cl::SubCommand model{"model", "what the machine model says of calls, and whether it fits a library"};
  cl::SubCommand patch{"patch-vec-barriers", "take out chosen vector barriers, as the text script does, but proved"};

  /// What reads kernels as the machine orders them, and what of that estimates times.
  cl::SubCommandGroup analysing{&opt, &audit, &fix, &explain, &verify, &patch, &timeline, &compare};
  cl::SubCommandGroup estimating{&opt, &timeline, &compare};

  cl::opt<std::string> input{cl::Positional, cl::desc("KERNEL.cpp"), cl::sub(opt), cl::cat(category), cl::Required};
  cl::opt<std::string> output{"o",
                              cl::desc("write the patched kernel here ('-': standard output)"),
                              cl::value_desc("OUT.cpp"),
                              cl::sub(opt),
                              cl::sub(fix),
                              cl::cat(category)};
  cl::opt<std::string> broken{cl::Positional, cl::desc("KERNEL.cpp"), cl::sub(fix), cl::cat(category), cl::Required};
  cl::opt<std::string> arch{
      "arch",
      cl::desc("architecture, a3 or a5 (default: what the environment, the configuration or the text says, else a3)"),
      cl::value_desc("a3|a5"),
      cl::sub(analysing),
      cl::sub(patterns),
      cl::sub(model),
      cl::cat(category)};
  cl::opt<std::string> trust{"trust",
                             cl::desc("tile (default): a library call is one opaque access; library: the barriers "
                                      "inside library calls count"),
                             cl::value_desc("tile|library"),
                             cl::init("tile"),
                             cl::sub(opt),
                             cl::sub(audit),
                             cl::sub(fix),
                             cl::sub(explain),
                             cl::sub(verify),
                             cl::sub(patch),
                             cl::cat(category)};
  cl::opt<std::string> patternSpec{"patterns",
                                   cl::desc("default, all, none (off, disable, disabled), or a list of ids"),
                                   cl::value_desc("ID,..."),
                                   cl::init("default"),
                                   cl::sub(opt),
                                   cl::sub(explain),
                                   cl::cat(category)};
  cl::list<std::string> patternFiles{"pattern-file",           cl::desc("add a pattern of your own (repeatable)"),
                                     cl::value_desc("F.json"), cl::sub(opt),
                                     cl::sub(explain),         cl::sub(patterns),
                                     cl::cat(category)};
  cl::list<std::string> rewrites{"rewrite",
                                 cl::desc("also make this rewrite, with a value or the one the tool proves "
                                          "(repeatable; `patterns list` names them)"),
                                 cl::value_desc("ID[=N|auto]"), cl::sub(opt), cl::cat(category)};
  cl::opt<bool> resync{"resync", cl::desc("place syncs anew where that is estimated faster, and proved"), cl::sub(opt),
                       cl::cat(category)};
  cl::opt<std::string> effort{"effort",
                              cl::desc("how many ways --resync tries for each kernel, 1 to 9 (default 3)"),
                              cl::value_desc("N"),
                              cl::init("3"),
                              cl::sub(opt),
                              cl::cat(category)};
  cl::opt<std::string> timeLimit{"time-limit",
                                 cl::desc("seconds after which --resync keeps the best that it has proved so far"),
                                 cl::value_desc("S"), cl::sub(opt), cl::cat(category)};
  cl::list<std::string> reservedIds{"reserve-ids",
                                    cl::CommaSeparated,
                                    cl::desc("event ids that --resync and fix give to no flag"),
                                    cl::value_desc("ID,..."),
                                    cl::sub(opt),
                                    cl::sub(fix),
                                    cl::cat(category)};
  cl::opt<std::string> report{"report", cl::desc("write the JSON report here"), cl::value_desc("R.json"), cl::sub(opt),
                              cl::cat(category)};
  cl::opt<bool> diff{"diff", cl::desc("print a unified diff; exit 1 if there are changes"), cl::sub(opt),
                     cl::cat(category)};
  cl::opt<bool> dryRun{"dry-run", cl::desc("decide and report, write no kernel"), cl::sub(opt), cl::sub(fix),
                       cl::cat(category)};
  cl::opt<bool> verbose{
      "verbose",         cl::desc("list every sync with its reason, or every loop with its trip counts"),
      cl::sub(opt),      cl::sub(verify),
      cl::sub(patterns), cl::sub(compare),
      cl::cat(category)};
  cl::opt<bool> quiet{
      "quiet",          cl::desc("print no summary where a file is written, and no progress; errors still"),
      cl::sub(opt),     cl::sub(audit),
      cl::sub(fix),     cl::sub(timeline),
      cl::sub(compare), cl::sub(patch),
      cl::cat(category)};
  cl::opt<bool> timings{"timings", cl::desc("print how long parsing and analysis took"), cl::sub(opt), cl::sub(verify),
                        cl::cat(category)};
  cl::opt<std::string> maxRemovals{"max-removals", cl::desc("stop after N edits, removals or moves"),
                                   cl::value_desc("N"), cl::sub(opt), cl::cat(category)};
  cl::opt<bool> bisect{"bisect", cl::desc("list the edits by number; with --max-removals=N show the N-th alone"),
                       cl::sub(opt), cl::cat(category)};
  cl::opt<bool> cost{"cost",
                     cl::desc("estimate the time before and after, the data-flow limit and what each sync costs"),
                     cl::sub(opt), cl::cat(category)};
  cl::opt<std::string> timing{"timing", cl::desc("durations of your own, over the built-in ones"),
                              cl::value_desc("F.json"), cl::sub(estimating), cl::cat(category)};
  cl::opt<std::string> html{"html", cl::desc("write a page for reviewers here: every sync with its reason, timelines"),
                            cl::value_desc("R.html"), cl::sub(estimating), cl::cat(category)};
  cl::opt<std::string> only{"only",
                            cl::desc("restrict the text report to the syncs of this verdict, with their reasons"),
                            cl::value_desc("removed|moved|kept"), cl::sub(opt), cl::cat(category)};
  cl::list<std::string> lines{"lines",
                              cl::desc("consider only syncs on these lines"),
                              cl::value_desc("L1,L2,..."),
                              cl::CommaSeparated,
                              cl::sub(opt),
                              cl::cat(category)};
  cl::opt<std::string> print{"print",
                             cl::desc("chains: def/use chains per pipe; flags: webs, tokens and free event ids; "
                                      "kernel: the lifted kernel; prelude: the declarations it is parsed against"),
                             cl::value_desc("chains|flags|kernel|prelude"), cl::sub(opt), cl::cat(category)};
  cl::opt<std::string> auditPrint{"print", cl::desc("config: the configuration that applies to each file"),
                                  cl::value_desc("config"), cl::sub(audit), cl::cat(category)};
  cl::opt<std::string> machine{"machine",
                               cl::desc("machine model to use instead of the built-in one"),
                               cl::value_desc("F.json"),
                               cl::sub(analysing),
                               cl::sub(model),
                               cl::cat(category)};
  cl::opt<std::string> include{"pto-include",         cl::desc("directory of the real PTO headers"),
                               cl::value_desc("DIR"), cl::sub(analysing),
                               cl::sub(model),        cl::cat(category)};
  cl::list<std::string> includes{"I",
                                 cl::desc("folder of the kernel's own headers, as its build has it (repeatable)"),
                                 cl::value_desc("DIR"),
                                 cl::sub(analysing),
                                 cl::sub(model),
                                 cl::cat(category)};
  cl::list<std::string> defines{"D",
                                cl::desc("macro that the kernel's build defines; answers conditions (repeatable)"),
                                cl::value_desc("NAME[=VALUE]"),
                                cl::sub(analysing),
                                cl::sub(model),
                                cl::cat(category)};
  cl::list<std::string> undefines{"U",
                                  cl::desc("macro that the kernel's build does not define (repeatable)"),
                                  cl::value_desc("NAME"),
                                  cl::sub(analysing),
                                  cl::sub(model),
                                  cl::cat(category)};
  cl::opt<bool> gmMayAlias{"gm-may-alias", cl::desc("pointer arguments of a kernel may overlap"), cl::sub(analysing),
                           cl::cat(category)};
  cl::opt<bool> strictCopies{"strict-copies", cl::desc("copies inside UB are opaque fences"), cl::sub(analysing),
                             cl::cat(category)};
  cl::opt<std::string> vectorOrder{
      "a5-vector-order",        cl::desc("on (default): a5 orders vector instructions by itself"),
      cl::value_desc("on|off"), cl::init("on"),
      cl::sub(analysing),       cl::cat(category)};
  cl::opt<bool> accumulateOrder{"m-accumulate-order",
                                cl::desc("rely on the order of accumulations on one Acc tile (contested)"),
                                cl::sub(analysing), cl::cat(category)};
  cl::opt<std::string> chain{
      "chain",
      cl::desc("distance (default): a vector result is in order with its reader if every byte is "
               "read late enough; assembler: if the result is long enough"),
      cl::value_desc("distance|assembler"),
      cl::init("distance"),
      cl::sub(analysing),
      cl::cat(category)};
  cl::opt<std::string> before{cl::Positional, cl::desc("BEFORE.cpp"), cl::sub(verify), cl::cat(category), cl::Required};
  cl::opt<std::string> after{cl::Positional, cl::desc("AFTER.cpp"), cl::sub(verify), cl::cat(category), cl::Required};
  cl::list<std::string> arguments{"arg",
                                  cl::desc("value of an integer kernel argument (repeatable)"),
                                  cl::value_desc("NAME=VALUE"),
                                  cl::sub(estimating),
                                  cl::sub(verify),
                                  cl::cat(category)};
  cl::opt<std::string> format{"format",
                              cl::desc("text (default) or json"),
                              cl::value_desc("text|json"),
                              cl::init("text"),
                              cl::sub(explain),
                              cl::sub(verify),
                              cl::sub(model),
                              cl::cat(category)};
  cl::list<std::string> patternWords{cl::Positional, cl::desc("list | show ID | test"), cl::sub(patterns),
                                     cl::cat(category), cl::ZeroOrMore};
  AuditDefinitions auditOnly{audit, category};
  ExplainDefinitions explainOnly{explain, category};
  ModelDefinitions modelOnly{model, category};
  TimelineDefinitions timelineOnly{timeline, category};
  CompareDefinitions compareOnly{compare, category};
  cl::opt<std::string> source{cl::Positional, cl::desc("SRC.cpp"), cl::sub(patch), cl::cat(category), cl::Required};
  cl::opt<std::string> target{cl::Positional, cl::desc("DST.cpp"), cl::sub(patch), cl::cat(category), cl::Required};
  PatchDefinitions patchOnly{patch, category};
  cl::extrahelp findings{auditHelp()};

  /// Help is one text for all commands.
  static const char *auditHelp() {
    static const std::string text = "\n" + findingHelp();
    return text.c_str();
  }
};

} // namespace ptosync
