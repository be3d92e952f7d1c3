"""All mutations of ``mutations.py`` in one build, each looked for in the simulated world.

`mutants` (Swift, beside this) finds the blocks that hold a mutation. The smallest that compiles is
there twice, as it is and with the mutation, and `BEAMSCRIBE_MUTANT=7` chooses the seventh.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import threading

import hunt
import schemata
from mutations import MUTATIONS, RARE

# In which worlds a mutation is looked for, by the beginning of its name: the option, what the table
# says of it, and in how many seeds. TLS changes what follows what.
WORLDS = {
    "event": [([], "", 2500), (["plain"], " without TLS", 2500)],
    "mesh": [(["mesh"], "", 300)], "voice": [(["voice"], "", 1000)],
    "backbone": [(["backbone"], "", 1000)],
}
Row = collections.namedtuple("Row", "seed words is_missed")


def kind(name):
    beginning = name.split("-")[0]
    return beginning if beginning in WORLDS else "event"


def check(root):
    """Ends the program where a text to replace is not there once, or a name is there twice."""
    names = collections.Counter(m[0] for m in MUTATIONS)
    if RARE - names.keys() or max(names.values()) > 1:
        sys.exit("mutate: a name is there twice, or not at all: "
                 f"{sorted(RARE - names.keys())} {names.most_common(1)}")
    for name, _, file, old, _ in MUTATIONS:
        with open(os.path.join(root, file)) as source:
            count = source.read().count(old)
        if count != 1:
            sys.exit(f"mutate: {name}: the text to replace is {count} times in {file}")


class Chosen(schemata.Tree):
    """A copy of the tree that holds the mutations; they are numbered from 1."""

    def __init__(self, root, tree):
        sources = {file for _, _, file, _, _ in MUTATIONS}
        super().__init__(root, tree, sources, ["Sources", "Tests/Simulation"])
        given = [{"file": file, "old": old, "new": new} for _, _, file, old, new in MUTATIONS]
        self.blocks = {
            number: [schemata.Mutant(m, self.sources[m["file"]]) for m in found]
            for number, found in enumerate(self.ask(input=json.dumps(given)), 1)}

    def fill(self):
        """Puts each mutation into the smallest block with which it compiles, and builds."""
        while True:
            for number, blocks in self.blocks.items():
                if not blocks:
                    sys.exit(f"mutate: {MUTATIONS[number - 1][0]} cannot be chosen in a run: "
                             "it is in no block, or compiles in none")
            self.mutants = {number: blocks[0] for number, blocks in self.blocks.items()}
            self.write()
            errors = schemata.errors(self.simulate("debug"))
            if not errors:
                break
            unfit = self.blamed(errors)
            if not unfit:
                sys.exit(f"mutate: does not build, by no mutation's fault: {errors}")
            for number in unfit:
                self.blocks[number].pop(0)
        if schemata.errors(self.simulate("release")):
            sys.exit("mutate: builds without the optimiser, and not with it")


class Ways:
    """The runs in which mutations of a kind are looked for: few seeds of each world, then the others."""

    def __init__(self, tree, worlds, seeds):
        self.lock, first, others = threading.Lock(), [], []
        for options, label, most in worlds:
            most = seeds or most
            few = max(1, most // 10)
            first.append((tree.simulation(options, 1, few), label))
            # A run of more takes more memory than it is given.
            for begin in range(few + 1, most + 1, 500):
                end = min(begin + 499, most)
                others.append((tree.simulation(options, begin, end), label))
        self.ways = first + others

    def look(self, number):
        comes = False
        for way, label in self.ways:
            # The unbroken program is measured once, on demand.
            with self.lock:
                if way.sound is None:
                    way.measured()
            if number not in way.reached:
                continue
            comes = True
            if found := way.finds(number):
                seed = re.match(r"seed (\d+): (.*)", found)
                return Row((seed[1] if seed else "-") + label, seed[2] if seed else found, False)
        acted = any(number in way.acted for way, _ in self.ways)
        return Row("**none**", "acted, judged by nobody" if acted
                   else "came by it, and did nothing" if comes else "nothing came by it", True)


def hunt_all(root, tree, only, seeds, jobs):
    """Looks for the mutations whose names match; how many were not found that should be."""
    chosen = [(n, m) for n, m in enumerate(MUTATIONS, 1) if re.search(only, m[0])]
    if not chosen:
        sys.exit(f"mutate: no mutation is called '{only}'")
    ledger = schemata.Ledger(os.path.join(tree, "verdicts"))
    tree = Chosen(root, tree)
    tree.fill()
    digest = tree.digest("Sources", "Tests/Simulation")
    ways = {kind: Ways(tree, worlds, seeds) for kind, worlds in WORLDS.items()}

    def look(number, name):
        known = ledger.known(digest, f"-{seeds}", number)
        if known is None:
            row = ways[kind(name)].look(number)
            ledger.note(digest, f"-{seeds}", number, json.dumps(row))
            return row
        return Row(*json.loads(known))

    print("| Mutation | Breaks | Found by seed | What it said |\n| --- | --- | --- | --- |")
    missed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = pool.map(lambda each: look(each[0], each[1][0]), chosen)
        for (_, (name, breaks, *_)), row in zip(chosen, rows):
            missed += row.is_missed and name not in RARE
            words = row.words + (": it is rare" if row.is_missed and name in RARE else "")
            words = re.sub(r"x{5,}", "x...", " ".join(words.split())).replace("|", "/")[:140]
            print(f"| {name} | {breaks} | {row.seed} | {words} |", flush=True)
    return missed
