# Sourced by run.sh and test.sh: installs what is missing, configures and builds.
# Leaves the shell in the repository's root. Debian 12; as root or with sudo.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# clang-19 holds what Clang's own CMake files name; the tests compile kernels with it too.
ptosync_packages=(g++ cmake ninja-build llvm-19-dev libclang-19-dev libclang-cpp19-dev clang-19 nlohmann-json3-dev
  libzstd-dev zlib1g-dev libxml2-dev libedit-dev libcurl4-openssl-dev)
ptosync_test_packages=("${ptosync_packages[@]}" git catch2 libvalijson-dev pre-commit valgrind parallel rsync openssh-client
  openssh-server nginx-light)

ptosync_install() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "installing: ${missing[*]}" >&2
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "error: installing packages needs root or sudo" >&2; return 1; }
    root=(sudo)
  fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  local log
  log="$(mktemp)"
  if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
      >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "error: the packages could not be installed" >&2
    return 1
  fi
  rm -f "$log"
}

# Ninja's lines as they come on a terminal; elsewhere one line for every tenth of the way.
ptosync_progress() {
  local line terminal=0 any=0 tenth=0
  [ -t 2 ] && terminal=1
  while IFS= read -r line; do # Debian's own awk would hold the lines back
    [[ "$line" =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    if [ "$terminal" -eq 1 ]; then
      printf '\rbuilding: %d of %d ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
      any=1
    elif [ $((10 * BASH_REMATCH[1] / BASH_REMATCH[2])) -gt "$tenth" ]; then
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      printf 'building: %d of %d\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    fi
  done >&2
  [ "$any" -eq 0 ] || printf '\n' >&2
}

# ptosync_build TESTS: configures build/ once, then builds what changed. A configuration that fails leaves nothing
# behind that the next one would believe.
ptosync_build() {
  local log fresh=1 together=()
  log="$(mktemp)"
  # Quick to build once; a build folder that is there keeps what it was configured for.
  [ -e build ] && fresh=0 || together=(-DPTOSYNC_TOGETHER=ON)
  if ! cmake -G Ninja -B build -S . -DPTOSYNC_TESTS="$1" "${together[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    rm -rf "$log" build/CMakeCache.txt build/CMakeFiles
    [ "$fresh" -eq 1 ] && rm -rf build
    echo "error: the configuration failed" >&2
    return 1
  fi
  if ! NINJA_STATUS='[%f/%t] ' ninja -C build 2>&1 | tee "$log" | ptosync_progress; then
    grep -v '^\[[0-9]*/[0-9]*\] [A-Z]' "$log" >&2 || true
    rm -f "$log"
    echo "error: the build failed" >&2
    return 1
  fi
  rm -f "$log"
}
