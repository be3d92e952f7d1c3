# Two laptops joined by ad-hoc Wi-Fi: no access point, no DHCP, no Bluetooth. Avahi is enough.
peers_up
peer=a start_host host --event "Town Hall" --port 0 --until-eof
await_line "$(err host)" 15 'announced'
tell host 1 500

begin=$(clock)
peer=b start_beamscribe guest join "Town Hall" --timeout 70 --verbose
await_count "$(out guest)" 65 1
figure "$(since "$begin") s from the guest's start to its first line"
await_line "$(err host)" 5 'connected from (169\.254|\[?fe80)'
await_count "$(out guest)" 20 500
tell host 501 510
await_count "$(out guest)" 10 510
close_input host
expect_end guest 20 0
expect_end host 20 0
expect_lines "$(out guest)" 1 510
