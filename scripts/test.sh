#!/usr/bin/env bash
# scripts/test.sh [ctest options...]
#
# Installs what is missing, builds, and runs every test. Kernels beside the repository in
# ../shared/kernels are used where they exist.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
ptosync_install "${ptosync_test_packages[@]}"
ptosync_build ON
exec ctest --test-dir build --output-on-failure -j "$(nproc)" "$@"
