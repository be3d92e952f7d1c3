# Captions: lines that tell their number, and looking whether they have come.

# Numbered lines: numbered FROM THROUGH
numbered() { seq -f 'Line %.0f of what is said, about as long as captions are.' "$1" "$2"; }

# Wants that a file has exactly the lines FROM THROUGH: expect_lines FILE FROM THROUGH
expect_lines() {
    numbered "$2" "$3" >"$work/expected"
    expect_same "$1" "$work/expected"
}

# Wants that two files are the same, or says how the first one differs: expect_same FILE EXPECTED
expect_same() {
    cmp -s "$1" "$2" && return
    local difference
    difference=$(diff "$2" "$1" | grep '^[<>]' | head -n 1)
    fail "${1##*/} has $(count "$1") lines where $(count "$2") are due; the first difference" \
        "(< due, > there): $difference"
}

# Starts a host whose input is a pipe that stays open: start_host NAME ARGUMENTS...
# What it has taken in is in its output, since it runs with --tee.
start_host() {
    local name=$1
    shift
    open_input "$name"
    standard_input="$work/$name.in" start_beamscribe "$name" host --verbose --tee --linger 0 "$@"
}

# Gives a host lines and waits until it has them all: tell NAME FROM THROUGH
tell() {
    numbered "$2" "$3" | say_to "$1"
    await_count "$(out "$1")" 30 "$3"
}

# Wants that the host `morning` is heard again by the guest `waiting`, which has looked for another
# event all the time, and that this guest joins its event, "Evening", as soon as that begins. One
# event is over before the other begins: a scanner takes what one adapter sends for one device.
expect_beacon_is_heard() {
    local begin
    begin=$(clock)
    await 30 "bluetoothd's hearing the beacon again" is_known Morning
    figure "$(since "$begin") s until it is heard"
    stop morning
    expect_evening_is_joined
}

# Begins the event "Evening", which the guest `waiting` is looking for.
expect_evening_is_joined() {
    local begin
    start_host evening --event "Evening" --port 0 --ble-captions
    tell evening 1 5
    begin=$(clock)
    # bluetoothd refuses an advertisement now and then ("Invalid Parameters"), right after another
    # has gone: it is asked again after 10 s, and a beacon may take 20 s to be heard.
    await_count "$(out waiting)" 90 5
    figure "$(since "$begin") s until the guest that was looking has the captions"
}
