# What a guest over Bluetooth prints is not read for 10 s, and is far more than a pipe holds: the
# event goes on meanwhile, and in the end every line is there.
# limit: 240
radio_up
start_host host --event "Town Hall" --port 0 --ble-captions --until-eof
tell host 1 4000
await_beacon 90

open_input reader
standard_output="$work/reader.in" start_beamscribe guest join "Town Hall" --timeout 70 --verbose
await_line "$(err guest)" 75 'joined'
rest=$(clock)
for line in $(seq 4001 4020); do
    numbered "$line" "$line" | say_to host
    pause 0.5
done
figure "$(since "$rest") s unread"
is_running guest || fail "the guest has ended: $(end_of "$(err guest)")"

begin=$(clock)
standard_input="$work/reader.in" start reading cat
await_count "$(out reading)" 60 4020
figure "$(since "$begin") s for the rest"
close_input host
expect_end guest 20 0
expect_end host 20 0
expect_lines "$(out reading)" 1 4020
