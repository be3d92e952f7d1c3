"""Mutants by the hundred, all of them in one build: each is chosen while the program runs.

`mutants` (Swift, beside this) finds what can be changed: statements that can go, conditions that can
be turned round, bounds that can be moved by one, enum cases that can stand for each other. Some of it,
drawn by a seed, is written into a copy of the tree so that `BEAMSCRIBE_MUTANT=7` chooses the
seventh. What does not compile is left out, and something else is drawn for it.

A run of the program as it is writes down which mutants it comes by, so that each is looked for only
where something comes by it.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys

import hunt

# Not of words and figures that people are told: Words, Talks and the commands.
PLACES = [
    "Sources/BeamscribeCore/Backbone", "Sources/BeamscribeCore/Frames",
    "Sources/BeamscribeCore/Journal", "Sources/BeamscribeCore/Log", "Sources/BeamscribeCore/Mesh",
    "Sources/BeamscribeCore/Publishing", "Sources/BeamscribeCore/Reading",
    "Sources/BeamscribeCore/Security", "Sources/BeamscribeCore/Serving",
    "Sources/BeamscribeCore/Sessions", "Sources/Beamscribe/Guest", "Sources/Beamscribe/Host",
    "Sources/Beamscribe/Mesh", "Sources/Beamscribe/Security", "Sources/BeamscribeTLS",
    "Sources/BeamscribeVoice",
]
# In the order in which they are asked.
UNIT_TESTS = [
    "BeamscribeCoreTests", "BeamscribeVoiceTests", "BeamscribeInputTests", "BeamscribeTLSTests",
    "BeamscribeTests", "BeamscribeIOTests", "FuzzTests",
]
CHOICE = """\
internal import Glibc

/// Which mutant this run is, and which ones it has come by where a file is named that wants to know.
private struct Choice: @unchecked Sendable {
    let chosen = getenv("BEAMSCRIBE_MUTANT").flatMap { Int(String(cString: $0)) }
    var reached: UnsafeMutablePointer<Bool>?

    init() {
        guard getenv("BEAMSCRIBE_MUTANTS_REACHED") != nil else { return }
        reached = .allocate(capacity: mutants)
        reached!.initialize(repeating: false, count: mutants)
        atexit { choice.tell() }
    }

    func tell() {
        guard let file = fopen(getenv("BEAMSCRIBE_MUTANTS_REACHED"), "a") else { return }
        fputs((0..<mutants).filter { reached![$0] }.map { "\\($0)\\n" }.joined(), file)
        fclose(file)
    }
}
private let mutants = 10_000
private let choice = Choice()

