#!/usr/bin/env bash
# scripts/compile.sh [OPTION...] INPUT [-- OPTION OF ptosync opt or sync...]
#
# From a kernel to a shared library, with ptosync between the assembler and the device compiler:
#
#   NAME.py --PYTHON--> NAME.mlir --PTOAS--> NAME.cpp --PTOSYNC--> NAME_opt.cpp --BISHENG--> NAME.so
#
# INPUT may be any of the first three (.py, .mlir or .pto, .cpp). docs/compile.md says more.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: compile.sh [OPTION...] INPUT [-- OPTION OF ptosync opt or sync...]

  INPUT                        NAME.py (prints MLIR), NAME.mlir, NAME.pto or NAME.cpp
  --out=DIR                    where everything is written (default: build_artifacts)
  --to=mlir|cpp|opt|so         stop after this stage (default: so)
  --arch=a3|a5                 default: PTOSYNC_ARCH, else a3
  --caller=F.cpp               compile this file, which includes the kernel as KERNEL_CPP
  --from-nothing               assemble without synchronisation, and let ptosync sync place all of it
  --auto-sync=default|on|off   synchronisation that the device compiler adds itself (default: say nothing to it)
  --dry-run                    print the commands, run and write nothing
  --help

environment, with defaults:
  PYTHON=python3  PTOAS=ptoas  BISHENG=bisheng  PTOSYNC=build/ptosync of this repository, else ptosync on PATH
  PTOSYNC=off            the untouched kernel, for comparison
  PTO_LIB_PATH           folder of the PTO instruction library; include/pto/pto-inst.hpp is in it
  PTOAS_FLAGS            more options for the assembler
  PTOSYNC_FLAGS          more options for ptosync, before those behind --
  BISHENG_COMMON_FLAGS   instead of the options for every architecture
  BISHENG_ARCH_FLAGS     instead of the options for the architecture
  BISHENG_FLAGS          more options for the device compiler
Flags are split at white space.

exit codes: 0 done; 2 usage, or a tool is missing; otherwise that of the tool that failed
TEXT
}

fail() {
  echo "compile.sh: $1" >&2
  exit 2
}

# --- the command line -------------------------------------------------------------------------------------------

input='' out=build_artifacts to=so arch="${PTOSYNC_ARCH:-a3}" caller='' auto_sync=default dry_run=no command=opt insert=(--enable-insert-sync)
ptosync_options=()
while [ $# -gt 0 ]; do
  case "$1" in
  --out=*) out="${1#*=}" ;;
  --to=*) to="${1#*=}" ;;
  --arch=*) arch="${1#*=}" ;;
  --caller=*) caller="${1#*=}" ;;
  --auto-sync=*) auto_sync="${1#*=}" ;;
  --from-nothing) command=sync insert=() ;;
  --dry-run) dry_run=yes ;;
  --help | -h)
    usage
    exit 0
    ;;
  --)
    shift
    ptosync_options=("$@")
    break
    ;;
  -*) fail "$1: unknown option (see --help; options of ptosync go behind --)" ;;
  *)
    [ -z "$input" ] || fail "$1: one input is expected, and $input is it"
    input="$1"
    ;;
  esac
  shift
done
[ -n "$input" ] || { usage >&2; exit 2; }
case "$to" in mlir | cpp | opt | so) ;; *) fail "--to=$to: expected mlir, cpp, opt or so" ;; esac
case "$arch" in a3 | a5) ;; *) fail "--arch=$arch: expected a3 or a5 (--arch or PTOSYNC_ARCH)" ;; esac
case "$auto_sync" in default | on | off) ;; *) fail "--auto-sync=$auto_sync: expected default, on or off" ;; esac
[ -n "$out" ] || fail "--out: expected a folder"

# --- which stages run, and what they need -----------------------------------------------------------------------

