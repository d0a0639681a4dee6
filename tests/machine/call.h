// Builds an instruction call on tiles, tensors and scalars without the frontend.
#pragma once

#include "kernel/kernel.h"
#include "machine/effects.h"
#include "machine/machine.h"
#include "support/corpus.h"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace ptosync::test {

class Call {
public:
  explicit Call(const std::string &name) { instruction.name = name; }

  Call &tile(const std::string &location, const std::string &element = "float",
             BlockLayout layout = BlockLayout::RowMajor) {
    Tile tile;
    tile.location = location;
    tile.element = element;
    tile.elementBits = element == "float" || element == "int32_t" ? 32 : element == "int8_t" ? 8 : 16;
    tile.rows = tile.staticValidRows = 16;
    tile.cols = tile.staticValidCols = 64;
    tile.blockLayout = layout;
    return tileOf(tile);
  }
  Call &tileOf(Tile tile) {
    kernel.tiles.push_back(std::move(tile));
    return operand(Operand::Kind::Tile, static_cast<std::uint32_t>(kernel.tiles.size() - 1));
  }
  Call &tensor() {
    kernel.tensors.push_back({});
    kernel.tensors.back().element = "float";
    return operand(Operand::Kind::Tensor, static_cast<std::uint32_t>(kernel.tensors.size() - 1));
  }
  Call &tensorOf(Tensor tensor) {
    kernel.tensors.push_back(std::move(tensor));
    return operand(Operand::Kind::Tensor, static_cast<std::uint32_t>(kernel.tensors.size() - 1));
  }
  Call &fifo(const std::string &direction = "DIR_C2V") {
    kernel.fifos.push_back({});
    kernel.fifos.back().direction = direction;
    return operand(Operand::Kind::Fifo, static_cast<std::uint32_t>(kernel.fifos.size() - 1));
  }
  Call &scalar() { return operand(Operand::Kind::Scalar, kNone); }
  Call &pointer() { return operand(Operand::Kind::Pointer, kNone); }
  Call &unknown() { return operand(Operand::Kind::Unknown, kNone); }
  Call &notFollowed() {
    instruction.followed = false;
    return *this;
  }
  /// "AtomicType::AtomicAdd", "3"; an enumeration alone for a constant of it that is not known.
  Call &templateArgument(const std::string &text) {
    instruction.templateArguments.push_back(text);
    const std::size_t colons = text.find("::");
    const bool number = text.find_first_not_of("0123456789") == std::string::npos;
    instruction.templateConstants.push_back(
        {number ? "number" : text.substr(0, colons), number || colons != std::string::npos ? text : ""});
    return *this;
  }
  Call &section(Section section) {
    kernel.section = section;
    return *this;
  }

  /// Null if no form fits.
  const InstructionForm *form(const std::string &arch = "a3") const {
    return chooseForm(kernel, instruction, machineOf(arch));
  }
  Assigns assigns(const std::string &arch = "a3") const { return assignsOf(kernel, instruction, machineOf(arch)); }
  Effects effects(const Machine &machine, Trust trust, const CallState &state = {}) const {
    return effectsOf(kernel, instruction, machine, trust, state);
  }
  Effects effects(const std::string &arch = "a3", Trust trust = Trust::Tile) const {
    return effects(machineOf(arch), trust);
  }

private:
  Call &operand(Operand::Kind kind, std::uint32_t index) {
    Operand operand;
    operand.kind = kind;
    operand.index = index;
    instruction.operands.push_back(operand);
    return *this;
  }

  Kernel kernel;
  Instruction instruction;
};

/// A row-major float tile of the given columns and valid columns (-1: run-time).
inline Tile rows(std::uint32_t cols, std::int64_t validCols) {
  Tile tile;
  tile.location = "Vec";
  tile.element = "float";
  tile.elementBits = 32;
  tile.rows = tile.staticValidRows = 16;
  tile.cols = cols;
  tile.staticValidCols = validCols;
  return tile;
}

inline Tile shaped(std::uint32_t rowCount, std::uint32_t cols, std::int64_t validRows, std::int64_t validCols) {
  Tile tile = rows(cols, validCols);
  tile.rows = rowCount;
  tile.staticValidRows = validRows;
  return tile;
}

/// The access to operand `i` of the first phase.
inline EffectAccess accessTo(const Effects &effects, std::size_t i) {
  for (const EffectAccess &access : effects.phases.front().accesses)
    if (access.operand == i)
      return access;
  throw std::runtime_error("no such access");
}

/// A tensor of floats of that shape, rows one behind the other.
inline Tensor tensorShaped(std::array<std::int64_t, 5> shape) {
  Tensor tensor;
  tensor.element = "float";
  tensor.elementBits = 32;
  tensor.shape = shape;
  tensor.stride = {-1, -1, -1, shape[4], 1};
  return tensor;
}

/// "S V MTE2", in the order of the pipes.
inline std::string pipesText(const PipeSet &pipes) {
  std::string text;
  for (Pipe pipe : kPipes)
    if (pipes.contains(pipe))
      text += (text.empty() ? "" : " ") + std::string(pipeName(pipe).substr(5));
  return text;
}

/// The pipes of the form that fits; "unknown" if none does.
inline std::string pipesOf(const Call &call, const std::string &arch) {
  const InstructionForm *form = call.form(arch);
  return form ? pipesText(form->pipes) : "unknown";
}

} // namespace ptosync::test
