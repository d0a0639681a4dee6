#include "optimize/decision.h"

namespace ptosync {

const char *keptReasonName(KeptReason reason) {
  switch (reason) {
  case KeptReason::None: return "none";
  case KeptReason::Hazard: return "hazard";
  case KeptReason::Unresolved: return "unresolved";
  case KeptReason::Protected: return "protected";
  case KeptReason::NotNominated: return "not-nominated";
  case KeptReason::NotAnalysed: return "not-analysed";
  case KeptReason::Unbalanced: return "unbalanced";
  case KeptReason::Intermittent: return "intermittent";
  case KeptReason::Limit: return "limit";
  }
  return "?";
}

} // namespace ptosync
