#!/usr/bin/env bash
# scripts/run.sh KERNEL.cpp [ptosync opt options...]
#
# Installs what is missing, builds, and runs `ptosync opt` on the kernel: prints the summary and
# writes the patched kernel, the diff and the JSON report into out/NAME/.
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: scripts/run.sh KERNEL.cpp [options of ptosync opt]" >&2
  exit 2
fi
kernel="$(realpath -m "$1")"
shift
source "$(dirname "$0")/setup.sh"
ptosync_install "${ptosync_packages[@]}"
ptosync_build "${PTOSYNC_TESTS:-OFF}"

# A kernel inside the repository is named relative to it, so that the diff applies there.
case "$kernel" in "$PWD"/*) kernel="${kernel#"$PWD"/}" ;; esac
name="$(basename "${kernel%.cpp}")"
[ "$name" = kernel ] && name="$(basename "$(dirname "$kernel")")"
folder="out/$name"
mkdir -p "$folder"
build/ptosync opt "$kernel" -o "$folder/$name.cpp" --report "$folder/report.json" "$@"
build/ptosync opt "$kernel" --diff "$@" >"$folder/$name.diff" 2>/dev/null || [ $? -eq 1 ]
echo
echo "written to $folder: $name.cpp, $name.diff, report.json"
