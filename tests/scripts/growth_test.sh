#!/usr/bin/env bash
# How the work of `opt` and `audit` grows with the length of a kernel: instructions that valgrind counts, which hang on
# nothing that the machine does beside it. For each kind of scripts/scale-kernel the exponent between two lengths stays
# below the limit of its row. 1.0 is proportional to the length; what an exponent is now stands in docs/limits.md.
source "$(dirname "$0")/check.sh"
command -v valgrind >/dev/null && command -v python3 >/dev/null || exit 77

# counted COMMAND KIND STATEMENTS: what one run takes, in instructions.
counted() {
  local command=("$1")
  [ "$1" = opt ] && command+=(--dry-run)
  "$repository/scripts/scale-kernel" "$2" "$3" >"$2$3.cpp"
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
    "$ptosync" "${command[@]}" -q "$2$3.cpp" 2>&1 >/dev/null | sed -n 's/.*I *refs: *//p' | tr -d ,
}

# What a process takes for a kernel of no length is taken off.
grow() {
  local base small large exponent
  base="$(counted "$1" "$2" 1)"
  small="$(counted "$1" "$2" 400)"
  large="$(counted "$1" "$2" 1600)"
  exponent="$(python3 -c 'import math, sys
base, small, large = map(int, sys.argv[1:])
print(f"{math.log((large - base) / (small - base), 4):.2f}")' "$base" "$small" "$large")"
  echo "$1 $2: $base, $small, $large instructions, exponent $exponent"
  code=0 output="$exponent"
  python3 -c 'import sys; sys.exit(float(sys.argv[1]) > float(sys.argv[2]))' "$exponent" "$3" ||
    complain "$1 of the kind $2 grows with the exponent $exponent, which is above $3"
}

# placed KIND: of kernels that are placed anew region by region, the exponent between 1,600 and 6,400 statements of the
# blocks that the analysis runs through and of the edits that are tried, as --stats counts them.
placed() {
  for statements in 1600 6400; do
    "$repository/scripts/scale-kernel" "$1" "$statements" >"$1$statements.cpp"
    "$ptosync" opt "$1$statements.cpp" --resync --dry-run -q --stats="$statements.json" >/dev/null
  done
  code=0
  output="$(python3 - "$1" <<'PY'
import json, math, sys
small, large = (json.load(open(f"{n}.json"))["kernels"][0]["work"] for n in (1600, 6400))
exponents = {unit: math.log(large[unit] / small[unit], 4) for unit in ("visits", "trials", "readings")}
print(f"opt --resync {sys.argv[1]}:", ", ".join(f"{unit} {value:.2f}" for unit, value in exponents.items()))
sys.exit(max(exponents.values()) > 1.15 or small["trials"] < 100)
PY
  )" || complain "opt --resync of the kind $1 grows faster than the kernel"
  echo "$output"
}
placed webs

grow opt straight 1.3
grow opt loops 1.1
grow opt switch 1.4
grow opt flags 1.2
grow opt chain 1.1
grow audit loops 1.35
finish
