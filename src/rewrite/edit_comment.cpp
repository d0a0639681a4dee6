#include "rewrite/edit_comment.h"

#include <llvm/ADT/StringRef.h>

#include <optional>

namespace ptosync {
namespace {

/// Takes "[pattern: reason]" off the end.
void readBrackets(llvm::StringRef &text, EditComment &comment) {
  std::size_t open = text.rfind(" [");
  if (open == llvm::StringRef::npos || !text.ends_with("]"))
    return;
  auto [pattern, reason] = text.drop_front(open + 2).drop_back().split(": ");
  comment.pattern = pattern.str();
  comment.reason = reason.str();
  text = text.take_front(open);
}

/// `text`: what follows "ptosync:", up to the end of the comment.
std::optional<EditComment> readEditComment(llvm::StringRef text) {
  EditComment comment;
  text = text.trim();
  if (text.consume_front("removed ")) {
    readBrackets(text, comment);
    comment.statement = text.str();
    return comment;
  }
  if (text.consume_front("moved from ")) {
    comment.kind = EditComment::Kind::MovedFrom;
    readBrackets(text, comment);
    comment.lines = text.str();
    return comment;
  }
  if (text.starts_with("orders ")) {
    comment.kind = EditComment::Kind::Added;
    comment.reason = text.str();
    return comment;
  }
  if (!text.consume_front("moved to "))
    return std::nullopt;
  comment.kind = EditComment::Kind::MovedTo;
  readBrackets(text, comment);
  comment.lines = text.split(": ").first.str();
  comment.statement = text.split(": ").second.str();
  return comment;
}

} // namespace

const char *editCommentName(EditComment::Kind kind) {
  switch (kind) {
  case EditComment::Kind::Removed: return "removed";
  case EditComment::Kind::MovedTo: return "moved-to";
  case EditComment::Kind::MovedFrom: return "moved-from";
  case EditComment::Kind::Added: return "added";
  }
  return "?";
}

std::vector<EditComment> editCommentsOn(const Module &module, std::uint32_t line) {
  std::vector<EditComment> comments;
  for (const Directive &directive : module.directives) {
    if (directive.line != line ||
        (directive.kind != Directive::Kind::Removed && directive.kind != Directive::Kind::Note))
      continue;
    llvm::StringRef text(module.source.line(line));
    text = text.drop_front(std::min<std::size_t>(directive.column - 1, text.size()));
    text.consume_front_insensitive("ptosync");
    text = text.ltrim();
    text.consume_front(":");
    text = text.take_front(text.find("*/"));
    if (std::optional<EditComment> comment = readEditComment(text))
      comments.push_back(std::move(*comment));
  }
  return comments;
}

} // namespace ptosync
