# Programs that run beside the scenario, each with a name: their output is in the files
# `$(out NAME)` and `$(err NAME)`, their state in a folder of their own.
declare -A process=()
# The descriptors that keep pipes open. No program may have them, or an input would never end.
declare -A pipe=()

# `run` has put it there, with the libraries of its language.
readonly program=/run/beamscribe/beamscribe
readonly unprivileged=(setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps -all
    --no-new-privs)

out() { echo "$work/$1.out"; }
err() { echo "$work/$1.err"; }

# Starts a command: start NAME COMMAND... Before the call may stand, for it alone:
#   standard_input=FILE     else it has none
#   standard_output=FILE    else it is $(out NAME)
start() {
    local name=$1
    shift
    note "start $name: $*"
    (
        close_pipes
        exec "$@" <"${standard_input:-/dev/null}" >>"${standard_output:-$(out "$name")}" \
            2>>"$(err "$name")"
    ) &
    process[$name]=$!
}

# Runs the program that is tested as a user without rights: start_beamscribe NAME ARGUMENTS...
# Before the call may stand also:
#   home=NAME    the state of the program of this name, else one of its own
#   peer=a|b     the machine of network.sh on which it runs, else this one
start_beamscribe() {
    local name=$1 folder="$work/${home:-$1}.home"
    shift
    install -d -o nobody -g nogroup -m 700 "$folder" "$folder/state"
    start "$name" $(on_peer "${peer:-}") "${unprivileged[@]}" env -C "$folder" HOME="$folder" \
        XDG_STATE_HOME="$folder/state" LD_LIBRARY_PATH=/beamscribe/libraries "$program" "$@"
}

# Runs it to its end, and leaves its status in `ended_with`:
# run_beamscribe NAME SECONDS ARGUMENTS...
run_beamscribe() {
    local name=$1 seconds=$2
    shift 2
    start_beamscribe "$name" "$@"
    status_of "$name" "$seconds"
}

# Opens the pipe that is a program's input: open_input NAME; close_input NAME ends that input.
open_input() {
    local descriptor
    mkfifo -m 666 "$work/$1.in"
    exec {descriptor}<>"$work/$1.in"
    pipe[$1]=$descriptor
}

close_input() {
    local descriptor=${pipe[$1]}
    unset "pipe[$1]"
    exec {descriptor}>&-
}

# Writes what it reads to a program's input: seq 3 | say_to NAME
say_to() { cat >&"${pipe[$1]}"; }

close_pipes() {
    local descriptor
    exec {silence}>&-
    for descriptor in "${pipe[@]}"; do
        exec {descriptor}>&-
    done
}

is_running() { kill -0 "${process[$1]}" 2>/dev/null; }

has_ended() { ! is_running "$1"; }

# Waits until a program ends, and leaves its status in `ended_with`: status_of NAME SECONDS
status_of() {
    local status=0
    await "$2" "the end of $1, which said: $(end_of "$(err "$1")")" has_ended "$1"
    wait "${process[$1]}" || status=$?
    ended_with=$status
}

# Waits until a program ends, and wants a status: expect_end NAME SECONDS STATUS
expect_end() {
    status_of "$1" "$2"
    ((ended_with == $3)) ||
        fail "$1 ended with $ended_with instead of $3 and said: $(end_of "$(err "$1")")"
}

# Ends a program: stop NAME [SIGNAL]
stop() {
    kill -s "${2:-TERM}" "${process[$1]}"
    status_of "$1" 10
}
