// The facts of the built-in models, as the library, the assembler and its reports state them.
// Where those disagree the model must hold the union.
#include "machine/machine.h"

#include "machine/call.h"
#include "machine/whole_model.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <thread>
#include <tuple>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::uint64_t spaceBytes(const std::string &arch, const std::string &name) {
  const Machine &machine = machineOf(arch);
  return machine.spaces().at(machine.spaceByName(name).value()).bytes;
}

std::string spaceOf(const std::string &arch, const std::string &location) {
  const Machine &machine = machineOf(arch);
  std::optional<std::size_t> space = machine.spaceOfTile(location);
  return space ? machine.spaces()[*space].name : "none";
}

std::string barriers(const std::string &arch, Section section) {
  std::string text;
  for (Pipe pipe : kPipes)
    if (machineOf(arch).barrierLegal(section, pipe))
      text += (text.empty() ? "" : " ") + std::string(pipeName(pipe).substr(5));
  return text;
}

const char *roleName(OperandRole role) {
  switch (role) {
  case OperandRole::Write: return "write";
  case OperandRole::Read: return "read";
  case OperandRole::ReadWrite: return "readwrite";
  case OperandRole::Scratch: return "scratch";
  case OperandRole::Scalar: return "scalar";
  case OperandRole::Config: return "config";
  case OperandRole::Ignored: return "ignored";
  case OperandRole::Fifo: return "fifo";
  }
  return "?";
}

std::string rolesOf(const Call &call, const std::string &arch) {
  const InstructionForm *form = call.form(arch);
  if (!form)
    return "unknown";
  std::string text;
  for (const OperandFact &operand : form->operands)
    text += (text.empty() ? "" : " ") + std::string(roleName(operand.role));
  return text;
}

std::string hiddenOf(const Call &call, const std::string &arch) {
  const InstructionForm *form = call.form(arch);
  if (!form)
    return "unknown";
  std::string text;
  for (const HiddenMemory &hidden : form->hidden)
    text += hidden.space + "+" + std::to_string(hidden.offset) + ":" + std::to_string(hidden.bytes);
  return text;
}

std::string flagsOf(const Call &call, const std::string &arch) {
  const InstructionForm *form = call.form(arch);
  if (!form)
    return "unknown";
  std::string text;
  for (const HiddenFlag &flag : form->flags)
    text += (text.empty() ? "" : ", ") + std::string(pipeName(flag.source).substr(5)) + "->" +
            std::string(pipeName(flag.destination).substr(5)) + " " + std::to_string(flag.id);
  return text;
}

Call move(const char *destination, const char *source) { return Call("TMOV").tile(destination).tile(source); }
Call extract(const char *destination, const char *source) {
  return Call("TEXTRACT").tile(destination).tile(source).scalar().scalar();
}
Call store(const char *source) { return Call("TSTORE").tensor().tile(source); }

} // namespace

TEST_CASE("there is a built-in model of a3 and of a5 and of nothing else") {
  CHECK(machineOf("a3").arch() == "a3");
  CHECK(machineOf("a5").arch() == "a5");
  for (const char *arch : {"a4", "schema", "", "a3.json"}) {
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    REQUIRE_FALSE(bool(machine));
    CHECK(llvm::toString(machine.takeError()) == "unknown architecture '" + std::string(arch) + "': expected a3 or a5");
  }
}

TEST_CASE("phases are taken out of a model for the instructions that are not proved, and nothing else is") {
  const Machine &whole = machineOf("a3");
  Machine reduced = whole.withoutPhases({"TROWSUM", "TNOT", "NONE"});
  auto phases = [](const Machine &machine, const char *name) {
    std::size_t count = 0;
    for (const InstructionForm &form : machine.instruction(name)->forms)
      count += form.library.size() + !form.libraryUnless.empty();
    return count;
  };
  CHECK(phases(whole, "TROWSUM") > 0);
  CHECK(phases(reduced, "TROWSUM") == 0);
  CHECK(phases(reduced, "TROWMAX") == phases(whole, "TROWMAX"));
  CHECK(phases(reduced, "TROWMAX") > 0);
  for (const std::string &name : whole.instructions().names()) {
    const InstructionFacts &facts = *whole.instruction(name);
    for (std::size_t form = 0; form < facts.forms.size(); ++form) {
      CHECK(reduced.instruction(name)->forms[form].pipes == facts.forms[form].pipes);
      CHECK(reduced.instruction(name)->forms[form].operands.size() == facts.forms[form].operands.size());
    }
  }
}

TEST_CASE("memories have the sizes of the library's buffer limits") {
  const std::tuple<const char *, std::uint64_t, std::uint64_t> sizes[] = {{"UB", 192 * 1024, 256 * 1024},
                                                                          {"L1", 512 * 1024, 512 * 1024},
                                                                          {"L0A", 64 * 1024, 64 * 1024},
                                                                          {"L0B", 64 * 1024, 64 * 1024},
                                                                          {"L0C", 128 * 1024, 256 * 1024},
                                                                          {"BT", 1024, 4096},
                                                                          {"FB", 2048, 4096},
                                                                          {"GM", 0, 0}};
  for (const auto &[name, a3, a5] : sizes) {
    CAPTURE(name);
    CHECK(spaceBytes("a3", name) == a3);
    CHECK(spaceBytes("a5", name) == a5);
  }
}

