#include "ordering/conflict.h"

namespace ptosync {

const char *hazardKindName(HazardKind kind) {
  switch (kind) {
  case HazardKind::ReadAfterWrite: return "RAW";
  case HazardKind::WriteAfterRead: return "WAR";
  case HazardKind::WriteAfterWrite: return "WAW";
  case HazardKind::ReadAfterRead: return "RAR";
  case HazardKind::Fence: return "fence";
  case HazardKind::FlagReuse: return "flag reuse";
  }
  return "?";
}

} // namespace ptosync
