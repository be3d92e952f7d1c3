# Two guests on one machine listen through one bluetoothd. One finds its host and listens no more;
# the other goes on looking, and must still hear its event when that begins. (bluetoothd 5.66 stops
# listening for all when a program says StopDiscovery and leaves the bus at once.)
# limit: 200
radio_up
start_host morning --event "Morning" --port 0 --ble-captions
start_beamscribe waiting join "Evening" --timeout 600 --verbose
tell morning 1 5
await_beacon 90

start_beamscribe other join "Morning" --timeout 70 --verbose
await_count "$(out other)" 75 5
stop other
stop morning
expect_evening_is_joined
