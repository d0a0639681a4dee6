#include "fuzz/frontend/kernel_mutator.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ptosync::fuzz {
namespace {

using Lines = std::vector<std::string>;

/// Spellings of emitted kernels, of hand-written ones, and of C++ that nobody emits. `$` stands for a name of the text,
/// `#` for a number.
const Lines &fragments() {
  static const Lines list = {
      "pipe_barrier(PIPE_V);",
      "pipe_barrier(PIPE_ALL);",
      "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);",
      "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);",
      "set_flag(PIPE_V, PIPE_MTE3, (event_t) $);",
      "wait_flag(PIPE_V, PIPE_MTE3, (event_t) ($ % #));",
      "if ($) pipe_barrier(PIPE_V); else wait_flag(PIPE_V, PIPE_S, EVENT_ID1);",
      "Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, "
      "CompactMode::Null> $; TASSIGN($, (uint64_t) #);",
      "Tile<TileType::Vec, half, #, #, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, "
      "CompactMode::Null> $ = Tile<TileType::Vec, half, #, #, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, "
      "PadValue::Null, CompactMode::Null>($, $);",
      "TASSIGN($, $);",
      "TASSIGN($, (uint64_t) ($ ? # : $));",
      "TRESHAPE($, $);",
      "$.SetValidShape($, #);",
      "TADD($, $, $);",
      "TROWSUM($, $, $);",
      "TLOAD($, $);",
      "TSTORE($, $);",
      "TMATMUL_ACC($, $, $, $);",
      "TEXTRACT($, $, #, #);",
      "TMRGSORT<$, $, #>($, $);",
      "float $ = $.GetValue(#);",
      "$.SetValue(#, $);",
      "int32_t $ = $[$];",
      "$[#] = $;",
      "for (size_t $ = (size_t) #; $ < ((size_t) $); $ += (size_t) #) {",
      "for (int64_t $ = 0; ; $++, --$) {",
      "while ($ < #) {",
      "do {",
      "} while ($ != #);",
      "if ($ == $) {",
      "} else {",
      "}",
      "};",
      "{",
      "switch ($) { case #: pipe_barrier(PIPE_M); case #: break; default: return; }",
      "goto $;",
      "$: ;",
      "break;",
      "continue;",
      "return;",
      "return $;",
      "const int32_t $ = #;",
      "int64_t $ = ($ * # + $) / $;",
      "uint32_t $ = (uint32_t) ((int8_t) $ << #) >> $;",
      "$ = $ ? $ : #;",
      "$ += #;",
      "bool $ = !($ && # || ~$);",
      "auto $ = $;",
      "auto $ = [&]($ $) { return #; };",
      "int $[#] = {#, #, $};",
      "int64_t *$ = &$; *$ = #;",
      "PTOAS_EventIdArray<#> $; $[#] = EVENT_ID0;",
      "event_t $ = (event_t) $[$];",
      "auto $ = TPipe<#, Direction::DIR_C2V, #, #, #, false>($, $, #);",
      "TPOP<decltype($), decltype($), TileSplitAxis::TILE_UP_DOWN>($, $);",
      "TPUSH<TPipe<0, Direction::DIR_V2C, 2048, 8, 8, false>>($, $);",
      "pto::Shape<1, 1, 1, #, #> $ = pto::Shape<1, 1, 1, #, #>();",
      "pto::comm::TPUT($, $, Atomic::$);",
      "TFROBNICATE<$::#, $>($, &$, *$, \"text\", 1.5f, nullptr, {#, $});",
      "$($, #);",
      "$::$($);",
      "ffts_cross_core_sync(PIPE_MTE3, #);",
      "get_buf(PIPE_V, #, #); rls_buf(PIPE_V, #, #);",
      "#if defined(__DAV_CUBE__)",
      "#if defined(__DAV_VEC__)",
      "#else",
      "#endif",
      "#define $ pipe_barrier(PIPE_V)",
      "#define $(x) TADD(x, x, $)",
      "// ptosync: keep($)",
      "/* ptosync: keep",
      "*/",
      "static AICORE void $(int64_t $) {",
      "template <typename T, int N> static AICORE inline void $(T $) {",
      "extern \"C\" __global__ AICORE void $(__gm__ float *$, int32_t $) {",
      "struct $ { int64_t $; void $() { pipe_barrier(PIPE_V); } };",
      "enum class $ : int { $ = #, $ };",
      "using $ = Tile<TileType::Acc, float, #, #, BLayout::ColMajor, #, #, SLayout::RowMajor, 1024, PadValue::Null, "
      "CompactMode::Null>;",
      "namespace $ {",
      "constexpr auto $ = sizeof($);",
      "asm volatile(\"\");",
      "static_cast<void>($);",
  };
  return list;
}

const std::vector<std::string> &numbers() {
  static const std::vector<std::string> list = {"0",
                                                "1",
                                                "2",
                                                "-1",
                                                "7",
                                                "8",
                                                "16",
                                                "4096",
                                                "65536",
                                                "2147483647",
                                                "4294967295",
                                                "9223372036854775807",
                                                "0x8000000000000000ull",
                                                "18446744073709551615u",
                                                "(1 << 31)",
                                                "1e3f"};
  return list;
}

bool wordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Names, numbers, white space, and single characters: joined they are the text again.
std::vector<std::string> tokensOf(std::string_view line) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i + 1;
    if (wordPart(line[i]))
      while (end < line.size() && wordPart(line[end]))
        ++end;
    tokens.emplace_back(line.substr(i, end - i));
    i = end;
  }
  return tokens;
}

