// What the lowering knows of C++ objects: the objects themselves, and the places that an lvalue may mean.
//
//   object   one thing that a declaration, a temporary or a member names: a scalar, an array of scalars, a tile, ...
//   place    what an lvalue designates: one object, one of several (a ternary, an element by an index that only the
//            run knows), an element of an array of scalars, or memory at an address
//
// A place is found once and its parts are kept in variables, so that it means the same thing whenever it is read or
// written later. A place that was not followed is memory at an unknown address; whatever it could mean was marked as
// reachable by address before (Lowering::expose), so that a store to it takes every such value away.
// Tested by tests/frontend/lower/lowering_object_test.cpp, lowering_expression_test.cpp and the differential test.
#pragma once

#include "kernel/kernel.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>

#include <array>
#include <utility>
#include <variant>
#include <vector>

namespace ptosync {

using ObjectId = std::uint32_t;

/// The entries of a Shape or Stride: static (>= 0) or held by the variable of the same index.
struct Dimensions {
  std::array<std::int64_t, 5> entries{};
  std::array<VariableId, 5> variables{};
};

struct Target {
  enum class Kind : std::uint8_t { Object, Element, Memory };
  Kind kind = Kind::Memory;
  ObjectId object = kNone;  // Object
  VariableId first = kNone; // Element `index` of the variables [first, first + count)
  std::uint32_t count = 0;
  ExpressionId index = kNone;
  ExpressionId address = kNone; // Memory: byte address
  std::uint32_t bytes = 0;      // Memory: bytes that an access touches
};

/// The target if `guard` holds; kNone: whenever no choice before it was taken.
struct Choice {
  ExpressionId guard = kNone;
  Target target;
};

/// Never empty; the last choice has no guard.
struct Place {
  std::vector<Choice> choices;
};

/// The parts of a record, in the order of their declaration.
template <typename Key> class Parts {
public:
  void add(const Key *key, ObjectId object) { list.emplace_back(key, object); }
  ObjectId find(const Key *key) const {
    for (const auto &[known, object] : list)
      if (known == key)
        return object;
    return kNone;
  }
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }
  std::size_t size() const { return list.size(); }

private:
  std::vector<std::pair<const Key *, ObjectId>> list;
};

struct Object {
  struct Untracked {}; // a value that is not followed
  struct Scalar {
    VariableId variable;
  };
  struct Array {
    VariableId first;
    std::uint32_t count;
  };
  struct TileObject {
    TileId tile;
  };
  struct TensorObject {
    TensorId tensor;
  };
  struct FifoObject {
    FifoId fifo;
  };
  struct Event {
    VariableId id;        // of its flag
    std::uint32_t number; // in the order of their making
  };
  struct Record {
    Parts<clang::FieldDecl> fields;
    Parts<clang::CXXRecordDecl> bases;
  };
  struct Elements {
    std::vector<ObjectId> list;
  }; // an array of anything but scalars
  struct Alias {
    Place place;
    bool bound = false;
  }; // a reference; bound once, or nothing is known
  struct Pointer {
    Place place;
  }; // a pointer that keeps its only value, and what it points to
  std::variant<Untracked, Scalar, Array, TileObject, TensorObject, FifoObject, Dimensions, Event, Record, Elements,
               Alias, Pointer>
      value;
  ObjectId container = kNone; // the array or record that this is a part of
};

} // namespace ptosync
