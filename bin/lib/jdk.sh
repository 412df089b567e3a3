# Finds the JDK that OctoFS needs. To be sourced:
#   octofs_find_jdk      exports JAVA_HOME, or returns 1 without a word
#   octofs_require_jdk   the same, or says what is missing and returns 1
#   octofs_install_jdk   as root on Debian: asks apt for one
# shellcheck shell=bash

OCTOFS_JAVA_VERSION=25

# octofs_is_jdk HOME: is this a JDK (not only a runtime) of the right version?
octofs_is_jdk() {
  [[ -x "$1/bin/java" && -x "$1/bin/javac" ]] || return 1
  if [[ -r "$1/release" ]]; then
    grep -Eq "^JAVA_VERSION=\"${OCTOFS_JAVA_VERSION}([.+\"-]|\$)" "$1/release"
  else
    "$1/bin/java" -version 2>&1 | grep -Eq "version \"${OCTOFS_JAVA_VERSION}([.+\"-]|\$)"
  fi
}

octofs_find_jdk() {
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    if [[ -n "$home" ]] && octofs_is_jdk "$home"; then
      export JAVA_HOME="$home"
      return 0
    fi
  done
  return 1
}

octofs_install_jdk() {
  local package
  [[ "$(id -u)" == 0 ]] && command -v apt-get >/dev/null || return 1
  for package in "openjdk-${OCTOFS_JAVA_VERSION}-jdk-headless" "temurin-${OCTOFS_JAVA_VERSION}-jdk"; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package" && return 0
    fi
  done
  return 1
}

octofs_require_jdk() {
  octofs_find_jdk && return 0
  echo "OctoFS needs JDK ${OCTOFS_JAVA_VERSION}: install one below /usr/lib/jvm or set JAVA_HOME to it." >&2
  return 1
}