TEST_CASE("every tile location lives in its memory") {
  const std::pair<const char *, const char *> locations[] = {{"Vec", "UB"},    {"Mat", "L1"},  {"Left", "L0A"},
                                                             {"Right", "L0B"}, {"Acc", "L0C"}, {"Bias", "BT"},
                                                             {"Scaling", "FB"}};
  for (const char *arch : {"a3", "a5"}) {
    for (const auto &[location, space] : locations)
      CHECK(spaceOf(arch, location) == space);
    CHECK(spaceOf(arch, "Ctrl") == "none");
    CHECK(spaceOf(arch, "") == "none");
    CHECK_FALSE(machineOf(arch).spaceByName("ub"));
  }
  CHECK(spaceOf("a3", "ScaleLeft") == "none");
  CHECK(spaceOf("a5", "ScaleLeft") != "none");
}

TEST_CASE("there are eight flag ids per pair of pipes") {
  CHECK(machineOf("a3").flagIds() == 8);
  CHECK(machineOf("a5").flagIds() == 8);
}

TEST_CASE("of an event id above the last one the low bits count on a3, and may on a5") {
  CHECK(machineOf("a3").eventIds(7) == std::vector<std::int64_t>{7});
  CHECK(machineOf("a3").eventIds(8) == std::vector<std::int64_t>{0});
  CHECK(machineOf("a3").eventIds(15) == std::vector<std::int64_t>{7});
  CHECK(machineOf("a5").eventIds(7) == std::vector<std::int64_t>{7});
  CHECK(machineOf("a5").eventIds(8) == std::vector<std::int64_t>{8, 0});
}

TEST_CASE("a barrier is legal where its pipe exists") {
  CHECK(barriers("a3", Section::Vec) == "V MTE2 MTE3");
  CHECK(barriers("a3", Section::Cube) == "M MTE1 MTE2 MTE3 FIX");
  CHECK(barriers("a3", Section::Both) == "V M MTE1 MTE2 MTE3 FIX");
  CHECK(barriers("a5", Section::Vec) == "MTE2 MTE3"); // its vector pipe orders itself; a barrier there is rejected
  CHECK(machineOf("a3").barrierContested(Section::Vec, Pipe::S)); // the library accepts it
  CHECK_FALSE(machineOf("a3").barrierContested(Section::Vec, Pipe::FIX));
  CHECK_FALSE(machineOf("a5").barrierContested(Section::Vec, Pipe::S));
  for (const char *arch : {"a3", "a5"})
    for (Section section : {Section::Cube, Section::Vec, Section::Both})
      CHECK(machineOf(arch).barrierLegal(section, Pipe::All));
}

TEST_CASE("a core has its pipes, and audits know how sure that is") {
  const Machine &a3 = machineOf("a3"), &a5 = machineOf("a5");
  CHECK(a3.hasPipe(Section::Vec, Pipe::V));
  CHECK_FALSE(a3.hasPipe(Section::Vec, Pipe::FIX));
  CHECK_FALSE(a3.hasPipe(Section::Cube, Pipe::V));
  CHECK(a3.hasPipe(Section::Both, Pipe::V));
  CHECK(a3.barrierGrade(Section::Vec) == Grade::A);
  CHECK(a5.barrierGrade(Section::Cube) == Grade::C);
  CHECK(a5.barrierGrade(Section::Both) == Grade::C); // the less certain of the two
  CHECK(established(a5.pipeGrade(Section::Vec)));
  CHECK_FALSE(established(Grade::C));
  CHECK(a3.idOutOfRangeIsError());
  CHECK_FALSE(a5.idOutOfRangeIsError());
  CHECK_FALSE(a3.selfPairIsError());
  CHECK(a5.selfPairIsError());
}

TEST_CASE("instructions carry the traits that audits ask for") {
  for (const char *arch : {"a3", "a5"}) {
    const Machine &machine = machineOf(arch);
    auto is = [&](const char *name, const char *trait) { return machine.instruction(name)->is(trait); };
    CHECK(is("TMOV", "copies"));
    CHECK(is("TNOTIFY", "signals"));
    CHECK(is("ffts_cross_core_sync", "signals-on-pipe"));
    CHECK(is("dsb", "gm-fence"));
    CHECK(is("TPUSH", "fifo-push"));
    CHECK(is("TPOP", "fifo-pop"));
    CHECK(is("TALLOC", "fifo-alloc"));
    CHECK(is("TFREE", "fifo-free"));
    CHECK_FALSE(is("TADD", "copies"));
  }
}

TEST_CASE("rules justify only with good evidence, and each architecture has its own order of vectors") {
  for (const char *arch : {"a3", "a5"}) {
    const Machine &machine = machineOf(arch);
    CHECK(machine.rule("scalar-order")->use == RuleUse::Justify);
    CHECK(machine.rule("mte2-load-order")->use == RuleUse::Silence);
    CHECK(machine.rule("m-accumulate-order")->use == RuleUse::Silence);
    CHECK(machine.rule("scalar-wait-dispatch")->use == RuleUse::Silence);
    CHECK(machine.rule("gm-arguments-distinct")->use == RuleUse::Justify);
    CHECK(machine.rule("l0c-read-read")->use == RuleUse::Conflict);
    CHECK(machine.rule("luck") == nullptr);
  }
  const MachineRule *chain = machineOf("a3").rule("same-access-chain");
  REQUIRE(chain);
  CHECK(chain->use == RuleUse::Justify);
  CHECK(chain->text.at("pipe") == "PIPE_V");
  CHECK(chain->numbers.at("minRepeats") == 16);
  CHECK(chain->numbers.at("repeatBytes") == 256);
  CHECK(machineOf("a5").rule("same-access-chain") == nullptr);
  CHECK(machineOf("a3").rule("vector-order") == nullptr);
  CHECK(machineOf("a5").rule("vector-order")->use == RuleUse::Justify);
}

