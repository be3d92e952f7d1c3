# The first process of one scenario: prepares its folders, and reads the library and the scenario.
# Usage: scenario.sh NAME, with the folder for what is written in the variable `work`.
set -Eeuo pipefail
scenario=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/waiting.sh"
. "$here/programs.sh"
. "$here/captions.sh"
. "$here/radio.sh"
. "$here/network.sh"
. "$here/moving.sh"

# What nobody has said better is said with the line it happened in.
say_where() {
    [[ -s $work/failure ]] || echo "line ${BASH_LINENO[0]} of ${BASH_SOURCE[1]##*/} failed: $1" \
        >"$work/failure"
}
trap 'say_where "$BASH_COMMAND"' ERR

mkdir -p /run/netns
mount -t tmpfs -o mode=1777 temporary /tmp
for folder in /var/lib/bluetooth /run/dbus /run/netns; do
    mount -t tmpfs -o mode=755 scenario "$folder"
done
network_down

note "$scenario"
. "$here/../scenarios/$scenario.sh"
note "done"
