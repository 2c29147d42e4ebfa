#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "network.h"
#include "network_namespace.h"

// The process that the user started clones the first process of the namespaces, the keeper, which starts the devices and the command. The caller may
// have other threads: in its clones only functions are called that are safe in a signal handler.

/// The arguments of `network_namespace_run`.
struct run {
    const char *directory;
    char *const *files;
    uint32_t address;
    char *const *devices;
    char *const *command;
};

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM};
enum { forwarded_count = sizeof forwarded / sizeof *forwarded };

/// The longest time that the devices take to say goodbye, in milliseconds.
static const int goodbye_limit = 5000;

static volatile sig_atomic_t keeper, early;

static void forward(int number, siginfo_t *information, void *context) {
    (void)context;
    // A terminal's signal reaches the command by itself.
    if (information->si_code > 0) return;
    early = number;
    if (keeper > 0) kill(keeper, number);
}

static void say(const char *what, const char *why) {
    char text[1024];
    int length = snprintf(text, sizeof text, "cast-simulator: %s%s%s\n", what, *why ? ": " : "", why);
    if (length > 0) (void)!write(STDERR_FILENO, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static _Noreturn void refuse(const char *what) {
    say(what, strerrordesc_np(errno));
    _exit(network_namespace_failed);
}

/// Says what the system refused, and what to do.
static void explain(const char *what) {
    say(what, strerrordesc_np(errno));
    say("run it as root, in a container with --privileged, or let users make namespaces: sysctl kernel.unprivileged_userns_clone=1 (Debian), "
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), sysctl user.max_user_namespaces=10000",
        "");
}

static _Noreturn void refuse_namespace(const char *what) {
    explain(what);
    _exit(network_namespace_failed);
}

static void remove_files(const struct run *run) {
    for (char *const *file = run->files; *file; file++) unlink(*file);
    rmdir(run->directory);
}

static int status_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) < 0) refuse_namespace("cannot make a user namespace");
    close(file);
}

/// The user stays the same one, so that the command finds its files and is not root by mistake.
static void keep_user(uid_t user, gid_t group) {
    char text[64];
    snprintf(text, sizeof text, "%u %u 1", user, user);
    write_file("/proc/self/uid_map", text);
    write_file("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", group, group);
    write_file("/proc/self/gid_map", text);
}

