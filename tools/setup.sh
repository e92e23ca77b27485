# What tools/run and tools/test share: installing Debian packages, configuring and building. Sourced by bash.
# shellcheck shell=bash disable=SC2034
# Everything here talks on stderr; stdout belongs to the program that is run in the end.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(
  g++ cmake ninja-build pkg-config
  libboost1.81-dev libboost-json1.81-dev libboost-url1.81-dev
  libnghttp2-dev libssl-dev libcli11-dev libspdlog-dev libzstd-dev zlib1g-dev libbrotli-dev libncurses-dev
)
test_packages=(
  libgtest-dev libgmock-dev
  python3 python3-pytest python3-h2 python3-hpack python3-hyperframe
  curl nghttp2-client openssl procps chromium tmux gnuplot-nox prometheus
  man-db zsh fish
)
# Node.js by any road will do: only where there is none, Debian's. npm fetches playwright-core into build/npm.
command -v node >/dev/null || test_packages+=(nodejs)
command -v npm >/dev/null || test_packages+=(npm)

say() { echo "${0##*/}: $*" >&2; }

# install_missing PACKAGE...: asks apt-get only for what is not installed.
install_missing() {
  local missing=() package as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null) == installed* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { say "need root or sudo to install: ${missing[*]}"; exit 1; }
    as_root=(sudo)
  fi
  say "installing with ${as_root[*]:+${as_root[*]} }apt-get: ${missing[*]}"
  # An unreachable third-party source makes 'update' fail though Debian's own lists are fine: 'install' decides.
  "${as_root[@]}" apt-get update -qq </dev/null >&2 || say "apt-get update failed; trying with the lists there are"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" </dev/null >&2 ||
    { say "apt-get could not install: ${missing[*]}"; exit 1; }
}

# configure PRESET [CMAKE_ARGS...]: once, and again when the presets changed or other arguments are given. What
# CMakeLists.txt files change is left to ninja.
configure() {
  local preset=$1 stamp="$root/build/$1/.configured"
  shift
  if [[ -e $stamp && ! $root/CMakePresets.json -nt $stamp && ($# == 0 || $(<"$stamp") == "$*") ]]; then return; fi
  cmake -S "$root" --preset "$preset" "$@" >&2
  echo "$*" >"$stamp"
}

# build PRESET TARGET...: silent unless it is the first time or something fails.
build() {
  local preset=$1 directory="$root/build/$1" stamp
  shift
  stamp="$directory/.built-$(IFS=-; echo "$*")"
  if [[ ! -e $stamp ]]; then
    say "building $* ($preset); the first time takes minutes"
    ninja -C "$directory" "$@" >&2
  else
    ninja -C "$directory" --quiet "$@" > >(sed '/^ninja: no work to do/d' >&2)
  fi
  touch "$stamp"
}
