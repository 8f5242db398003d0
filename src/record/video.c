// Writes a film by ffmpeg: see video.h.
#define _GNU_SOURCE  // declares pipe2 and memfd_create
#include "record/video.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/number.h"
#include "base/path.h"
#include "base/timer.h"
#include "record/animation_check.h"
#include "record/mp4_check.h"

extern char **environ;

// Limits of the time, ms, for which this program waits for ffmpeg. ffmpeg counts as hung after PATIENCE_MS without
// progress, but already after HURRY_MS if the user has pressed Ctrl-C or the system has sent SIGTERM. Busy machines and
// slow disks cause shorter delays. Use of CPU time by ffmpeg counts as progress. The CPU time is first read after a
// wait of BEGIN_MS, because reading it from /proc takes time, and most waits are shorter. POLL_MS: time between two
// tests.
enum { PATIENCE_MS = 60000, HURRY_MS = 3000, BEGIN_MS = 300, POLL_MS = 20 };

// A file format of films. The ending of the file's name selects the format.
typedef struct VideoFormat {
  const char *ending;
  const char *words[12];                               // options of ffmpeg for the output, the last one NULL
  const char *(*fault)(FILE *file, int64_t pictures);  // returns NULL if a film is complete, otherwise the fault
} VideoFormat;

