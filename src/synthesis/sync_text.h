// Syncs that are put into a text: where exactly, on which lines, and with which words.
//
//   NewSync at a TextPlace --> an offset and whether the line follows or precedes it
//
// One statement a line, with the indentation of its neighbour; on a line that it must share, a statement on that line.
// Tested by tests/synthesis/sync_text_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "synthesis/proposal.h"

namespace ptosync::synthesis {

/// "EVENT_ID3"; ids above 7 have no name and are cast.
std::string eventName(std::int64_t id);

/// The statement of a sync, with its semicolon.
std::string statementText(SyncKind kind, Pipe source, Pipe destination, std::int64_t id);
/// Of a flag whose event id is spelled like this.
std::string statementText(SyncKind kind, Pipe source, Pipe destination, const std::string &event);

/// How a sync in front of the statement that begins at `offset` stands there.
AddedSync::Line lineInFront(const SourceText &source, std::uint32_t offset);

void setReason(AddedSync &added, const OrderReason &reason);

/// The syncs of a proposal, whose ids begin with `id`, as additions to a text.
std::vector<AddedSync> additionsOf(const Proposal &proposal, std::int64_t id, const SourceText &source,
                                   const StatementTree &tree);

/// What an added sync says it orders, so that it is found again in a text that was lifted: by its number.
std::string markOf(std::size_t number);
/// The number whose mark follows a site on its line; kNone if none does.
std::size_t markBehind(const SourceText &source, const SyncSite &site);

/// As they stand in the text.
void sortByPlace(std::vector<AddedSync> &added);

} // namespace ptosync::synthesis
