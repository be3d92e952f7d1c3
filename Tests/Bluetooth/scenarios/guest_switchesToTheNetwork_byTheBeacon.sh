# The same where no multicast gets through: only the host's beacon tells the guest, which is
# connected and has no other need to listen, where on the network the host is now.
# limit: 120
radio_up
lines=100

start_host host --event "Town Hall" --port 0 --ble-captions --until-eof
await_beacon 15
speak() {
    local line
    for ((line = 1; line <= lines; line++)); do
        printf 'Line %d of what is said.\n' "$line" >>"$work/said"
        printf 'Line %d of what is said.\n' "$line" >&"${pipe[host]}"
        pause 0.05
    done
}
start_beamscribe guest join "Town Hall" --timeout 40 --verbose
await_line "$(err host)" 45 'connected from .*bluetooth'

speak &
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
