// What speaks to another core or rank: pushes and pops, transfers between ranks, functions that run as threads.
//
// Of these the run shows pipes, flags, and on which pipe a call signals or waits; the bytes of a FIFO's ring in global
// memory, and those of other ranks, are not the call's own, and what threads touch depends on data.
#include "book.h"

namespace probes {
namespace {

/// One call on a FIFO, as often as it takes until every slot has been signalled and waited for.
void onFifo(Book &book, const std::string &name, const std::string &direction, const std::string &object,
            std::vector<TileType> tiles, std::vector<TensorType> tensors = {},
            const std::string &axis = "TILE_NO_SPLIT") {
  const std::string type = "TPipe<0, Direction::" + direction + ", 4096, 4, 4, " +
                           (axis == "TILE_NO_SPLIT" ? "true>" : "false>"),
                    split = "TileSplitAxis::" + axis, objectType = tiles.empty() ? "decltype(%0)" : "@0";
  const std::string arguments = object.empty() ? type + ", " + split : type + ", " + objectType + ", " + split;
  book.add("for (int i = 0; i < 9; ++i) " + name + "<" + arguments + ">(f0" + (object.empty() ? "" : ", " + object) +
               ")",
           std::move(tiles), std::move(tensors));
  book.probes.back().instruction = name;
  book.probes.back().fifo = type;
}

/// For two vector cores, or for one.
const Types kSplits = {"TILE_NO_SPLIT", "TILE_UP_DOWN", "TILE_LEFT_RIGHT", "TILE_UP_DOWN_ODD", "TILE_LEFT_RIGHT_ODD"};

void pushes(Book &book, const std::string &cubeToVec, const std::string &vecToCube, const Types &splits = kSplits) {
  const TileType vector = tile("float", {16, 64, 16, 64}), sum = boxed("Acc", "float", 16, 64),
                 matrixTile = boxed("Mat", "float", 16, 64);
  for (const std::string &split : splits) {
    book.group = "fifo";
    onFifo(book, "TPUSH", vecToCube, "$0", {vector}, {}, split);
    onFifo(book, "TPOP", cubeToVec, "$0", {vector}, {}, split);
    onFifo(book, "TFREE", cubeToVec, "", {}, {}, split);
    book.group = "cube_fifo";
    onFifo(book, "TPUSH", cubeToVec, "$0", {sum}, {}, split);
    onFifo(book, "TPOP", vecToCube, "$0", {matrixTile}, {}, split);
    onFifo(book, "TFREE", vecToCube, "", {}, {}, split);
  }
}

/// The forms that move no data: the kernel stores and loads itself.
void slots(Book &book, const std::string &cubeToVec, const std::string &vecToCube) {
  const TensorType slot = matrix("float", 16, 64);
  for (const std::string &split : kSplits) {
    book.group = "fifo";
    onFifo(book, "TALLOC", vecToCube, "%0", {}, {slot}, split);
    onFifo(book, "TPUSH", vecToCube, "%0", {}, {slot}, split);
    onFifo(book, "TPOP", cubeToVec, "%0", {}, {slot}, split);
    onFifo(book, "TFREE", cubeToVec, "%0", {}, {slot}, split);
    book.group = "cube_fifo";
    onFifo(book, "TALLOC", cubeToVec, "%0", {}, {slot}, split);
    onFifo(book, "TPUSH", cubeToVec, "%0", {}, {slot}, split);
    onFifo(book, "TPOP", vecToCube, "%0", {}, {slot}, split);
    onFifo(book, "TFREE", vecToCube, "%0", {}, {slot}, split);
  }
}

void addComm(Book &book, const std::string &name, const std::string &call, std::vector<TileType> tiles,
             std::vector<TensorType> tensors) {
  book.add(call, std::move(tiles), std::move(tensors));
  book.probes.back().instruction = name;
}

/// Between ranks: with one staging tile and with two, and with as many turns as make the library halve the one.
void transfers(Book &book) {
  book.group = "comm";
  TileType stage = tile("float", {8, 64, 8, 64});
  stage.runTime = true; // the a5's library loads into a region that is fixed no tensor with other rows
  const TileType more = stage;
  const std::string group = "pto::comm::ParallelGroup<decltype(%0)> group(&%0, 1, 0); pto::comm::";
  for (int rows : {8, 16, 64, 256}) {
    const TensorType whole = matrix("float", rows, 64);
    for (const std::string name : {"TPUT", "TGET"}) {
      addComm(book, name, "pto::comm::" + name + "(%0, %1, $0)", {stage}, {whole, whole});
      addComm(book, name, "pto::comm::" + name + "(%0, %1, $0, $1)", {stage, more}, {whole, whole});
    }
    for (const std::string atomic : {"AtomicNone", "AtomicAdd"})
      addComm(book, "TPUT", "pto::comm::TPUT<AtomicType::" + atomic + ">(%0, %1, $0)", {stage}, {whole, whole});
    for (const std::string name : {"TBROADCAST", "TGATHER", "TSCATTER"}) {
      addComm(book, name, group + name + "(group, %1, $0)", {stage}, {whole, whole});
      addComm(book, name, group + name + "<pto::comm::CollEngine::AIV>(group, %1, $0, $1)", {stage, more},
              {whole, whole});
    }
    addComm(book, "TREDUCE", group + "TREDUCE(group, %1, $0, $1, pto::comm::ReduceOp::Sum)", {stage, more},
            {whole, whole});
    addComm(book, "TREDUCE",
            group + "TREDUCE<pto::comm::CollEngine::AIV>(group, %1, $0, $1, $2, pto::comm::ReduceOp::Sum)",
            {stage, more, more}, {whole, whole});
  }
}

/// Gathers and scatters that the a5 runs as threads, in every mode.
void threads(Book &book) {
  book.group = "threads";
  const TileType values = tile("float", {16, 64, 16, 64}), rows = tile("int32_t", {1, 16, 1, 16}),
                 elements = tile("int32_t", {16, 64, 16, 64});
  const TensorType table = matrix("float", 32, 64);
  for (const std::string mode : {"Row", "Elem"}) {
    const TileType &index = mode == "Row" ? rows : elements;
    for (const std::string out : {"Undefined", "Clamp", "Wrap", "Zero"})
      book.add("MGATHER<Coalesce::" + mode + ", GatherOOB::" + out + ">($0, %0, $1)", {values, index}, {table});
    for (const std::string out : {"Undefined", "Skip", "Clamp", "Wrap"})
      for (const std::string atomic : {"None", "Add"})
        book.add("MSCATTER<Coalesce::" + mode + ", ScatterAtomicOp::" + atomic + ", ScatterOOB::" + out +
                     ">(%0, $0, $1)",
                 {values, index}, {table});
  }
}

/// What the a5 alone scatters by.
void moreThreads(Book &book) {
  const TileType values = tile("float", {16, 64, 16, 64}), index = tile("int32_t", {16, 64, 16, 64});
  for (const std::string atomic : {"Max", "Min"})
    book.add("MSCATTER<Coalesce::Elem, ScatterAtomicOp::" + atomic + ">(%0, $0, $1)", {values, index},
             {matrix("float", 32, 64)});
  for (const std::string conflict : {"Last", "Default"})
    book.add("MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Undefined, ScatterConflict::" + conflict +
                 ">(%0, $0, $1)",
             {values, index}, {matrix("float", 32, 64)});
}

/// Into L1, by one core alone or by both.
void toMatrices(Book &book) {
  const TensorType table = matrix("float", 16, 64), index = matrix("int32_t", 16, 64);
  for (const std::string group : {"threads", "cube_threads"})
    for (const std::string executor : {"Scalar", "Simt"}) {
      book.group = group;
      book.add("MGATHER<Coalesce::Elem, GatherOOB::Undefined, GatherExec::" + executor + ">($0, %0, %1, %2)",
               {boxed("Mat", "float", 16, 64)}, {table, index, table});
    }
}

} // namespace

void betweenCoresA3(Book &book) {
  pushes(book, "DIR_C2V", "DIR_V2C");
  pushes(book, "DIR_BOTH", "DIR_BOTH");
  slots(book, "DIR_C2V", "DIR_V2C");
  slots(book, "DIR_BOTH", "DIR_BOTH");
  transfers(book);
  threads(book);
}

void betweenCoresA5(Book &book) {
  pushes(book, "DIR_C2V", "DIR_V2C");
  pushes(book, "DIR_BOTH", "DIR_BOTH");
  pushes(book, "DIR_C2V_GM", "DIR_V2C_GM");
  slots(book, "DIR_C2V_GM", "DIR_V2C_GM");
  slots(book, "DIR_BOTH_GM", "DIR_BOTH_GM");
  transfers(book);
  threads(book);
  moreThreads(book);
  toMatrices(book);
}

} // namespace probes