TEST_CASE("TMOV runs where its two locations say") {
  for (const char *arch : {"a3", "a5"}) {
    CHECK(pipesOf(move("Left", "Mat"), arch) == "MTE1");
    CHECK(pipesOf(move("Right", "Mat"), arch) == "MTE1");
    CHECK(pipesOf(move("Bias", "Mat"), arch) == "MTE1");
    CHECK(pipesOf(move("Scaling", "Mat"), arch) == "MTE1 FIX"); // the assembler says MTE1, the library FIX
    CHECK(pipesOf(move("Vec", "Vec"), arch) == "V");
    CHECK(pipesOf(move("Mat", "Acc"), arch) == "FIX");
    CHECK(pipesOf(Call("TMOV_FP").tile("Mat").tile("Acc").tile("Scaling"), arch) == "MTE1 FIX");
  }
  CHECK(pipesOf(move("Mat", "Vec"), "a5") == "V MTE3 FIX"); // three sources, three answers
  CHECK(pipesOf(move("Vec", "Acc"), "a5") == "FIX");
  CHECK(pipesOf(move("Vec", "Acc"), "a3") == "V MTE1 FIX"); // no such move there: anything
}

TEST_CASE("TEXTRACT runs where its two locations say") {
  for (const char *arch : {"a3", "a5"}) {
    CHECK(pipesOf(extract("Left", "Mat"), arch) == "MTE1");
    CHECK(pipesOf(extract("Right", "Mat"), arch) == "MTE1");
    CHECK(pipesOf(extract("Mat", "Acc"), arch) == "FIX");
  }
  CHECK(pipesOf(extract("Vec", "Vec"), "a5") == "S V"); // small regions are copied by the scalar unit
  CHECK(flagsOf(extract("Vec", "Vec"), "a5") == "V->S 0, S->V 0");
  CHECK(pipesOf(extract("Mat", "Vec"), "a5") == "MTE3 FIX");
  CHECK(pipesOf(extract("Vec", "Acc"), "a5") == "V FIX");
}

TEST_CASE("on a3 one element is taken out and put in by the scalar unit, more by the vector unit") {
  auto extractTo = [](Tile target) { return Call("TEXTRACT").tileOf(std::move(target)).tile("Vec").scalar().scalar(); };
  auto insertFrom = [](Tile source) { return Call("TINSERT").tile("Vec").tileOf(std::move(source)).scalar().scalar(); };
  for (const auto &[rows, cols, pipes, flags] : {std::tuple{16, 64, "V", ""},
                                                 {1, 2, "V", ""},
                                                 {1, 1, "S V", "V->S 0, S->V 0"},
                                                 {-1, 1, "S V", "V->S 0, S->V 0"}}) {
    Tile tile;
    tile.location = "Vec";
    tile.staticValidRows = rows;
    tile.staticValidCols = cols;
    CAPTURE(rows, cols);
    CHECK(pipesOf(extractTo(tile), "a3") == pipes);
    CHECK(flagsOf(extractTo(tile), "a3") == flags);
    CHECK(pipesOf(insertFrom(tile), "a3") == pipes);
    CHECK(flagsOf(insertFrom(tile), "a3") == flags);
  }
}

TEST_CASE("TSTORE runs on MTE3, and on FIX from the accumulator") {
  for (const char *arch : {"a3", "a5"}) {
    CHECK(pipesOf(store("Vec"), arch) == "MTE3");
    CHECK(pipesOf(store("Acc"), arch) == "FIX");
    CHECK(rolesOf(store("Vec"), arch) == "write read scalar");
    CHECK(rolesOf(store("Vec").templateArgument("AtomicType::AtomicNone"), arch) == "write read scalar");
    // An atomic store reads what it adds to.
    CHECK(rolesOf(store("Vec").templateArgument("AtomicType::AtomicAdd"), arch) == "readwrite read scalar");
    CHECK(rolesOf(store("Acc").templateArgument("AtomicType::AtomicAdd"), arch) == "readwrite read scalar");
    CHECK(pipesOf(store("Acc").templateArgument("AtomicType::AtomicAdd"), arch) == "FIX");
    CHECK(pipesOf(Call("TSTORE_FP").tensor().tile("Acc").tile("Scaling"), arch) == "FIX");
  }
  CHECK(pipesOf(store("Mat"), "a3") == "MTE3");
}

TEST_CASE("padding and filling an L1 tile is work of MTE2, though the assembler says V") {
  for (const char *arch : {"a3", "a5"}) {
    CHECK(pipesOf(Call("TFILLPAD").tile("Vec").tile("Vec"), arch) == "V");
    CHECK(pipesOf(Call("TFILLPAD").tile("Mat").tile("Mat"), arch) == "V MTE2");
    CHECK(pipesOf(Call("TEXPANDS").tile("Vec").scalar(), arch) == "V");
    CHECK(pipesOf(Call("TEXPANDS").tile("Mat").scalar(), arch) == "V MTE2");
  }
  CHECK(pipesOf(Call("TFILLPAD").tile("Vec", "int8_t").tile("Vec", "int8_t"), "a3") == "S V"); // byte padding
}

