#include "patterns/catalogue.h"

#include "patterns/pattern_reader.h"
#include "patterns/shipped_ids.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;

using Names = std::vector<std::string>;

namespace {

Pattern pattern(const std::string &id, int priority, const Names &aliases = {}) {
  Pattern result;
  result.id = id;
  result.aliases = aliases;
  result.priority = priority;
  result.file = "patterns/" + id + ".json";
  return result;
}

Catalogue sample() {
  Catalogue catalogue;
  for (Pattern one : {pattern("redundant-pipe-v", 100), pattern("gu", 0, {"trowexpandmul-tadd"}),
                      pattern("final-div", 0), pattern("urgent", -1)})
    llvm::cantFail(catalogue.add(one));
  return catalogue;
}

Names ids(const Catalogue &catalogue) {
  Names result;
  for (const Pattern &one : catalogue.patterns())
    result.push_back(one.id);
  return result;
}

Names selected(std::string_view spec) { return ids(llvm::cantFail(sample().select(spec))); }

std::string failure(std::string_view spec) {
  llvm::Expected<Catalogue> selection = sample().select(spec);
  return selection ? std::string("no error") : llvm::toString(selection.takeError());
}

std::string failureToAdd(const Pattern &one) {
  Catalogue catalogue = sample();
  return llvm::toString(catalogue.add(one));
}

} // namespace

TEST_CASE("patterns are kept by priority, then by id", "[patterns]") {
  CHECK(ids(sample()) == Names{"urgent", "final-div", "gu", "redundant-pipe-v"});
}

TEST_CASE("a pattern is found by its id or an alias", "[patterns]") {
  Catalogue catalogue = sample();
  REQUIRE(catalogue.find("gu"));
  CHECK(catalogue.find("gu") == catalogue.find("trowexpandmul-tadd"));
  CHECK(catalogue.find("g") == nullptr);
}

TEST_CASE("words that select all or nothing", "[patterns]") {
  for (const char *word : {"default", "all", " all "})
    CHECK(selected(word) == ids(sample()));
  for (const char *word : {"none", "off", "disable", "disabled"})
    CHECK(selected(word).empty());
}

TEST_CASE("a list selects by id or alias, in catalogue order", "[patterns]") {
  CHECK(selected("gu") == Names{"gu"});
  CHECK(selected("gu,final-div") == Names{"final-div", "gu"});
  CHECK(selected(" trowexpandmul-tadd , gu") == Names{"gu"});
}

TEST_CASE("a bad selection says what is wrong with it", "[patterns]") {
  CHECK(failure("final-dif") == "unknown pattern 'final-dif'; did you mean 'final-div'?");
  CHECK(failure("gu,trowexpandmul-add") == "unknown pattern 'trowexpandmul-add'; did you mean 'trowexpandmul-tadd'?");
  CHECK(failure("banana").find("unknown pattern 'banana'; expected one of 'urgent'") == 0);
  CHECK(failure("gu,,final-div") == "'gu,,final-div' has a comma with no pattern name beside it");
  CHECK(failure("") == "'' has a comma with no pattern name beside it");
  CHECK(failure("gu,none") == "'none' selects on its own; it cannot stand in a list of patterns");
}

TEST_CASE("a name belongs to one pattern", "[patterns]") {
  CHECK(failureToAdd(pattern("gu", 5)) ==
        "patterns/gu.json: pattern 'gu': the name 'gu' belongs to pattern 'gu' (patterns/gu.json)");
  CHECK(failureToAdd(pattern("new", 5, {"trowexpandmul-tadd"})) ==
        "patterns/new.json: pattern 'new': the name 'trowexpandmul-tadd' belongs to pattern 'gu' (patterns/gu.json)");
  CHECK(failureToAdd(pattern("trowexpandmul-tadd", 5)).find("belongs to pattern 'gu'") != std::string::npos);
  CHECK(failureToAdd(pattern("new", 5, {"new"})) == "patterns/new.json: pattern 'new' has the name 'new' twice");
  CHECK(failureToAdd(pattern("off", 5)) == "patterns/off.json: no pattern can be named 'off': it selects patterns");
}

