#!/usr/bin/env bash
# libnats: a connection's own inbox prefix (natsOptions_SetCustomInboxPrefix) holds for its
# requests, and not for names that natsInbox_Create makes.
#
# A server can give each user an inbox of its own, so that nobody hears another's answers. A program
# that sets the prefix, and subscribes to a name of natsInbox_Create, is refused that subscription.
# The refusal is an error of the server's that comes later, so that it looks as if nobody answers.
#
# Seen with libnats 3.4.1 and nats-server 2.9.10 of Debian 12. Needs apt-get, dpkg and a C compiler.
set -euo pipefail
library=3.4.1-1+b1 server=2.9.10-1+b3

folder=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "libnats-dev=$library" "libnats3.4=$library" "nats-server=$server" 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(dirname "$(find root -name 'libnats.so' | head -1)")

cat >users.conf <<'END'
authorization { users = [
  { user: anna, password: a, permissions: { publish: [">"], subscribe: ["question", "_INBOX_anna.>"] } }
] }
END
root/usr/sbin/nats-server -a 127.0.0.1 -p -1 -c users.conf --ports_file_dir . 2>server.log &
pid=$!
for _ in $(seq 100); do
    ports=$(find . -maxdepth 1 -name '*.ports')
    [ -n "$ports" ] && [ -s "$ports" ] && break
    sleep 0.1
done
url=$(grep -o 'nats://[0-9.:]*' "$ports" | head -1)

cat >inbox.c <<'END'
#include <nats/nats.h>
#include <stdio.h>

static void refused(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure) {
    const char *error = NULL;
    natsConnection_GetLastError(connection, &error);
    printf("the server's error: %s\n", error && *error ? error : natsStatus_GetText(status));
}

int main(int count, char **arguments) {
    natsOptions *options = NULL;
    natsConnection *connection = NULL;
    natsSubscription *question = NULL, *own = NULL;
    natsMsg *message = NULL;
    natsInbox *name = NULL;
    natsOptions_Create(&options);
    natsOptions_SetURL(options, arguments[1]);
    natsOptions_SetUserInfo(options, "anna", "a");
    natsOptions_SetErrorHandler(options, refused, NULL);
    if (natsOptions_SetCustomInboxPrefix(options, "_INBOX_anna") != NATS_OK) return 2;
    if (natsConnection_Connect(&connection, options) != NATS_OK) return 2;
    natsConnection_SubscribeSync(&question, connection, "question");
    natsMsg *answer = NULL;
    natsConnection_RequestString(&answer, connection, "question", "?", 200);
    natsSubscription_NextMsg(&message, question, 1000);
    printf("a request's reply subject: %.12s...\n", natsMsg_GetReply(message));
    natsInbox_Create(&name);
    printf("a name of natsInbox_Create: %.7s...\n", name);
    natsStatus status = natsConnection_SubscribeSync(&own, connection, name);
    natsConnection_FlushTimeout(connection, 2000);
    nats_Sleep(200);
    printf("subscribing to it says: %s\n", natsStatus_GetText(status));
    natsConnection_Close(connection);
    return 0;
}
END
cc inbox.c -o inbox -Iroot/usr/include -L"$libraries" -lnats
echo "libnats $library, nats-server $server"
LD_LIBRARY_PATH=$libraries ./inbox "$url" | tee output

grep -q '^a request.s reply subject: _INBOX_anna\.' output
grep -q '^a name of natsInbox_Create: _INBOX\.' output
grep -q '^subscribing to it says: OK' output
grep -qi 'permissions violation' output
