// Locks on outputs, so that two runs do not write the same one: a lock ends with the program, even if that is killed.
#pragma once
#include "base/atomic_file.h"

// A zeroed PathLock holds nothing.
typedef struct PathLock {
  int descriptor;  // of the lock's file; 0: none
  char path[FILE_PATH_LENGTH + 32];
} PathLock;

/// Takes the lock of a folder that exists, and deletes the frames that a killed recording has left half written in it.
/// Fails if another program holds it, and names that process. One program may take it more than once. Succeeds without
/// a lock if the file system has no locks.
bool path_lock_folder(PathLock *lock, const char *folder, Error *error);

/// Takes the lock of a file that is to be written; likewise. A pipe or a device needs none.
bool path_lock_file(PathLock *lock, const char *file, Error *error);

void path_lock_release(PathLock *lock);  // takes one that holds nothing