TEST_CASE("rewrites take part only when they are asked for", "[patterns]") {
  Catalogue catalogue = llvm::cantFail(Catalogue::builtIn());
  REQUIRE(catalogue.find("fifo-local-slots"));
  for (const char *spec : {"default", "all", "gu,sink-wait"})
    CHECK_FALSE(llvm::cantFail(catalogue.select(spec)).find("fifo-local-slots"));
  llvm::Expected<Catalogue> named = catalogue.select("gu,fifo-local-slots");
  REQUIRE(!named);
  CHECK(llvm::toString(named.takeError()) ==
        "pattern 'fifo-local-slots' is a rewrite; ask for it with --rewrite=fifo-local-slots");
}

TEST_CASE("the built-in patterns load", "[patterns]") {
  Catalogue catalogue = llvm::cantFail(Catalogue::builtIn());
  CHECK(ids(catalogue) == test::shippedPatternIds());
  // Their cases are read for those who check patterns.
  Catalogue whole = llvm::cantFail(Catalogue::builtIn(PatternCases::Read));
  CHECK(ids(whole) == ids(catalogue));
  for (const Pattern &pattern : whole.patterns()) {
    CHECK_FALSE(pattern.cases.empty());
    CHECK(catalogue.find(pattern.id)->cases.empty());
    CHECK(catalogue.find(pattern.id)->explanation == pattern.explanation);
    CHECK(catalogue.find(pattern.id)->sequence.size() == pattern.sequence.size());
  }
}

using Nominated = std::map<SiteId, std::string>;

namespace {

/// A kernel in short form. Operands are single letters; in these tests two operands are the same storage
/// if their letters are equal but for case: "x" and "X" are two names of one storage.
class KernelBuilder {
public:
  Kernel kernel;

  KernelBuilder() { kernel.blocks.emplace_back(); }

  KernelBuilder &call(const std::string &name, const std::string &operands = "") {
    Instruction instruction;
    instruction.name = name;
    for (char letter : operands) {
      Operand operand;
      operand.kind = Operand::Kind::Tile;
      operand.spelling = std::string(1, letter);
      instruction.operands.push_back(operand);
    }
    return append(instruction);
  }
  KernelBuilder &sync(SyncKind kind, Pipe pipe, SiteId site) {
    Sync sync;
    sync.kind = kind;
    sync.source = pipe;
    sync.site = site;
    return append(sync);
  }
  KernelBuilder &barrier(SiteId site, Pipe pipe = Pipe::V) { return sync(SyncKind::Barrier, pipe, site); }
  KernelBuilder &wait() { return sync(SyncKind::WaitFlag, Pipe::MTE2, 100); }
  KernelBuilder &set() { return sync(SyncKind::SetFlag, Pipe::V, 101); }
  KernelBuilder &assign() { return append(Assign{0, 0}); }
  /// Ends the block with an unconditional jump to the next one.
  KernelBuilder &jump() { return end(Terminator::Kind::Jump, next(), kNone); }
  /// Ends the block with a branch to the next one and to `other`.
  KernelBuilder &branch(BlockId other) { return end(Terminator::Kind::Branch, next(), other); }
  KernelBuilder &jumpTo(BlockId block) { return end(Terminator::Kind::Jump, block, kNone); }

private:
  BlockId next() const { return static_cast<BlockId>(kernel.blocks.size()); }
  template <typename Action> KernelBuilder &append(Action action) {
    Statement statement;
    statement.action = std::move(action);
    kernel.blocks.back().statements.push_back(std::move(statement));
    return *this;
  }
  KernelBuilder &end(Terminator::Kind kind, BlockId whenTrue, BlockId whenFalse) {
    Terminator &terminator = kernel.blocks.back().terminator;
    terminator.kind = kind;
    terminator.whenTrue = whenTrue;
    terminator.whenFalse = whenFalse;
    kernel.blocks.emplace_back();
    return *this;
  }
};

bool sameLetter(const Kernel &, const Statement &, const Operand &a, const Statement &, const Operand &b) {
  return std::tolower(a.spelling[0]) == std::tolower(b.spelling[0]);
}

PipeSet pipesByName(const Kernel &, const Instruction &instruction) {
  PipeSet pipes;
  if (instruction.name == "TLOAD")
    pipes.insert(Pipe::MTE2);
  else if (instruction.name == "unknown")
    return PipeSet::all();
  else if (instruction.name != "TRESHAPE")
    pipes.insert(Pipe::V);
  return pipes;
}

Pattern pattern(const std::string &id, const std::string &sequence, const std::string &pipe = "PIPE_V",
                const std::string &trust = "tile", const std::string &arch = "[\"a3\"]") {
  std::string text = R"({"schema": 1, "minimumTool": "0.1.0", "title": "t", "action": "remove-barrier",
    "explanation": "e", "docs": "d", "cases": [{"name": "f", "expect": "fire", "kernel": ["x"]},
    {"name": "s", "expect": "silent", "kernel": ["x"]}], "id": ")" +
                     id + R"(", "trust": ")" + trust + R"(", "arch": )" + arch + R"(, "match": {"pipe": ")" + pipe +
                     R"(", "sequence": [)" + sequence + "]}}";
  return llvm::cantFail(parsePattern(text, id));
}

