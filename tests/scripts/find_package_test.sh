#!/usr/bin/env bash
# find_package(ptosync) in a project of a user: generated and written kernels, rebuilds, the untouched build, errors.
source "$(dirname "$0")/check.sh"
unset PTOSYNC
cmake --build "$build" --target ptosync_pages >/dev/null || exit 2
cmake --install "$build" --prefix "$work/root" >/dev/null || exit 2

mkdir -p project/kernels project/headers/pto
cat >project/headers/pto/pto-inst.hpp <<'HEADER'
// Just enough for the host's compiler.
#pragma once
#define __global__
#define __gm__
#define AICORE
namespace pto {
enum class TileType { Vec };
enum class BLayout { RowMajor };
enum class SLayout { NoneBox };
enum class PadValue { Null };
enum class CompactMode { Null };
template <TileType, class T, int, int, BLayout, int, int, SLayout, int, PadValue, CompactMode> struct Tile {};
template <class T> void TASSIGN(T &, unsigned long) {}
template <class T> void TADDS(T &, T &, float) {}
} // namespace pto
enum Pipe { PIPE_V };
inline void pipe_barrier(Pipe) {}
HEADER
# kernel NAME: three barriers, of which the one in the middle is needed.
kernel() {
  echo '#include "pto/pto-inst.hpp"'
  echo 'using namespace pto;'
  echo "extern \"C\" __global__ AICORE void $1(__gm__ float *in) {"
  for tile in 0 1 2; do
    echo "  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v$tile; TASSIGN(v$tile, $((tile * 8192)));"
  done
  printf '%s\n' '  TADDS(v0, v0, 1.0f);' '  pipe_barrier(PIPE_V);' '  TADDS(v1, v1, 1.0f);' '  pipe_barrier(PIPE_V);' \
    '  TADDS(v1, v1, 2.0f);' '  pipe_barrier(PIPE_V);' '  TADDS(v2, v2, 1.0f);' '}'
}
kernel written >project/kernels/written.cpp
kernel emitted >project/emitted.in
echo 'extern "C" void host() {}' >project/host.cpp
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(user CXX)
find_package(ptosync 0.1 REQUIRED)
add_custom_command(OUTPUT emitted.cpp COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/emitted.in emitted.cpp
                   DEPENDS emitted.in)
add_library(kernels OBJECT kernels/written.cpp ${CMAKE_CURRENT_BINARY_DIR}/emitted.cpp host.cpp)
target_include_directories(kernels PRIVATE headers)
ptosync_optimize(kernels SOURCES kernels/written.cpp emitted.cpp ${MORE})
CMAKE
generator=(-G Ninja)
command -v ninja >/dev/null || generator=()
run cmake "${generator[@]}" -S project -B b "-DCMAKE_PREFIX_PATH=$work/root"
expect_code 0
run cmake --build b
expect_code 0
expect_output "Optimising the synchronisation of emitted.cpp"
for name in written emitted; do
  expect_equal "$(grep -c '^  pipe_barrier' "b/ptosync/kernels/$name.cpp")" 1
  expect_in_file "b/ptosync/kernels/$name.json" '"tool": "ptosync"'
  expect_in_file "b/ptosync/kernels/$name.txt" "3 barriers, 2 removed"
done
expect_equal "$(find b -name '*.o' | grep -c 'ptosync/kernels/\|host')" 3

# Nothing changed: nothing runs. What the kernel is emitted from changed: just that one.
run cmake --build b
expect_no_output "Optimising"
sleep 1 # Make compares whole seconds on some file systems
kernel emitted | sed 's|TADDS(v2, v2, 1.0f)|TADDS(v1, v1, 3.0f)|' >project/emitted.in
run cmake --build b
expect_code 0
expect_output "Optimising the synchronisation of emitted.cpp"
expect_no_output "written.cpp"
expect_in_file b/ptosync/kernels/emitted.cpp "TADDS(v1, v1, 3.0f);"
expect_in_file b/ptosync/kernels/emitted.txt "3 barriers, 1 removed"

# Options reach the tool; the untouched build for comparison; a kernel that cannot be analysed stops the build.
run cmake -S project -B b "-DMORE=OPTIONS;--patterns=none;TRUST;library"
run cmake --build b
expect_code 0
expect_in_file b/ptosync/kernels/written.txt "3 barriers, 0 removed, 3 kept (trust: library"
run cmake -S project -B off "-DCMAKE_PREFIX_PATH=$work/root" -DPTOSYNC_ENABLE=OFF
run cmake --build off
expect_code 0
expect_no_output "Optimising"
expect_no_file off/ptosync
echo "this is no C++" >project/emitted.in
sleep 1
run cmake --build b
[ "$code" -ne 0 ] || complain "a broken kernel was built"

# Mistakes in a CMakeLists.txt.
for mistake in "SOURCES host2.cpp" "SOURCE host.cpp" "MADE_UP"; do
  sed "s|^ptosync_optimize.*|ptosync_optimize(kernels $mistake)|" project/CMakeLists.txt >project/wrong.txt
  mkdir -p wrong && cp -r project/. wrong && cp project/wrong.txt wrong/CMakeLists.txt
  run cmake -S wrong -B w "-DCMAKE_PREFIX_PATH=$work/root"
  [ "$code" -ne 0 ] || complain "accepted: $mistake"
  expect_output "ptosync_optimize:"
done
finish
