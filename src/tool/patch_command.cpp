// `ptosync patch-vec-barriers`: the script's options, log lines and exit codes around the page of src/run/patch.h.
#include "run/patch.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace ptosync {
namespace {

constexpr int kExitRefused = 1; // the script's code for what it cannot do

llvm::Expected<PatchRequest> readRequest(const PatchOptions &options) {
  llvm::Expected<std::set<std::string>> patterns = parsePatchPatterns(options.patterns);
  if (!patterns)
    return patterns.takeError();
  PatchRequest request{std::move(*patterns), {}, options.unsafe};
  std::string experimental;
  for (const std::string &pattern : request.patterns)
    if (pattern != "gu")
      experimental += (experimental.empty() ? "" : ",") + pattern;
  if (!experimental.empty())
    llvm::errs() << "warning: experimental PIPE_V barrier pattern(s) may affect benchmark timing or performance: "
                 << experimental << "\n";
  llvm::Expected<std::set<std::int64_t>> lines = parsePatchLines(options.lines);
  if (!lines)
    return lines.takeError();
  request.lines = std::move(*lines);
  return request;
}

} // namespace

int runPatch(const ToolOptions &options) {
  llvm::Expected<PatchRequest> request = readRequest(options.patch);
  if (!request)
    return fail(request.takeError(), kExitRefused);
  if (llvm::Expected<std::string> text = readFile(options.input, *options.reads, kKernelFile); !text)
    return fail(text.takeError(), kExitRefused);
  llvm::Expected<RunInput> input = readInput(options, {options.input});
  if (!input)
    return fail(input.takeError());
  if (llvm::sys::fs::UniqueID source; !llvm::sys::fs::getUniqueID(options.input, source))
    options.reads->forget(source); // as with the script, DST may be SRC
  llvm::Expected<PatchedFile> patched = patchFile(*input, *request);
  if (!patched)
    return fail(patched.takeError());
  if (!patched->wrongLines.empty()) {
    llvm::errs() << patched->wrongLines;
    return kExitUsage;
  }
  llvm::errs() << patched->notes;
  if (llvm::Error error = checkOutputs(options, {options.output}))
    return fail(std::move(error), kExitUsage);
  if (llvm::Error error = writeFiles({{options.output, patched->text}}, *options.reads))
    return fail(std::move(error), kExitRefused);
  if (!options.quiet)
    llvm::errs() << "Patched generated C++ -> " << options.output << " (removed " << patched->removed
                 << " PIPE_V barriers; lines=" << patched->byLine << ", patterns=" << patched->byPattern << ")\n"
                 << "  arch " << printable(patched->arch) << "\n";
  llvm::errs() << patched->skipped;
  if (patched->libraryMayHelp && !options.quiet)
    llvm::errs() << "  --trust=library or PTOSYNC_TRUST=library: count barriers inside library calls too, if the "
                    "kernel is built with library "
                 << patched->library << "\n";
  return kExitDone;
}

} // namespace ptosync
