#!/usr/bin/env bash
# The steps of CONTRIBUTING.md that add a finding, taken in a copy of the sources: files written, diffs applied, the
# three sources compiled and linked in front of the tool's own, the kernel audited.
source "$(dirname "$0")/check.sh"
page="$repository/CONTRIBUTING.md"
cp -r "$repository/src" src

# Blocks behind "File `NAME`:" are written, those of diffs applied.
awk '
  /^File `[^`]*`:$/ { split($0, part, "`"); name = part[2]; next }
  /^```/ { if (inside) { inside = 0; name = ""; close(target) } else if (name != "" || $0 == "```diff") { inside = 1; target = $0 == "```diff" ? "steps.diff" : name } ; next }
  inside { print > target }
' "$page"
expect_file src/audit/repeat_rules.cpp
expect_file kernel.cpp
run git apply steps.diff
expect_code 0

# As the build compiles and links, without its time for optimisation.
commands="$(ninja -C "$build" -t commands ptosync)"
compile="$(grep -E ' -c .*src_audit|src/audit/audit\.cpp' <<<"$commands" | head -1 | sed -E 's/ -O[0-9]//g; s/ -o [^ ]* -c .*//; s/ -MD//; s/ -(MT|MF) [^ ]*//g; s/ -include [^ ]*cmake_pch[^ ]*//; s/ -Winvalid-pch//')"
link="$(grep -E ' -o ptosync ' <<<"$commands" | tail -1 | sed -E 's/^: && //; s/ && .*$//')"
objects=()
for source in audit finding_table repeat_rules; do
  run bash -c "${compile/-I$repository\/src/-I$work/src} -O0 -c src/audit/$source.cpp -o $source.o"
  expect_code 0
  objects+=("$work/$source.o")
done
# The copy's definitions come first, and win.
run bash -c "cd '$build' && ${link/ -o ptosync / -o $work/own_ptosync -Wl,-z,muldefs ${objects[*]} }"
expect_code 0

run ./own_ptosync audit kernel.cpp --severity=note
expected="$(awk '/^\$ ptosync audit kernel.cpp/ { getline; print; exit }' "$page")"
[ -n "$expected" ] || complain "the page shows no output"
expect_output "$expected"
run "$ptosync" audit kernel.cpp --severity=note
expect_no_output repeated-barrier
finish
