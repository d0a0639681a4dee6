#!/usr/bin/env bash
# The steps of CONTRIBUTING.md that add a finding and an edit kind, taken in a copy of the sources: files written, diffs
# applied, what they touch compiled and linked in front of the tool's own, and the result run on the kernels of the page.
source "$(dirname "$0")/check.sh"
page="$repository/CONTRIBUTING.md"
cp -r "$repository/src" "$repository/patterns" .

# Blocks behind "File `NAME`:" are written, those of diffs applied.
awk '
  /^File `[^`]*`:$/ { split($0, part, "`"); name = part[2]; next }
  /^```/ { if (inside) { inside = 0; name = ""; close(target) } else if (name != "" || $0 == "```diff") { inside = 1; target = $0 == "```diff" ? "steps.diff" : name } ; next }
  inside { print >> target }
' "$page"
for file in src/audit/repeat_rules.cpp src/optimize/remove_at_once.cpp at-once.json kernel.cpp flags.cpp; do
  expect_file "$file"
done
run git apply steps.diff
expect_code 0

# As the build compiles and links, without its time for optimisation.
commands="$(ninja -C "$build" -t commands ptosync)"
compile="$(grep -E ' -c .*src_audit|src/audit/audit\.cpp' <<<"$commands" | head -1 | sed -E 's/ -O[0-9]//g; s/ -o [^ ]* -c .*//; s/ -MD//; s/ -(MT|MF) [^ ]*//g; s/ -include [^ ]*cmake_pch[^ ]*//; s/ -Winvalid-pch//')"
compile="${compile/-I$repository\/src/-I$work/src} -O0"
link="$(grep -E ' -o ptosync ' <<<"$commands" | tail -1 | sed -E 's/^: && //; s/ && .*$//')"
sources=(audit/audit audit/finding audit/repeat_rules optimize/optimizer optimize/edit_kinds optimize/remove_at_once
  patterns/pattern patterns/pattern_reader)
compile_one() { bash -c "$compile -c src/$1.cpp -o $(basename "$1").o"; }
export -f compile_one
export compile
run xargs -P 2 -I {} bash -c 'compile_one {}' < <(printf '%s\n' "${sources[@]}")
expect_code 0
objects=()
for source in "${sources[@]}"; do objects+=("$work/$(basename "$source").o"); done
# The copy's definitions come first, and win.
run bash -c "cd '$build' && ${link/ -o ptosync / -o $work/own_ptosync -Wl,-z,muldefs ${objects[*]} }"
expect_code 0

# shown COMMAND: the line that the page shows behind it.
shown() { awk -v command="\$ ptosync $1" '$0 == command { getline; print; exit }' "$page"; }

run ./own_ptosync audit kernel.cpp --severity=note
expected="$(shown 'audit kernel.cpp --severity=note')"
[ -n "$expected" ] || complain "the page shows no output of audit"
expect_output "$expected"
run "$ptosync" audit kernel.cpp --severity=note
expect_no_output repeated-barrier

options=(flags.cpp --patterns=at-once --pattern-file=at-once.json --dry-run)
run ./own_ptosync opt "${options[@]}"
expect_code 0
expected="$(shown "opt ${options[*]}")"
[ -n "$expected" ] || complain "the page shows no output of opt"
expect_output "$expected"
run ./own_ptosync patterns test --pattern-file=at-once.json
expect_code 0
run "$ptosync" opt "${options[@]}"
expect_code 2
expect_output "unknown value 'remove-at-once'"
finish
