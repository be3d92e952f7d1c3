# A host is killed, over Bluetooth only, and goes on in its session later: the guest finds it again
# by itself and has every line once.
# limit: 240
radio_up
start_host host --event "Town Hall" --port 0 --ble-captions
tell host 1 100
await_beacon 90
start_beamscribe guest join "Town Hall" --timeout 70 --verbose
await_count "$(out guest)" 75 100

stop host KILL
await_line "$(err guest)" 20 'lost|gone|trying|reconnect'
back=$(clock)
home=host start_host resumed --resume last --port 0 --ble-captions --until-eof
numbered 101 200 | say_to resumed
await_count "$(out guest)" 60 200
figure "$(since "$back") s from the host's return to the guest's having what was missing"
close_input resumed
expect_end guest 20 0
expect_end resumed 20 0
expect_lines "$(out guest)" 1 200