case "$input" in
*.py) from=0 ;;
*.mlir | *.pto) from=1 ;;
*.cpp) from=2 ;;
*) fail "$input: expected a name that ends in .py, .mlir, .pto or .cpp" ;;
esac
[ -f "$input" ] || fail "$input: no such file"
[ -z "$caller" ] || [ -f "$caller" ] || fail "--caller=$caller: no such file"
case "$to" in mlir) last=0 ;; cpp) last=1 ;; opt) last=2 ;; so) last=3 ;; esac
[ "$from" -le "$last" ] || fail "$input: lies behind --to=$to already"

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
PYTHON="${PYTHON:-python3}" PTOAS="${PTOAS:-ptoas}" BISHENG="${BISHENG:-bisheng}"
if [ -z "${PTOSYNC:-}" ]; then
  PTOSYNC="$(dirname "$here")/build/ptosync"
  [ -x "$PTOSYNC" ] || PTOSYNC=ptosync
fi
# A list in the environment replaces one of ours, white space separates.
words() { IFS=$' \t\n' read -r -d '' -a list <<<"$1" || true; }

# What would leave nothing to compile, or say twice what this script says.
words "${PTOSYNC_FLAGS:-}"
for option in "${list[@]+"${list[@]}"}" "${ptosync_options[@]+"${ptosync_options[@]}"}"; do
  name="${option%%=*}"
  name="${name#-}"
  name="${name#-}"
  case "$option" in -*) ;; *) continue ;; esac
  case "$name" in
  dry-run | diff | print | help | h | version)
    fail "$option: has no place in a build; ask ptosync itself, or see what compile.sh does with its own --dry-run" ;;
  o | report) fail "$option: compile.sh says where results go (--out)" ;;
  arch) fail "$option: is an option of compile.sh itself, in front of --" ;;
  esac
