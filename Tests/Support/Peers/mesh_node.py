#!/usr/bin/python3
"""A node of a mesh, written from docs/PROTOCOL.md alone.

Usage: mesh_node.py EVENT LABEL [PORT ...] [--misbehave WAY] [--keep FILE] [--replay FILE]

Dials the nodes that listen at these ports of this machine, takes part in the event that they are in,
and listens for others itself, of which it tells nobody. What it reads it gives on. Each line of standard
input is said in a log of its own; the end of that ends it. Prints "port N", and then a JSON object a line:

    {"link":1,"node":ID}           a link stands
    {"label":"Ann","line":TEXT}    a line, once it is proven
    {"link":1,"heard":"unread"}    what the other side asks for (read, unread)
    {"link":1,"end":"closed"}      how a link has ended, or why there is none
    {"forged":TEXT}                something that was not its writer's

With --misbehave an empty line of input begins what mesh_lies.py has under that name, and
{"did":WAY,"times":N} says what of it was done so far. --keep writes all packets of all logs to a file once
standard input has ended, for another day.
"""
import argparse
import signal
import sys

import mesh
import mesh_lies


def parse(ways):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"{name:18} {meaning}" for name, meaning in ways.items()))
    parser.add_argument("event")
    parser.add_argument("label")
    parser.add_argument("ports", type=int, nargs="*")
    parser.add_argument("--misbehave", metavar="WAY", choices=ways)
    parser.add_argument("--keep", metavar="FILE")
    parser.add_argument("--replay", metavar="FILE")
    return parser.parse_args()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    options = parse(mesh_lies.meanings())
    (mesh_lies.LyingNode if options.misbehave else mesh.Node)(options).run()


if __name__ == "__main__":
    main()
