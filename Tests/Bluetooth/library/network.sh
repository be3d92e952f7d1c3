# Networks. The machine itself has none until `address_up`, not even loopback. The peers a and b
# are two machines that nothing joins but ad-hoc Wi-Fi (IBSS, no access point, no DHCP), each with
# a D-Bus and an Avahi of its own:
#   a: wlan0 169.254.1.1/16    b: wlan1 169.254.1.2/16
# Sockets of Bluetooth exist in no peer (the kernel has them in the first network namespace only),
# but D-Bus reaches the machine's bluetoothd from there.
readonly main_bus=/run/main-bus/system_bus_socket

# Gives the machine an address by which its programs reach each other: address_up ADDRESS/LENGTH
# Avahi uses only links that say they can do multicast.
address_up() {
    note "address $1"
    ip link set lo up
    ip link add venue type dummy
    ip link set venue multicast on up
    ip address add "$1" dev venue
}

# An Avahi for this machine, on the bus of `radio_up`.
avahi_up() {
    start avahi bash "$here/avahi.sh" machine
    await_line "$(err avahi)" 20 'Server startup complete'
}

# Takes away all that `address_up` has given; links live longer than scenarios.
network_down() {
    ip link delete venue 2>/dev/null || true
    ip link set lo down
}

peers_up() {
    bus_up
    mkdir -p "${main_bus%/*}"
    mount --bind /run/dbus "${main_bus%/*}"
    wifi_up
    start_peer a
    start_peer b
    await_line "$(err services-a)" 20 'Server startup complete'
    await_line "$(err services-b)" 20 'Server startup complete'
}

wifi_up() {
    local name radios index=0
    # The radios of an earlier scenario come back once its namespaces are gone.
    [[ ! -d /sys/module/mac80211_hwsim ]] || within 10 modprobe --remove mac80211_hwsim
    modprobe mac80211_hwsim radios=2
    mapfile -t radios < <(ls /sys/class/ieee80211)
    for name in a b; do
        ip netns add "$name"
        join_wifi "$name" "${radios[index]}" "169.254.1.$((index + 1))/16"
        index=$((index + 1))
    done
    await 15 "a ping over the ad-hoc Wi-Fi" \
        ip netns exec a ping -q -c 1 -W 1 169.254.1.2 >"$work/ping.log" 2>&1
}

join_wifi() { # join_wifi PEER RADIO ADDRESS/LENGTH
    local inside=(ip netns exec "$1") link
    iw phy "$2" set netns name "$1"
    "${inside[@]}" ip link set lo up
    link=$("${inside[@]}" ls /sys/class/net | grep '^wlan')
    "${inside[@]}" iw dev "$link" set type ibss
    "${inside[@]}" ip link set "$link" up
    "${inside[@]}" iw dev "$link" ibss join Beam 2412 fixed-freq 02:11:22:33:44:55
    "${inside[@]}" ip address add "$3" dev "$link"
}

# A peer is a process that holds its mounts, in which D-Bus and Avahi are its own.
start_peer() { # start_peer PEER
    start "peer-$1" ip netns exec "$1" unshare --mount --propagation private sleep infinity
    await 5 "the mounts of peer $1" peer_is_apart "$1"
    start "services-$1" $(on_peer "$1") bash "$here/peer-services.sh" "$1"
}

# It is `sleep` only once `ip` and `unshare` have done their part.
peer_is_apart() { [[ $(<"/proc/${process[peer-$1]}/comm") == sleep ]]; }

# The words before a command that runs on a peer; none for this machine: on_peer [PEER]
on_peer() {
    [[ -n $1 ]] || return 0
    echo nsenter --mount --net --target "${process[peer-$1]}" \
        env "BEAMSCRIBE_BLUEZ_BUS_ADDRESS=unix:path=$main_bus"
}

# Drops multicast DNS, as guest networks do: block_mdns PEER
block_mdns() {
    ip netns exec "$1" nft -f - <<'RULES'
table inet venue {
    chain in { type filter hook input priority 0; udp dport 5353 drop; }
    chain out { type filter hook output priority 0; udp dport 5353 drop; }
}
RULES
}
