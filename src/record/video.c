// The pipe to ffmpeg: see video.h.
#define _GNU_SOURCE  // pipe2, memfd_create
#include "record/video.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/mp4_check.h"

extern char **environ;

// starts ffmpeg with the reading end of a pipe as its standard input, and keeps the writing end
static bool spawn(Video *video, char *const *words, Error *error) {
  int ends[2];
  video->messages = memfd_create("ffmpeg", MFD_CLOEXEC);
  if (video->messages < 0) return error_set(error, "a place for the words of ffmpeg: %s", strerror(errno));
  if (pipe2(ends, O_CLOEXEC) != 0) {
    error_set(error, "a pipe to ffmpeg: %s", strerror(errno));
    close(video->messages);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, video->messages, STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  // a process group of its own, so that Ctrl-C reaches this program alone, which then ends the film
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int status = posix_spawnp(&video->child, words[0], &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  video->pipe = ends[1];
  if (status == 0) return true;
  close(ends[1]);
  close(video->messages);
  video->child = 0;
  if (status == ENOENT)
    return error_set(error, "a video needs the program ffmpeg, which is not there; install the package ffmpeg");
  return error_set(error, "ffmpeg cannot be started: %s", strerror(status));
}

bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error) {
  *video = (Video){ .picture_bytes = 4 * (size_t)width * (size_t)height };
  if (!atomic_file_open(&video->output, path, error)) return false;
  if (!video->output.target[0]) {
    atomic_file_close(&video->output);
    return error_set(error, "%s: is no regular file, which a film needs", path);
  }
  char size[32], rate[32];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%.9g", fps);
  // H.264 in 4:2:0 has even sizes only
  char *words[] = { "ffmpeg",    "-y",         "-loglevel", "error",
                    "-f",        "rawvideo",   "-pix_fmt",  "rgba",
                    "-s",        size,         "-r",        rate,
                    "-i",        "pipe:0",     "-vf",       "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
                    "-c:v",      "libx264",    "-crf",      "18",
                    "-movflags", "+faststart", "-f",        "mp4",
                    NULL,        NULL };
  char part[sizeof video->output.part + sizeof "file:"];  // so that a name with a colon or a dash in front is a name
  snprintf(part, sizeof part, "file:%s", video->output.part);
  words[sizeof words / sizeof *words - 2] = part;
  if (spawn(video, words, error)) return true;
  atomic_file_close(&video->output);
  *video = (Video){ 0 };
  return false;
}

// writes to the pipe; where ffmpeg has ended, SIGPIPE is blocked and removed, so that it does not end this program
static bool write_quietly(int pipe, const uint8_t *data, size_t bytes) {
  sigset_t sigpipe, before, waiting;
  sigemptyset(&sigpipe);
  sigaddset(&sigpipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
  bool ok = true;
  while (ok && bytes > 0) {
    const ssize_t written = write(pipe, data, bytes);
    if (written >= 0)
      data += written, bytes -= (size_t)written;
    else
      ok = errno == EINTR;  // Ctrl-C ends the recording, not a picture in the middle
  }
  sigpending(&waiting);
  if (!ok && !sigismember(&before, SIGPIPE) && sigismember(&waiting, SIGPIPE)) {
    const struct timespec at_once = { 0 };
    sigtimedwait(&sigpipe, NULL, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return ok;
}

// waits until ffmpeg ends, and returns whether it succeeded
static bool reap(Video *video) {
  int status = 0;
  close(video->pipe);
  while (waitpid(video->child, &status, 0) < 0 && errno == EINTR) continue;
  video->child = 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// what ffmpeg wrote to its standard error, in one line; empty: nothing
static void read_words(const Video *video, char words[400]) {
  const ssize_t got = pread(video->messages, words, 399, 0);
  size_t length = got > 0 ? (size_t)got : 0;
  while (length > 0 && isspace((unsigned char)words[length - 1])) length--;
  words[length] = '\0';
  for (char *c = words; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = ' ';
}

bool video_add(Video *video, const uint8_t *rgba, Error *error) {
  char words[400];
  if (write_quietly(video->pipe, rgba, video->picture_bytes)) return ++video->count;
  reap(video);  // it may still be writing its message
  read_words(video, words);
  return error_set(error, "%s: ffmpeg stopped taking pictures: %s", video->output.path,
                   words[0] ? words : "no cause given");
}

bool video_commit(Video *video, Error *error) {
  char words[400];
  const bool good = video->child > 0 && reap(video);
  read_words(video, words);
  const char *fault = good && !words[0] ? mp4_fault(video->output.stream, video->count) : NULL;
  if (!good || words[0])
    error_set(error, "%s: ffmpeg failed: %s", video->output.path, words[0] ? words : "no cause given");
  else if (fault)
    error_set(error, "%s: cannot be written: what ffmpeg made of it %s", video->output.path, fault);
  else
    return atomic_file_commit(&video->output, error);
  atomic_file_close(&video->output);
  return false;
}

void video_close(Video *video) {
  if (video->child > 0) {
    kill(video->child, SIGKILL);
    reap(video);
  }
  if (video->messages > 0) close(video->messages);
  atomic_file_close(&video->output);
  *video = (Video){ 0 };
}