/// Undoes what `exec` keeps: blocked signals. Handlers become the default by themselves, and what was ignored stays so.
static void restore_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    struct sigaction now, standard = {.sa_handler = SIG_DFL};
    for (int index = 0; index < forwarded_count; index++)
        if (sigaction(forwarded[index], NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaction(forwarded[index], &standard, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/// Starts the process that becomes the command when the other end of `gate` is written to. It exists from the beginning, so that it is in the
/// process group of the terminal, which the keeper leaves.
static pid_t start_command(char *const *command, int gate) {
    pid_t pid = _Fork();
    if (pid != 0) return pid;
    restore_signals();
    char byte;
    if (read(gate, &byte, 1) != 1) _exit(network_namespace_failed);
    execvp(command[0], command);
    int reason = errno;
    say(command[0], strerrordesc_np(reason));
    _exit(reason == ENOENT ? 127 : 126);
}

static pid_t start_devices(char *const *devices, int output) {
    pid_t pid = _Fork();
    if (pid != 0) return pid;
    // A terminal's Ctrl-C is for the command, which may need its devices until its end.
    setpgid(0, 0);
    restore_signals();
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    dup2(output, STDOUT_FILENO);
    execv("/proc/self/exe", devices);
    say("the devices", strerrordesc_np(errno));
    _exit(network_namespace_failed);
}

/// Whether the devices have printed the line "ready", of which `matched` letters have come.
static int is_ready(int output, size_t *matched) {
    static const char line[] = "ready\n";
    char letter;
    while (*matched < sizeof line - 1 && read(output, &letter, 1) == 1) *matched = letter == line[*matched] ? *matched + 1 : letter == line[0];
    return *matched == sizeof line - 1;
}

/// The signals that the keeper reads from a descriptor.
static sigset_t keeper_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (int index = 0; index < forwarded_count; index++) sigaddset(&signals, forwarded[index]);
    return signals;
}

/// The life of the keeper: the first process of the namespace, with which all others end.
static _Noreturn void keep(const struct run *run, int caller) {
    sigset_t signals = keeper_signals();
    sigprocmask(SIG_SETMASK, &signals, NULL);
    int events = signalfd(-1, &signals, SFD_CLOEXEC), gate[2], output[2];
    if (events < 0 || pipe2(gate, O_CLOEXEC) < 0 || pipe2(output, O_CLOEXEC | O_NONBLOCK) < 0) refuse("no descriptor");
    pid_t command = start_command(run->command, gate[0]);
    if (command < 0) refuse("no process");
    // What kills the caller's process group leaves the keeper, which then removes the files.
    setpgid(0, 0);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        refuse_namespace("cannot mount /proc in a namespace");
    if (make_network(run->address) < 0) refuse_namespace("cannot make a network card in a namespace");
    if (mkdir(run->directory, 0700) < 0) refuse(run->directory);
    pid_t devices = start_devices(run->devices, output[1]);
    close(output[1]);

    int status = -1, limit = -1;
    size_t matched = 0;
    struct pollfd sources[] = {{.fd = events, .events = POLLIN}, {.fd = caller, .events = POLLIN}, {.fd = output[0], .events = POLLIN}};
    while (devices > 0) {
        int count = poll(sources, 3, limit);
        // The caller is dead, or the devices are too slow in their goodbyes.
        if (sources[1].revents || count == 0) break;
        if (sources[2].revents) {
            if (is_ready(output[0], &matched)) (void)!write(gate[1], "", 1);
            if (matched == sizeof "ready\n" - 1 || sources[2].revents & POLLHUP) sources[2].fd = -1;
        }
        struct signalfd_siginfo received = {0};
        if (!(sources[0].revents & POLLIN) || read(events, &received, sizeof received) < 0) continue;
        if (received.ssi_signo != SIGCHLD && received.ssi_code <= 0 && status < 0) kill(command, (int)received.ssi_signo);
        int result;
        for (pid_t pid; (pid = waitpid(-1, &result, WNOHANG)) > 0;) {
            if (pid == command) {
                status = status_of(result);
                if (devices > 0) kill(devices, SIGTERM);
                limit = goodbye_limit;
            }
            if (pid == devices) devices = 0;
        }
    }
    if (status < 0 && devices == 0) say("the devices ended before the command", "");
    remove_files(run);
    _exit(status < 0 ? network_namespace_failed : status);
}

int network_namespace_run(const char *directory, char *const *files, uint32_t address, char *const *devices, char *const *command) {
    const struct run run = {directory, files, address, devices, command};
    uid_t user = geteuid();
    gid_t group = getegid();
    int life[2];
    if (pipe2(life, O_CLOEXEC) < 0) return network_namespace_failed;
    struct sigaction handler = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART}, former;
    for (int index = 0; index < forwarded_count; index++)
        if (sigaction(forwarded[index], NULL, &former) == 0 && former.sa_handler != SIG_IGN) sigaction(forwarded[index], &handler, NULL);

    // The keeper begins with blocked signals, so that it loses none.
    sigset_t signals = keeper_signals(), before;
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    unsigned long namespaces = CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWNS;
    pid_t pid = -1;
    for (int attempt = 0; attempt < 2 && pid < 0; attempt++) {
        if (attempt == 1) namespaces |= CLONE_NEWUSER;
        pid = (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
    }
    if (pid == 0) {
        close(life[1]);
        if (namespaces & CLONE_NEWUSER) keep_user(user, group);
        keep(&run, life[0]);
    }
    int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(life[0]);
    errno = reason;
    if (pid < 0) {
        explain("cannot make a network namespace");
        return network_namespace_failed;
    }
    keeper = pid;
    if (early) kill(pid, early);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return network_namespace_failed;
    // If the keeper was killed, it has removed nothing.
    remove_files(&run);
    return status_of(status);
}