TEST_CASE("TCI is scalar stores without a scratch tile and vector work with one") {
  for (const char *arch : {"a3", "a5"}) {
    CHECK(pipesOf(Call("TCI").tile("Vec", "int32_t").scalar(), arch) == "S");
    CHECK(pipesOf(Call("TCI").tile("Vec", "int32_t").scalar().tile("Vec", "int32_t"), arch) == "V");
    CHECK(rolesOf(Call("TCI").tile("Vec", "int32_t").scalar().tile("Vec", "int32_t"), arch) == "write scalar scratch");
  }
}

TEST_CASE("row reductions of integers leave the vector pipe on a3") {
  for (const char *name : {"TROWSUM", "TROWMAX", "TROWMIN"}) {
    Call floating = Call(name).tile("Vec").tile("Vec").tile("Vec");
    Call integer = Call(name).tile("Vec", "int32_t").tile("Vec", "int32_t").tile("Vec", "int32_t");
    CAPTURE(name);
    CHECK(pipesOf(floating, "a3") == "V");
    CHECK(flagsOf(floating, "a3") == "");
    CHECK(pipesOf(integer, "a3") == "S V");
    CHECK(flagsOf(integer, "a3") == "V->S 0, S->V 0");
    CHECK(pipesOf(integer, "a5") == "V");
    CHECK(rolesOf(floating, "a3") == "write read scratch");
    CHECK(rolesOf(floating, "a5") == "write read scratch");
  }
  CHECK(pipesOf(Call("TROWPROD").tile("Vec").tile("Vec").tile("Vec"), "a3") == "S V");
}

TEST_CASE("integer division by a scalar and shifts are scalar loops") {
  Call division = Call("TDIVS").tile("Vec", "int32_t").tile("Vec", "int32_t").scalar();
  CHECK(pipesOf(division, "a3") == "S V");
  CHECK(flagsOf(division, "a3") == "V->S 0, S->V 0");
  CHECK(flagsOf(division, "a5") == "V->S 0"); // nothing leads back to V there
  for (const char *arch : {"a3", "a5"})
    CHECK(pipesOf(Call("TDIVS").tile("Vec").tile("Vec").scalar(), arch) == "V");
  Call shift = Call("TSHL").tile("Vec", "int32_t").tile("Vec", "int32_t").tile("Vec", "int32_t");
  CHECK(pipesOf(shift, "a3") == "S V");
  CHECK(pipesOf(shift, "a5") == "V");
}

TEST_CASE("an accumulation reads and writes its destination") {
  for (const char *arch : {"a3", "a5"}) {
    Call four = Call("TMATMUL_ACC").tile("Acc").tile("Acc").tile("Left").tile("Right");
    CHECK(pipesOf(four, arch) == "M");
    CHECK(rolesOf(four, arch) == "readwrite read read read");
    CHECK(rolesOf(Call("TMATMUL_ACC").tile("Acc").tile("Left").tile("Right"), arch) == "readwrite read read");
    CHECK(rolesOf(Call("TMATMUL").tile("Acc").tile("Left").tile("Right"), arch) == "write read read");
    CHECK(rolesOf(Call("TAXPY").tile("Vec").tile("Vec").scalar(), arch) == "readwrite read scalar");
    CHECK(rolesOf(Call("TINSERT").tile("Vec").tile("Vec").scalar().scalar(), arch) == "readwrite read scalar scalar");
  }
}

TEST_CASE("sources that the library overwrites count as written") {
  Call integer = Call("TREM").tile("Vec", "int32_t").tile("Vec", "int32_t").tile("Vec", "int32_t").tile("Vec");
  CHECK(rolesOf(integer, "a3") == "write readwrite readwrite scratch");
  CHECK(rolesOf(Call("TREM").tile("Vec").tile("Vec").tile("Vec").tile("Vec"), "a3") == "write read read scratch");
  CHECK(rolesOf(integer, "a5") == "write read read scratch");
  Call relu = Call("TADDDEQRELU").tile("Vec").tile("Vec").tile("Vec").scalar().tile("Vec");
  CHECK(rolesOf(relu, "a3") == "write readwrite readwrite scalar scratch");
}

