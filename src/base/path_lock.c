// Locks on output files and folders (path_lock.h). Each is a system lock on a hidden file, which is deleted when the
// lock is released. For a folder it is ".pliant-recording" inside the folder, since not every system can lock a folder.
// For a file NAME it is ".NAME.pliant-lock" next to this file, since a rename replaces the file itself.
#include "base/path_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

// The folder or file that is locked, for messages.
typedef struct Output {
  const char *path;
  bool is_folder;
} Output;

static bool is_held(int descriptor, const Output *output, Error *error) {
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  char process[64] = "another program";
  fcntl(descriptor, F_GETLK, &lock);
  if (lock.l_type != F_UNLCK && lock.l_pid > 0)
    snprintf(process, sizeof process, "process %lld", (long long)lock.l_pid);
  return error_set(error, "%s: %s is %s; choose another %s, or end that process", output->path, process,
                   output->is_folder ? "recording into it" : "writing it", output->is_folder ? "folder" : "file");
}

// Deletes unfinished frames in a folder, such as "frame_00012.png.0badcafe.part".
static void remove_left_over(const char *folder) {
  DIR *listing = opendir(folder);
  for (struct dirent *entry = NULL; listing && (entry = readdir(listing));)
    if (strncmp(entry->d_name, "frame", 5) == 0 && path_ends_with(entry->d_name, ".part"))
      unlinkat(dirfd(listing), entry->d_name, 0);
  if (listing) closedir(listing);
}

// Returns true if the path still refers to the open file, which may have been deleted or replaced.
static bool has_its_name(int descriptor, const char *path) {
  struct stat open, named;
  return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino;
}

static bool cannot(const char *path, const Output *output, int cause, Error *error) {
  if (cause == ELOOP)
    return error_set(error, "%s: is a symbolic link, expected a lock file of Pliant; delete the link", path);
  return error_set(error, "%s: %s is not writable: %s", output->path, output->is_folder ? "the folder" : "its folder",
                   strerror(cause));
}

// Tries once to lock the output. Returns 1 if the output is locked, 0 if the caller must try again, -1 on failure.
static int try_once(PathLock *lock, const Output *output, Error *error) {
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  const int descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) {
    cannot(lock->path, output, errno, error);
    return -1;
  }
  lock->descriptor = descriptor;
  if (fcntl(descriptor, F_SETLK, &whole) == 0) {
    // the previous holder of the lock may have deleted the lock file between our `open` and `fcntl`
    if (has_its_name(descriptor, lock->path)) return 1;
  } else if (errno == EACCES || errno == EAGAIN) {
    is_held(descriptor, output, error);
    close(descriptor);
    return -1;
  } else {
    return 1;  // a file system without locks counts as success
  }
  close(descriptor);
  return 0;
}

static bool take(PathLock *lock, const Output *output, Error *error) {
  int taken = 0;
  while (taken == 0) taken = try_once(lock, output, error);
  if (taken < 0) lock->descriptor = 0;
  return taken > 0;
}

bool path_lock_folder(PathLock *lock, const char *folder, Error *error) {
  const Output output = { folder, true };
  *lock = (PathLock){ 0 };
  if (atomic_file_discards()) return true;
  snprintf(lock->path, sizeof lock->path, "%.*s/.pliant-recording", FILE_PATH_LENGTH, folder);
  if (!take(lock, &output, error)) return false;
  remove_left_over(folder);
  return true;
}

bool path_lock_file(PathLock *lock, const char *file, Error *error) {
  const Output output = { file, false };
  char target[FILE_PATH_LENGTH];
  *lock = (PathLock){ 0 };
  if (!atomic_file_target(file, target, error)) return false;
  if (!target[0]) return true;
  const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
  snprintf(lock->path, sizeof lock->path, "%.*s.%s.pliant-lock", (int)(name - target), target, name);
  return take(lock, &output, error);
}

void path_lock_release(PathLock *lock) {
  if (lock->descriptor > 0) {
    if (has_its_name(lock->descriptor, lock->path)) unlink(lock->path);
    close(lock->descriptor);
  }
  *lock = (PathLock){ 0 };
}
