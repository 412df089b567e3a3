# Debian packages that OctoFS needs. To be sourced, after jdk.sh:
#   octofs_install_missing WHO PACKAGE...   as root on Debian: installs what is missing of the packages, a FUSE and a
#                                           JDK; otherwise says what is missing and goes on
# shellcheck shell=bash

# What running needs (llpl wants all three of libpmem's), and what the tests need besides.
OCTOFS_RUN_PACKAGES=(libpmem1 libpmemobj1 libpmempool1 maven util-linux procps)
OCTOFS_TEST_PACKAGES=(fio attr acl rsync sqlite3 git gcc libc6-dev make python3 psmisc)

octofs_installed() {
  [[ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" == "install ok installed" ]]
}

octofs_missing_packages() {
  local package
  for package in "$@"; do
    octofs_installed "$package" || echo "$package"
  done
  # Debian 13 renamed libfuse2. fuse3 provides fusermount as well, and excludes the package fuse.
  octofs_installed libfuse2 || octofs_installed libfuse2t64 || echo libfuse2
  octofs_installed fuse || octofs_installed fuse3 || echo fuse
}

octofs_install_missing() {
  local who="$1" have_jdk=yes missing
  shift
  command -v dpkg-query >/dev/null || return 0
  mapfile -t missing < <(octofs_missing_packages "$@")
  octofs_find_jdk || have_jdk=no
  [[ ${#missing[@]} -gt 0 || $have_jdk == no ]] || return 0
  if [[ "$(id -u)" != 0 ]] || ! command -v apt-get >/dev/null; then
    [[ ${#missing[@]} == 0 ]] || echo "$who: not root, and these packages are missing: ${missing[*]}" >&2
    return 0
  fi
  echo "$who: installing ${missing[*]}$([[ $have_jdk == yes ]] || echo " and a JDK")" >&2
  apt-get update -q >&2 || echo "$who: apt-get update failed; going on with the lists that are here" >&2
  if [[ ${#missing[@]} -gt 0 ]]; then
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2 ||
      echo "$who: could not install: ${missing[*]}" >&2
  fi
  [[ $have_jdk == yes ]] || octofs_install_jdk >&2 || true
}
