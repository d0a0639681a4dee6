// What every edit that moves a flag statement has to heed, whatever the place.
//
// Text means the same elsewhere only if its event id is a constant and no line of the preprocessor lies
// in between: the statement must not get into, or out of, a part that may be left out.
// Tested through the tests of the edit kinds, tests/optimize/move_flag_test.cpp and sink_into_arms_test.cpp.
#pragma once

#include "optimize/edit_session.h"

namespace ptosync {

/// True if the event id is a constant in every call of every kernel.
bool hasConstantId(const EditSession &session, SiteId site);

/// The preprocessor's lines of a file.
class Directives {
public:
  explicit Directives(const SourceText &source);
  bool between(std::uint32_t offset, std::uint32_t other) const;

private:
  std::set<std::uint32_t> offsets;
};

/// True if nothing that other statements may still do makes the refused move possible: edits only ever
/// weaken. What another flag's own use forbids may change when that moves.
bool isLasting(const EditSession::Refusal &refusal);

/// Why a moved statement stands no farther: what refused the next place, whose conflict it names, or,
/// without a refusal, `atEnd`. `needed` says what such a conflict is to the statement.
Evidence limitEvidence(const EditSession &session, const std::optional<EditSession::Refusal> &refusal,
                       const char *needed, const char *atEnd);

} // namespace ptosync