const std::string kMul = R"({"instruction": "TMUL", "operands": ["x", "x", "*"]})";
const std::string kAdd = R"({"instruction": "TADD", "operands": ["x", "x", "*"]})";
const std::string kBarrier = R"({"barrier": "PIPE_V"})";
const std::string kSyncs = R"({"syncs": ["wait_flag", "set_flag"], "optional": true})";
const std::string kOthers = R"({"others": true})";

Catalogue catalogueOf(const std::vector<Pattern> &patterns) {
  Catalogue catalogue;
  for (const Pattern &one : patterns)
    llvm::cantFail(catalogue.add(one));
  return catalogue;
}

Nominated nominated(const KernelBuilder &builder, const std::vector<Pattern> &patterns, Trust trust = Trust::Tile,
                    std::string_view arch = "a3") {
  return nominate(builder.kernel, catalogueOf(patterns), arch, trust, sameLetter, pipesByName);
}

bool matches(const KernelBuilder &builder, const std::string &sequence) {
  return nominated(builder, {pattern("p", sequence)}).count(0) == 1;
}

} // namespace

TEST_CASE("a sequence matches around its barrier", "[patterns]") {
  const std::string sequence = kMul + "," + kBarrier + "," + kAdd;
  CHECK(matches(KernelBuilder().call("TMUL", "xxs").barrier(0).call("TADD", "xxy"), sequence));
  CHECK(matches(KernelBuilder().call("TMUL", "xxs").barrier(0).call("TADD", "XxY"), sequence));
  CHECK(matches(KernelBuilder().call("TMUL", "xxst").barrier(0).call("TADD", "xxy"), sequence));
  CHECK(matches(KernelBuilder().call("TEXP", "zz").call("TMUL", "xxs").barrier(0).call("TADD", "xxy").call("TEXP"),
                sequence));
  SECTION("but not with other instructions or operands") {
    CHECK_FALSE(matches(KernelBuilder().call("TDIV", "xxs").barrier(0).call("TADD", "xxy"), sequence));
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xys").barrier(0).call("TADD", "xxy"), sequence));
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").barrier(0).call("TADD", "yyx"), sequence));
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xx").barrier(0).call("TADD", "xxy"), sequence));
    CHECK_FALSE(matches(KernelBuilder().barrier(0).call("TADD", "xxy"), sequence));
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").barrier(0), sequence));
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").barrier(0, Pipe::M).call("TADD", "xxy"), sequence));
  }
  SECTION("nor with anything else in between") {
    CHECK_FALSE(
        matches(KernelBuilder().call("TMUL", "xxs").call("TEXP", "zz").barrier(0).call("TADD", "xxy"), sequence));
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").barrier(0).wait().call("TADD", "xxy"), sequence));
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").barrier(0).barrier(1).call("TADD", "xxy"), sequence));
    CHECK_FALSE(
        matches(KernelBuilder().call("TMUL", "xxs").barrier(0).call("TLOAD", "y").call("TADD", "xxy"), sequence));
  }
  SECTION("except what occupies no pipe") {
    CHECK(matches(KernelBuilder().call("TMUL", "xxs").assign().barrier(0).call("TRESHAPE", "ab").call("TADD", "xxy"),
                  sequence));
  }
}

