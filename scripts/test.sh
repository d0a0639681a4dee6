#!/usr/bin/env bash
# scripts/test.sh [--all] [ctest options...]
#
# Installs what is missing, builds, and runs the tests: unit, golden and script tests; with --all the fuzzers, the
# differential test of the reader, the packages and the machine model's check against the library's own code too. Labels: unit,
# golden, fuzz, package, model (`scripts/test.sh -L golden`). Kernels and the library beside the repository in ../shared are
# used where they exist.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
selection=(-LE 'fuzz|package|model')
if [ "${1:-}" = --all ]; then
  selection=()
  shift
fi
for option in "$@"; do
  case "$option" in -L* | -R*) selection=() ;; esac
done
ptosync_install "${ptosync_test_packages[@]}" chromium # the page of --html; its test is skipped without
ptosync_build ON
exec ctest --test-dir build --output-on-failure -j "$(nproc)" "${selection[@]}" "$@"