TEST_CASE("broadcasting a column needs the library's hidden scratch on a3, unless a scratch tile is given") {
  for (const char *operation : {"ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "EXPDIF"}) {
    std::string name = std::string("TROWEXPAND") + operation;
    Call column = Call(name).tile("Vec").tile("Vec").tile("Vec", "float", BlockLayout::ColMajor);
    CAPTURE(name);
    CHECK(hiddenOf(column, "a3") == "UB+188416:8192"); // [184 KiB, 192 KiB)
    CHECK(hiddenOf(column, "a5") == "");
    CHECK(hiddenOf(Call(name).tile("Vec").tile("Vec").tile("Vec"), "a3") == "");
    // Either source may be the column.
    CHECK(hiddenOf(Call(name).tile("Vec").tile("Vec", "float", BlockLayout::ColMajor).tile("Vec"), "a3") ==
          "UB+188416:8192");
    Call scratch = Call(name).tile("Vec").tile("Vec").tile("Vec", "float", BlockLayout::ColMajor).tile("Vec");
    CHECK(hiddenOf(scratch, "a3") == "");
    CHECK(rolesOf(scratch, "a3") == "write read read scratch");
    CHECK(pipesOf(column, "a3") == "V");
  }
  CHECK(hiddenOf(Call("TEXTRACT").tile("Vec", "int8_t").tile("Vec", "int8_t").tile("Vec", "int8_t"), "a3") ==
        "UB+188416:8192");
}

TEST_CASE("cross-core and cross-rank calls are fences") {
  const std::pair<Call, FenceKind> calls[] = {
      {Call("TPUSH").fifo().tile("Vec"), FenceKind::Pipes},
      {Call("TPUSH").fifo().tile("Acc"), FenceKind::All},
      {Call("TPUSH").fifo().tile("Acc").templateArgument("TileSplitAxis::TILE_NO_SPLIT"), FenceKind::Pipes},
      {Call("TPUSH").fifo().tensor(), FenceKind::Release},
      {Call("TPOP").fifo().tensor(), FenceKind::Acquire},
      {Call("TALLOC").fifo().tensor(), FenceKind::Acquire},
      {Call("TFREE").fifo(), FenceKind::Release},
      {Call("TFREE").fifo().tensor(), FenceKind::Release},
      {Call("TNOTIFY").tensor().scalar().scalar(), FenceKind::All},
      {Call("TWAIT").tensor().scalar().scalar(), FenceKind::All},
      {Call("TPUT").tensor().tensor().tile("Vec"), FenceKind::All},
      {Call("TGET").tensor().tensor().tile("Vec"), FenceKind::All},
      {Call("SYNCALL"), FenceKind::All},
      {Call("dcci").pointer().scalar(), FenceKind::All},
      {Call("dsb").scalar(), FenceKind::All},
      {Call("TADD").tile("Vec").tile("Vec").tile("Vec"), FenceKind::None},
      {Call("TSYNC"), FenceKind::All}};
  for (const char *arch : {"a3", "a5"})
    for (const auto &[call, fence] : calls) {
      const InstructionForm *form = call.form(arch);
      REQUIRE(form);
      CHECK(form->fence == fence);
    }
  // Where the data lies in global memory the pop gives its slot back itself.
  CHECK(Call("TPOP").fifo().tile("Vec").form("a3")->fence == FenceKind::Pipes);
  CHECK(Call("TPOP").fifo("DIR_C2V").tile("Vec").form("a5")->fence == FenceKind::Acquire);
  CHECK(Call("TPOP").fifo("DIR_C2V_GM").tile("Vec").form("a5")->fence == FenceKind::Pipes);
  for (const char *name : {"ffts_cross_core_sync", "wait_flag_dev"})
    CHECK(machineOf("a3").instruction(name)->forms.front().fence == FenceKind::All);
  for (const char *name : {"set_intra_block", "wait_intra_block"})
    CHECK(machineOf("a5").instruction(name)->forms.front().fence == FenceKind::All);
}

TEST_CASE("calls between the cores have the same facts under the compiler's own names") {
  for (const std::string arch : {"a3", "a5"})
    for (const std::string name : {"ffts_cross_core_sync", "wait_flag_dev", "set_intra_block", "wait_intra_block"}) {
      CAPTURE(arch, name);
      const InstructionFacts *plain = machineOf(arch).instruction(name),
                             *builtin = machineOf(arch).instruction("__builtin_cce_" + name);
      const bool lacks = arch == "a3" && name.find("intra") != std::string::npos;
      REQUIRE((plain == nullptr) == lacks);
      REQUIRE((builtin == nullptr) == lacks);
      if (lacks)
        continue;
      CHECK(builtin->traits == plain->traits);
      REQUIRE(builtin->forms.size() == plain->forms.size());
      for (std::size_t i = 0; i < plain->forms.size(); ++i) {
        CHECK(builtin->forms[i].fence == FenceKind::All);
        CHECK(builtin->forms[i].operands.size() == plain->forms[i].operands.size());
      }
    }
}

TEST_CASE("the message of a call between the cores is a number and no fence") {
  for (const char *arch : {"a3", "a5"})
    for (const Call &call : {Call("getFFTSMsg").scalar().scalar(), Call("getFFTSMsg").scalar().scalar().scalar()}) {
      const InstructionForm *form = call.form(arch);
      REQUIRE(form);
      CHECK(form->fence == FenceKind::None);
      CHECK(form->pipes.size() == 0);
    }
}

TEST_CASE("a push runs on the pipe of its source and a pop places its tile") {
  for (const char *arch : {"a3", "a5"}) {
    CHECK(pipesOf(Call("TPUSH").fifo().tile("Acc"), arch) == "FIX");
    CHECK(pipesOf(Call("TPUSH").fifo("DIR_V2C").tile("Vec"), arch) == "MTE3");
    CHECK(placesTile(Call("TPOP").fifo().tile("Vec").form(arch)->assigns));
    CHECK(Call("TPOP").fifo().tensor().form(arch)->assigns == Assigns::PoppedTensor);
    CHECK(Call("TALLOC").fifo().tensor().form(arch)->assigns == Assigns::Tensor);
  }
  CHECK(Call("TPOP").fifo("DIR_C2V").tile("Vec").form("a3")->assigns == Assigns::Address);
  CHECK(Call("TPOP").fifo("DIR_C2V").tile("Vec").form("a5")->assigns == Assigns::RingSlot);
  CHECK(Call("TPOP").tile("Vec").fifo("DIR_C2V").form("a5")->assigns == Assigns::RingSlot);
  CHECK(pipesOf(Call("TPOP").fifo().tile("Vec"), "a3") == "MTE2");
  CHECK(pipesOf(Call("TPOP").fifo("DIR_C2V").tile("Vec"), "a5") == "S V");
  CHECK(pipesOf(Call("TPOP").fifo("DIR_V2C").tile("Mat"), "a5") == "S MTE1");
}

TEST_CASE("library calls that use flags of their own say which") {
  CHECK(flagsOf(Call("TPUT").tensor().tensor().tile("Vec"), "a3") ==
        "MTE2->MTE3 0, MTE2->MTE3 1, MTE3->MTE2 0, MTE3->MTE2 1");
  // One staging tile that all of the tensor goes into, and two.
  auto put = [](std::int64_t rows) {
    return Call("TPUT")
        .tensorOf(tensorShaped({1, 1, 1, rows, 64}))
        .tensorOf(tensorShaped({1, 1, 1, rows, 64}))
        .tile("Vec");
  };
  CHECK(flagsOf(put(16), "a3") == "MTE2->MTE3 0, MTE3->MTE2 0");
  CHECK(flagsOf(put(128), "a3") == "MTE2->MTE3 0, MTE2->MTE3 1, MTE3->MTE2 0, MTE3->MTE2 1");
  CHECK(flagsOf(put(-1), "a3") == "MTE2->MTE3 0, MTE2->MTE3 1, MTE3->MTE2 0, MTE3->MTE2 1");
  CHECK(flagsOf(put(16).tile("Vec"), "a3") == "MTE2->MTE3 0, MTE2->MTE3 1, MTE3->MTE2 0, MTE3->MTE2 1");
  CHECK(flagsOf(Call("TBROADCAST").unknown().tensor().tile("Vec"), "a3") == "MTE2->MTE3 0, MTE3->MTE2 0");
  Call gather = Call("MGATHER").tile("Vec").tensor().tile("Vec", "int32_t").templateArgument("Coalesce::Row");
  CHECK(pipesOf(gather, "a3") == "S V MTE2");
  // Nothing waits for the load of the indices before the scalar unit reads them.
  CHECK(flagsOf(gather, "a3").find("MTE2->S") == std::string::npos);
}

TEST_CASE("a template constant decides what a call does, and one that the model does not account for everything") {
  auto gather = [](std::initializer_list<const char *> constants) {
    Call call = Call("MGATHER").tile("Mat").tensor().tensor().tensor();
    for (const char *constant : constants)
      call.templateArgument(constant);
    return call;
  };
  CHECK(pipesOf(gather({"Coalesce::Elem", "GatherOOB::Undefined"}), "a5") == "S MTE2");
  CHECK(pipesOf(gather({"Coalesce::Elem", "GatherOOB::Undefined", "GatherExec::Scalar"}), "a5") == "S MTE2");
  Call threads = gather({"Coalesce::Elem", "GatherOOB::Undefined", "GatherExec::Simt"});
  CHECK(pipesOf(threads, "a5") == "S V MTE2");
  CHECK(flagsOf(threads, "a5") == "V->S 0, S->MTE2 0");
  CHECK(threads.form("a5")->fence == FenceKind::All);
  CHECK(pipesOf(gather({"Coalesce::Elem", "GatherOOB::Undefined", "GatherExec"}), "a5") == "unknown"); // which is open
  CHECK(pipesOf(gather({"Coalesce::Elem", "GatherOOB"}), "a5") == "S MTE2"); // decides nothing
  CHECK(pipesOf(threads, "a3") == "unknown");
  CHECK(pipesOf(Call("TADD").tile("Vec").tile("Vec").tile("Vec").templateArgument("NewMode::Odd"), "a3") == "unknown");
  Call collective = Call("TBROADCAST").unknown().tensor().tile("Vec");
  CHECK(pipesOf(Call(collective).templateArgument("CollEngine::AIV"), "a5") == "MTE2 MTE3");
  CHECK(pipesOf(Call(collective).templateArgument("CollEngine::CCU"), "a5") == "unknown");
}

TEST_CASE("every instruction has a form, and every form makes sense") {
  for (const char *arch : {"a3", "a5"}) {
    const Machine &machine = machineOf(arch);
    CHECK(machine.instructions().size() > 150);
    for (const std::string &name : machine.instructions().names()) {
      CAPTURE(arch, name);
      REQUIRE(machine.instruction(name)); // its text can be read
      const InstructionFacts &facts = *machine.instruction(name);
      REQUIRE_FALSE(facts.forms.empty());
      for (std::size_t i = 0; i < facts.forms.size(); ++i) {
        const InstructionForm &form = facts.forms[i];
        CAPTURE(i);
        std::set<std::string> names;
        bool optional = false, touches = !form.hidden.empty();
        for (const OperandFact &operand : form.operands) {
          CHECK(names.insert(operand.name).second); // two operands of one name could not be told apart
          CHECK((!optional || operand.optional));   // optional operands come last
          optional |= operand.optional;
          touches |= operand.role == OperandRole::Write || operand.role == OperandRole::Read ||
                     operand.role == OperandRole::ReadWrite || operand.role == OperandRole::Scratch;
        }
        // Work on memory runs somewhere.
        CHECK((!touches || !form.pipes.empty() || form.fence == FenceKind::All));
        for (const auto &[key, wanted] : form.when) {
          CHECK_FALSE(wanted.empty());
          std::size_t dot = key.find('.');
          CHECK((dot == std::string::npos ? key == "template" || key == "section"
                                          : names.count(key.substr(0, dot)) == 1));
        }
        for (const HiddenMemory &hidden : form.hidden) {
          CHECK(names.insert(hidden.name).second);
          std::optional<std::size_t> space = machine.spaceByName(hidden.space);
          REQUIRE(space);
          CHECK(hidden.offset + hidden.bytes <= machine.spaces()[*space].bytes);
        }
        for (const HiddenFlag &flag : form.flags) {
          CHECK(flag.source != flag.destination);
          CHECK(flag.id < machine.flagIds());
        }
        bool written = form.library.empty();
        for (const LibraryPhase &phase : form.library) {
          CHECK(form.pipes.contains(phase.pipe));
          for (const auto &list : {phase.reads, phase.writes})
            for (const std::string &used : list)
              CHECK(names.count(used) == 1);
          written |= !phase.writes.empty();
        }
        CHECK(written);
        CHECK((form.libraryUnless.empty() || !form.library.empty()));
      }
    }
  }
}

TEST_CASE("the library's phases touch every operand that the tile view touches") {
  for (const std::string &name : machineOf("a3").instructions().names())
    for (const InstructionForm &form : machineOf("a3").instruction(name)->forms) {
      if (form.library.empty())
        continue;
      std::set<std::string> read, written;
      for (const LibraryPhase &phase : form.library) {
        read.insert(phase.reads.begin(), phase.reads.end());
        written.insert(phase.writes.begin(), phase.writes.end());
      }
      CAPTURE(name);
      for (const OperandFact &operand : form.operands) {
        CAPTURE(operand.name);
        if (operand.role == OperandRole::Read || operand.role == OperandRole::ReadWrite)
          CHECK(read.count(operand.name) == 1);
        if (operand.role == OperandRole::Write || operand.role == OperandRole::ReadWrite)
          CHECK(written.count(operand.name) == 1);
      }
      for (const HiddenMemory &hidden : form.hidden)
        CHECK(written.count(hidden.name) == 1);
    }
}

TEST_CASE("the last form of an instruction with locations leaves no call out") {
  // A location the model does not know must still find a form: the union of all.
  for (const char *arch : {"a3", "a5"}) {
    CHECK(pipesOf(move("Ctrl", "Ctrl"), arch).find("V") != std::string::npos);
    CHECK(pipesOf(extract("Ctrl", "Ctrl"), arch).find("FIX") != std::string::npos);
    CHECK(pipesOf(store("Ctrl"), arch) == "MTE3 FIX");
    CHECK(pipesOf(Call("TSTORE").tensor().unknown(), arch) == "MTE3 FIX");
  }
}

namespace {

std::string model(const std::string &rules) {
  return wholeModel(nlohmann::json::parse("{\"rules\": [" + rules + "]}")).dump();
}

std::string rule(const std::string &id, const std::string &use, const std::string &parameters = "{}") {
  return R"({"id": ")" + id + R"(", "title": "t", "evidence": "e", "grade": "B", "use": ")" + use +
         R"(", "parameters": )" + parameters + "}";
}

