// The lock of a folder: see folder_lock.h. It is a lock of the system on a file in the folder, since folders themselves
// cannot be locked everywhere; the file is deleted with the lock.
#include "record/folder_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_held(int descriptor, const char *folder, Error *error) {
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  fcntl(descriptor, F_GETLK, &lock);
  if (lock.l_type != F_UNLCK && lock.l_pid > 0)
    return error_set(error, "%s: process %lld is recording into it; take another folder, or end that one", folder,
                     (long long)lock.l_pid);
  return error_set(error, "%s: another program is recording into it; take another folder, or end that one", folder);
}

// deletes frames that were never finished: "frame_00012.png.0badcafe.part"
static void remove_left_over(const char *folder) {
  DIR *listing = opendir(folder);
  for (struct dirent *entry = NULL; listing && (entry = readdir(listing));)
    if (strncmp(entry->d_name, "frame", 5) == 0 && path_ends_with(entry->d_name, ".part"))
      unlinkat(dirfd(listing), entry->d_name, 0);
  if (listing) closedir(listing);
}

// whether the path still names the file that is open
static bool has_its_name(int descriptor, const char *path) {
  struct stat open, named;
  return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino;
}

// 1: locked, 0: to be tried again, -1: failed
static int try_once(FolderLock *lock, const char *folder, Error *error) {
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  const int descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) {
    error_set(error, "%s: the folder cannot be written into: %s", folder, strerror(errno));
    return -1;
  }
  lock->descriptor = descriptor;
  if (fcntl(descriptor, F_SETLK, &whole) == 0) {
    // whoever had it before may have removed the file between our two calls
    if (has_its_name(descriptor, lock->path)) return 1;
  } else if (errno == EACCES || errno == EAGAIN) {
    is_held(descriptor, folder, error);
    close(descriptor);
    return -1;
  } else {
    return 1;  // no locks here
  }
  close(descriptor);
  return 0;
}

bool folder_lock_take(FolderLock *lock, const char *folder, Error *error) {
  int taken = 0;
  *lock = (FolderLock){ 0 };
  snprintf(lock->path, sizeof lock->path, "%s/.pliant-recording", folder);
  while (taken == 0) taken = try_once(lock, folder, error);
  if (taken < 0) lock->descriptor = 0;
  if (taken > 0) remove_left_over(folder);
  return taken > 0;
}

void folder_lock_release(FolderLock *lock) {
  if (lock->descriptor > 0) {
    if (has_its_name(lock->descriptor, lock->path)) unlink(lock->path);
    close(lock->descriptor);
  }
  *lock = (FolderLock){ 0 };
}