TEST_CASE("operands are handed over in text order", "[patterns]") {
  KernelBuilder builder;
  builder.call("TMUL", "xxs").barrier(0).call("TADD", "xxy");
  unsigned asked = 0;
  SameStorage inOrder = [&](const Kernel &, const Statement &first, const Operand &, const Statement &second,
                            const Operand &) {
    ++asked;
    CHECK(&first <= &second);
    return true;
  };
  nominate(builder.kernel, catalogueOf({pattern("p", kMul + "," + kBarrier + "," + kAdd)}), "a3", Trust::Tile, inOrder,
           pipesByName);
  CHECK(asked == 3);
}

TEST_CASE("syncs stand for flag statements of their kinds", "[patterns]") {
  const std::string optional = kBarrier + "," + kSyncs + "," + kAdd;
  CHECK(matches(KernelBuilder().barrier(0).call("TADD", "xxy"), optional));
  CHECK(matches(KernelBuilder().barrier(0).wait().set().assign().wait().call("TADD", "xxy"), optional));
  CHECK_FALSE(matches(KernelBuilder().barrier(0).wait().barrier(1).call("TADD", "xxy"), optional));

  const std::string required = R"({"instruction": "TMUL"}, {"syncs": ["set_flag"]}, {"barrier": "PIPE_V"})";
  CHECK(matches(KernelBuilder().call("TMUL").set().barrier(0), required));
  CHECK(matches(KernelBuilder().call("TMUL").set().set().barrier(0), required));
  CHECK_FALSE(matches(KernelBuilder().call("TMUL").barrier(0), required));
  CHECK_FALSE(matches(KernelBuilder().call("TMUL").wait().barrier(0), required));
}

TEST_CASE("others stand for instructions on other pipes", "[patterns]") {
  const std::string sequence = kMul + "," + kOthers + "," + kBarrier + "," + kOthers + "," + kSyncs + "," + kAdd;
  CHECK(matches(KernelBuilder().call("TMUL", "xxs").barrier(0).call("TADD", "xxy"), sequence));
  CHECK(matches(KernelBuilder().call("TMUL", "xxs").call("TLOAD").barrier(0).call("TLOAD").wait().call("TADD", "xxy"),
                sequence));
  CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").call("TEXP").barrier(0).call("TADD", "xxy"), sequence));
  CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").call("unknown").barrier(0).call("TADD", "xxy"), sequence));
  CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").wait().barrier(0).call("TADD", "xxy"), sequence));
}

TEST_CASE("an element that stands for many gives back what the next one needs", "[patterns]") {
  const std::string sequence = kBarrier + "," + kOthers + R"(, {"instruction": "TLOAD"}, {"instruction": "TADD"})";
  CHECK(matches(KernelBuilder().barrier(0).call("TLOAD").call("TLOAD").call("TLOAD").call("TADD"), sequence));
  CHECK_FALSE(matches(KernelBuilder().barrier(0).call("TADD"), sequence));
}

