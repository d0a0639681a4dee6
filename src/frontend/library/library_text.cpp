#include "frontend/library/library_text.h"

#include "base/read_files.h"
#include "frontend/read/token_stream.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <vector>

namespace ptosync {
namespace {

bool oneOf(llvm::StringRef word, std::initializer_list<const char *> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Cuts the words of one header into definitions.
class Cutter {
public:
  Cutter(const std::vector<SourceToken> &words, LibraryText &text) : words(words), text(text) {}

  void run() {
    while (at < words.size()) {
      if (startsDirective())
        directive();
      else if (words[at].text == "}" || words[at].text == ";")
        ++at; // the end of a namespace
      else if (!opensScope())
        definition();
    }
  }

private:
  bool startsDirective() const { return at < words.size() && words[at].startsLine && words[at].text == "#"; }

  /// Returns the words of the directive at hand, none of which names what a definition gives; moves behind it.
  std::vector<SourceToken> takeDirective() {
    std::vector<SourceToken> line;
    do {
      line.push_back(words[at]);
      line.back().kind = clang::tok::unknown;
      ++at;
    } while (at < words.size() && !words[at].startsLine);
    return line;
  }

  static std::string joined(const std::vector<SourceToken> &list) {
    std::string all;
    for (const SourceToken &word : list)
      all += word.text.str() + " ";
    return all;
  }

  void directive() {
    const std::vector<SourceToken> line = takeDirective();
    const llvm::StringRef kind = line.size() > 1 ? line[1].text : "";
    if (kind == "define" && line.size() > 2)
      define(line[2].text.str(), joined(line));
    else if (oneOf(kind, {"if", "ifdef", "ifndef"}))
      conditions.push_back(joined(line));
    else if (oneOf(kind, {"elif", "else"}) && !conditions.empty())
      conditions.back() += joined(line);
    else if (kind == "endif" && !conditions.empty())
      conditions.pop_back();
  }

  /// A namespace or a linkage block is entered, not kept.
  bool opensScope() {
    std::size_t ahead = at;
    if (words[ahead].text == "inline" && ahead + 1 < words.size() && words[ahead + 1].text == "namespace")
      ++ahead;
    bool linkage = words[ahead].text == "extern" && ahead + 2 < words.size() && words[ahead + 2].text == "{";
    if (words[ahead].text != "namespace" && !linkage)
      return false;
    while (ahead < words.size() && words[ahead].text != "{" && words[ahead].text != ";")
      ++ahead;
    at = ahead + 1;
    return true;
  }

  void define(const std::string &name, const std::string &body) {
    std::string around;
    for (const std::string &condition : conditions)
      around += condition + " ";
    text[name].insert(around + body);
  }

  /// One definition: up to its closing brace or semicolon.
  void definition() {
    std::vector<SourceToken> taken;
    std::size_t head = 0; // words in front of the body or the initialiser
    int braces = 0, parentheses = 0;
    while (at < words.size()) {
      if (startsDirective()) {
        const std::vector<SourceToken> line = takeDirective();
        taken.insert(taken.end(), line.begin(), line.end());
        continue;
      }
      const SourceToken &word = words[at++];
      taken.push_back(word);
      // A default argument of a template is no initialiser.
      if (!head && parentheses == 0 && oneOf(word.text, {"{", "=", ";"}) &&
          behindTemplate(taken, taken.size()) < taken.size())
        head = taken.size() - 1;
      if (oneOf(word.text, {"(", "["}))
        ++parentheses;
      else if (oneOf(word.text, {")", "]"}))
        --parentheses;
      else if (word.text == "{")
        ++braces;
      else if (word.text == "}")
        --braces;
      const bool outside = braces == 0 && parentheses == 0;
      if (braces < 0 || (outside && (word.text == ";" || (word.text == "}" && endsBehindBrace(taken, head)))))
        break;
    }
    const std::string body = joined(taken);
    for (const std::string &name : namesOf(taken, head ? head : taken.size()))
      define(name, body);
  }

  /// A function ends with its body; a class and an initialiser go on to the semicolon.
  bool endsBehindBrace(const std::vector<SourceToken> &taken, std::size_t head) const {
    if (at < words.size() && oneOf(words[at].text, {";", ",", "{", "(", ".", ")"}))
      return false;
    bool initialiser = head < taken.size() && taken[head].text == "=";
    return !initialiser && !declaresClass(taken, head);
  }

  static bool isClassWord(llvm::StringRef word) { return oneOf(word, {"struct", "class", "union", "enum"}); }

  /// First word behind `template <...>`.
  static std::size_t behindTemplate(const std::vector<SourceToken> &taken, std::size_t head) {
    std::size_t i = 0;
    while (i < head && taken[i].text == "template") {
      int angles = 0, parentheses = 0;
      for (++i; i < head; ++i) {
        const llvm::StringRef word = taken[i].text;
        parentheses += word == "(" ? 1 : word == ")" ? -1 : 0;
        if (parentheses == 0)
          angles += word == "<" ? 1 : word == ">" ? -1 : word == ">>" ? -2 : 0;
        if (angles <= 0 && i > 0 && oneOf(word, {">", ">>"}) && parentheses == 0) {
          ++i;
          break;
        }
      }
    }
    return i;
  }

  static bool declaresClass(const std::vector<SourceToken> &taken, std::size_t head) {
    for (std::size_t i = behindTemplate(taken, head); i < head; ++i) {
      if (isClassWord(taken[i].text))
        return true;
      if (taken[i].text == "(")
        return false;
    }
    return false;
  }

  /// Every name that the definition may give.
  static std::set<std::string> namesOf(const std::vector<SourceToken> &taken, std::size_t head) {
    std::set<std::string> names;
    std::size_t first = behindTemplate(taken, head);
    for (std::size_t i = first; i < head; ++i) {
      bool called = i + 1 < head && taken[i + 1].text == "(";
      bool last = i + 1 == head || (i + 1 < head && oneOf(taken[i + 1].text, {"[", ":", "<"}));
      bool classed = i > first && (isClassWord(taken[i - 1].text) || taken[i - 1].text == "using");
      if (taken[i].isIdentifier() && (called || last || classed) &&
          !oneOf(taken[i].text,
                 {"__attribute__", "decltype", "noexcept", "alignas", "operator", "void", "static_assert"}))
        names.insert(taken[i].text.str());
    }
    return names;
  }

  const std::vector<SourceToken> &words;
  LibraryText &text;
  std::vector<std::string> conditions; // #if lines around
  std::size_t at = 0;
};

} // namespace

void addLibraryText(std::string_view header, LibraryText &text) {
  const TokenStream file(SourceText("", std::string(header)));
  Cutter(file.tokens(), text).run();
}

llvm::Expected<LibraryText> readLibraryText(const std::string &directory, std::string_view arch, ReadFiles *reads) {
  LibraryText text;
  std::vector<std::string> files;
  for (const char *part : {"common", arch == "a3" ? "npu/a2a3" : "npu/a5"}) {
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator entry(directory + "/pto/" + part, error), end;
         entry != end && !error; entry.increment(error))
      if (llvm::StringRef name = entry->path(); name.ends_with(".hpp") || name.ends_with(".h"))
        files.push_back(entry->path());
  }
  if (files.empty())
    return llvm::createStringError(
        directory + ": holds no pto/common and pto/npu; --pto-include wants the library's include folder");
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      return llvm::createStringError(buffer.getError(), file + ": cannot be read");
    if (llvm::sys::fs::UniqueID id; reads && !llvm::sys::fs::getUniqueID(file, id))
      reads->note(id, file);
    addLibraryText((*buffer)->getBuffer(), text);
  }
  return text;
}

} // namespace ptosync