OrderingRules rulesOf(const std::string &rules) {
  return llvm::cantFail(Machine::parse(model(rules), "m.json")).rules();
}

std::string rulesProblem(const std::string &rules) {
  llvm::Expected<Machine> machine = Machine::parse(model(rules), "m.json");
  if (machine)
    return "";
  return llvm::toString(machine.takeError());
}

} // namespace

TEST_CASE("rules: the built-in models have theirs, with use and parameters") {
  const OrderingRules &a3 = machineOf("a3").rules();
  REQUIRE(a3.chain);
  CHECK(a3.chain->use == RuleUse::Justify);
  CHECK(a3.chain->pipe == Pipe::V);
  CHECK(a3.chain->minRepeats == 16);
  CHECK(a3.chain->repeatBytes == 256);
  CHECK_FALSE(a3.vectorOrder);
  CHECK(a3.loadOrder->use == RuleUse::Silence);
  CHECK(a3.loadOrder->pipe == Pipe::MTE2);
  REQUIRE(a3.accumulateFractals);
  CHECK(a3.accumulateFractals->use == RuleUse::Justify);
  CHECK(a3.accumulateFractals->minFractals == 10);
  CHECK(a3.accumulateFractals->inputBits == std::set<std::int64_t>{16});
  CHECK(established(a3.accumulateFractals->below));
  CHECK(a3.scalarInOrder());
  CHECK(a3.readsConflict());
  const OrderingRules &a5 = machineOf("a5").rules();
  CHECK_FALSE(a5.chain);
  CHECK(a5.vectorOrder->pipe == Pipe::V);
  CHECK_FALSE(a5.scratchInOrder());
  CHECK_FALSE(established(a5.accumulateFractals->below)); // runs on a board are known for a3 only
}