done
[ "$PTOSYNC" != off ] || [ "$command" = opt ] || fail "PTOSYNC=off leaves a kernel of --from-nothing without any sync"
if [ "$PTOSYNC" = off ] && [ ${#ptosync_options[@]} -gt 0 ]; then
  fail "PTOSYNC=off leaves no use for: ${ptosync_options[*]}"
fi
runs() { [ "$from" -le "$1" ] && [ "$1" -le "$last" ]; }

# need VARIABLE STAGE WHAT
need() {
  local tool="${!1}"
  runs "$2" && [ "$dry_run" = no ] || return 0
  command -v "$tool" >/dev/null || fail "$1: '$tool' is not there; install $3, or set $1 to its path"
}
need PYTHON 0 "Python 3 with the kernel builder's packages"
need PTOAS 1 "the PTO assembler"
[ "$PTOSYNC" = off ] || need PTOSYNC 2 "ptosync (scripts/run.sh builds it)"
need BISHENG 3 "the CANN toolkit and source its set_env.sh"
if runs 3 && [ "$dry_run" = no ]; then
  [ -n "${PTO_LIB_PATH:-}" ] || fail "PTO_LIB_PATH: is not set; set it to the folder of the PTO instruction library"
  [ -e "$PTO_LIB_PATH/include/pto/pto-inst.hpp" ] ||
    fail "PTO_LIB_PATH: $PTO_LIB_PATH/include/pto/pto-inst.hpp is not there; set it to the folder of the library"
fi

# --- the stages -------------------------------------------------------------------------------------------------

show() {
  local word line=''
  for word in "$@"; do line+="$(printf '%q' "$word") "; done
  echo "${line% }"
}

# stage RESULT COMMAND...: runs it with its standard output in RESULT, which appears only if it succeeds.
stage() {
  local result="$1" status=0
  shift
  echo "+ $(show "$@") > $(printf '%q' "$result")"
  [ "$dry_run" = no ] || return 0
  "$@" >"$result.part" || status=$?
  if [ "$status" -ne 0 ]; then
    rm -f "$result.part"
    echo "compile.sh: $1 failed with exit code $status" >&2
    exit "$status"
  fi
  mv "$result.part" "$result"
}

name="$(basename "$input")"
name="${name%.*}"
mlir="$out/$name.mlir" cpp="$out/$name.cpp" opt="$out/${name}_opt.cpp" library="$out/$name.so"
report="$out/$name.ptosync.json" summary="$out/$name.ptosync.txt"
[ "$from" -ne 1 ] || mlir="$input"
[ "$from" -ne 2 ] || cpp="$input"
for result in "$opt" "$library" "$report" "$summary"; do
  [ ! "$input" -ef "$result" ] || fail "$input: would be overwritten; choose another --out"
done
if [ "$dry_run" = no ]; then
  mkdir -p "$out"
  # What an earlier run left must not pass for this one's.
  [ "$from" -gt 0 ] || rm -f "$mlir"
  [ "$from" -gt 1 ] || rm -f "$cpp"
  rm -f "$opt" "$report" "$summary" "$library"
fi

if runs 0; then stage "$mlir" "$PYTHON" "$input"; fi
if runs 1; then
  words "${PTOAS_FLAGS:-}"
  stage "$cpp" "$PTOAS" "--pto-arch=$arch" "${insert[@]+"${insert[@]}"}" "${list[@]+"${list[@]}"}" "$mlir"
fi
kernel="$cpp"
if runs 2 && [ "$PTOSYNC" = off ]; then
  echo "PTOSYNC=off: $cpp is left as it is"
elif runs 2; then
  words "${PTOSYNC_FLAGS:-}"
  stage "$summary" "$PTOSYNC" "$command" "$cpp" -o "$opt" --report "$report" "--arch=$arch" "${list[@]+"${list[@]}"}" \
    "${ptosync_options[@]+"${ptosync_options[@]}"}"
  [ "$dry_run" = yes ] || { head -n 1 "$summary"; echo "why each stayed or went: $summary, $report"; }
  kernel="$opt"
fi

if runs 3; then
  words "${BISHENG_COMMON_FLAGS:--fPIC -shared -O2 -std=gnu++17 -xcce -Xhost-start -Xhost-end
    -Wno-macro-redefined -Wno-ignored-attributes
    -mllvm -cce-aicore-stack-size=0x8000 -mllvm -cce-aicore-function-stack-size=0x8000
    -mllvm -cce-aicore-record-overflow=true -mllvm -cce-aicore-addr-transform
    -mllvm -cce-aicore-dcci-insert-for-scalar=false}"
  flags=("${list[@]+"${list[@]}"}")
  case "$arch" in
  a3) words "${BISHENG_ARCH_FLAGS:---npu-arch=dav-2201 -cce-enable-mix -DMEMORY_BASE}" ;;
  a5) words "${BISHENG_ARCH_FLAGS:---cce-aicore-arch=dav-c310 -DREGISTER_BASE}" ;;
  esac
  flags+=("${list[@]+"${list[@]}"}")
  case "$auto_sync" in on) flags+=(--cce-auto-sync) ;; off) flags+=(--cce-auto-sync=off) ;; esac
  words "${BISHENG_FLAGS:-}"
  flags+=("${list[@]+"${list[@]}"}")
  source="$kernel"
  if [ -n "$caller" ]; then
    # The caller includes it, from wherever it lies.
    flags+=("-DKERNEL_CPP=\"$(realpath -m "$kernel")\"")
    source="$caller"
  fi
  # shellcheck disable=SC2016 # shown, not expanded
  if [ "$dry_run" = yes ] && [ -z "${PTO_LIB_PATH:-}" ]; then PTO_LIB_PATH='$PTO_LIB_PATH'; fi
  command=("$BISHENG" "-I$PTO_LIB_PATH/include" "${flags[@]}" "$source" -o "$library")
  echo "+ $(show "${command[@]}")"
  if [ "$dry_run" = no ]; then
    "${command[@]}" || {
      status=$?
      rm -f "$library"
      echo "compile.sh: $BISHENG failed with exit code $status" >&2
      exit "$status"
    }
    echo "built $library from $kernel"
  fi
  cat <<TEXT
note: the device compiler may add synchronisation of its own, which then is in the library although it is in no source.
  --cce-auto-sync asks it to, --cce-auto-sync=off forbids it (here: --auto-sync=on|off, now $auto_sync);
  -g --cce-auto-sync-log=FILE lists what it added (BISHENG_FLAGS). Compare builds with the same setting.
TEXT
fi
