# Runs Avahi on the bus there is, with a folder of its own: avahi.sh NAME
set -euo pipefail
mkdir -p /run/avahi-daemon
mount -t tmpfs avahi /run/avahi-daemon
cat >"$work/avahi-$1.conf" <<CONFIGURATION
[server]
host-name=peer-$1
use-ipv4=yes
use-ipv6=yes
CONFIGURATION
exec avahi-daemon --no-drop-root --no-chroot --no-rlimits --file "$work/avahi-$1.conf"
