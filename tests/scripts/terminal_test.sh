#!/usr/bin/env bash
# What a person sees on a terminal: colours, lines of the source, and neither of them anywhere else.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"
command -v script >/dev/null || { echo "skipped: no script(1)"; exit 77; }
unset NO_COLOR

cat >k.cpp <<'END'
#include "pto/pto-inst.hpp"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float *in) {
	pipe_barrier(PIPE_V); // ptosync: keep
  TFROB(in); /* äö */ TZAP(in);
}
END

# session COMMAND: what it prints on a terminal, with ESC for the control character and without carriage returns
session() {
  TERM=xterm-256color script -qec "$1" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b/ESC/g'
}
audit="$(printf '%q' "$ptosync") audit k.cpp --arch=a3"

cat >expected <<'END'
ESC[1mk.cpp:5:3: ESC[0mESC[1;35mwarning:ESC[0m ESC[1mthe machine model does not know TFROB: it is taken to touch all memory on all pipes, so the syncs around it stay, and what it misses is not seen [unknown-call]ESC[0m
    5 |   TFROB(in); /* äö */ TZAP(in);
      |   ESC[1;32m^~~~~ESC[0m
ESC[1mk.cpp:5:25: ESC[0mESC[1;35mwarning:ESC[0m ESC[1mthe machine model does not know TZAP: it is taken to touch all memory on all pipes, so the syncs around it stay, and what it misses is not seen [unknown-call]ESC[0m
    5 |   TFROB(in); /* äö */ TZAP(in);
      |                       ESC[1;32m^~~~ESC[0m
END
session "$audit -q" >shown
expect_same shown expected

# NO_COLOR takes the colours, and so does --color=never; the lines of the source stay.
sed 's/ESC\[[0-9;]*m//g' expected >plain
session "NO_COLOR=1 $audit -q" >shown
expect_same shown plain
session "$audit -q --color=never" >shown
expect_same shown plain
# An empty NO_COLOR is none, and --color=always wins over it.
session "NO_COLOR= $audit -q" >shown
expect_same shown expected
session "NO_COLOR=1 $audit -q --color=always" >shown
expect_same shown expected
session "TERM=dumb $audit -q" >shown
expect_same shown plain

# Elsewhere there is neither, unless --color=always asks for both.
"$ptosync" audit k.cpp --arch=a3 -q >shown
expect_same shown <(grep -v ' | ' plain)
"$ptosync" audit k.cpp --arch=a3 -q --color=always | sed 's/\x1b/ESC/g' >shown
expect_same shown expected
# Documents for programs have no colours anywhere.
for format in json sarif github; do
  session "$audit --format=$format --color=always" >shown
  ! grep -q ESC shown || complain "--format=$format is coloured"
done

# A diff has the colours of git.
cp "$repository/corpus/softmax/kernel.cpp" soft.cpp
session "$(printf '%q' "$ptosync") opt soft.cpp --diff -q" >shown
expect_in_file shown 'ESC[1m--- a/soft.cppESC[0m'
expect_in_file shown 'ESC[31m-    pipe_barrier(PIPE_V);'
expect_in_file shown 'ESC[32m+    /* ptosync: removed pipe_barrier(PIPE_V)'
sed 's/ESC\[[0-9;]*m//g' shown >plain
"$ptosync" opt soft.cpp --diff -q >diff
expect_same diff plain
finish
