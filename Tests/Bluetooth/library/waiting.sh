# Waiting with a deadline, failing with a sentence, and telling the time.

# Says what is being done, for the log of the scenario, and how long it has run.
note() { printf '%s s: %s\n' "$(since "$scenario_began")" "$*"; }

# Ends the scenario: says what was seen.
fail() {
    printf '%s\n' "$*" >>"$work/failure"
    note "FAILED: $*"
    exit 1
}

# A number for the line that tells that the scenario has passed.
figure() {
    printf '%s\n' "$*" >>"$work/figures"
    note "$*"
}

# Seconds since 1970, with six decimals.
clock() { echo "$EPOCHREALTIME"; }
scenario_began=$(clock)

# The seconds since a time that `clock` told, with two decimals: since TIME [UNTIL].
since() {
    local begin=${1/./} end=${2:-$EPOCHREALTIME}
    local microseconds=$((${end/./} - begin))
    printf '%d.%02d\n' $((microseconds / 1000000)) $((microseconds / 10000 % 100))
}

# Waits without a process: on the one processor there is, each costs those that are tested.
pause() { read -r -t "$1" -u "$silence" || true; }
mkfifo "$work/silence"
exec {silence}<>"$work/silence"

# Whether a command succeeds within so many seconds: within SECONDS COMMAND...
within() {
    local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000))
    shift
    until "$@"; do
        ((${EPOCHREALTIME/./} < deadline)) || return 1
        pause 0.1
    done
}

# await SECONDS "what is waited for" COMMAND...
await() {
    local seconds=$1 what=$2
    shift 2
    within "$seconds" "$@" || fail "not within $seconds s: $what"
}

# Waits until a file has a line that matches: await_line FILE SECONDS PATTERN (extended, any case).
await_line() {
    within "$2" has_line "$1" "$3" ||
        fail "no line like '$3' within $2 s in ${1##*/}, which ends with: $(end_of "$1")"
}

has_line() { grep -qsiE -- "$2" "$1"; }

# Waits until a file has so many lines: await_count FILE SECONDS COUNT.
await_count() {
    within "$2" has_count "$1" "$3" ||
        fail "${1##*/} has $(count "$1") of $3 lines after $2 s; $(what_guests_say)"
}

has_count() { (($(count "$1") >= $2)); }

count() { if [[ -e $1 ]]; then wc -l <"$1"; else echo 0; fi; }

end_of() { tail -n 2 "$1" 2>/dev/null | paste -s -d ' '; }

# The last words of every program that is tested, for a failure that does not say whose it is.
what_guests_say() {
    local file
    for file in "$work"/*.err; do
        [[ ! -s $file ]] || printf '%s: %s ' "${file##*/}" "$(tail -n 1 "$file")"
    done
}
