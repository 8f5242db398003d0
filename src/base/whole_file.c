// Files that appear whole: see whole_file.h.
#define _GNU_SOURCE  // renameat2
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(const char *path, int cause, Error *error) {
  return error_set(error, "%s: cannot be written: %s", path, strerror(cause));
}

// a new file beside the target; O_EXCL follows no link and takes no file that is there
static int create_part(WholeFile *whole, mode_t mode) {
  int descriptor = -1;
  for (int attempt = 0; attempt < 100; attempt++) {
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) break;
    snprintf(whole->part, sizeof whole->part, "%s.%08x.part", whole->target, number);
    descriptor = open(whole->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  return descriptor;
}

static bool is_standard_output(const struct stat *status) {
  struct stat out;
  return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == status->st_dev && out.st_ino == status->st_ino;
}

// Finds out what stands there; whole->target stays empty where that is to be written as it is.
static bool look(WholeFile *whole, const char *path, struct stat *old, bool *there, Error *error) {
  *whole = (WholeFile){ 0 };
  if (strlen(path) >= WHOLE_FILE_PATH) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(whole->path, path, strlen(path) + 1);
  *there = stat(path, old) == 0;
  if (!*there) {
    const int cause = errno;
    struct stat link;
    if (cause != ENOENT) return cannot(path, cause, error);
    if (lstat(path, &link) == 0)
      return error_set(error, "%s: is a symbolic link to nothing, expected a file or a link to one", path);
    memcpy(whole->target, path, strlen(path) + 1);
    return true;
  }
  if (S_ISDIR(old->st_mode)) return error_set(error, "%s: is a folder, expected a file", path);
  if (S_ISBLK(old->st_mode)) return error_set(error, "%s: is a disk, expected a file", path);
  // a rename would replace what the user may not write
  if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return cannot(path, errno, error);
  if (!S_ISREG(old->st_mode) || is_standard_output(old)) return true;
  char *real = realpath(path, NULL);
  const bool fits = real && strlen(real) < WHOLE_FILE_PATH;
  if (fits) memcpy(whole->target, real, strlen(real) + 1);
  const int cause = real ? ENAMETOOLONG : errno;
  free(real);
  return fits || cannot(path, cause, error);
}

bool whole_file_open(WholeFile *whole, const char *path, Error *error) {
  struct stat old;
  bool there;
  int descriptor;
  if (!look(whole, path, &old, &there, error)) return false;
  if (whole->target[0]) {
    descriptor = create_part(whole, there ? 0600 : 0666);
    // as far as the system lets a user: others' files keep their owner only where the user is root
    if (descriptor >= 0 && there) (void)!fchown(descriptor, old.st_uid, old.st_gid);
    if (descriptor >= 0 && there) (void)!fchmod(descriptor, old.st_mode & 0777);
  } else if (is_standard_output(&old)) {
    fflush(stdout);
    descriptor = dup(STDOUT_FILENO);  // behind what stands there already
  } else {
    descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  }
  whole->file = descriptor < 0 ? NULL : fdopen(descriptor, whole->target[0] ? "w+b" : "wb");
  if (whole->file) return true;
  const int cause = errno;
  if (descriptor >= 0) {
    close(descriptor);
    if (whole->target[0]) unlink(whole->part);
  }
  return cannot(path, cause, error);
}

bool whole_file_check(const char *path, Error *error) {
  struct stat old;
  bool there;
  WholeFile whole;
  if (!look(&whole, path, &old, &there, error)) return false;
  if (!whole.target[0]) return true;  // to open a pipe is an event for its other end
  const bool ok = whole_file_open(&whole, path, error);
  whole_file_close(&whole);
  return ok;
}

static bool sync_descriptor(int descriptor) {
  // there are devices and file systems without it
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS;
}

bool whole_file_sync(const char *path, Error *error) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  bool ok = descriptor >= 0 && sync_descriptor(descriptor);
  const int cause = errno;
  if (descriptor >= 0) close(descriptor);
  // what somebody has taken away is none of ours, and a folder may be one to write into and not to read
  return ok || (descriptor < 0 && (cause == ENOENT || cause == EACCES)) ||
         error_set(error, "%s: is not on the disk: %s", path, strerror(cause));
}

bool whole_file_sync_name(const char *path, Error *error) {
  char folder[WHOLE_FILE_PATH];
  const char *slash = strrchr(path, '/');
  if (slash)
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  else
    snprintf(folder, sizeof folder, ".");
  return whole_file_sync(folder, error);
}

static void drop(const WholeFile *whole) {
  if (whole->target[0]) unlink(whole->part);
}

// closes it, with all that was written into it; what fails is dropped
static bool finish(WholeFile *whole, bool sync, Error *error) {
  const bool lost = ferror(whole->file);
  errno = 0;
  // a write failed long ago: one more says why
  if (lost) fputc(0, whole->file);
  bool ok = fflush(whole->file) == 0 && !lost && (!sync || sync_descriptor(fileno(whole->file)));
  int cause = errno;
  if (fclose(whole->file) != 0 && ok) ok = false, cause = errno;
  whole->file = NULL;
  if (ok) return true;
  drop(whole);
  return cannot(whole->path, cause ? cause : EIO, error);
}

static bool give_name(const WholeFile *whole, Error *error) {
  if (!whole->target[0] || rename(whole->part, whole->target) == 0) return true;
  const int cause = errno;
  drop(whole);
  return cannot(whole->path, cause, error);
}

bool whole_file_commit(WholeFile *whole, Error *error) {
  return finish(whole, true, error) && give_name(whole, error) &&
         (!whole->target[0] || whole_file_sync_name(whole->target, error));
}

bool whole_file_commit_unsynced(WholeFile *whole, Error *error) {
  return finish(whole, false, error) && give_name(whole, error);
}

bool whole_file_commit_pair(WholeFile *first, WholeFile *second, Error *error) {
  if (!finish(first, true, error)) return false;
  if (!finish(second, true, error)) {
    drop(first);
    return false;
  }
  // the old first file waits under another name, to come back if the second cannot have its own; where a file system cannot
  // let two names change places, it goes aside for a moment
  const char *old = NULL;
  char aside[sizeof first->part + 4];
  snprintf(aside, sizeof aside, "%s.old", first->part);
  const bool exchanged =
      first->target[0] && renameat2(AT_FDCWD, first->part, AT_FDCWD, first->target, RENAME_EXCHANGE) == 0;
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
  if (old && ok)
    unlink(old);
  else if (old)
    rename(old, first->target);
  else if (!ok && first->target[0])
    unlink(first->target);
  return ok && (!second->target[0] || whole_file_sync_name(second->target, error));
}

void whole_file_close(WholeFile *whole) {
  if (!whole->file) return;
  fclose(whole->file);
  whole->file = NULL;
  drop(whole);
}
