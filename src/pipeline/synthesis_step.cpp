#include "pipeline/synthesis_step.h"

namespace ptosync {

synthesis::Lift lifterOf(const std::string &name, const FrontendOptions &frontend) {
  return [name, frontend](const std::string &text) { return liftModule(SourceText(name, text), frontend); };
}

} // namespace ptosync
