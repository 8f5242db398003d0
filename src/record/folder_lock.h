// One recording at a time into a folder: a lock that ends with the program, however that ends.
#pragma once
#include "base/error.h"
#include "base/path.h"

// A zeroed FolderLock holds nothing.
typedef struct FolderLock {
  int descriptor;  // of the lock's file; 0: none
  char path[PATH_LENGTH + 32];
} FolderLock;

/// Takes the lock of a folder that exists, and deletes files that a killed recording has left half written in it.
/// Fails where another program holds it, and says which process. One program may take it more than once. Where the file
/// system has no locks it goes without.
bool folder_lock_take(FolderLock *lock, const char *folder, Error *error);
void folder_lock_release(FolderLock *lock);  // takes one that holds nothing
