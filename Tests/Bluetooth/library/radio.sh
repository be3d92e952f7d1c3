# Bluetooth: two virtual controllers on one radio, with D-Bus and bluetoothd.
#
# btvirt sends an advertisement to a scanner once: when the scan begins, and when the advertisement
# begins or changes. bluetoothd begins its scan anew every 15 s or so; waits must be longer. No
# controller hears itself: what one advertises only the other finds.
readonly adapters=(hci0 hci1)

radio_up() {
    within 10 no_adapters || fail "an adapter of the scenario before is still there"
    modprobe hci_vhci
    bus_up
    controllers_up
    [[ -z ${BLUETOOTH_TRACE:-} ]] || start btmon btmon --write "$work/air.btsnoop"
    bluetoothd_up
}

no_adapters() { [[ -z $(ls -A /sys/class/bluetooth 2>/dev/null) ]]; }

bus_up() {
    [[ -S /run/dbus/system_bus_socket ]] || dbus-daemon --system --fork --nopidfile
}

# Once in a while btvirt misses the kernel's first command to a controller, which is of no use then.
controllers_up() {
    local attempt
    for attempt in 1 2 3; do
        start btvirt btvirt "-l${#adapters[@]}"
        ! within 5 controllers_are_ready || return 0
        note "btvirt has lost a controller; again"
        stop btvirt
        within 15 no_adapters || fail "a controller does not go away"
    done
    fail "there are no virtual controllers after three attempts"
}

# The list of bluetoothd's own interface to the kernel has only those that are initialized.
controllers_are_ready() {
    local listed
    listed=$(script --quiet --return --command 'timeout 2 btmgmt info' /dev/null </dev/null |
        grep -c '^hci')
    ((listed == ${#adapters[@]}))
}

# With services_are_read=false bluetoothd does not ask a device that connects for its name and
# services (GATT), which take the place of what it advertises.
bluetoothd_up() {
    printf '[General]\nReverseServiceDiscovery = %s\n' "${services_are_read:-true}" \
        >"$work/bluetoothd.conf"
    start bluetoothd /usr/libexec/bluetooth/bluetoothd --nodetach --debug \
        --configfile "$work/bluetoothd.conf"
    await 20 "adapters that bluetoothd has switched on" adapters_are true
}

# Kills it, as nothing else shows whether programs can do with all that it leaves undone.
bluetoothd_down() { stop bluetoothd KILL; }

adapters_are() { # adapters_are true|false
    local adapter
    for adapter in "${adapters[@]}"; do
        [[ $(adapter_property "$adapter" Adapter1 Powered) == *"boolean $1" ]] || return 1
    done
}

adapter_property() { # adapter_property ADAPTER INTERFACE PROPERTY
    dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1" \
        org.freedesktop.DBus.Properties.Get "string:org.bluez.$2" "string:$3" 2>/dev/null
}

# Has other programs send as many advertisements as an adapter can, so that a host is left with the
# other adapter, as nearly all machines have but one: occupy ADAPTER
occupy() {
    local number address=00:AA:01:00:00:00
    [[ $1 == hci0 ]] || address=00:AA:01:01:00:01
    for number in 1 2 3 4 5 6 7 8; do
        [[ ! $(adapter_property "$1" LEAdvertisingManager1 SupportedInstances) =~ byte\ 0 ]] ||
            return 0
        open_input "occupier$number"
        standard_input="$work/occupier$number.in" start "occupier$number" bluetoothctl
        printf 'select %s\nadvertise on\n' "$address" | say_to "occupier$number"
        await 5 "an advertisement of another program" has_instances "$1" "$number"
    done
    fail "$1 still has room for advertisements"
}

has_instances() { # has_instances ADAPTER COUNT
    [[ $(adapter_property "$1" LEAdvertisingManager1 ActiveInstances) =~ byte\ $2 ]]
}

# Waits until something is advertised: await_beacon SECONDS [ADAPTER]
await_beacon() { await "$1" "an advertisement" is_advertising "${@:2}"; }

is_advertising() { # is_advertising [ADAPTER]
    local adapter
    (($#)) || set -- "${adapters[@]}"
    for adapter in "$@"; do
        has_instances "$adapter" '[1-9]' && return
    done
    return 1
}

# Whether bluetoothd knows, at any adapter, a device of this name: is_known NAME
is_known() {
    dbus-send --system --print-reply --dest=org.bluez / \
        org.freedesktop.DBus.ObjectManager.GetManagedObjects 2>/dev/null |
        grep -A 1 '"Name"' | grep -q "\"$1\""
}

# Switches all adapters on or off, as a user without rights: switch_adapters true|false
switch_adapters() {
    local adapter
    note "adapters: powered $1"
    for adapter in "${adapters[@]}"; do
        "${unprivileged[@]}" dbus-send --system --print-reply --dest=org.bluez \
            "/org/bluez/$adapter" org.freedesktop.DBus.Properties.Set \
            string:org.bluez.Adapter1 string:Powered "variant:boolean:$1" >/dev/null
    done
    await 10 "adapters with Powered = $1" adapters_are "$1"
}
