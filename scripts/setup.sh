# Sourced by run.sh and test.sh: installs what is missing, configures and builds.
# Leaves the shell in the repository's root. Debian 12; as root or with sudo.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

ptosync_packages=(g++ cmake ninja-build git llvm-19-dev clang-19 libclang-19-dev libclang-cpp19-dev nlohmann-json3-dev
  libvalijson-dev catch2 pre-commit libzstd-dev zlib1g-dev libxml2-dev libedit-dev libcurl4-openssl-dev)

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
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# ptosync_build TESTS: configures build/ once, then builds what changed.
ptosync_build() {
  local log
  log="$(mktemp)"
  if ! { cmake -G Ninja -B build -S . -DPTOSYNC_TESTS="$1" && ninja -C build; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "error: the build failed" >&2
    return 1
  fi
  rm -f "$log"
}
