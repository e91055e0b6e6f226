#ifndef CLANDLOCK_H
#define CLANDLOCK_H

// Linux's Landlock, by its three system calls (https://docs.kernel.org/userspace-api/landlock.html): a thread gives up
// the right to write files, for itself and for whatever it starts. Swift cannot call syscall(2).

/// The version of Landlock that the kernel has; 0 where it has none.
int clandlock_version(void);

/// Takes from this thread, and from all processes that it starts from now on, the right to change anything in the file
/// system except below the given folders and in the given files. Nothing gives it back.
/// @returns 0, or the error number.
int clandlock_restrict_writes(const char *const *paths, int count);

#endif
