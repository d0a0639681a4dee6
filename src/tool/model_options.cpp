#include "tool/model_options.h"

namespace ptosync {

namespace cl = llvm::cl;

ModelDefinitions::ModelDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : calls("calls", cl::desc("what the model says of every call of a kernel file: form, pipes, flags, bytes"),
            cl::value_desc("KERNEL.cpp"), cl::sub(command), cl::cat(category)),
      check("check", cl::desc("is the library of --pto-include the one that the model was made from?"),
            cl::sub(command), cl::cat(category)),
      hashes(
          "hashes",
          cl::desc("print the hashes of the library of --pto-include, for src/machine/library_*.json, under this name"),
          cl::value_desc("NAME"), cl::sub(command), cl::cat(category)) {}

std::string ModelDefinitions::read(ModelCommandOptions &options) const {
  options.calls = calls;
  options.check = check;
  options.hashes = hashes;
  if (int(!options.calls.empty()) + int(options.check) + int(!options.hashes.empty()) != 1)
    return "model: expected one of --calls=KERNEL.cpp, --check and --hashes=NAME";
  return {};
}

} // namespace ptosync
