# Wi-Fi that keeps multicast from everybody, as many guest networks do: only the beacon can tell a
# guest where the host is, and the captions come over the network.
radio_up
peers_up
block_mdns a
block_mdns b

peer=a start_host host --event "Town Hall" --port 0
await_beacon 90
tell host 1 200

# Without Bluetooth there must be nothing to find, or this scenario shows nothing.
peer=b start_beamscribe deaf join "Town Hall" --no-ble --timeout 3

begin=$(clock)
peer=b start_beamscribe guest join "Town Hall" --timeout 70 --verbose
await_count "$(out guest)" 75 1
figure "$(since "$begin") s from the guest's start to its first line"
await_line "$(err host)" 5 'connected from (169\.254|\[?fe80)'

await_count "$(out guest)" 20 200
tell host 201 210
await_count "$(out guest)" 10 210
expect_lines "$(out guest)" 1 210

expect_end deaf 10 69
stop guest
stop host
