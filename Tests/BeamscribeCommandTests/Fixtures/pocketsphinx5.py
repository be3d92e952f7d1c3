"""Hears speech as version 5 of PocketSphinx does and writes what its program writes.

Reads 16-bit little-endian samples from standard input. The wheel on PyPI has the library and a
model, but not the program (`pocketsphinx live`), whose lines these are: an object an utterance,
with its text as it is, quotes and all.
"""

import sys

from pocketsphinx import Decoder, Endpointer


def entry(begin, duration, probability, text):
    return f'"b":{begin:.3f},"d":{duration:.3f},"p":{probability:.3f},"t":"{text}"'


def utterance(decoder, start):
    math, frame_rate = decoder.get_logmath(), decoder.config["frate"]
    words = []
    for word in decoder.seg():
        begin = start + word.start_frame / frame_rate
        duration = (word.end_frame + 1 - word.start_frame) / frame_rate
        words.append("{" + entry(begin, duration, math.exp(word.prob), word.word) + "}")
    text = decoder.hyp().hypstr if decoder.hyp() else ""
    duration = decoder.n_frames() / frame_rate
    whole = entry(start, duration, math.exp(decoder.get_prob()), text)
    return "{" + whole + ',"w":[' + ",".join(words) + "]}"


def main():
    endpointer = Endpointer()
    decoder = Decoder(samprate=endpointer.sample_rate, loglevel="FATAL")
    size = endpointer.frame_bytes
    while frame := sys.stdin.buffer.read(size):
        was_speech = endpointer.in_speech
        is_last = len(frame) < size
        speech = endpointer.end_stream(frame) if is_last else endpointer.process(frame)
        if speech is None:
            continue
        if not was_speech:
            decoder.start_utt()
            start = endpointer.speech_start
        decoder.process_raw(speech, full_utt=False)
        if not endpointer.in_speech:
            decoder.end_utt()
            print(utterance(decoder, start), flush=True)


main()
