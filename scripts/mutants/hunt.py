"""Ways to look for a mutant: runs of the simulation and of tests, each with an end to its patience.

A run is measured by the processor time that it takes, so that others' work on the machine makes no
difference, and may take so much memory, so that what grows without end ends alone.
"""
import collections
import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading

MEMORY = 4 << 30
# What a program does that finds its own state impossible, and what it does without memory.
CRASHES = {-signal.SIGILL, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS}
Outcome = collections.namedtuple("Outcome", "code words seconds")


class Way:
    """A command that ends with 0 as long as it is not a mutant that it runs."""
    failure = None  # what a line looks like that says it all

    def __init__(self, command):
        self.command, self.patience, self.reached = command, 3600, set()
        # The words of the unbroken program; None before it was asked.
        self.sound = None
        # The mutants that were not found although something else happened.
        self.acted = set()

    def measured(self):
        """Runs the program as it is: how long that takes, and which mutants it comes by."""
        with tempfile.NamedTemporaryFile("r") as reached:
            outcome = self.run(0, BEAMSCRIBE_MUTANTS_REACHED=reached.name)
            if outcome.code != 0:
                raise SystemExit(f"mutate: not sound unbroken: {self.command}\n{outcome.words[-3000:]}")
            self.reached = {int(number) for number in reached}
        self.sound = outcome.words
        self.seconds = outcome.seconds
        self.patience = int(3 * outcome.seconds + 10)
        return self

    def note(self, number, words):
        """A mutant was not found. Of some runs it can be seen whether it did anything."""

    def finds(self, number):
        """What is wrong with a mutant; None where nothing is."""
        outcome = self.run(number)
        if outcome.code not in {0, 1, None, -signal.SIGXCPU} | CRASHES:
            # Not the mutant's doing: somebody has ended it.
            outcome = self.run(number)
        if outcome.code == 0:
            self.note(number, outcome.words)
            return None
        if outcome.code in (None, -signal.SIGXCPU):
            return "it does not end"
        said = self.verdict(outcome.words)
        if said:
            return said
        if outcome.code in CRASHES:
            fatal = re.search(r"(Fatal error.*)", outcome.words)
            return fatal[1] if fatal else f"it stops ({signal.Signals(-outcome.code).name})"
        raise SystemExit(f"mutate: {self.command} ended with {outcome.code}\n{outcome.words[-3000:]}")

    def run(self, number, **environment):
        limits = [f"--cpu={self.patience}:{self.patience + 5}", f"--data={MEMORY}", "--core=0"]
        process = subprocess.Popen(
            ["prlimit", *limits, *self.command], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
            env=os.environ | {"BEAMSCRIBE_MUTANT": str(number), "SWIFT_BACKTRACE": "enable=no"}
            | environment)
        ended, words = [], []

        def end(why):
            ended.append(why)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        # It may wait for what never comes, which takes no processor time.
        timer = threading.Timer(10 * self.patience, end, ["it waits"])
        timer.start()
        for line in process.stdout:
            words.append(line)
            if self.failure and not ended and re.search(self.failure, line):
                end("it has failed")
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.stdout.close()
        code = process.returncode = os.waitstatus_to_exitcode(status)
        if ended:
            code = None if "it waits" in ended else 1
        return Outcome(code, "".join(words), usage.ru_utime + usage.ru_stime)


class Simulation(Way):
    @staticmethod
    def sum(words):
        """What all that happened hashes to, as the program says at its end."""
        return re.search(r"all that happened is ([0-9a-f]+)$", words, re.MULTILINE)[1]

    def note(self, number, words):
        if self.sum(words) != self.sum(self.sound):
            self.acted.add(number)

    def verdict(self, words):
        said = re.search(r"^seed (\d+): (.*)$", words, re.MULTILINE)
        return f"seed {said[1]}: {said[2]}" if said else None


class Tests(Way):
    failure = r"Test (\w+\(.*?\)) .*recorded an issue"

    def __init__(self, program, *choice):
        super().__init__([program, "--testing-library", "swift-testing", *choice])
        self.program = program

    def verdict(self, words):
        failed = re.search(self.failure, words)
        return failed[1] if failed else None

    def finds(self, number):
        found = super().finds(number)
        name = re.fullmatch(r"(\w+)\(.*\)", found or "")
        if not name:
            return found
        # What waits may fail for the machine's sake: it has to fail again, and without mutant not.
        again = Tests(self.program, "--filter", f"/{name[1]}\\(")
        again.patience = self.patience
        return found if again.run(number).code != 0 and again.run(0).code == 0 else None


def suites(program, target):
    """The tests of a target: the quick ones at once, each of the slow ones by itself."""
    of_target = ["--filter", f"^{target}\\."]
    alone = Tests(program, *of_target, "--experimental-maximum-parallelization-width", "1")
    said = alone.run(0).words
    slow = sorted(
        (float(seconds), name) for name, seconds in
        re.findall(r"Test (\w+)\(.*?\).* passed after ([\d.]+) seconds", said) if float(seconds) > 0.5)
    names = "|".join(name for _, name in slow)
    yield Tests(program, *of_target, *(["--skip", f"/({names})\\("] if slow else []))
    for _, name in slow:
        yield Tests(program, "--filter", f"^{target}\\..*/{name}\\(")


def look(ways, number):
    """What the first way says that finds a mutant, of those that come by it."""
    for way in ways:
        if number in way.reached and (found := way.finds(number)):
            return found
    return None
