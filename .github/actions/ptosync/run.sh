#!/usr/bin/env bash
# run.sh build|scan: the steps of the action beside it, whose inputs are in the environment (PTOSYNC_*).
#
# build: installs what the build needs, builds the program of this revision and puts it on the PATH of later steps.
# scan: runs `audit`, and `opt` if PTOSYNC_OPT is true, with annotations on standard output and SARIF in a folder. It
# leaves `exit-code` and `sarif` in GITHUB_OUTPUT and exits with 0, so that the upload follows.
set -euo pipefail

# Leaves the lines of $1 that are not empty in the array named $2.
lines_of() {
  local -n target="$2"
  target=()
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    [ -z "$line" ] || target+=("$line")
  done <<<"$1"
}

build() {
  source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/setup.sh"
  ptosync_install "${ptosync_packages[@]}"
  ptosync_build OFF
  echo "$PWD/build" >>"$GITHUB_PATH"
}

scan() {
  local paths both audit_only opt_only program="${PTOSYNC_PROGRAM:-ptosync}"
  local folder="$RUNNER_TEMP/ptosync-sarif" audit_code=0 opt_code=0
  lines_of "${PTOSYNC_PATHS:-.}" paths
  lines_of "${PTOSYNC_ARGUMENTS:-}" both
  lines_of "${PTOSYNC_AUDIT_ARGUMENTS:-}" audit_only
  lines_of "${PTOSYNC_OPT_ARGUMENTS:-}" opt_only
  if ! command -v "$program" >/dev/null; then
    echo "::error title=ptosync::$program is not there: install the package in a step before, or say build: true"
    printf 'exit-code=2\nsarif=\n' >>"$GITHUB_OUTPUT"
    return 0
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  "$program" audit "${paths[@]}" "${both[@]}" "${audit_only[@]}" --github --sarif="$folder/audit.sarif" || audit_code=$?
  if [ "${PTOSYNC_OPT:-false}" = true ]; then
    "$program" opt "${paths[@]}" "${both[@]}" "${opt_only[@]}" --dry-run --github --sarif="$folder/opt.sarif" || opt_code=$?
  fi
  [ "$audit_code" -ge "$opt_code" ] || audit_code="$opt_code"
  [ -n "$(ls "$folder")" ] || folder=""
  printf 'exit-code=%s\nsarif=%s\n' "$audit_code" "$folder" >>"$GITHUB_OUTPUT"
}

case "${1:-}" in
  build | scan) "$1" ;;
  *) echo "usage: run.sh build|scan" >&2; exit 2 ;;
esac
