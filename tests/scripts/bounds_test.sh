#!/usr/bin/env bash
# docs/bounds.md has a row for each bound of the source, with its value and its file, and none for anything else.
source "$(dirname "$0")/check.sh"
command -v python3 >/dev/null || exit 77

run "$repository/scripts/bounds-table" --check
expect_code 0
expect_equal "$output" ""

# The check notices: a value, a file, a constant without a row, a row without a constant. What can be mended is.
mkdir -p copy/scripts copy/docs copy/src/one copy/src/two
cp "$repository/scripts/bounds-table" copy/scripts/
cat >copy/src/one/a.cpp <<'SOURCE'
constexpr int kMostTurns = 3, kDeepestCall = 64; // kMostOthers = 5
constexpr std::size_t kLargestInput = std::size_t(64) << 20;
SOURCE
row() { printf '| `%s` | `%s` | `%s` | The rest is left. |\n' "$@" >>copy/docs/bounds.md; }
row kMostTurns 3 one/a.cpp
row kDeepestCall 63 one/a.cpp
row kLargestInput 'std::size_t(64) << 20' two/b.h
run copy/scripts/bounds-table --check
expect_code 1
expect_output "docs/bounds.md:2: kDeepestCall is now 64 in src/one/a.cpp"
expect_output "docs/bounds.md:3: kLargestInput is now std::size_t(64) << 20 in src/one/a.cpp"
expect_no_output kMostTurns
run copy/scripts/bounds-table
expect_code 0
run copy/scripts/bounds-table --check
expect_code 0
row kMostGone 1 one/a.cpp
echo 'constexpr int kManyNew = 7;' >copy/src/two/c.h
run copy/scripts/bounds-table --check
expect_code 1
expect_output "docs/bounds.md:4: kMostGone is no constant of src any more"
expect_output "src/two/c.h: kManyNew = 7 has no row in docs/bounds.md"
finish