class Mutator {
public:
  Mutator(std::string_view text, RandomSource &random) : random(random) {
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  void step() {
    switch (random.below(16)) {
    case 0: return takeOut();
    case 1: return repeat();
    case 2: return move();
    case 3:
    case 4:
    case 5: return bringIn();
    case 6:
    case 7: return renameOne();
    case 8:
    case 9: return exchangeToken();
    case 10:
    case 11: return changeNumber();
    case 12: return wrap();
    case 13: return loseToken();
    case 14: return joinLines();
    default: return changeByte();
    }
  }

  std::string text() const {
    std::string joined;
    for (std::size_t i = 0; i < lines.size(); ++i)
      joined += (i ? "\n" : "") + lines[i];
    return joined;
  }

private:
  std::size_t place() { return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(lines.size()))); }
  std::size_t runFrom(std::size_t begin) {
    std::int64_t length = random.chance(70) ? 1 : random.between(1, 12);
    return std::min(lines.size(), begin + static_cast<std::size_t>(length));
  }
  Lines::iterator at(std::size_t index) { return lines.begin() + static_cast<std::ptrdiff_t>(index); }

  void takeOut() {
    std::size_t begin = place(), end = runFrom(begin);
    if (end - begin < lines.size())
      lines.erase(at(begin), at(end));
  }
  void repeat() {
    std::size_t begin = place(), end = runFrom(begin);
    Lines copy(at(begin), at(end));
    lines.insert(at(random.chance(50) ? end : place()), copy.begin(), copy.end());
  }
  void move() {
    std::size_t begin = place(), end = runFrom(begin);
    Lines moved(at(begin), at(end));
    lines.erase(at(begin), at(end));
    std::size_t to = lines.empty() ? 0 : place();
    lines.insert(at(to), moved.begin(), moved.end());
  }
  void bringIn() {
    std::string line;
    for (char c : random.pick(fragments()))
      line += c == '$' ? someName() : c == '#' ? random.pick(numbers()) : std::string(1, c);
    lines.insert(at(place()), std::move(line));
  }

  /// A name of the text, mostly a variable; the first line tried that has one decides.
  std::string someName() {
    for (int tries = 0; tries < 8; ++tries) {
      std::vector<std::string> names;
      for (const std::string &token : tokensOf(lines[place()]))
        if (std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_')
          names.push_back(token);
      if (!names.empty())
        return random.pick(names);
    }
    return "v1";
  }

  /// Replaces one token of a line; `fits` says which may be.
  template <typename Fits, typename Make> void replaceToken(Fits fits, Make make) {
    for (int tries = 0; tries < 8; ++tries) {
      std::string &line = lines[place()];
      std::vector<std::string> tokens = tokensOf(line);
      std::vector<std::size_t> candidates;
      for (std::size_t i = 0; i < tokens.size(); ++i)
        if (fits(tokens[i]))
          candidates.push_back(i);
      if (candidates.empty())
        continue;
      tokens[random.pick(candidates)] = make();
      line.clear();
      for (const std::string &token : tokens)
        line += token;
      return;
    }
  }
  static bool isName(const std::string &token) {
    return std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_';
  }
  void renameOne() {
    std::string name = someName();
    replaceToken(isName, [&] { return name; });
  }
  void changeNumber() {
    replaceToken([](const std::string &token) { return std::isdigit(static_cast<unsigned char>(token[0])) != 0; },
                 [&] { return random.pick(numbers()); });
  }
  void exchangeToken() {
    static const std::vector<std::string> marks = {"(", ")", "{", "}", "<", ">", ",", ";", "*", "&",  "?",  ":", "+",
                                                   "-", "%", "/", "=", "[", "]", ".", "~", "!", "\\", "\"", "#"};
    replaceToken([](const std::string &token) { return std::ispunct(static_cast<unsigned char>(token[0])) != 0; },
                 [&] { return random.pick(marks); });
  }
  void loseToken() {
    replaceToken([](const std::string &) { return true; }, [] { return std::string(); });
  }
  void wrap() {
    std::size_t begin = place(), end = runFrom(begin);
    static const Lines heads = {"{",
                                "if (true) {",
                                "for (int32_t wrapped = 0; wrapped < 3; ++wrapped) {",
                                "while (true) {",
                                "do {",
                                "switch (1) { default: {"};
    std::string head = random.pick(heads);
    lines.insert(at(end), head[0] == 'd' ? "} while (false);" : head[0] == 's' ? "}}" : "}");
    lines.insert(at(begin), head);
  }
  void joinLines() {
    std::size_t first = place();
    if (first + 1 >= lines.size())
      return;
    lines[first] += random.chance(80) ? " " + lines[first + 1] : "\\";
    lines.erase(at(first + 1));
  }
  void changeByte() {
    std::string &line = lines[place()];
    if (line.empty())
      return;
    auto where = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(line.size())));
    line[where] = static_cast<char>(random.chance(80) ? random.between(32, 126) : random.below(256));
  }

  RandomSource &random;
  Lines lines;
};

std::string atMost(std::string text, std::size_t largest) {
  if (text.size() > largest)
    text.resize(largest);
  return text;
}

} // namespace

std::string mutateKernel(std::string_view text, RandomSource &random, std::size_t largest) {
  Mutator mutator(text, random);
  for (std::int64_t steps = random.chance(60) ? 1 : random.between(2, 6); steps > 0; --steps)
    mutator.step();
  return atMost(mutator.text(), largest);
}

std::string spliceKernels(std::string_view first, std::string_view second, RandomSource &random, std::size_t largest) {
  auto cut = [&](std::string_view text) {
    if (text.empty())
      return std::size_t{0};
    auto near = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())));
    return std::min(text.find('\n', near), text.size() - 1) + 1;
  };
  return atMost(std::string(first.substr(0, cut(first))) + std::string(second.substr(cut(second))), largest);
}

} // namespace ptosync::fuzz
