// The least that whoever forwards voices can do: the floor that `beamscribe host --voice` is measured against.
//
// Each packet is received, opened, and for each listener protected by another key; all leave with one call. There
// are no rights, no reports, no losses to be counted and no address is looked up.
//
//     forward LISTENERS RATE SECONDS [srtp|openssl]
//
// RATE packets a second come from itself over 127.0.0.1; each is of 10 ms at 40 kb/s. Each listener is a process that
// sleeps until one comes: on one machine whoever sends pays for waking it. All run in real time where they may, as the
// program and its guests do. It says how much of a processor it takes to forward the packets, in percent: with libsrtp as it
// is (`srtp`, as without a word), or with OpenSSL's AES in it (`openssl`), as the program has it.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <srtp2/srtp.h>
#include <sys/prctl.h>

#include "CVoiceCipher.h"
#include "measure.h"

const char program[] = "forward";

enum { most_listeners = 1024, room = 128, payload = 50, header = 12, key_size = 28 };

static void sleep_until(uint64_t due) {
    struct timespec then = {(time_t)(due / second), (long)(due % second)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

static srtp_t session(srtp_ssrc_type_t kind, unsigned number) {
    unsigned char key[key_size] = {(unsigned char)number, (unsigned char)(number >> 8)};
    srtp_policy_t policy = {.ssrc = {.type = kind}, .key = key, .window_size = 256};
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
    srtp_t made;
    if (srtp_create(&made, &policy) != srtp_err_status_ok) die(EXIT_FAILURE, "srtp_create");
    return made;
}

static int udp_socket(struct sockaddr_in *address) {
    int made = socket(AF_INET, SOCK_DGRAM, 0);
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof *address;
    if (made < 0 || bind(made, (struct sockaddr *)address, length) != 0 ||
        getsockname(made, (struct sockaddr *)address, &length) != 0)
        die(EXIT_FAILURE, "socket");
    return made;
}

// As the host's thread for voices. Where the system refuses that nothing is lost but evenness.
static void hurry(void) {
    struct sched_param parameters = {.sched_priority = 10};
    sched_setscheduler(0, SCHED_RR, &parameters);
}

// A process that hears, for as long as this one lives.
static struct sockaddr_in listener(void) {
    struct sockaddr_in address;
    int ear = udp_socket(&address);
    pid_t child = fork();
    if (child < 0) die(EXIT_FAILURE, "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        char bytes[room];
        while (recv(ear, bytes, sizeof bytes, 0) >= 0) continue;
        _exit(EXIT_FAILURE);
    }
    close(ear);
    return address;
}

int main(int count, char **words) {
    if (count != 4 && count != 5) refuse();
    int is_openssl = count == 5 && strcmp(words[4], "openssl") == 0;
    if (count == 5 && !is_openssl && strcmp(words[4], "srtp") != 0) refuse();
    int listeners = (int)number_of(words[1], "LISTENERS");
    double rate = number_of(words[2], "RATE"), wanted = number_of(words[3], "SECONDS");
    if (listeners < 1 || listeners > most_listeners || rate < 1) refuse();
    if (srtp_init() != srtp_err_status_ok) die(EXIT_FAILURE, "srtp_init");
    hurry();
    if (is_openssl && !cvoice_use_openssl()) die(EXIT_FAILURE, "OpenSSL");
    static struct sockaddr_in ears[most_listeners];
    for (int index = 0; index < listeners; index++) ears[index] = listener();
    struct sockaddr_in here;
    int in = udp_socket(&here), talker = socket(AF_INET, SOCK_DGRAM, 0);
    srtp_t sending = session(ssrc_any_outbound, 0), receiving = session(ssrc_any_inbound, 0);
    static srtp_t keys[most_listeners];
    for (int index = 0; index < listeners; index++) keys[index] = session(ssrc_any_outbound, index);
    static unsigned char copies[most_listeners][room];
    static struct mmsghdr messages[most_listeners];
    static struct iovec parts[most_listeners];
    uint64_t spent = 0, due = monotonic(), pause = (uint64_t)(1e9 / rate);
    int packets = (int)(rate * wanted);
    for (int number = 0; number < packets; number++) {
        due += pause;
        sleep_until(due);
        unsigned char bytes[room] = {0x80, 96, (unsigned char)(number >> 8), (unsigned char)number,
                                     [11] = 1};
        int length = header + payload;
        srtp_protect(sending, bytes, &length);
        sendto(talker, bytes, (size_t)length, 0, (struct sockaddr *)&here, sizeof here);
        // What a talker does is none of it.
        uint64_t before = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        length = (int)recv(in, bytes, sizeof bytes, 0);
        if (srtp_unprotect(receiving, bytes, &length) != srtp_err_status_ok) die(EXIT_FAILURE, "srtp_unprotect");
        for (int index = 0; index < listeners; index++) {
            int size = length;
            memcpy(copies[index], bytes, (size_t)length);
            srtp_protect(keys[index], copies[index], &size);
            parts[index] = (struct iovec){copies[index], (size_t)size};
            messages[index].msg_hdr = (struct msghdr){.msg_name = &ears[index], .msg_namelen = sizeof ears[index],
                                                      .msg_iov = &parts[index], .msg_iovlen = 1};
        }
        sendmmsg(in, messages, (unsigned)listeners, MSG_DONTWAIT);
        spent += clock_of(CLOCK_PROCESS_CPUTIME_ID) - before;
    }
    printf("%.2f\n", 100 * seconds(spent) / wanted);
    return 0;
}