TEST_CASE("rules: one that only silences justifies nothing") {
  CHECK(rulesOf(rule("scalar-order", "justify")).scalarInOrder());
  CHECK_FALSE(rulesOf(rule("scalar-order", "silence")).scalarInOrder());
  CHECK_FALSE(rulesOf(rule("library-scratch", "silence")).scratchInOrder());
  CHECK_FALSE(rulesOf(rule("gm-arguments-distinct", "silence")).argumentsApart());
  CHECK_FALSE(rulesOf("").scalarInOrder());
}

TEST_CASE("rules: copies are opaque if asked for, or where the rule does not justify") {
  const std::string names = R"({"instructions": ["TMOV"]})";
  OrderingRules justified = rulesOf(rule("copy-pipe", "justify", names));
  CHECK_FALSE(justified.opaqueCopy("TMOV", /*strict=*/false));
  CHECK(justified.opaqueCopy("TMOV", /*strict=*/true));
  CHECK_FALSE(justified.opaqueCopy("TADD", /*strict=*/true));
  CHECK(rulesOf(rule("copy-pipe", "silence", names)).opaqueCopy("TMOV", /*strict=*/false));
  CHECK_FALSE(rulesOf("").opaqueCopy("TMOV", /*strict=*/true));
}

TEST_CASE("rules: a missing parameter is an error that names it") {
  CHECK(rulesProblem(rule("same-access-chain", "justify", R"({"minRepeats": 16, "repeatBytes": 256})"))
            .find("/parameters: missing key 'pipe'") != std::string::npos);
  CHECK(rulesProblem(rule("same-access-chain", "justify", R"({"pipe": "PIPE_V", "repeatBytes": 256})"))
            .find("minRepeats") != std::string::npos);
  CHECK(rulesProblem(rule("vector-order", "justify")).find("/parameters: missing key 'pipe'") != std::string::npos);
  CHECK(rulesProblem(rule("copy-pipe", "justify")).find("instructions") != std::string::npos);
  CHECK(rulesProblem(
            rule("m-accumulate-fractals", "justify", R"({"pipe": "PIPE_M", "minFractals": 10, "inputBits": 16})"))
            .find("fractalSide") != std::string::npos);
}

