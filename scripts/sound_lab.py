"""A sound server of its own for the demonstration and the measurements of voices: microphones and loudspeakers that are
none, ears that record several of them at once, and what can be said of two recordings. It needs no sound card and touches
nothing of the user's.
"""
import os, shutil, signal, subprocess, time, wave
from pathlib import Path

import numpy

LAB = Path(__file__).resolve().parent.parent / "Tests" / "Support" / "Sound" / "Lab"
SHIPPED = Path("/usr/share/wireplumber")
RATE = 48000
POSITIONS = ["FL", "FR", "FC", "LFE", "RL", "RR", "SL"]
QUIET = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

running = []


class Failed(Exception):
    """Something did not come about: what."""


def lacking():
    """What there has to be, and is not; an empty text for nothing."""
    for needed in ("pipewire", "wireplumber", "pw-cat", "pw-link", "pw-metadata"):
        if not shutil.which(needed):
            return f"{needed} is missing (Debian: apt install pipewire pipewire-bin wireplumber)"
    if not (SHIPPED / "policy.lua.d").is_dir():
        return "this WirePlumber is not configured by Lua, as the one of Debian 12 is"
    return ""


def start(words, environment, log, **more):
    process = subprocess.Popen(words, env=environment, stderr=open(log, "wb"), **more)
    running.append(process)
    return process


def come_first(process):
    """A busy machine is not what is measured: whoever plays and records comes first, where that is allowed."""
    try:
        os.sched_setscheduler(process.pid, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(40))
    except OSError:
        pass
    return process


def finish():
    """Ends all."""
    finish_since([])


def finish_since(before):
    """Ends what was begun since then."""
    mine = [process for process in running if process not in before]
    for process in reversed(mine):
        if process.poll() is None:
            process.terminate()
    for process in mine:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        running.remove(process)


def until(what, condition, seconds=20, log=None):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            more = f"; {log} says: {Path(log).read_text(errors='replace')[-500:]}" if log else ""
            raise Failed(f"no {what} within {seconds} s{more}")
        time.sleep(0.05)


def until_line(log, words, seconds=20):
    until(f"'{words}'", lambda: words in Path(log).read_text(errors="replace"), seconds, log)


# ---- the sound server

def device(kind, name, rank):
    what = "Audio/Source/Virtual" if kind == "mic" else "Audio/Sink"
    return (f"{{ factory = adapter, args = {{ factory.name = support.null-audio-sink, node.name = {kind}-{name}, "
            f"media.class = {what}, audio.position = [ MONO ], object.linger = true, priority.session = {rank} }} }}")


def begin_sound(work, people):
    run, manager = work / "run", work / "manager"
    run.mkdir(mode=0o700)
    (manager / "main.lua.d").mkdir(parents=True)
    devices = [device(kind, name, 1000) for name in people for kind in ("mic", "spk")]
    text = (LAB / "pipewire.conf").read_text().replace("DEVICES", "\n  ".join(devices))
    # As a studio would have it: 2.7 ms at a time.
    (work / "pipewire.conf").write_text(text.replace("default.clock.quantum = 256", "default.clock.quantum = 128"))
    for part in ("policy.lua.d", "common"):
        shutil.copytree(SHIPPED / part, manager / part)
    for part in ("00-functions", "20-default-access", "30-alsa-monitor", "30-libcamera-monitor",
                 "30-v4l2-monitor", "40-device-defaults", "40-stream-defaults"):
        shutil.copy(SHIPPED / "main.lua.d" / f"{part}.lua", manager / "main.lua.d")
    shutil.copy(LAB / "rules.lua", manager / "main.lua.d" / "80-lab.lua")
    shutil.copy(LAB / "wireplumber.conf", manager)
    environment = dict(
        os.environ, XDG_RUNTIME_DIR=str(run), PIPEWIRE_RUNTIME_DIR=str(run), XDG_STATE_HOME=str(work / "state"),
        XDG_CONFIG_HOME=str(work / "config"), WIREPLUMBER_CONFIG_DIR=str(manager), WIREPLUMBER_DATA_DIR=str(SHIPPED),
        DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent", DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent")
    start(["pipewire", "-c", str(work / "pipewire.conf")], environment, work / "pipewire.log")
    until("PipeWire", (run / "pipewire-0").exists, log=work / "pipewire.log")
    start(["wireplumber"], environment, work / "wireplumber.log")
    until("devices", lambda: {f"spk-{name}:monitor_MONO" for name in people} <= ports(environment))
    until("usual devices", lambda: b"default.audio.sink" in subprocess.run(
        ["pw-metadata", "-n", "default"], env=environment, capture_output=True).stdout)
    return environment


