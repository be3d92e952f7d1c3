# All adapters are switched off and on again while a host sends its beacon and a guest looks for an
# event that has not begun: the host says so, and both go on by themselves.
# limit: 240
radio_up
start_host morning --event "Morning" --port 0 --ble-captions
start_beamscribe waiting join "Evening" --timeout 600 --verbose
await_beacon 90

switch_adapters false
await_line "$(err morning)" 10 'bluetooth.*(off|power|not|no )|no bluetooth'
is_running waiting || fail "the guest that was looking has ended: $(end_of "$(err waiting)")"

on=$(clock)
switch_adapters true
await_beacon 40
figure "$(since "$on") s until the beacon is back"
expect_beacon_is_heard