TEST_CASE("a sequence goes on through a jump that alone enters its target", "[patterns]") {
  const std::string sequence = kMul + "," + kBarrier + "," + kAdd;
  CHECK(matches(KernelBuilder().call("TMUL", "xxs").jump().barrier(0).jump().jump().call("TADD", "xxy"), sequence));
  SECTION("not through a branch") {
    CHECK_FALSE(matches(KernelBuilder().call("TMUL", "xxs").barrier(0).branch(2).call("TADD", "xxy").jump(), sequence));
  }
  SECTION("not into a join") {
    // 0 branches to 1 and 2; 1 goes on to 2.
    CHECK_FALSE(matches(KernelBuilder().branch(2).call("TMUL", "xxs").barrier(0).jump().call("TADD", "xxy"), sequence));
  }
  SECTION("not round a loop into the entry") {
    CHECK_FALSE(matches(KernelBuilder().call("TADD", "xxy").call("TMUL", "xxs").barrier(0).jumpTo(0), sequence));
  }
}

TEST_CASE("blocks that nothing enters but themselves are left alone", "[patterns]") {
  KernelBuilder builder;
  builder.call("TEXP").jumpTo(kNone).barrier(0).jumpTo(2).call("TEXP").jumpTo(1);
  CHECK(nominated(builder, {pattern("p", kBarrier)}).empty());
}

TEST_CASE("a generic pattern nominates every barrier of its pipe and nothing else", "[patterns]") {
  KernelBuilder builder;
  builder.barrier(0).barrier(1, Pipe::M).wait().call("TADD").barrier(2).barrier(3, Pipe::All).barrier(kNone);
  builder.sync(SyncKind::Tail, Pipe::All, 4).sync(SyncKind::Tail, Pipe::V, 5);
  CHECK(nominated(builder, {pattern("v", kBarrier)}) == Nominated{{0, "v"}, {2, "v"}});
  CHECK(nominated(builder, {pattern("every", R"({"barrier": "PIPE_ALL"})", "PIPE_ALL")}) == Nominated{{3, "every"}});
}

TEST_CASE("the first pattern in catalogue order has the site", "[patterns]") {
  KernelBuilder builder;
  builder.call("TMUL", "xxs").barrier(0).call("TADD", "xxy").barrier(1);
  std::vector<Pattern> patterns = {pattern("any", kBarrier), pattern("before-add", kBarrier + "," + kAdd),
                                   pattern("mul-add", kMul + "," + kBarrier + "," + kAdd)};
  CHECK(nominated(builder, patterns) == Nominated{{0, "before-add"}, {1, "any"}});
  patterns[2].priority = -1;
  CHECK(nominated(builder, patterns) == Nominated{{0, "mul-add"}, {1, "any"}});
}

TEST_CASE("a site in several places takes the best of its patterns", "[patterns]") {
  std::vector<Pattern> patterns = {pattern("any", kBarrier), pattern("named", kBarrier + "," + kAdd)};
  KernelBuilder builder;
  builder.barrier(7).call("TEXP").barrier(7).call("TADD", "xxy").barrier(7);
  CHECK(nominated(builder, patterns) == Nominated{{7, "named"}});
}

TEST_CASE("architecture and trust decide who takes part", "[patterns]") {
  KernelBuilder builder;
  builder.barrier(0);
  std::vector<Pattern> library = {pattern("p", kBarrier, "PIPE_V", "library")};
  CHECK(nominated(builder, library, Trust::Tile).empty());
  CHECK(nominated(builder, library, Trust::Library) == Nominated{{0, "p"}});
  std::vector<Pattern> tile = {pattern("p", kBarrier)};
  CHECK(nominated(builder, tile, Trust::Library) == Nominated{{0, "p"}});
  CHECK(nominated(builder, tile, Trust::Tile, "a5").empty());
}

TEST_CASE("side by side repeats stay cheap on long runs", "[patterns]") {
  KernelBuilder builder;
  for (unsigned site = 0; site < 50; ++site) {
    builder.barrier(site);
    for (unsigned load = 0; load < 200; ++load)
      builder.call("TLOAD");
  }
  const std::string sequence = kBarrier + "," + kOthers + "," + kOthers + "," + kAdd;
  CHECK(nominated(builder, {pattern("p", sequence)}).empty());
}
