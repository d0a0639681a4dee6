#include "differential/program_reducer.h"

#include <algorithm>

namespace ptosync::differential {
namespace {

using List = std::vector<Piece>;

std::vector<List *> listsOf(Program &program) {
  std::vector<List *> lists = {&program.body, &program.around};
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (Piece &piece : *lists[i])
      if (!piece.inside.empty())
        lists.push_back(&piece.inside);
  return lists;
}

/// Innermost parenthesised parts of a text, and what a shorter text has in their place.
std::vector<std::string> plainer(const std::string &text) {
  std::vector<std::string> shorter;
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    int level = 0;
    std::size_t close = open;
    for (; close < text.size(); ++close) {
      level += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
      if (level == 0)
        break;
    }
    if (close >= text.size() || close - open < 4)
      continue;
    bool call = open > 0 && (std::isalnum(static_cast<unsigned char>(text[open - 1])) || text[open - 1] == '_');
    if (!call)
      shorter.push_back(text.substr(0, open) + "1" + text.substr(close + 1));
  }
  std::sort(shorter.begin(), shorter.end(),
            [](const std::string &a, const std::string &b) { return a.size() < b.size(); });
  return shorter;
}

class Reducer {
public:
  Reducer(Program program, const StillFails &fails, std::size_t most)
      : program(std::move(program)), fails(fails), left(most) {}

  Program run() {
    for (bool again = true; again && left > 0;) {
      again = false;
      for (std::size_t length = 8; length > 0; length /= 2)
        again |= takeOut(length);
      again |= unwrap();
      again |= makePlain();
    }
    return std::move(program);
  }

private:
  template <typename Change> bool attempt(std::size_t number, Change change) {
    if (left == 0)
      return false;
    Program smaller = program;
    std::vector<List *> lists = listsOf(smaller);
    if (number >= lists.size() || !change(*lists[number]))
      return false;
    --left;
    if (!fails(smaller))
      return false;
    program = std::move(smaller);
    return true;
  }

  bool takeOut(std::size_t length) {
    bool changed = false;
    for (std::size_t number = 0; number < listsOf(program).size(); ++number)
      for (std::size_t begin = 0;
           number < listsOf(program).size() && begin + length <= listsOf(program)[number]->size();) {
        bool cut = attempt(number, [&](List &list) {
          auto first = list.begin() + static_cast<std::ptrdiff_t>(begin);
          list.erase(first, first + static_cast<std::ptrdiff_t>(length));
          return true;
        });
        changed |= cut;
        begin += cut ? 0 : 1;
      }
    return changed;
  }

  bool unwrap() {
    bool changed = false;
    for (std::size_t number = 0; number < listsOf(program).size(); ++number)
      for (std::size_t at = 0; number < listsOf(program).size() && at < listsOf(program)[number]->size(); ++at)
        changed |= attempt(number, [&](List &list) {
          Piece piece = list[at];
          if (piece.inside.empty())
            return false;
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
          list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), piece.inside.begin(), piece.inside.end());
          return true;
        });
    return changed;
  }

  bool makePlain() {
    bool changed = false;
    for (std::size_t number = 0; number < listsOf(program).size(); ++number)
      for (std::size_t at = 0; number < listsOf(program).size() && at < listsOf(program)[number]->size(); ++at)
        for (bool again = true; again;) {
          again = false;
          for (const std::string &text : plainer((*listsOf(program)[number])[at].open))
            if (attempt(number, [&](List &list) {
                  list[at].open = text;
                  return true;
                })) {
              changed = again = true;
              break;
            }
        }
    return changed;
  }

  Program program;
  const StillFails &fails;
  std::size_t left;
};

} // namespace

Program reduceProgram(Program program, const StillFails &fails, std::size_t mostTries) {
  return Reducer(std::move(program), fails, mostTries).run();
}

} // namespace ptosync::differential
