#pragma once

#include <stdint.h>

/// The exit status when the namespace, the devices or the network failed. 126 and 127 are the command that can't be run or is missing.
enum { network_namespace_failed = 125 };

/// The network card of the namespace.
#define NETWORK_NAMESPACE_CARD "cast0"

/// Runs a command beside its devices, in a network and process namespace of its own. Blocks until all of it has ended.
///
/// Signals that this process receives are forwarded to the command. When this process is killed, everything inside ends, too.
///
/// - `directory`: the folder for the files of this run. It must not exist; it is made, and removed at the end.
/// - `files`: the files that are removed at the end, the last one NULL.
/// - `address`: in network byte order. The card's network has its first 16 bits, and every address of it is usable.
/// - `devices`: the arguments of this program for the devices, the last one NULL. It prints the line "ready" when the command may begin.
/// - `command`: the command and its arguments, the last one NULL; searched in PATH.
///
/// Returns the exit status of the command, 128 and its number for a signal. Failures are reported on standard error.
int network_namespace_run(const char *directory, char *const *files, uint32_t address, char *const *devices, char *const *command);