/// Whether this run is that mutant's.
func isMutant(_ number: Int) -> Bool {
    choice.reached?[number] = true
    return choice.chosen == number
}
"""
# Of the whole package, what the tests need: without what comes from outside it builds in a minute.
FEWER = """
let wanted: Set = [
    "CLinux", "CAvahi", "CCurl", "COpenSSL", "CSystemd", "BeamscribeCore", "BeamscribeInput", "BeamscribeIO",
    "BeamscribeTLS", "BeamscribeDiscovery", "BeamscribeVoice", "Beamscribe", "TestSupport",
    "FuzzTargets", %s
]
package.targets.removeAll { !wanted.contains($0.name) }
for target in package.targets {
    target.dependencies.removeAll {
        if case .targetItem(let name, _) = $0 { !wanted.contains(name) } else { false }
    }
}
package.products = []
package.dependencies = []
package.traits = []
""" % ", ".join(f'"{name}"' for name in UNIT_TESTS)


class Mutant:
    def __init__(self, found, text):
        self.__dict__ |= found
        self.text = text.split(b"\n")[self.line - 1].decode().strip()

    @property
    def key(self):
        """What it is called from one version to the next: lines move."""
        return self.file, self.text, self.change

    def __str__(self):
        return f"{self.file.removeprefix('Sources/')}:{self.line} {self.change}"


class Tree:
    """A copy of the project that holds mutants."""

    def __init__(self, root, tree, sources, parts):
        """``sources`` are the files that may hold some, ``parts`` the folders that are copied."""
        self.root, self.tree = root, tree
        self.sources, self.mutants = {}, {}
        for file in sources:
            with open(os.path.join(root, file), "rb") as source:
                self.sources[file] = source.read()
        copied = [file for part in parts for file in files(root, part)]
        for file in [*copied, "scripts/simulate"]:
            if file not in self.sources:
                with open(os.path.join(root, file), "rb") as source:
                    self.put(file, source.read(), os.stat(os.path.join(root, file)).st_mode)
        for module in {file.split("/")[1] for file in self.sources}:
            self.put(f"Sources/{module}/Mutants.swift", CHOICE.encode())
        for part in parts:
            for file in files(tree, part):
                gone = not os.path.exists(os.path.join(root, file))
                if gone and not file.endswith("/Mutants.swift"):
                    os.remove(os.path.join(tree, file))
        self.environment = {k: v for k, v in os.environ.items() if k != "BEAMSCRIBE_STRICT"}

    def put(self, file, text, mode=0o644):
        """Writes a file where it says something else, so that little is built again."""
        path = os.path.join(self.tree, file)
        if os.path.exists(path):
            with open(path, "rb") as old:
                if old.read() == text:
                    return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as new:
            new.write(text)
        os.chmod(path, mode)

    def ask(self, *files, **given):
        """What `mutants` finds in files, or makes of the mutations that it is given."""
        command = ["swift", "run", "--package-path", os.path.join(self.root, "scripts/mutants"),
                   "--scratch-path", os.path.join(self.root, ".build/mutants"), "mutants"]
        found = subprocess.run(
            [*command, self.root, *files], stdout=subprocess.PIPE, text=True, check=True, **given)
        return json.loads(found.stdout)

    def write(self):
        """Writes the files with their mutants, and notes on which lines each has come to be."""
        edits = {file: [] for file in self.sources}
        for number, mutant in self.mutants.items():
            # At one place: what ends there before what begins there; the inner ends first, the
            # outer begins first.
            begins = (mutant.start, 1, -mutant.end, number)
            ends = (mutant.end, 0, -mutant.start, -number)
            edits[mutant.file] += [
                (begins, mutant.before.replace("#", str(number))), (ends, mutant.after)]
        # For each mutant the lines of its own text, and those from its beginning to its end.
        self.own, self.whole = {}, {}
        for file, inserted in edits.items():
            text, pieces, done, line = self.sources[file], [], 0, 1
            for (place, begins, _, number), piece in sorted(inserted):
                pieces += [text[done:place], piece.encode()]
                line += text.count(b"\n", done, place)
                first, done = line, place
                line += piece.count("\n")
                if begins:
                    self.own[number] = self.whole[number] = range(first, line + 1)
                else:
                    self.whole[-number] = range(self.whole[-number].start, line + 1)
            self.put(file, b"".join(pieces + [text[done:]]))

    def blamed(self, errors):
        """The mutants that are to blame for errors at these places."""
        # Texts of several lines are a block's, which may hold others. The fault may lie before the place
        # where it shows: a variable that is not always set.
        for lines, reach in (self.own, 0), (self.whole, 0), (self.whole, 15), (self.whole, 60):
            unfit = {
                number for number, m in self.mutants.items() for file, line in errors
                if m.file == file and lines[number].start <= line < lines[number].stop + reach}
            if unfit:
                return unfit
        return set()

    def simulate(self, configuration):
        """Builds the simulation."""
        return subprocess.run(
            [os.path.join(self.tree, "scripts/simulate"), "--seeds", "1..1"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=self.environment | {"BEAMSCRIBE_SIMULATE_BUILD": configuration})

    def simulation(self, options, first, last):
        """A run of it, with the optimiser."""
        program = os.path.join(self.tree, ".build/simulate/.build/release/simulate")
        return hunt.Simulation([program, *options, "seeds", str(first), str(last)])

    def digest(self, *parts):
        """Of what a verdict rests on."""
        sum = hashlib.sha256()
        for part in parts:
            for file in files(self.tree, part):
                with open(os.path.join(self.tree, file), "rb") as source:
                    sum.update(file.encode() + b"\0" + source.read() + b"\0")
        return sum.hexdigest()[:16]


def errors(run):
    """The places of a build's errors."""
    if run.returncode == 0:
        return set()
    places = re.findall(r"(Sources/Beamscribe[^:\s]*):(\d+):\d+: error:", run.stdout)
    if not places:
        raise SystemExit(f"mutate: does not build:\n{run.stdout[-3000:]}")
    return {(file, int(line)) for file, line in places}


