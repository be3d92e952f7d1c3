# Runs D-Bus and Avahi of one peer, inside of its namespaces: peer-services.sh PEER
set -euo pipefail
mount -t tmpfs dbus /run/dbus
dbus-daemon --system --fork --nopidfile
. "$(dirname "${BASH_SOURCE[0]}")/avahi.sh"
