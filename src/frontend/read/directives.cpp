#include "frontend/read/directives.h"

#include "frontend/frontend.h"
#include "frontend/read/token_stream.h"
#include "kernel/assumption.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <set>

namespace ptosync {
namespace {

constexpr llvm::StringRef kTool = "ptosync";
constexpr llvm::StringRef kKnown = "keep, keep(reason), arch a3, arch a5, assume(n >= 0 && n < 48)";

bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

llvm::StringRef wordOf(llvm::StringRef text) { return text.take_while(isWordPart); }

/// Up to the end of the line, without what closes a comment.
llvm::StringRef restOfLine(llvm::StringRef text) {
  text = text.take_until([](char c) { return c == '\n' || c == '\r'; });
  text = text.trim();
  text.consume_back("*/");
  return text.trim();
}

bool isNear(llvm::StringRef word, llvm::StringRef known) {
  constexpr unsigned kMostEdits = 2;
  return word.size() + 1 >= known.size() && word.edit_distance(known, true, kMostEdits) <= (word.size() > 4 ? 2u : 1u);
}

/// The directive a misspelt word was meant to be; empty if none.
llvm::StringRef nearestDirective(llvm::StringRef word) {
  std::string lower = word.lower();
  for (llvm::StringRef known : {"keep", "arch", "assume"})
    if (isNear(lower, known))
      return known;
  return {};
}

/// Lines by what stands on them.
struct FileLines {
  std::set<std::uint32_t> comments, code;
};

void addLines(const std::vector<SourceToken> &tokens, std::set<std::uint32_t> &lines) {
  for (const SourceToken &token : tokens) {
    const std::uint32_t last = token.line + static_cast<std::uint32_t>(token.text.drop_back().count('\n'));
    for (std::uint32_t line = token.line; line <= last; ++line)
      if (lines.empty() || *lines.rbegin() < line) // tokens come in the order of the text
        lines.insert(lines.end(), line);
  }
}

class DirectiveReader {
public:
  explicit DirectiveReader(const TokenStream &file) : file(file), source(file.source()) {
    addLines(file.comments(), lines.comments);
    addLines(file.tokens(), lines.code);
  }

  llvm::Expected<std::vector<Directive>> read() {
    for (const SourceToken &comment : file.comments())
      readComment(comment);
    checkArchitectures();
    if (!problems.empty())
      return llvm::make_error<SourceError>(problems);
    return std::move(directives);
  }

private:
  void readComment(const SourceToken &comment) {
    const llvm::StringRef text = comment.text;
    checkToolName(text, comment);
    for (std::size_t at = text.find_insensitive(kTool); at != llvm::StringRef::npos;
         at = text.find_insensitive(kTool, at + kTool.size())) {
      llvm::StringRef before = text.take_front(at), after = text.drop_front(at + kTool.size());
      if (!before.empty() && (isWordPart(before.back()) || before.back() == '.' || before.back() == '-'))
        continue;
      if (!after.empty() && (isWordPart(after.front()) || after.front() == '.' || after.front() == '/'))
        continue;
      llvm::StringRef line = before.substr(before.find_last_of('\n') + 1); // npos + 1 is the start
      bool first = line.find_first_not_of(" \t/*!<") == llvm::StringRef::npos;
      readDirective(after, first, comment, comment.begin + static_cast<std::uint32_t>(at));
    }
  }

  void readDirective(llvm::StringRef after, bool first, const SourceToken &comment, std::uint32_t offset) {
    llvm::StringRef body = after.ltrim(" \t");
    bool colon = body.consume_front(":");
    if (colon && body.starts_with(":"))
      return; // a scope
    body = body.ltrim(" \t");
    llvm::StringRef word = wordOf(body);
    if (colon && readOwn(body, comment, offset))
      return;
    if (word.equals_insensitive("keep") && (colon || first)) {
      add(Directive::Kind::Keep, keepReason(body.drop_front(word.size())), comment, offset);
      return;
    }
    if (word.equals_insensitive("arch") && (colon || first)) {
      readArch(body.drop_front(word.size()), comment, offset);
      return;
    }
    if (word.equals_insensitive("assume") && (colon || first)) {
      readAssume(body.drop_front(word.size()), comment, offset);
      return;
    }
    llvm::StringRef meant = nearestDirective(word);
    if (colon ? !first && meant.empty() : !first || meant.empty())
      return; // prose
    std::string hint = meant.empty() ? "; known are " + kKnown.str() : "; did you mean '" + meant.str() + "'?";
    complain(offset, "unknown directive 'ptosync: " + restOfLine(body).substr(0, 40).str() + "'" + hint);
  }

  /// What the tool writes itself.
  bool readOwn(llvm::StringRef body, const SourceToken &comment, std::uint32_t offset) {
    if (body.consume_front("removed ")) {
      add(Directive::Kind::Removed, restOfLine(body).split(" [").first.str(), comment, offset);
      return true;
    }
    std::size_t digits = body.find_first_not_of("0123456789");
    bool slots = digits != 0 && body.substr(digits).starts_with(" local slots, were ");
    if (!slots && !body.starts_with("moved from line ") && !body.starts_with("moved to line") &&
        !body.starts_with("orders "))
      return false;
    add(Directive::Kind::Note, restOfLine(body).str(), comment, offset);
    return true;
  }

