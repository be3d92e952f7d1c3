#!/usr/bin/env bash
# ffmpeg: a `>` in the words of a WebVTT cue is dropped where it is written as itself.
#
# WebVTT lets a cue's words hold `>` as it is: only `&`, `<` and the arrow `-->` have to be written in
# another way. ffmpeg takes a `>` for the end of a tag that never began, and leaves it out, so that
# `a >= b` becomes `a = b`, without a warning. Written as `&gt;` it stays.
#
# Seen with ffmpeg 7.0.2 as imageio-ffmpeg 0.6.0 brings it. Needs Python 3 with venv.
set -euo pipefail
version=0.6.0

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check "imageio-ffmpeg==$version"
ffmpeg=$(venv/bin/python -c 'import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())')

cat >code.vtt <<'END'
WEBVTT

00:01.000 --> 00:02.000
if a >= b then x -> y

00:03.000 --> 00:04.000
if a &gt;= b then x -&gt; y
END
"$ffmpeg" -version | head -1 | cut -d ' ' -f 1-3
"$ffmpeg" -v warning -i code.vtt -f srt - >code.srt 2>messages
cat code.srt
echo "messages of ffmpeg: $(wc -l <messages)"

grep -q '^if a = b then x - y$' code.srt
grep -q '^if a >= b then x -> y$' code.srt
[ ! -s messages ]
