#!/usr/bin/env bash
# scripts/hand-written: of every eighth of the library's own kernels nearly nine in ten are read, none crashes the tool or is cut
# off; what two vector instructions without a sync between them say is in the tables. Skipped where the library is absent.
source "$(dirname "$0")/check.sh"
survey="$repository/scripts/hand-written"

run "$survey" --every 8 --at-least 85 "$(dirname "$ptosync")"
if [ "$code" -eq 77 ]; then
  echo "$output"
  exit 77
fi
expect_code 0
expect_no_output "crash"

run "$survey" --at-least 101 "$(dirname "$ptosync")" "$repository"/../shared/library/*/tests/npu/a5/src/st/testcase/tadd_tdiv/tadd_tdiv_kernel.cpp
expect_code 1

run "$survey" --testify --json found.json "$(dirname "$ptosync")" \
  "$repository"/../shared/library/*/tests/npu/a5/src/st/testcase/tadd_tdiv/tadd_tdiv_kernel.cpp
expect_code 0
run "$repository/scripts/hand-written-tables" found.json
expect_code 0
expect_output "| a5 | vector-order | V | UB | RAW | 1 | 1 |"

finish
