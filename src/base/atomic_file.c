// Files that appear complete or not at all (atomic_file.h). The bytes are written to a part file, such as
// "out.json.0badcafe.part". The complete part file is renamed to "out.json".
#define _GNU_SOURCE  // renameat2
#include "base/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// True after atomic_file_discard_all: all files are then written to /dev/null instead of their paths.
static bool discards;
static const char NOTHING[] = "/dev/null";

void atomic_file_discard_all(void) {
  discards = true;
}

bool atomic_file_discards(void) {
  return discards;
}

static bool cannot(const char *path, int cause, Error *error) {
  return error_set(error, "%s: cannot be written: %s", path, strerror(cause));
}

// Stores the name of the folder that contains the file `path` in `folder`; "." if the path names no folder.
static void folder_of(const char *path, char folder[FILE_PATH_LENGTH]) {
  const char *slash = strrchr(path, '/');
  if (slash)
    snprintf(folder, FILE_PATH_LENGTH, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  else
    snprintf(folder, FILE_PATH_LENGTH, ".");
}

// Locks a new part file, so that other programs do not delete it as a left-over file. Returns false if another program
// deleted it before the lock. On a file system without locks the file stays unlocked, and the function returns true.
static bool hold_part(int descriptor) {
  struct stat status;
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

// Creates and locks a part file, in which the target's new bytes are collected, in the target's folder. With O_EXCL,
// open() follows no link and opens no existing file. Returns the file's descriptor; -1 on failure.
static int create_part(AtomicFile *file, mode_t mode) {
  for (int attempt = 0; attempt < 100; attempt++) {
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return -1;
    snprintf(file->part, sizeof file->part, "%s.%08x.part", file->target, number);
    const int descriptor = open(file->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno != EEXIST) return -1;
    if (descriptor < 0) continue;
    if (hold_part(descriptor)) return descriptor;
    unlink(file->part);
    close(descriptor);
  }
  errno = EEXIST;
  return -1;
}

// Returns true if `name` is the name of a part file of `target`: "out.json.0badcafe.part" for the target "out.json".
static bool is_part_of(const char *name, const char *target) {
  const size_t length = strlen(target);
  if (strncmp(name, target, length) != 0 || name[length] != '.') return false;
  return strspn(name + length + 1, "0123456789abcdef") == 8 && strcmp(name + length + 9, ".part") == 0;
}

// Deletes part files, unfinished versions of the target, that killed programs have left. Keeps part files that a
// running process has locked.
static void remove_left_over(const char *target) {
  char folder[FILE_PATH_LENGTH];
  const char *slash = strrchr(target, '/');
  folder_of(target, folder);
  DIR *listing = opendir(folder);
  for (struct dirent *entry = NULL; listing && (entry = readdir(listing));) {
    struct stat status;
    if (!is_part_of(entry->d_name, slash ? slash + 1 : target)) continue;
    const int part = openat(dirfd(listing), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (part < 0) continue;
    if (fstat(part, &status) == 0 && S_ISREG(status.st_mode) && flock(part, LOCK_EX | LOCK_NB) == 0)
      unlinkat(dirfd(listing), entry->d_name, 0);
    close(part);
  }
  if (listing) closedir(listing);
}

static bool is_standard_output(const struct stat *status) {
  struct stat out;
  return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == status->st_dev && out.st_ino == status->st_ino;
}

// Tests if a file can be written at `path`. Stores the file's final name, with symbolic links followed, in
// file->target. file->target stays empty if the path must be written directly, as for /dev/null or a pipe. *exists
// becomes true if there is a file at `path`; *old then gets its status. discard: /dev/null is written in place of
// `path`.
static bool examine(AtomicFile *file, const char *path, bool discard, struct stat *old, bool *exists, Error *error) {
  *file = (AtomicFile){ 0 };
  if (strlen(path) >= FILE_PATH_LENGTH) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(file->path, path, strlen(path) + 1);
  if (discard) path = NOTHING;
  *exists = stat(path, old) == 0;
  if (!*exists) {
    const int cause = errno;
    struct stat link;
    if (cause != ENOENT) return cannot(path, cause, error);
    if (lstat(path, &link) == 0)
      return error_set(error, "%s: is a broken symbolic link, expected a file or a link to a file", path);
    memcpy(file->target, path, strlen(path) + 1);
    return true;
  }

  if (S_ISDIR(old->st_mode)) return error_set(error, "%s: is a folder, expected a file", path);
  if (S_ISBLK(old->st_mode)) return error_set(error, "%s: is a block device, expected a file", path);

  // A rename would succeed without permission to write the old file, so test this permission here.
  if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return cannot(path, errno, error);
  if (!S_ISREG(old->st_mode) || is_standard_output(old)) return true;
  char *real = realpath(path, NULL);
  const bool fits = real && strlen(real) < FILE_PATH_LENGTH;
  if (fits) memcpy(file->target, real, strlen(real) + 1);
  const int cause = real ? ENAMETOOLONG : errno;
  free(real);
  return fits || cannot(path, cause, error);
}

// Releases the lock of the part file.
static void release(AtomicFile *file) {
  if (file->lock > 0) close(file->lock);
  file->lock = 0;
}

// Opens a file as atomic_file_open does. discard: all bytes are written to /dev/null, and the file does not appear.
static bool open_file(AtomicFile *file, const char *path, bool discard, Error *error) {
  struct stat old;
  bool exists;
  int descriptor;
  if (!examine(file, path, discard, &old, &exists, error)) return false;
  if (file->target[0]) {
    descriptor = create_part(file, exists ? 0600 : 0666);

    // give the new file the old file's owner and permissions; only root can set another owner, so failures are ignored
    if (descriptor >= 0 && exists) (void)!fchown(descriptor, old.st_uid, old.st_gid);
    if (descriptor >= 0 && exists) (void)!fchmod(descriptor, old.st_mode & 0777);
  } else if (!discard && is_standard_output(&old)) {
    fflush(stdout);
    descriptor = dup(STDOUT_FILENO);  // the file's bytes follow the output that was printed before
  } else {
    descriptor = open(discard ? NOTHING : path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  }

  // The lock ends when all descriptors of the file are closed. So file->lock is a second descriptor: it keeps the lock
  // from fclose until the rename.
  if (descriptor >= 0 && file->target[0]) file->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (file->lock >= 0) file->stream = descriptor < 0 ? NULL : fdopen(descriptor, file->target[0] ? "w+b" : "wb");
  if (file->stream) return true;
  const int cause = errno;
  if (descriptor >= 0) {
    close(descriptor);
    if (file->target[0]) unlink(file->part);
  }
  release(file);
  return cannot(path, cause, error);
}

bool atomic_file_open(AtomicFile *file, const char *path, Error *error) {
  return open_file(file, path, discards, error);
}

bool atomic_file_open_always(AtomicFile *file, const char *path, Error *error) {
  return open_file(file, path, false, error);
}

bool atomic_file_check(const char *path, Error *error) {
  struct stat old;
  bool exists;
  AtomicFile file;
  if (!examine(&file, path, discards, &old, &exists, error)) return false;
  // do not open a pipe or device for a test: the program at its other end would notice it
  if (!file.target[0]) return true;
  remove_left_over(file.target);
  const bool ok = atomic_file_open(&file, path, error);
  atomic_file_close(&file);
  return ok;
}

bool atomic_file_target(const char *path, char target[FILE_PATH_LENGTH], Error *error) {
  struct stat old;
  bool exists;
  AtomicFile file;
  if (!examine(&file, path, discards, &old, &exists, error)) return false;
  memcpy(target, file.target, sizeof file.target);
  return true;
}

static bool sync_descriptor(int descriptor) {
  // some devices and file systems do not support fsync; a call for them counts as successful
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS;
}

bool atomic_file_sync(const char *path, Error *error) {
  return discards || atomic_file_sync_always(path, error);
}

bool atomic_file_sync_always(const char *path, Error *error) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  bool ok = descriptor >= 0 && sync_descriptor(descriptor);
  const int cause = errno;
  if (descriptor >= 0) close(descriptor);
  // two failures of `open` count as success: the file was deleted meanwhile (ENOENT), or it cannot be read (EACCES),
  // such as a folder that is writable but not readable
  return ok || (descriptor < 0 && (cause == ENOENT || cause == EACCES)) ||
         error_set(error, "%s: cannot be flushed to the disk: %s", path, strerror(cause));
}

bool atomic_file_sync_name(const char *path, Error *error) {
  char folder[FILE_PATH_LENGTH];
  folder_of(path, folder);
  return atomic_file_sync(folder, error);
}

static void drop(AtomicFile *file) {
  if (file->target[0]) unlink(file->part);
  release(file);
}

// Flushes and closes the part file, which has the new bytes under a temporary name. If `sync` is true, waits until they
// are on the disk before it closes the file. On failure deletes the part file.
static bool finish(AtomicFile *file, bool sync, Error *error) {
  const bool lost = ferror(file->stream);
  errno = 0;

  // errno may have changed since the write that failed; one more write fails too, and sets errno to the cause again
  if (lost) fputc(0, file->stream);
  bool ok = fflush(file->stream) == 0 && !lost && (!sync || sync_descriptor(fileno(file->stream)));
  int cause = errno;
  if (fclose(file->stream) != 0 && ok) {
    ok = false;
    cause = errno;
  }
  file->stream = NULL;
  if (ok) return true;
  drop(file);
  return cannot(file->path, cause ? cause : EIO, error);
}

static bool give_name(AtomicFile *file, Error *error) {
  if (!file->target[0] || rename(file->part, file->target) == 0) {
    release(file);
    return file->named = true;
  }
  const int cause = errno;
  drop(file);
  return cannot(file->path, cause, error);
}

bool atomic_file_commit(AtomicFile *file, Error *error) {
  return finish(file, true, error) && give_name(file, error) &&
         (!file->target[0] || atomic_file_sync_name(file->target, error));
}

bool atomic_file_commit_unsynced(AtomicFile *file, Error *error) {
  return finish(file, false, error) && give_name(file, error);
}

bool atomic_file_commit_pair(AtomicFile *first, AtomicFile *second, Error *error) {
  if (!finish(first, true, error)) return false;
  if (!finish(second, true, error)) {
    drop(first);
    return false;
  }

  // Keep the old version of the first file under another name, to restore it if the second file cannot be renamed. A
  // file system that cannot exchange two names needs two renames. Between them, no file has the first file's name.
  const char *old = NULL;
  char aside[sizeof first->part + 4];
  snprintf(aside, sizeof aside, "%s.old", first->part);
  const bool exchanged =
      first->target[0] && renameat2(AT_FDCWD, first->part, AT_FDCWD, first->target, RENAME_EXCHANGE) == 0;
  first->named = exchanged;
  if (exchanged)
    old = first->part;
  else if (first->target[0] && rename(first->target, aside) == 0)
    old = aside;
  if (!exchanged && !give_name(first, error)) {
    if (old) rename(old, first->target);
    drop(second);
    return false;
  }

  const bool ok = give_name(second, error);
  first->named = ok;
  release(first);
  if (old && ok)
    unlink(old);
  else if (old)
    rename(old, first->target);
  else if (!ok && first->target[0])
    unlink(first->target);
  return ok && (!second->target[0] || atomic_file_sync_name(second->target, error));
}

void atomic_file_close(AtomicFile *file) {
  if (!file->stream) return;
  fclose(file->stream);
  file->stream = NULL;
  drop(file);
}
