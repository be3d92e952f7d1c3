#!/usr/bin/env bash
# GStreamer: subparse hands a WebVTT cue's words on as Pango markup, escaped a second time, and leaves
# `<v NAME>` in them, which is no Pango markup.
#
# In WebVTT `<` and `&` are written as `&lt;` and `&amp;`. subparse makes `&amp;lt;` of that, so that
# textoverlay shows the letters `&lt;`. A cue with a speaker (`<v Ann>`) goes on as it is: Pango refuses
# it, and nothing of the cue is shown. The same words as SubRip come out right.
#
# Seen with GStreamer 1.22.0 of Debian 12. Needs apt-get and dpkg, and installs nothing.
set -euo pipefail
core=1.22.0-2+deb12u1 base=1.22.0-3+deb12u7

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "gstreamer1.0-tools=$core" "libgstreamer1.0-0=$core" \
    "gstreamer1.0-plugins-base=$base" "libgstreamer-plugins-base1.0-0=$base" \
    libdw1 libelf1 libunwind8 liborc-0.4-0 libglib2.0-0 libpcre2-8-0 libffi8 libpango-1.0-0 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(dirname "$(find root -name 'libgstreamer-1.0.so.0' | head -1)")
launch=root/usr/bin/gst-launch-1.0
export LD_LIBRARY_PATH=$PWD/$libraries GST_PLUGIN_SYSTEM_PATH=$PWD/$libraries/gstreamer-1.0
export GST_REGISTRY=$PWD/registry GST_PLUGIN_SCANNER
GST_PLUGIN_SCANNER=$PWD/$(find root -name 'gst-plugin-scanner' | head -1)

printf 'WEBVTT\n\n00:00.000 --> 00:04.000\na &lt; b &amp; c\n' >signs.vtt
printf 'WEBVTT\n\n00:00.000 --> 00:04.000\n<v Ann>hello</v>\n' >speaker.vtt
printf '1\n00:00:00,000 --> 00:00:04,000\na & c\n' >signs.srt

# The bytes that subparse gives, as text.
words() {
    "$launch" -q filesrc location="$1" ! subparse ! filesink location=words 2>messages
    cat words
}

"$launch" --version | head -1
for file in signs.vtt speaker.vtt signs.srt; do
    printf '%s: %s\n' "$file" "$(words $file)"
done | tee output
"$launch" -v filesrc location=signs.vtt ! subparse ! fakesink 2>&1 |
    grep -o 'format=(string)pango-markup' | head -1

grep -qF 'signs.vtt: a &amp;lt; b &amp;amp; c' output
grep -qF 'speaker.vtt: <v Ann>hello</v>' output
grep -qF 'signs.srt: a &amp; c' output