TEST_CASE("rules: only the rule on reads adds a conflict") {
  CHECK(rulesOf(rule("l0c-read-read", "conflict")).readsConflict());
  CHECK(rulesProblem(rule("l0c-read-read", "justify")).find("expected 'conflict'") != std::string::npos);
  CHECK(rulesProblem(rule("scalar-order", "conflict")).find("expected 'justify'") != std::string::npos);
}

namespace {

/// One form with as many operands as the text has characters; a text "bad" cannot be read.
std::optional<InstructionFacts> readLength(std::string_view name, std::string_view text) {
  if (text == "bad")
    return std::nullopt;
  InstructionFacts facts;
  facts.forms.emplace_back();
  facts.forms[0].operands.resize(text.size());
  facts.traits.insert(std::string(name));
  return facts;
}

} // namespace

TEST_CASE("instruction table: a text is read when it is asked for, once, for all copies", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "abc", readLength);
  InstructionTable copy = table;
  const InstructionFacts *facts = table.find("TADD");
  REQUIRE(facts);
  CHECK(facts->forms[0].operands.size() == 3);
  CHECK(facts->is("TADD"));
  CHECK(copy.find("TADD") == facts);
  CHECK_FALSE(table.find("TSUB"));
  CHECK_FALSE(table.contains("TSUB"));
}

TEST_CASE("instruction table: what is set takes the place of what was there, in this copy alone", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "abc", readLength);
  InstructionTable copy = table;
  copy.set("TADD", InstructionFacts{});
  copy.set("TABS", InstructionFacts{});
  CHECK(copy.find("TADD")->forms.empty());
  CHECK(copy.names() == std::vector<std::string>{"TABS", "TADD"});
  CHECK(table.find("TADD")->forms.size() == 1);
  CHECK(table.size() == 1);
}

TEST_CASE("instruction table: what cannot be read is not known", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "bad", readLength);
  CHECK(table.contains("TADD"));
  CHECK_FALSE(table.find("TADD"));
}

TEST_CASE("instruction table: what an instruction may mention is told without reading it", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "bad assigns", [](std::string_view, std::string_view) -> std::optional<InstructionFacts> {
    FAIL("it is read");
    return std::nullopt;
  });
  table.set("TABS", InstructionFacts{});
  CHECK(table.mayMention("TADD", "assigns"));
  CHECK_FALSE(table.mayMention("TADD", "product"));
  CHECK(table.mayMention("TABS", "product")); // it has no text any more
  CHECK_FALSE(table.mayMention("TSUB", "product"));
  for (const char *arch : {"a3", "a5"}) {
    const Machine machine = llvm::cantFail(Machine::builtIn(arch));
    std::size_t placing = 0;
    for (const std::string &name : machine.instructions().names()) {
      const bool mentions = machine.instructions().mayMention(name, "assigns");
      const std::vector<InstructionForm> &forms = machine.instruction(name)->forms;
      const bool assigns = std::any_of(forms.begin(), forms.end(),
                                       [](const InstructionForm &form) { return form.assigns != Assigns::Nothing; });
      CHECK((mentions || !assigns));
      placing += assigns;
    }
    CHECK(placing >= 2); // TASSIGN and what pops a tile
  }
}

TEST_CASE("instruction table: several threads ask for one", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "abc", readLength);
  const InstructionFacts *found[4] = {};
  std::vector<std::thread> threads;
  for (const InstructionFacts *&one : found)
    threads.emplace_back([&] { one = table.find("TADD"); });
  for (std::thread &thread : threads)
    thread.join();
  for (const InstructionFacts *one : found)
    CHECK(one == found[0]);
  CHECK(found[0]);
}
