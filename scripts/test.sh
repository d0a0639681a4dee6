#!/usr/bin/env bash
# scripts/test.sh [--all | --soak] [ctest options...]
#
# Installs what is missing, builds, and runs the tests: unit, golden and script tests; with --all the fuzzers, the
# differential test of the reader, the packages and the machine model's check against the library's own code too. Labels: unit,
# golden, fuzz, package, model (`scripts/test.sh -L golden`). Kernels and the library beside the repository in ../shared are
# used where they exist.
#
# --soak: all of these with five times the random kernels, whatever is only tested where something changed (the model),
# and the README's two commands in an empty Debian root. Hours on two cores: for a release, not for every commit.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
selection=(-LE 'fuzz|package|model')
soak=no
case "${1:-}" in
--all) selection=() && shift ;;
--soak) selection=() soak=yes && shift && export PTOSYNC_SOAK=1 ;;
esac
for option in "$@"; do
  case "$option" in -L* | -R*) selection=() ;; esac
done
ptosync_install "${ptosync_test_packages[@]}" chromium # the page of --html; its test is skipped without
ptosync_build ON
ctest --test-dir build --output-on-failure -j "$(nproc)" "${selection[@]}" "$@"
if [ "$soak" = yes ]; then
  scripts/bare-machine --tests || [ $? -eq 77 ] # skipped where no empty root can be made
fi
