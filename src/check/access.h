// What a call touches, by the machine's JSON: the checker's own reading of the facts.
//
//   "TADD", operands --the first form that fits--> pipes, accesses { memory, address, bytes }, flags, fence
//
// Accesses over-approximate what docs/machine.md says. An operand covers its whole tile where only its valid region
// matters to nobody; what may lead outside of the tile covers the rest of the memory. Only where a rule of the machine
// asks for exact bytes is the valid region looked at, and an access that may be more is not exact. A call that no form
// fits is refused, and so is trust in the library's inside. Of the rules of `src/machine`, those of grade A and B are
// in `orderedByRule`; contested ones order nothing.
// Tested by tests/check/check_test.cpp and tests/golden/certificate_test.cpp.
#pragma once

#include "check/number.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync::check {

struct TileShape {
  std::string location, element;
  std::int64_t bits = 0, rows = 0, columns = 0;                        // of an element; of the tile
  std::int64_t validRows = -1, validColumns = -1;                      // -1: known at run time only
  bool rowMajor = true, plain = true, compact = false, padded = false; // plain: no fractals inside
  bool operator==(const TileShape &) const = default;
  std::int64_t elementBytes() const { return bits < 8 ? 1 : bits / 8; }
  std::int64_t wholeBytes() const;
};

struct TensorShape {
  std::string element;
  std::int64_t bits = 0;
  std::array<std::int64_t, 5> shape{-1, -1, -1, -1, -1}, stride{-1, -1, -1, -1, -1}; // elements; -1: not known
};

constexpr const char *kAddress = "address"; // the text of an operand that is a number made of an address

/// One argument of a call, or what a variable holds.
struct Operand {
  enum class Kind : std::uint8_t { Scalar, Floating, Tile, Tensor, Pointer, Fifo, Other } kind = Kind::Other;
  Number number;      // Scalar; address in bytes of a tile, a tensor or a pointer
  bool placed = true; // a tile, a tensor or a pointer whose address is known as `number`
  std::string base;   // memory of a tile; the pointer argument that a tensor or a pointer belongs to
  TileShape tile;
  TensorShape tensor;     // also the element of a pointer
  std::int64_t entry = 0; // bytes from here to the end of an entry of a fifo's ring in GM; 0: it is in none for certain
  Number otherRing; // of a fifo: where its tiles lie on the cube core; `number`: on the vector core; `base`: in GM
  std::string text; // of a fifo or a pointer: its type; of anything else that is spelled: its spelling
};

/// Lines of bytes, `stride` apart.
struct Bytes {
  std::int64_t rows = 1, rowBytes = 0, stride = 0;
  std::int64_t extent() const { return (rows - 1) * stride + rowBytes; }
  bool operator==(const Bytes &) const = default;
};

struct Access {
  std::string memory;         // "UB", "GM"
  std::string base;           // GM: the pointer argument
  Number address;             // bytes
  std::optional<Bytes> bytes; // from the address on; empty: anywhere in the memory, of GM in the argument
  bool reads = false, writes = false, scratch = false, hidden = false;
  bool inEntry = false; // of a ring of fifos in GM
  bool exact = false;   // the valid region of `tile`, without gaps, and no more
  TileShape tile;
  std::string order; // in which repeats go over it
  bool operator==(const Access &) const = default;
};

struct Effects {
  std::set<int> pipes; // on which some part runs, as numbers of Machine::pipes
  std::vector<Access> accesses;
  std::string fence;                              // "", "all", "pipes", "release", "acquire"
  std::vector<std::array<std::int64_t, 3>> flags; // used inside: source, destination, id
  std::int64_t fractals = -1, inputBits = 0;      // of a product
  std::string assigns;                            // "address", "ringSlot", "tensor", "poppedTensor"
  std::string fifo, fifoFlags;                    // of a call on a fifo: its ring in GM, its flags' number
  bool onFifo = false, withoutData = false;       // the call moves no tile
  bool betweenCores = false;                      // only memory that several cores reach is held
  std::vector<std::pair<int, int>> mayOrder;      // what the call's inside may do for others: from pipe, to pipe
  bool operator==(const Effects &) const = default;
};

class Machine {
public:
  /// Reads one of src/machine/*.json. Throws Refused.
  explicit Machine(const nlohmann::json &facts);

  std::vector<std::string> pipes;
  int pipe(const std::string &name) const; // -1: none of that name
  bool isInstruction(const std::string &name) const { return facts["instructions"].contains(name); }
  bool isShared(const std::string &memory) const; // several cores reach it
  /// Whether numbers of the text lead farther from a pointer than any tensor is long: to any place of global memory.
  bool isFar(const Number &place) const;
  std::string memoryOfTile(const std::string &location) const;
  std::string memoryOfQualifier(const std::string &type) const; // "__ubuf__ float*"; GM where none is named
  std::int64_t eventIds() const { return facts["flags"]["ids"]; }
  std::int64_t bufferIds() const { return facts.contains("buffers") ? facts["buffers"]["ids"].get<std::int64_t>() : 0; }
  /// Macros of a core ("vec", "cube"): those that are defined, and all that conditions may ask for.
  void macros(const std::string &core, std::set<std::string> &defined, std::set<std::string> &known) const;
  /// What is known of a number of the core, "get_block_idx".
  Range rangeOf(const std::string &name) const;
  std::string category(const std::string &name) const { return facts["instructions"][name]["category"]; }
  Effects effects(const std::string &name, const std::vector<std::string> &templates,
                  const std::vector<Operand> &operands, const std::string &core, const Numbers &numbers,
                  int line) const;

  /// The parameters of a rule that may justify a removal, or null.
  const nlohmann::json *rule(const std::string &id) const;

private:
  const nlohmann::json *fit(const std::string &name, const std::vector<std::string> &templates,
                            const std::vector<Operand> &operands, const std::string &core) const;
  Access access(const nlohmann::json &fact, const nlohmann::json &form, const Operand &operand,
                const std::vector<Operand> &operands, const Numbers &numbers) const;
  Access tileAccess(const nlohmann::json &fact, const nlohmann::json &form, const Operand &operand,
                    const std::vector<Operand> &operands, const Numbers &numbers) const;
  nlohmann::json facts;
};

/// The smallest distance in repeats between a byte's write and its read by the next instruction; 0: not known.
std::int64_t chainDistance(const Access &written, const Access &read, std::int64_t repeatBytes);

} // namespace ptosync::check
