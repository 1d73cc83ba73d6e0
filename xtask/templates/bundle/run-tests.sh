#!/bin/sh
# Runs every GPU test of this bundle. Fails if a test failed, and also if none ran.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 2
ONYX_PTX_DIR="$here/ptx"
export ONYX_PTX_DIR
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

add_counts() {
    passed=$((passed + $1))
    failed=$((failed + $2))
}

passed=0
failed=0
broken=0
# Runs a program with arguments, shows what it says, and counts its tests.
run() {
    echo "== $(basename -- "$1") =="
    "$@" >"$log" 2>&1
    status=$?
    cat -- "$log"
    # Unquoted, for it is two numbers.
    add_counts $(awk '/^test result:/ { for (i = 2; i <= NF; i++) { if ($i == "passed;") p += $(i - 1); if ($i == "failed;") f += $(i - 1) } }
        END { print p + 0, f + 0 }' "$log")
    [ "$status" -eq 0 ] || broken=$((broken + 1))
}

for program in "$here"/tests/*; do
    [ -f "$program" ] && run "$program" --ignored --test-threads=1 "$@"
done
ONYX_TEST_GPU=1
export ONYX_TEST_GPU
for program in "$here"/sessions/*; do
    [ -f "$program" ] && run "$program" "$@"
done

echo "GPU tests: $passed passed, $failed failed, $broken test binaries failed"
if [ "$((passed + failed))" -eq 0 ]; then
    echo "no GPU test ran"
    exit 1
fi
[ "$failed" -eq 0 ] && [ "$broken" -eq 0 ]