def ports(environment):
    return set(subprocess.run(["pw-link", "-io"], env=environment, capture_output=True, text=True).stdout.splitlines())


def join_ports(environment, pairs):
    until("ports", lambda: {port for pair in pairs for port in pair} <= ports(environment))
    for output, port in pairs:
        subprocess.run(["pw-link", output, port], env=environment, check=True, capture_output=True)


def part_ports(environment, output, port):
    """Whatever links them: it may be that nothing does."""
    subprocess.run(["pw-link", "-d", output, port], env=environment, capture_output=True)


# ---- mouths and ears

def begin_ears(environment, names, path):
    """Records devices (mic-NAME, spk-NAME) at once, a channel each, until it is sent SIGINT."""
    positions = POSITIONS[:len(names)]
    ears = come_first(start(
        ["pw-cat", "--record", "--target", "0", "--rate", str(RATE), "--format", "s16", "--channels", str(len(names)),
         "--channel-map", ",".join(positions), "-P", "{ node.name = ears, node.autoconnect = false }", str(path)],
        environment, path.with_suffix(".log"), **QUIET))
    join_ports(environment, [
        (f"{name}:{'capture' if name.startswith('mic') else 'monitor'}_MONO", f"ears:input_{position}")
        for name, position in zip(names, positions)])
    return ears


def end_ears(ears):
    ears.send_signal(signal.SIGINT)
    ears.wait(5)


def begin_mouth(environment, name, path, log):
    """Plays a WAV file into the microphone of somebody."""
    mouth = come_first(start(
        ["pw-cat", "--playback", "--target", "0", "--channels", "1", "--channel-map", "mono",
         "-P", f"{{ node.name = mouth-{name}, node.autoconnect = false }}", str(path)], environment, log, **QUIET))
    join_ports(environment, [(f"mouth-{name}:output_MONO", f"mic-{name}:input_MONO")])
    return mouth


def read(path):
    """The channels of a WAV file of 16 bits, also of one with an extensible header."""
    data = Path(path).read_bytes()
    at, channels, raw = 12, 1, b""
    while at + 8 <= len(data):
        name, size = data[at:at + 4], int.from_bytes(data[at + 4:at + 8], "little")
        if name == b"fmt ":
            channels = int.from_bytes(data[at + 10:at + 12], "little")
        if name == b"data":
            raw = data[at + 8:at + 8 + size]
        at += 8 + size + size % 2
    samples = numpy.frombuffer(raw[:len(raw) // (2 * channels) * 2 * channels], "<i2").astype(float) / 32768
    return samples.reshape(-1, channels).T


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((numpy.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


# ---- what was heard

def delay_of(said, heard):
    """By how many samples `heard` is later, in at most half a second, and how alike the two are."""
    size = 1 << (len(said) + len(heard)).bit_length()
    correlation = numpy.fft.irfft(numpy.fft.rfft(heard, size) * numpy.conj(numpy.fft.rfft(said, size)), size)
    most = correlation[:RATE // 2]
    norm = numpy.sqrt((said ** 2).sum() * (heard ** 2).sum()) or 1
    return int(most.argmax()), float(most.max() / norm)


def levels(samples):
    pieces = samples[:len(samples) // 480 * 480].reshape(-1, 480)
    return numpy.sqrt((pieces ** 2).mean(axis=1))


def quality(said, heard):
    try:
        from pesq import pesq
        pair = [numpy.interp(numpy.arange(0, len(x), 3), numpy.arange(len(x)), x) for x in (said, heard)]
        return f"{pesq(16000, pair[0], pair[1], 'wb'):.2f}"
    except ImportError:
        return "-"
    except Exception:
        return "?"


def judge(said, heard):
    lag, _ = delay_of(said, heard)
    heard = numpy.concatenate([heard[lag:], numpy.zeros(lag)])
    before, after = levels(said), levels(heard)
    loud = before > 0.02
    share = float((after[loud] > before[loud] / 4).mean()) if loud.any() else 0
    return lag * 1000 / RATE, share, quality(said, heard)


