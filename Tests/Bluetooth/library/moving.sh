# Moving from Bluetooth to a network in the middle of an event.

# A host speaks so many lines, and a guest takes them over Bluetooth until the machine gets an
# address, which is a path between the two; then over the network: expect_move LINES
expect_move() {
    local lines=$1 moved speaker
    start_host host --event "Town Hall" --port 0 --ble-captions --until-eof
    await_beacon 90
    start_beamscribe guest join "Town Hall" --timeout 40 --verbose
    await_line "$(err host)" 45 'connected from .*bluetooth'

    speak "$lines" &
    speaker=$!
    await_count "$(out guest)" 30 $((lines / 5))
    address_up 192.168.77.1/24
    moved=$(clock)
    await_line "$(err host)" 40 'connected from (([0-9]+\.){3}[0-9]+:|\[)'
    figure "$(since "$moved") s from the network's coming to the guest's using it"
    figure "$(count "$work/said") of $lines lines were said by then"
    wait "$speaker"
    await_count "$(out guest)" 30 "$lines"

    # And it stays there: a last line comes over the network with Bluetooth gone.
    switch_adapters false
    echo "The last line." | tee -a "$work/said" | say_to host
    await_count "$(out guest)" 10 $((lines + 1))
    close_input host
    expect_end guest 20 0
    expect_end host 20 0
    expect_same "$(out guest)" "$work/said"
}

speak() { # speak LINES
    local line
    for ((line = 1; line <= $1; line++)); do
        printf 'Line %d of what is said.\n' "$line" >>"$work/said"
        printf 'Line %d of what is said.\n' "$line" >&"${pipe[host]}"
        pause 0.05
    done
}
