#include "machine/model_choices.h"

namespace ptosync {

std::string optionsText(const ModelChoices &choices) {
  std::string text = std::string(" --trust=") + trustName(choices.trust);
  if (choices.argumentsMayAlias)
    text += " --gm-may-alias";
  if (choices.strictCopies)
    text += " --strict-copies";
  if (!choices.vectorOrder)
    text += " --a5-vector-order=off";
  if (choices.accumulateOrder)
    text += " --m-accumulate-order";
  if (choices.assemblerChain)
    text += " --chain=assembler";
  return text;
}

} // namespace ptosync
