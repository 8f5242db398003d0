// The pipe to ffmpeg: see video.h.
#define _GNU_SOURCE  // pipe2
#include "record/video.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// starts ffmpeg with the reading end of a pipe as its standard input, and keeps the writing end
static bool spawn(Video *video, char *const *words, Error *error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return error_set(error, "a pipe to ffmpeg: %s", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawnattr_init(&attributes);
  // a group of its own: Ctrl-C is for this program, which then ends the film
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int status = posix_spawnp(&video->child, words[0], &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (status == 0) video->pipe = fdopen(ends[1], "wb");
  if (video->pipe) return true;
  close(ends[1]);
  if (status == ENOENT)
    return error_set(error, "a video needs the program ffmpeg, which is not there; install the package ffmpeg");
  if (status == 0) waitpid(video->child, NULL, 0);
  video->child = 0;
  return error_set(error, "ffmpeg cannot be started: %s", strerror(status ? status : errno));
}

bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error) {
  *video = (Video){ .picture_bytes = 4 * (size_t)width * (size_t)height };
  if (strlen(path) + sizeof ".part" > VIDEO_PATH) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(video->path, path, strlen(path) + 1);
  memcpy(video->part, path, strlen(path));
  memcpy(video->part + strlen(path), ".part", sizeof ".part");
  // a folder that is not there or not ours is better said by us than by ffmpeg
  const int probe = open(video->part, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
  if (probe < 0) return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
  close(probe);
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
  char part[VIDEO_PATH + sizeof "file:"];  // so that a name with a colon or a dash in front is a name
  snprintf(part, sizeof part, "file:%s", video->part);
  words[sizeof words / sizeof *words - 2] = part;
  if (spawn(video, words, error)) return true;
  unlink(video->part);
  *video = (Video){ 0 };
  return false;
}

// writes without being killed where ffmpeg has died: SIGPIPE is held back from this thread, and taken when it comes
static bool write_quietly(FILE *pipe, const void *data, size_t bytes) {
  sigset_t sigpipe, before, waiting;
  sigemptyset(&sigpipe);
  sigaddset(&sigpipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
  const bool ok = fwrite(data, 1, bytes, pipe) == bytes && fflush(pipe) == 0;
  sigpending(&waiting);
  if (!ok && !sigismember(&before, SIGPIPE) && sigismember(&waiting, SIGPIPE)) {
    const struct timespec at_once = { 0 };
    sigtimedwait(&sigpipe, NULL, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return ok;
}

bool video_add(Video *video, const uint8_t *rgba, Error *error) {
  if (write_quietly(video->pipe, rgba, video->picture_bytes)) return true;
  return error_set(error, "%s: ffmpeg stopped taking pictures; its words are above", video->path);
}

bool video_commit(Video *video, Error *error) {
  int status = 0;
  fclose(video->pipe);
  video->pipe = NULL;
  while (waitpid(video->child, &status, 0) < 0 && errno == EINTR) continue;
  video->child = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    unlink(video->part);
    return error_set(error, "%s: ffmpeg failed; its words are above", video->path);
  }
  if (rename(video->part, video->path) == 0) return true;
  const int cause = errno;
  unlink(video->part);
  return error_set(error, "%s: cannot be written: %s", video->path, strerror(cause));
}

void video_close(Video *video) {
  if (video->child > 0) {
    kill(video->child, SIGKILL);
    if (video->pipe) fclose(video->pipe);
    while (waitpid(video->child, NULL, 0) < 0 && errno == EINTR) continue;
    unlink(video->part);
  }
  *video = (Video){ 0 };
}
