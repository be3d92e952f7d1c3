# A guest that has the captions over Bluetooth goes on over the network once there is one, in the
# middle of the event: no line is lost, none comes twice. Both programs are on this machine; its
# Avahi tells the guest where the host is.
# limit: 240
radio_up
avahi_up
expect_move 300
