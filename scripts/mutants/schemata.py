"""Mutants by the hundred, all of them in one build: each is chosen while the program runs.

`mutants` (Swift, beside this) finds what can be changed: statements that can go, conditions that can
be turned round, bounds that can be moved by one, enum cases that can stand for each other. Some of it,
drawn by a seed, is written into a copy of the tree so that `BEAMSCRIBE_MUTANT=7` chooses the
seventh. What does not compile is left out, and something else is drawn for it.
"""
import json
import os
import random
import re
import shutil
import subprocess
import time

PLACES = [
    "Sources/BeamscribeCore/Journal", "Sources/BeamscribeCore/Log",
    "Sources/BeamscribeCore/Publishing", "Sources/BeamscribeCore/Reading",
    "Sources/BeamscribeCore/Security", "Sources/BeamscribeCore/Serving",
    "Sources/BeamscribeCore/Sessions", "Sources/Beamscribe/Guest", "Sources/Beamscribe/Host",
    "Sources/Beamscribe/Security", "Sources/BeamscribeTLS",
]
UNIT_TESTS = r"^(BeamscribeCore|BeamscribeInput|BeamscribeTLS|Beamscribe)Tests\."
CHOICE = """\
internal import Glibc

private let chosen = getenv("BEAMSCRIBE_MUTANT").flatMap { Int(String(cString: $0)) }

/// Whether this run is that mutant's.
func isMutant(_ number: Int) -> Bool { chosen == number }
"""


class Mutant:
    def __init__(self, found, text):
        self.__dict__ |= found
        self.last = self.line + text[self.start:self.end].count(b"\n")
        self.text = text.split(b"\n")[self.line - 1].decode().strip()

    @property
    def key(self):
        """What it is called from one version to the next: lines move."""
        return self.file, self.text, self.change

    def __str__(self):
        return f"{self.file.removeprefix('Sources/')}:{self.line} {self.change}"


class Schemata:
    """A copy of the tree that holds mutants."""

    def __init__(self, root, tree):
        self.root, self.tree = root, tree
        for part in ["Sources", "Tests"]:
            shutil.copytree(os.path.join(root, part), os.path.join(tree, part))
        os.mkdir(os.path.join(tree, "scripts"))
        for part in ["Package.swift", "scripts/simulate"]:
            shutil.copy(os.path.join(root, part), os.path.join(tree, part))
        self.sources = {}
        for place in PLACES:
            for folder, _, names in sorted(os.walk(os.path.join(root, place))):
                for name in sorted(n for n in names if n.endswith(".swift")):
                    file = os.path.relpath(os.path.join(folder, name), root)
                    with open(os.path.join(root, file), "rb") as source:
                        self.sources[file] = source.read()
        for module in {file.split("/")[1] for file in self.sources}:
            with open(os.path.join(tree, "Sources", module, "Mutants.swift"), "w") as choice:
                choice.write(CHOICE)

    def candidates(self):
        command = ["swift", "run", "--package-path", os.path.join(self.root, "scripts/mutants"),
                   "--scratch-path", os.path.join(self.root, ".build/mutants"), "mutants",
                   self.root, *self.sources]
        found = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        return [Mutant(m, self.sources[m["file"]]) for m in json.loads(found.stdout)]

    def fill(self, count, seed):
        """Puts as many mutants into the tree as are wanted and compile; numbers them from 1."""
        waiting = self.candidates()
        total = len(waiting)
        random.Random(seed).shuffle(waiting)
        waiting.reverse()
        # Each keeps its number, so that little is built again when one goes.
        self.mutants = {number: waiting.pop() for number in range(1, count + 1)}
        while True:
            self.write()
            errors = self.build()
            if not errors:
                return total, total - count - len(waiting)
            # The fault may lie before the place where it shows: a variable that is not always set.
            for reach in 0, 15, 60:
                unfit = [number for number, m in self.mutants.items() if any(
                    m.file == file and m.line <= line <= m.last + reach for file, line in errors)]
                if unfit:
                    break
            else:
                raise SystemExit(f"mutate: does not build, by no mutant's fault: {errors}")
            for number in unfit:
                self.mutants[number] = waiting.pop()

    def write(self):
        edits = {file: [] for file in self.sources}
        for number, mutant in self.mutants.items():
            # At one place: what ends there before what begins there; the inner ends first, the
            # outer begins first.
            begins = (mutant.start, 1, -mutant.end, number)
            ends = (mutant.end, 0, -mutant.start, -number)
            edits[mutant.file] += [
                (begins, mutant.before.replace("#", str(number))), (ends, mutant.after)]
        for file, inserted in edits.items():
            text, pieces, done = self.sources[file], [], 0
            for (place, *_), piece in sorted(inserted):
                pieces += [text[done:place], piece.encode()]
                done = place
            changed = b"".join(pieces + [text[done:]])
            path = os.path.join(self.tree, file)
            with open(path, "rb") as old:
                if old.read() == changed:
                    continue
            with open(path, "wb") as new:
                new.write(changed)

    def build(self):
        """Builds the simulation; the places of errors."""
        run = subprocess.run(
            [os.path.join(self.tree, "scripts/simulate"), "--seeds", "1..1"], text=True,
            capture_output=True, env=os.environ | {"BEAMSCRIBE_SIMULATE_BUILD": "debug"})
        if run.returncode != 3:
            return set()
        errors = re.findall(r"(Sources/Beamscribe[^:\s]*):(\d+):\d+: error:", run.stderr)
        if not errors:
            raise SystemExit(f"mutate: does not build:\n{run.stderr[-3000:]}")
        return {(file, int(line)) for file, line in errors}

    def build_tests(self):
        run = subprocess.run(
            ["swift", "build", "--build-tests", "--package-path", self.tree], text=True,
            capture_output=True)
        if run.returncode != 0:
            raise SystemExit(f"mutate: the tests do not build:\n{run.stdout[-3000:]}")

    def simulate(self, number, seeds, patience, *options):
        """What a run of the simulation finds in a mutant; None where it finds nothing."""
        program = os.path.join(self.tree, ".build/simulate/.build/debug/simulate")
        command = [program, *options, "seeds", "1", str(seeds)]
        run = self.run(command, number, patience)
        if run is None:
            return "it does not end"
        if run.returncode == 0:
            return None
        said = re.search(r"^seed (\d+): (.*)$", run.stdout, re.MULTILINE)
        return f"seed {said[1]}: {said[2]}" if said else f"the program was ended ({run.returncode})"

    def test(self, number, patience):
        """What the unit tests find in it."""
        command = ["swift", "test", "--skip-build", "--package-path", self.tree,
                   "--filter", UNIT_TESTS]
        run = self.run(command, number, patience)
        if run is None:
            return "a test does not end"
        if run.returncode == 0:
            return None
        failed = re.search(r"Test (\w+\(.*?\)) .*recorded an issue", run.stdout)
        return failed[1] if failed else f"the tests were ended ({run.returncode})"

    def run(self, command, number, patience):
        try:
            return subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=patience,
                env=os.environ | {"BEAMSCRIBE_MUTANT": str(number)})
        except subprocess.TimeoutExpired:
            return None


