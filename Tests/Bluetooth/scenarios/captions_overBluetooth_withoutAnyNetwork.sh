# No network at all, not even loopback: a late guest gets a long history over Bluetooth, then what
# is said live, each line once and in order, and ends when the event does.
# limit: 240
radio_up
lines=5000

start_host host --event "Town Hall" --port 0 --ble-captions --until-eof
tell host 1 "$lines"
await_beacon 90

begin=$(clock)
start_beamscribe guest join "Town Hall" --timeout 70 --verbose
await_count "$(out guest)" 75 1
connected=$(clock)
figure "$(since "$begin" "$connected") s to the first line"
await_count "$(out guest)" 60 "$lines"
done=$(clock)
seconds=$(since "$connected" "$done")
bytes=$(wc -c <"$(out guest)")
figure "$seconds s for $lines lines, $((bytes * 100 / 10#${seconds/./})) bytes/s of text"

for line in $(seq $((lines + 1)) $((lines + 10))); do
    said=$(clock)
    tell host "$line" "$line"
    await_count "$(out guest)" 10 "$line"
done
figure "$(since "$said") s for a live line"
close_input host
expect_end guest 20 0
expect_end host 20 0
expect_lines "$(out guest)" 1 $((lines + 10))
