"""Prints the cues of a subtitle file as JSON, as other programs' libraries read them."""
import html
import json
import re
import sys

path = sys.argv[1]
if path.endswith(".srt"):
    import srt

    with open(path, encoding="utf-8", newline="") as file:
        found = list(srt.parse(file.read()))
    cues = [[c.start.total_seconds(), c.end.total_seconds(), c.content] for c in found]
else:
    import webvtt

    def seconds(time):
        hours, minutes, rest = time.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(rest)

    cues = [
        [seconds(c.start), seconds(c.end), html.unescape(re.sub(r"<[^>]*>", "", c.raw_text))]
        for c in webvtt.read(path)
    ]
json.dump(cues, sys.stdout)