def timed(body, *arguments):
    """How long something takes that has to find nothing; seconds."""
    began = time.monotonic()
    found = body(0, *arguments)
    if found:
        raise SystemExit(f"mutate: the tree is not sound unbroken: {found}")
    return time.monotonic() - began


def generate(root, tree, count, seed, seeds):
    """Makes mutants and looks for each; whether enough of them are found."""
    schemata = Schemata(root, tree)
    total, unfit = schemata.fill(count, seed)
    print(f"{count} of {total} mutants, drawn by seed {seed}; {unfit} do not compile.", flush=True)
    # Most are found by the first seeds, one way or the other.
    ways = [(seeds // 10, []), (seeds // 10, ["plain"]), (seeds, []), (seeds // 2, ["plain"])]
    ways = [(many, 3 * timed(schemata.simulate, many, 3600, *options) + 10, *options)
            for many, options in ways]
    missed, simulated = [], 0
    for number, mutant in schemata.mutants.items():
        found = None
        for way in ways:
            found = found or schemata.simulate(number, *way)
        simulated += found is not None
        if not found:
            missed.append((number, mutant))
        print(f"{number}\t{mutant}\t{(found or 'NOT FOUND')[:140]}", flush=True)
    print(f"By simulation: {simulated} of {count}.", flush=True)
    schemata.build_tests()
    patience = 3 * timed(schemata.test, 3600) + 30
    survivors = []
    for number, mutant in missed:
        found = schemata.test(number, patience)
        if not found:
            survivors.append(mutant)
        print(f"{number}\t{mutant}\t{found or 'SURVIVES'}", flush=True)
    tested = len(missed) - len(survivors)
    print(f"By unit tests: {tested} of the {len(missed)} that are left.")
    explained = explanations(root)
    for mutant in survivors:
        print(f"{mutant}\n    {explained.get(mutant.key, 'NOT EXPLAINED')}")
    found = simulated + tested
    print(f"{found} of {count} are found; "
          f"{sum(m.key in explained for m in survivors)} of the other {len(survivors)} are explained.")
    return found >= 0.9 * count and simulated >= 0.75 * count


def explanations(root):
    """Why some mutants do what the program does."""
    with open(os.path.join(root, "scripts/mutants/equal.json")) as file:
        return {(e["file"], e["line"], e["change"]): e["why"] for e in json.load(file)}
