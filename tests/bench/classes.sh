# shellcheck shell=bash
# Runs a class of the tests as a program, over what was compiled last: octofs_bench CLASS [ARGUMENT...]. To be sourced.

octofs_bench() {
  local root modules mark path module
  root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
  # shellcheck source=../../bin/lib/jdk.sh
  source "$root/bin/lib/jdk.sh"
  octofs_require_jdk
  cd "$root"
  # The launcher brings the jars of others to target/lib; the modules' own classes are taken from where the tests were compiled.
  bin/octofs --version >/dev/null
  modules=(pmem-pool metadata-rpc fs-server fs-client)
  mark=tests/target/.bench
  if [[ ! -e "$mark" || -n "$(find "${modules[@]/%//src/main}" tests/src/test/java/org/octofs/tests/{bench,crash} -newer "$mark" \
    -name '*.java' -print -quit)" ]]; then
    echo "tests/bench: compiling ..." >&2
    mvn -B -ntp -q -pl tests -am -DskipTests test-compile >&2
    touch "$mark"
  fi
  path=tests/target/test-classes
  for module in "${modules[@]}"; do path="$path:$module/target/classes"; done
  export PMEM_IS_PMEM_FORCE=1
  exec "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:-UsePerfData --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED \
    -Dlogback.configurationFile=config/logback-test.xml -cp "$path:target/lib/*" "$@"
}
