// A library for LD_PRELOAD that logs operations on files below the folder $JOURNAL_ROOT. With the log, tests can
// simulate a disk that loses unsynced writes. Each file also gets a hard link in $JOURNAL_KEEP, so that replaced files
// still exist. The log, $JOURNAL, has one line per operation:
//
//   make INODE PATH      a file was created
//   folder PATH          a folder was created
//   sync INODE BYTES     fsync of a file, which has this size
//   names PATH           fsync of a folder, which stores the names of its entries on the disk
//   rename PATH PATH     a file was renamed, from the first path to the second
//   remove PATH          a file was removed
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS  // if this macro is set, headers rename open to open64, and this file could not define both
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *root, *keep;
static int journal = -1;

__attribute__((constructor)) static void begin(void) {
  root = getenv("JOURNAL_ROOT");
  keep = getenv("JOURNAL_KEEP");
  const char *path = getenv("JOURNAL");
  int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  if (root && keep && path) journal = real(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

static void note(const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (write(journal, line, (size_t)length) != length) abort();
}

static int watched(const char *path) {
  return journal >= 0 && strncmp(path, root, strlen(root)) == 0;
}

static int do_open(const char *name, const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
  const int made = watched(path) && flags & O_CREAT && access(path, F_OK) != 0;
  const int descriptor = real(path, flags, mode);
  struct stat status;
  if (made && descriptor >= 0 && fstat(descriptor, &status) == 0) {
    char second[PATH_MAX];
    snprintf(second, sizeof second, "%s/%llu", keep, (unsigned long long)status.st_ino);
    if (link(path, second) != 0) abort();
    note("make %llu %s\n", (unsigned long long)status.st_ino, path);
  }
  return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return do_open("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return do_open("open64", path, flags, mode);
}

int fsync(int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  char link[64], path[PATH_MAX];
  struct stat status;
  const int result = real(descriptor);
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (result != 0 || length <= 0 || fstat(descriptor, &status) != 0) return result;
  path[length] = '\0';
  if (!watched(path)) return result;
  if (S_ISDIR(status.st_mode))
    note("names %s\n", path);
  else
    note("sync %llu %lld\n", (unsigned long long)status.st_ino, (long long)status.st_size);
  return result;
}

int rename(const char *from, const char *to) {
  int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  const int result = real(from, to);
  if (result == 0 && watched(to)) note("rename %s %s\n", from, to);
  return result;
}

int unlink(const char *path) {
  int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
  const int result = real(path);
  if (result == 0 && watched(path)) note("remove %s\n", path);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  int (*real)(const char *, mode_t) = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
  const int result = real(path, mode);
  if (result == 0 && watched(path)) note("folder %s\n", path);
  return result;
}