static const VideoFormat formats[] = {
  // H.264 in 4:2:0 permits only even sizes, so pictures are padded
  { ".mp4",
    { "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", "-c:v", "libx264", "-crf", "18", "-movflags", "+faststart",
      "-f", "mp4", NULL },
    mp4_fault },
  { ".webp", { "-c:v", "libwebp_anim", "-q:v", "85", "-loop", "0", "-f", "webp", NULL }, webp_fault },
  // Each picture has its own 256 colours, because common colours would need all pictures in memory.
  { ".gif",
    { "-vf", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1", "-loop", "0", "-f", "gif", NULL },
    gif_fault },
};

// Returns the format that belongs to a file name; NULL: none.
static const VideoFormat *format_of(const char *path) {
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
    if (path_ends_with(path, formats[k].ending)) return &formats[k];
  return NULL;
}

// Results of writing a picture, or of waiting for ffmpeg.
typedef enum VideoEnd { VIDEO_GOOD, VIDEO_FAILED, VIDEO_HUNG } VideoEnd;

// Starts ffmpeg with a pipe as standard input; video->pipe is the end for writing.
static bool spawn(Video *video, char *const *words, Error *error) {
  int ends[2];
  video->messages = memfd_create("ffmpeg", MFD_CLOEXEC);
  if (video->messages < 0)
    return error_set(error, "cannot create a file for the messages of ffmpeg: %s", strerror(errno));
  if (pipe2(ends, O_CLOEXEC) != 0) {
    error_set(error, "cannot create a pipe to ffmpeg: %s", strerror(errno));
    close(video->messages);
    return false;
  }

  // ffmpeg begins with the default handling of SIGPIPE and without blocked signals, even if this program ignores
  // SIGPIPE or has blocked signals
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

  // in a process group of its own, ffmpeg does not get Ctrl-C and can complete the film
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int status = posix_spawnp(&video->child, words[0], &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);

  close(ends[0]);
  video->pipe = ends[1];

  // Writing to the pipe does not block. So a hung ffmpeg cannot block this program, which must react to interrupts.
  fcntl(video->pipe, F_SETFL, O_NONBLOCK);

  if (status == 0) return true;
  close(ends[1]);
  close(video->messages);
  video->child = 0;
  if (status == ENOENT)
    return error_set(error, "a video needs the program ffmpeg, which was not found; install the package ffmpeg");
  return error_set(error, "ffmpeg cannot be started: %s", strerror(status));
}

bool video_check(const char *path, Error *error) {
  char target[FILE_PATH_LENGTH];
  if (!format_of(path))
    return error_set(
        error, "%s: the name of a video must end in .mp4, .webp or .gif; ffmpeg converts these to other formats", path);
  if (!atomic_file_check(path, error) || !atomic_file_target(path, target, error)) return false;
  return target[0] || error_set(error, "%s: is not a regular file, which a video needs", path);
}

bool video_open(Video *video, const char *path, int width, int height, double fps, Error *error) {
  *video = (Video){ .picture_bytes = 4 * (size_t)width * (size_t)height,
                    .patience_ms = PATIENCE_MS,
                    .format = format_of(path) };
  if (!video_check(path, error) || !atomic_file_open(&video->output, path, error)) return false;

  // builds the command line
  char size[32], rate[32];
  NUMBERS_WITH_POINT_HERE;
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%.9g", fps);
  char part[sizeof video->output.part + sizeof "file:"];  // "file:" permits names with a colon or a dash at the start
  snprintf(part, sizeof part, "file:%s", video->output.part);
  char *words[40] = { "ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt",
                      "rgba",   "-s", size,        "-r",    rate, "-i",       "pipe:0" };
  int count = 0;
  while (words[count]) count++;
  for (const char *const *word = video->format->words; *word; word++) words[count++] = (char *)*word;
  words[count] = part;
  if (spawn(video, words, error)) return true;
  atomic_file_close(&video->output);
  *video = (Video){ 0 };
  return false;
}

// Returns the CPU time of ffmpeg and of all processes that it has started, ms; 0: unknown.
static double computed_ms(pid_t child) {
  DIR *folder = opendir("/proc");
  long long ticks = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[sizeof entry->d_name + sizeof "/proc//stat"], line[1024] = "";
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file && !fgets(line, sizeof line, file)) line[0] = '\0';
    if (file) fclose(file);

    // A line of /proc/PID/stat has the process's name in brackets; the name itself may contain blanks and brackets. So
    // the text after the last bracket is read: a letter, the parent, the process group, and more numbers.
    const char *name_end = strrchr(line, ')');

    // group: process group of the process. The others: its CPU time, in clock ticks, and that of its ended children
    long long group, user, system, ended_user, ended_system;
    if (!name_end || sscanf(name_end + 1, " %*c %*d %lld %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld", &group,
                            &user, &system, &ended_user, &ended_system) != 5)
      continue;
    if (group == child) ticks += user + system + ended_user + ended_system;
  }

  if (folder) closedir(folder);
  return 1e3 * (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

// The time for which ffmpeg has made no progress, and the progress before it. The time is counted as POLL_MS per poll.
// A clock would also count the time for which the user has suspended this program.
typedef struct Patience {
  int waited_ms;            // ms without progress
  int hurried_ms;           // part of waited_ms after Ctrl-C or SIGTERM, ms
  double computed_ms;       // ms, ffmpeg's CPU time when waited_ms was BEGIN_MS
  struct timespec written;  // last change of ffmpeg's file when waited_ms was BEGIN_MS
} Patience;

// Stores ffmpeg's CPU time and the last change of its file.
static void measure_work(const Video *video, Patience *patience) {
  struct stat status = { 0 };
  fstat(fileno(video->output.stream), &status);
  patience->computed_ms = computed_ms(video->child);
  patience->written = status.st_mtim;
}

// Must be called after each poll in which ffmpeg has neither read from the pipe nor ended. Returns true if ffmpeg
// hangs: during the whole waiting time it has not written to its file, and has computed for less than a tenth of this
// time.
static bool patience_is_over(Patience *patience, const Video *video) {
  patience->waited_ms += POLL_MS;
  if (interrupt_requested()) patience->hurried_ms += POLL_MS;
  if (patience->waited_ms == BEGIN_MS) measure_work(video, patience);
  const bool hurried = patience->hurried_ms >= HURRY_MS;
  if (!hurried && patience->waited_ms < video->patience_ms) return false;

  // the waiting time has reached its limit: tests if ffmpeg has made progress since this time was BEGIN_MS
  Patience now = { 0 };
  measure_work(video, &now);
  const bool wrote = now.written.tv_sec != patience->written.tv_sec || now.written.tv_nsec != patience->written.tv_nsec;
  const double computed = now.computed_ms - patience->computed_ms;
  *patience = (Patience){ 0 };
  return !wrote && computed < 0.1 * (hurried ? HURRY_MS : video->patience_ms);
}

// Writes `bytes` bytes of a picture, `data`, to the pipe.
static VideoEnd write_all(const Video *video, const uint8_t *data, size_t bytes) {
  Patience patience = { 0 };
  while (bytes > 0) {
    const ssize_t written = write(video->pipe, data, bytes);
    if (written >= 0) {
      data += written;
      bytes -= (size_t)written;
      patience = (Patience){ 0 };
      continue;
    }
    if (errno != EINTR && errno != EAGAIN) return VIDEO_FAILED;
    struct pollfd writable = { .fd = video->pipe, .events = POLLOUT };

    // an interrupt such as Ctrl-C does not end this loop: the picture is still written completely, unless ffmpeg hangs
    if (errno == EAGAIN && poll(&writable, 1, POLL_MS) == 0 && patience_is_over(&patience, video)) return VIDEO_HUNG;
  }
  return VIDEO_GOOD;
}

// As write_all, but also safe if ffmpeg has ended. Writing to the pipe then raises the signal SIGPIPE, which would end
// this program. So the signal is blocked while writing, and then removed.
static VideoEnd write_quietly(const Video *video, const uint8_t *data, size_t bytes) {
  sigset_t sigpipe, before, waiting;
  sigemptyset(&sigpipe);
  sigaddset(&sigpipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
  const VideoEnd end = write_all(video, data, bytes);
  sigpending(&waiting);
  if (end == VIDEO_FAILED && !sigismember(&before, SIGPIPE) && sigismember(&waiting, SIGPIPE)) {
    const struct timespec at_once = { 0 };
    sigtimedwait(&sigpipe, NULL, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return end;
}

// Kills ffmpeg and the processes that it has started.
static void end_child(Video *video) {
  if (video->child <= 0) return;
  kill(-video->child, SIGKILL);
  while (waitpid(video->child, NULL, 0) < 0 && errno == EINTR) continue;
  video->child = 0;
}

// Closes the pipe and waits until ffmpeg ends. For a large film this takes long, but ffmpeg does not count as hung
// while it makes progress.
static VideoEnd reap(Video *video) {
  Patience patience = { 0 };
  int status = 0;
  pid_t ended;
  close(video->pipe);
  while ((ended = waitpid(video->child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    timer_sleep(1e-3 * POLL_MS);
    if (!patience_is_over(&patience, video)) continue;
    end_child(video);
    return VIDEO_HUNG;
  }
  video->child = 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? VIDEO_GOOD : VIDEO_FAILED;
}

// Sets an error message which says that ffmpeg hangs. Returns false.
static bool report_hung(const Video *video, const char *fault, Error *error) {
  return error_set(
      error,
      "%s: ffmpeg does not respond: %s. Test `ffmpeg -version` in a terminal and the disk of the video, or write "
      "frames (-o DIR) without a video",
      video->output.path, fault);
}

// Copies ffmpeg's standard error as one line, which may be empty.
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
  const VideoEnd end = write_quietly(video, rgba, video->picture_bytes);
  if (end == VIDEO_GOOD) return ++video->count;
  if (end == VIDEO_HUNG) {
    close(video->pipe);
    end_child(video);
    return report_hung(video, "it does not read frames", error);
  }
  reap(video);  // waits for ffmpeg, which may still be writing its message
  read_words(video, words);
  return error_set(error, "%s: ffmpeg stopped reading frames: %s", video->output.path,
                   words[0] ? words : "no cause given");
}

bool video_commit(Video *video, Error *error) {
  char words[400];
  const VideoEnd end = video->child > 0 ? reap(video) : VIDEO_FAILED;
  read_words(video, words);
  const char *fault = end == VIDEO_GOOD && !words[0] ? video->format->fault(video->output.stream, video->count) : NULL;
  if (end == VIDEO_HUNG)
    report_hung(video, "it does not exit after the last frame", error);
  else if (end == VIDEO_FAILED || words[0])
    error_set(error, "%s: ffmpeg failed: %s", video->output.path, words[0] ? words : "no cause given");
  else if (fault)
    error_set(error, "%s: cannot be written: the output of ffmpeg %s", video->output.path, fault);
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
