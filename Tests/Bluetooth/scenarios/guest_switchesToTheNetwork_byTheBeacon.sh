# The same where no multicast gets through: only the host's beacon tells the guest, which is
# connected and has no other need to listen, where on the network the host is now.
# limit: 240
radio_up
expect_move 100
