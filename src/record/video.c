// The pipe to ffmpeg: see video.h.
#define _GNU_SOURCE  // pipe2, memfd_create
#include "record/video.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/number.h"
#include "base/path.h"
#include "base/timer.h"
#include "record/mp4_check.h"

extern char **environ;

// After Ctrl-C or kill, an ffmpeg that reads nothing for this long counts as hung, as does one at its end that computes
// for less than a tenth of it.
enum { PATIENCE_MS = 3000, LOOK_MS = 20 };

// The end of a picture in the pipe, or of ffmpeg.
typedef enum VideoEnd { VIDEO_GOOD, VIDEO_FAILED, VIDEO_HUNG } VideoEnd;

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
  // this end alone: an ffmpeg that hangs must not keep a write from seeing an interrupt
  fcntl(video->pipe, F_SETFL, O_NONBLOCK);
  if (status == 0) return true;
  close(ends[1]);
  close(video->messages);
  video->child = 0;
  if (status == ENOENT)
    return error_set(error, "a video needs the program ffmpeg, which is not there; install the package ffmpeg");
  return error_set(error, "ffmpeg cannot be started: %s", strerror(status));
}

bool video_check(const char *path, Error *error) {
  char target[FILE_PATH_LENGTH];
  if (!path_ends_with(path, ".mp4"))
    return error_set(error, "%s: a film is an MP4 file, so its name ends in .mp4; ffmpeg converts it to other formats",
                     path);
  if (!atomic_file_check(path, error) || !atomic_file_target(path, target, error)) return false;
  return target[0] || error_set(error, "%s: is no regular file, which a film needs", path);
}

bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error) {
  *video = (Video){ .picture_bytes = 4 * (size_t)width * (size_t)height };
  if (!video_check(path, error) || !atomic_file_open(&video->output, path, error)) return false;
  char size[32], rate[32];
  NUMBERS_WITH_POINT_HERE;
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

// Waits for ffmpeg after Ctrl-C or kill. Counts looks, not the clock: this program may have been stopped meanwhile.
typedef struct Patience {
  int waited_ms;
} Patience;

// Called after each look that found no progress; whether to give ffmpeg up.
static bool is_over(Patience *patience) {
  if (interrupt_requested()) patience->waited_ms += LOOK_MS;
  return patience->waited_ms >= PATIENCE_MS;
}

// the rest of a picture into the pipe
static VideoEnd write_all(int pipe, const uint8_t *data, size_t bytes) {
  Patience patience = { 0 };
  while (bytes > 0) {
    const ssize_t written = write(pipe, data, bytes);
    if (written >= 0) {
      data += written, bytes -= (size_t)written;
      patience.waited_ms = 0;
      continue;
    }
    if (errno != EINTR && errno != EAGAIN) return VIDEO_FAILED;
    struct pollfd room = { .fd = pipe, .events = POLLOUT };
    // Ctrl-C ends the recording, not a picture in the middle
    if (errno == EAGAIN && poll(&room, 1, LOOK_MS) == 0 && is_over(&patience)) return VIDEO_HUNG;
  }
  return VIDEO_GOOD;
}

// writes to the pipe; if ffmpeg has ended, SIGPIPE is blocked and removed, so that it does not end this program
static VideoEnd write_quietly(int pipe, const uint8_t *data, size_t bytes) {
  sigset_t sigpipe, before, waiting;
  sigemptyset(&sigpipe);
  sigaddset(&sigpipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
  const VideoEnd end = write_all(pipe, data, bytes);
  sigpending(&waiting);
  if (end == VIDEO_FAILED && !sigismember(&before, SIGPIPE) && sigismember(&waiting, SIGPIPE)) {
    const struct timespec at_once = { 0 };
    sigtimedwait(&sigpipe, NULL, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return end;
}

// milliseconds that all threads of the process have computed; 0: unknown
static double computed_ms(pid_t process) {
  char path[64], line[1024] = "";
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process);
  FILE *file = fopen(path, "r");
  if (file && !fgets(line, sizeof line, file)) line[0] = '\0';
  if (file) fclose(file);
  // the name may have blanks and brackets; after it come a letter and ten numbers
  const char *name_end = strrchr(line, ')');
  long long user, system;  // clock ticks
  if (!name_end || sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld", &user, &system) != 2)
    return 0;
  return 1e3 * (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

// ends ffmpeg and the processes that it has started
static void end_child(Video *video) {
  if (video->child <= 0) return;
  kill(-video->child, SIGKILL);
  while (waitpid(video->child, NULL, 0) < 0 && errno == EINTR) continue;
  video->child = 0;
}

// Closes the pipe and waits until ffmpeg ends.
static VideoEnd reap(Video *video) {
  Patience patience = { 0 };
  int status = 0;
  double before_ms = computed_ms(video->child);
  pid_t ended;
  close(video->pipe);
  while ((ended = waitpid(video->child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    timer_sleep(1e-3 * LOOK_MS);
    if (!is_over(&patience)) continue;
    // to finish a large film takes it long, and it computes all that time
    const double now_ms = computed_ms(video->child);
    if (now_ms - before_ms < 0.1 * PATIENCE_MS) {
      end_child(video);
      return VIDEO_HUNG;
    }
    before_ms = now_ms, patience.waited_ms = 0;
  }
  video->child = 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? VIDEO_GOOD : VIDEO_FAILED;
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
  const VideoEnd end = write_quietly(video->pipe, rgba, video->picture_bytes);
  if (end == VIDEO_GOOD) return ++video->count;
  if (end == VIDEO_HUNG) {
    close(video->pipe);
    end_child(video);
    return error_set(error, "%s: ffmpeg hangs: it reads no pictures", video->output.path);
  }
  reap(video);  // it may still be writing its message
  read_words(video, words);
  return error_set(error, "%s: ffmpeg stopped taking pictures: %s", video->output.path,
                   words[0] ? words : "no cause given");
}

bool video_commit(Video *video, Error *error) {
  char words[400];
  const VideoEnd end = video->child > 0 ? reap(video) : VIDEO_FAILED;
  read_words(video, words);
  const char *fault = end == VIDEO_GOOD && !words[0] ? mp4_fault(video->output.stream, video->count) : NULL;
  if (end == VIDEO_HUNG)
    error_set(error, "%s: ffmpeg hangs: it does not end after the last picture", video->output.path);
  else if (end == VIDEO_FAILED || words[0])
    error_set(error, "%s: ffmpeg failed: %s", video->output.path, words[0] ? words : "no cause given");
  else if (fault)
    error_set(error, "%s: cannot be written: what ffmpeg made of it %s", video->output.path, fault);
  else
    return atomic_file_commit(&video->output, error);
  atomic_file_close(&video->output);
  return false;
}

void video_close(Video *video) {
  if (video->child > 0) close(video->pipe);
  end_child(video);
  if (video->messages > 0) close(video->messages);
  atomic_file_close(&video->output);
  *video = (Video){ 0 };
}