  static std::string keepReason(llvm::StringRef text) {
    llvm::StringRef line = restOfLine(text);
    if (line.consume_front("("))
      return line.take_until([](char c) { return c == ')'; }).trim().str();
    return line.ltrim(" \t:=-").str();
  }

  void readArch(llvm::StringRef text, const SourceToken &comment, std::uint32_t offset) {
    std::string name = wordOf(restOfLine(text).ltrim(" \t:=(")).lower();
    if (name != "a3" && name != "a5")
      complain(offset, "'ptosync: arch " + name + "' is no architecture; write arch a3 or arch a5");
    else
      add(Directive::Kind::Arch, name, comment, offset);
  }

  void readAssume(llvm::StringRef text, const SourceToken &comment, std::uint32_t offset) {
    // Who puts words or another comment in front of one takes it back.
    const llvm::StringRef front = comment.text.take_front(offset - comment.begin).rtrim(" \t");
    if (front != "//" && front != "/*")
      return complain(offset,
                      "'ptosync: assume' has to be the first thing in its comment; take it out if it does not hold");
    llvm::StringRef line = restOfLine(text).ltrim(" \t:");
    if (line.consume_front("(")) {
      if (!line.consume_back(")"))
        return complain(offset, "'ptosync: assume(' has no ')' at the end of its line");
    }
    if (llvm::Expected<std::vector<Assumption>> read = readAssumptions(line))
      add(Directive::Kind::Assume, line.trim().str(), comment, offset);
    else
      complain(offset, "'ptosync: assume': " + llvm::toString(read.takeError()));
  }

  /// `// ptosnyc: keep` was meant for the tool too.
  void checkToolName(llvm::StringRef text, const SourceToken &comment) {
    std::size_t at = text.find_first_not_of(" \t/*!<");
    if (at == llvm::StringRef::npos)
      return;
    llvm::StringRef name = text.substr(at).take_while([](char c) { return isWordPart(c) || c == '-'; });
    llvm::StringRef body = text.substr(at + name.size()).ltrim(" \t");
    std::string lower = name.lower();
    if (lower == kTool || !body.consume_front(":") || llvm::StringRef(lower).edit_distance(kTool, true, 2) > 2)
      return;
    llvm::StringRef word = wordOf(body.ltrim(" \t"));
    if (word.equals_insensitive("keep") || word.equals_insensitive("arch") || word.equals_insensitive("assume"))
      complain(comment.begin + static_cast<std::uint32_t>(at),
               "'" + name.str() + ": " + word.str() + "'; did you mean 'ptosync: " + word.lower() + "'?");
  }

  void add(Directive::Kind kind, std::string argument, const SourceToken &comment, std::uint32_t offset) {
    Directive directive;
    directive.kind = kind;
    directive.argument = std::move(argument);
    directive.line = source.position(offset).line;
    directive.column = source.position(offset).column;
    directive.firstLine = comment.line;
    directive.lastLine = source.position(comment.end() - 1).line;
    directive.lineBelow = lineBelow(directive.firstLine, directive.lastLine);
    directive.offset = offset;
    directives.push_back(std::move(directive));
  }

  std::uint32_t lineBelow(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t line = first; line <= last; ++line)
      if (lines.code.count(line))
        return 0;
    std::uint32_t below = last + 1;
    while (lines.comments.count(below) && !lines.code.count(below))
      ++below;
    return lines.code.count(below) ? below : 0;
  }

  void checkArchitectures() {
    const Directive *known = nullptr;
    for (const Directive &directive : directives) {
      if (directive.kind != Directive::Kind::Arch)
        continue;
      if (known && known->argument != directive.argument)
        problems += source.name() + ":" + std::to_string(directive.line) + ":" + std::to_string(directive.column) +
                    ": error: 'ptosync: arch " + directive.argument + "', but line " + std::to_string(known->line) +
                    " says " + known->argument + "\n";
      else
        known = &directive;
    }
  }

  void complain(std::uint32_t offset, const std::string &text) {
    LineColumn at = source.position(offset);
    problems +=
        source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": error: " + text + "\n";
  }

  const TokenStream &file;
  const SourceText &source;
  FileLines lines;
  std::vector<Directive> directives;
  std::string problems;
};

} // namespace

llvm::Expected<std::vector<Directive>> readDirectives(const TokenStream &file) {
  // Without one of these words there is no directive, not even a misspelt one.
  const bool may = llvm::any_of(file.comments(), [](const SourceToken &comment) {
    return comment.text.contains_insensitive(kTool) || comment.text.contains_insensitive("keep") ||
           comment.text.contains_insensitive("arch") || comment.text.contains_insensitive("assume");
  });
  return may ? DirectiveReader(file).read() : std::vector<Directive>();
}

llvm::Expected<std::vector<Directive>> readDirectives(const SourceText &source) {
  return readDirectives(TokenStream(source));
}

} // namespace ptosync
