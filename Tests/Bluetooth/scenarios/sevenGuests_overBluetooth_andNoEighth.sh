# A controller has room for few connections: seven guests are served, and the eighth is told so.
# The host has one adapter for its beacon, as most have: it must be heard while guests are connected
# to it, though a controller ends an advertisement when somebody connects by it.
# The guests stand for eight machines but share one bluetoothd. Connected, that would read the
# host's name and services, and no longer tell what the beacon says; so it is told not to.
# limit: 240
services_are_read=false
radio_up
occupy hci0
start_host host --event "Town Hall" --port 0 --ble-captions --until-eof
tell host 1 100
await_beacon 90 hci1

begin=$(clock)
for guest in 1 2 3 4 5 6 7; do
    start_beamscribe "guest$guest" join "Town Hall" --timeout 70 --verbose
    await_count "$(out "guest$guest")" 75 100
done
figure "$(since "$begin") s until seven guests, one after the other, had 100 lines"

run_beamscribe guest8 60 join "Town Hall" --timeout 40
((ended_with != 0)) || fail "the eighth guest ended with 0"
((ended_with != 69)) || fail "the eighth guest found nobody: $(end_of "$(err guest8)")"
has_line "$(err guest8)" 'full|refused|room|places|guests|seven|7' ||
    fail "the eighth guest ended with $ended_with and said: $(end_of "$(err guest8)")"
[[ $(count "$(out guest8)") == 0 ]] || fail "the eighth guest was given lines all the same"
figure "the eighth ended with $ended_with"

tell host 101 150
for guest in 1 2 3 4 5 6 7; do
    await_count "$(out "guest$guest")" 20 150
done
close_input host
for guest in 1 2 3 4 5 6 7; do
    expect_end "guest$guest" 20 0
    expect_lines "$(out "guest$guest")" 1 150
done
expect_end host 20 0
