#include "tool/model_options.h"

namespace ptosync {

namespace cl = llvm::cl;

ModelDefinitions::ModelDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : calls("calls", cl::desc("what the model says of every call of a kernel file: form, pipes, flags, bytes"),
            cl::value_desc("KERNEL.cpp"), cl::sub(command), cl::cat(category)),
      check("check", cl::desc("is the library of --pto-include the one that the model was made from?"),
            cl::sub(command), cl::cat(category)) {}

std::string ModelDefinitions::read(ModelCommandOptions &options) const {
  options.calls = calls;
  options.check = check;
  if (options.calls.empty() == !options.check)
    return "model: expected --calls=KERNEL.cpp or --check --pto-include=DIR";
  return {};
}

} // namespace ptosync
