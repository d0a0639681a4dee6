// Buffer ids: what the brackets of a kernel wait for, and where they are amiss.
//
//   1  get_buf(PIPE_MTE2, 3, 0)      the id is free: nothing to wait for
//   2  TLOAD(a, g)
//   3  rls_buf(PIPE_MTE2, 3, 0)      queued on MTE2 behind the load
//   4  get_buf(PIPE_V, 3, 0)         V waits for every release of 3 in front of it in program order: for 3
//   5  TADDS(b, a, 1)                a is there
//   6  rls_buf(PIPE_V, 3, 0)         the next round's 1 waits for it
//
// An id is one of a pool that all pipes of the core share. A get holds up its own pipe alone, until each release of the
// id that stands in front of it in program order has been executed, whatever pipe that is on; a release is queued
// behind the earlier work of its pipe. So a bracket knows what every earlier release of its id on other pipes knew, and
// nothing has to be primed or drained. Of its own pipe it learns nothing: a bracket is no barrier.
//
// `connectBuffers` says of each get which releases it waits for, by pipe and id (Program::buffers), and finds the
// brackets that break the rules of the hardware: a get and its release name one pipe, one id and one mode, and brackets
// of one id do not nest. What happens then is not said anywhere. So in the careful reading (edits) no bracket of such
// an id orders anything, nor does one whose id is not one known number, or of an id of which some bracket does not
// block; in the open one (OrderingOptions::openBuffersOrder) each orders what some reading of it would, for saying what
// no reading orders. Sound: which brackets can meet is over-approximated, by the holders that may reach a place on some
// path, so a fault is missed only where no path has it. Tested by tests/ordering/buffers_test.cpp.
#pragma once

#include "ordering/syncs.h"

#include <vector>

namespace ptosync {

/// Fills in Event::buffers and Event::orders, Program::buffers and Program::bufferFaults. The copies of the program's
/// blocks must be made, and its bits not be numbered yet.
void connectBuffers(Program &program);

/// Fills in Event::orders and Program::bufferFaults anew, for the kernel in which the statements stand as `layout` has
/// them. What is out there counts for nothing.
void judgeBrackets(Program &program, const SyncLayout &layout);

/// Returns what is amiss with the brackets where the statements stand as `layout` has them.
std::vector<BufferFault> bufferFaultsOf(const Program &program, const SyncLayout &layout);

/// What stands inside the brackets of a kernel.
struct BracketContents {
  std::map<EventKey, PipeSet> pipes; // by get: the pipes of what may stand behind it in its bracket
  std::map<const Statement *, std::set<std::int64_t>> ids; // by instruction: the buffer ids that are held there
};
BracketContents contentsOfBrackets(const Program &program);

/// A bracket of which it is open what it orders.
struct OpenBracket {
  const Statement *statement = nullptr; // its first end that shows it
  std::string reason;                   // one clause, with the statement's line
};
/// Returns the first of a kernel, by line; nothing if each bracket orders for certain.
std::optional<OpenBracket> firstOpenBracket(const Program &program);

/// Returns the brackets of a kernel as webs (Web::bracket), by their first statement: the gets and releases of one id
/// on one pipe of which some get is closed by some release. One is balanced if each of its statements orders for
/// certain (Event::orders).
std::vector<Web> findBrackets(const Program &program, const SyncLayout &layout);

} // namespace ptosync
