// Locks on output files and folders, so that two runs do not write the same output. A lock ends with the program that
// holds it, even if the program is killed.
#pragma once
#include "base/atomic_file.h"

// A lock; a zeroed PathLock holds none.
typedef struct PathLock {
  int descriptor;  // descriptor of the lock file; 0: no lock
  char path[FILE_PATH_LENGTH + 32];
} PathLock;

/// Locks an existing folder, and deletes unfinished frames that a killed recording has left in it. Fails if another
/// program holds the lock; the message has its process number. One program may lock a folder more than once, but the
/// first release ends all of its locks on this folder. On a file system without locks this succeeds without a lock.
bool path_lock_folder(PathLock *lock, const char *folder, Error *error);

/// Locks a file before it is written, as path_lock_folder locks a folder. A pipe or a device needs no lock.
bool path_lock_file(PathLock *lock, const char *file, Error *error);

void path_lock_release(PathLock *lock);  // accepts a PathLock without a lock