class Schemata(Tree):
    """Mutants that nobody has chosen."""

    def __init__(self, root, tree):
        sources = [
            file for place in PLACES for file in files(root, place) if file.endswith(".swift")]
        super().__init__(root, tree, sources, ["Sources", "Tests"])
        with open(os.path.join(root, "Package.swift"), "rb") as manifest:
            self.put("Package.swift", manifest.read() + FEWER.encode())

    def fill(self, count, seed):
        """Puts as many mutants into the tree as are wanted and compile; numbers them from 1."""
        waiting = [Mutant(m, self.sources[m["file"]]) for m in self.ask(*self.sources)]
        total = len(waiting)
        # Each has its own lot, so that another version of the program draws nearly the same.
        waiting.sort(key=lambda m: hashlib.sha256(repr((seed, m.key)).encode()).digest())
        # Each keeps its number, so that little is built again when one goes.
        self.mutants = {number: waiting.pop() for number in range(1, count + 1)}
        while True:
            self.write()
            found = errors(self.build("--target", "Beamscribe"))
            if not found:
                return total, total - count - len(waiting)
            unfit = self.blamed(found)
            if not unfit:
                raise SystemExit(f"mutate: does not build, by no mutant's fault: {found}")
            print(f"{len(unfit)} do not compile", flush=True)
            for number in unfit:
                self.mutants[number] = waiting.pop()

    def build(self, *what):
        return subprocess.run(
            ["swift", "build", "--package-path", self.tree, *what], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment)

    def build_all(self):
        """The tests, and with the optimiser the simulation."""
        run = self.build("--build-tests")
        if run.returncode != 0:
            raise SystemExit(f"mutate: the tests do not build:\n{run.stdout[-3000:]}")
        run = self.simulate("release")
        if run.returncode != 0:
            raise SystemExit(f"mutate: the simulation does not build:\n{run.stdout[-3000:]}")

    def simulations(self, seeds):
        """Ways to look for a mutant. Most are found by the first seeds, one way or the other."""
        few = max(1, seeds // 10)
        yield self.simulation(["plain"], 1, few)
        yield self.simulation([], 1, few)
        for world in ["backbone", "voice", "mesh"]:
            yield self.simulation([world], 1, few)
        yield self.simulation(["plain"], few + 1, max(seeds, few + 1))
        yield self.simulation([], few + 1, max(seeds, few + 1))

    def tests(self):
        program = os.path.join(self.tree, ".build/debug/beamscribePackageTests.xctest")
        for target in UNIT_TESTS:
            yield from hunt.suites(program, target)


def files(root, part):
    return sorted(
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(os.path.join(root, part)) for name in names
        if name != "__pycache__")


class Ledger:
    """What is known of mutants already, from a run that was ended or of other tests; a line each."""

    # Something else happened in the simulation, and no promise was broken.
    ACTED = "acted, judged by nobody"

    def __init__(self, path):
        self.path, self.verdicts = path, {}
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    digest, number, verdict = line.rstrip("\n").split("\t", 2)
                    self.verdicts[digest, int(number)] = verdict

    def known(self, sources, tests, number):
        """What was found; an empty string where nothing was, None where that is not known. Who adds a
        test does not have to look again for what others have found."""
        return self.verdicts.get((sources, number), self.verdicts.get((sources + tests, number)))

    def note(self, sources, tests, number, verdict):
        digest = sources + tests if verdict in ("", self.ACTED) else sources
        self.verdicts[digest, number] = verdict
        with open(self.path, "a") as file:
            file.write(f"{digest}\t{number}\t{verdict}\n")


def generate(root, tree, count, seed, seeds, jobs):
    """Makes mutants and looks for each; whether enough of them are found."""
    schemata = Schemata(root, tree)
    total, unfit = schemata.fill(count, seed)
    print(f"{count} of {total} mutants, drawn by seed {seed}; {unfit} do not compile.", flush=True)
    schemata.build_all()
    ledger = Ledger(os.path.join(tree, "verdicts"))
    acted = set()

    def ask(numbers, digests, ways):
        """Those of the mutants that are found one of these ways."""
        if any(ledger.known(*digests, number) is None for number in numbers):
            ways = [way.measured() for way in ways]

        def look(number):
            verdict = ledger.known(*digests, number)
            if verdict is None:
                comes = any(number in way.reached for way in ways)
                found = hunt.look(ways, number)
                verdict = " ".join((found or "").split())[:200]
                if not found and any(number in way.acted for way in ways):
                    verdict = Ledger.ACTED
                ledger.note(*digests, number, verdict)
                found = verdict or ("NOT FOUND" if comes else "NOT FOUND (nothing comes by it)")
                sys.stdout.write(f"{number}\t{schemata.mutants[number]}\t{found}\n")
                sys.stdout.flush()
            if verdict == Ledger.ACTED:
                acted.add(number)
            return number if verdict not in ("", Ledger.ACTED) else None

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return set(pool.map(look, numbers)) - {None}

    print("By simulation:", flush=True)
    digests = schemata.digest("Sources", "Tests/Simulation"), f"-{seeds}"
    simulated = ask(schemata.mutants, digests, schemata.simulations(seeds))
    left = [number for number in schemata.mutants if number not in simulated]
    print(f"{len(acted)} of the {len(left)} that it does not find {Ledger.ACTED}.")
    print(f"By unit tests, the {len(left)} that are left:", flush=True)
    digests = schemata.digest("Sources"), schemata.digest("Tests")
    tested = ask(left, digests, schemata.tests())
    survivors = [m for number, m in schemata.mutants.items() if number not in simulated | tested]
    explained = explanations(root)
    print("What survives:")
    for mutant in sorted(survivors, key=str):
        print(f"{mutant}\n    {explained.get(mutant.key, 'NOT EXPLAINED')}")
    found = len(simulated) + len(tested)
    print(f"{found} of {count} are found: {len(simulated)} by simulation, {len(tested)} by unit tests. "
          f"Of the other {len(survivors)}, {sum(m.key in explained for m in survivors)} are explained.")
    return found >= 0.9 * count and len(simulated) >= 0.75 * count


def explanations(root):
    """Why some mutants do what the program does."""
    with open(os.path.join(root, "scripts/mutants/equal.json")) as file:
        return {(e["file"], e["line"], e["change"]): e["why"] for e in json.load(file)}
