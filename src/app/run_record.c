// `pliant record`: see run_record.h. One thread: step until the frame's time, draw, read back, write.
#include "app/run_record.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/checkpoint.h"
#include "app/drag_springs.h"
#include "app/scene_camera.h"
#include "app/session.h"
#include "app/vtu_series.h"
#include "app/write_state.h"
#include "base/array.h"
#include "base/timer.h"
#include "record/png_file.h"
#include "record/video.h"
#include "render/gl_picture.h"
#include "render/offscreen.h"
#include "render/render_target.h"
#include "render/surface_renderer.h"

#define AT(field) offsetof(RecordOptions, field), sizeof(((RecordOptions *)0)->field)
const Option record_options[] = {
  { "output", OPTION_TEXT, AT(output), 0, 0, "DIR", NULL, NULL, "folder for frame_00000.png and so on (also -o)" },
  { "video", OPTION_TEXT, AT(video), 0, 0, "FILE", NULL, NULL, "write a film (.mp4) through ffmpeg" },
  { "vtu", OPTION_TEXT, AT(vtu), 0, 0, "DIR", NULL, NULL,
    "folder for VTU files with velocities and stresses, and frames.pvd" },
  { "state", OPTION_TEXT, AT(state), 0, 0, "FILE", NULL, NULL, "write initial and final positions and momenta (.npz)" },
  { "checkpoint", OPTION_TEXT, AT(checkpoint), 0, 0, "FILE", NULL, NULL,
    "keep what a later --resume needs to go on bit for bit" },
  { "every", OPTION_INTEGER, AT(every), 1, 1e9, NULL, NULL, NULL, "steps between checkpoints" },
  { "resume", OPTION_TEXT, AT(resume), 0, 0, "FILE", NULL, NULL,
    "go on from a checkpoint: frames from there on, with their numbers" },
  { "frames", OPTION_INTEGER, AT(frames), 1, 1000000, NULL, NULL, NULL, "how many pictures" },
  { "fps", OPTION_NUMBER, AT(fps), 1e-3, 1e9, NULL, NULL, NULL, "pictures per simulated second" },
  { "size", OPTION_SIZE, AT(size), 16, 8192, "WxH", NULL, NULL, "of a picture, pixels" },
  { NULL, OPTION_NUMBER, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

RecordOptions record_defaults(void) {
  return (RecordOptions){ .every = 100, .frames = 120, .fps = 30, .size = { 1280, 720 } };
}

// Everything that is open while a scene is recorded.
typedef struct Recorder {
  Session session;
  Offscreen offscreen;
  RenderTarget target;
  SurfaceRenderer renderer;
  Camera camera;
  Video video;
  float *positions_dev;  // [node_count][3], on the simulation's device
  uint8_t *rgba;         // [height][width][4]
  DragSprings drags;
  VtuSeries vtu;
} Recorder;

// Ctrl-C and kill end the recording after the frame at hand.
static volatile sig_atomic_t interrupted;
static void interrupt(int signal) {
  interrupted = signal;
}

// makes a folder and those above it
static bool make_folders(const char *path, Error *error) {
  char part[SCENE_PATH_LENGTH];
  for (size_t k = 1; k <= strlen(path); k++) {
    if (path[k] != '/' && path[k] != '\0') continue;
    snprintf(part, sizeof part, "%.*s", (int)k, path);
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return error_set(error, "%s: %s", part, strerror(errno));
  }
  struct stat status;
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return true;
  return error_set(error, "%s is not a folder", path);
}

// whether anything is drawn: without, no graphics are needed
static bool pictures(const RecordOptions *options) {
  return options->output[0] || options->video[0];
}

static bool recorder_create(Recorder *r, const Scene *scene, const RecordOptions *options, Error *error) {
  const int width = options->size[0], height = options->size[1];
  if (options->output[0] && !make_folders(options->output, error)) return false;
  if (options->vtu[0] && !make_folders(options->vtu, error)) return false;
  memcpy(r->vtu.folder, options->vtu, sizeof r->vtu.folder);
  if (!session_create(&r->session, scene, error)) return false;
  if (!pictures(options)) return true;
  const Device device = simulation_stream(r->session.simulation).device;
  const int nodes = r->session.mesh.node_count;
  if (!scene_camera(&r->session, (double)width / height, &r->camera, error) ||
      !offscreen_create(&r->offscreen, device, error) || !render_target_resize(&r->target, width, height, error) ||
      !surface_renderer_create(&r->renderer, &r->session.surface, nodes, device, error) ||
      (options->video[0] && !video_open(&r->video, options->video, width, height, options->fps, error)))
    return false;
  r->positions_dev = device_alloc(device, (size_t)nodes * 3 * sizeof *r->positions_dev, error);
  r->rgba = array_new((int64_t)width * height, 4, "the picture", error);
  return r->positions_dev && r->rgba;
}

static void recorder_destroy(Recorder *r) {
  if (r->positions_dev) device_free(simulation_stream(r->session.simulation).device, r->positions_dev);
  video_close(&r->video);
  surface_renderer_destroy(&r->renderer);
  render_target_destroy(&r->target);
  offscreen_destroy(&r->offscreen);
  vtu_series_destroy(&r->vtu);
  session_destroy(&r->session);
  free(r->rgba);
}

static bool draw_frame(Recorder *r, Error *error) {
  Simulation *simulation = r->session.simulation;
  return simulation_write_positions(simulation, r->positions_dev, error) &&
         surface_renderer_update(&r->renderer, simulation_stream(simulation), r->positions_dev, error) &&
         drag_springs_update(&r->drags, &r->session, error) &&
         surface_renderer_draw(&r->renderer, r->target.framebuffer, r->target.width, r->target.height, &r->camera,
                               r->drags.springs, r->drags.count, error) &&
         render_target_read(&r->target, r->rgba, error);
}

// the frame in all forms that were asked for
static bool write_frame(Recorder *r, const RecordOptions *options, int frame, Error *error) {
  char path[SCENE_PATH_LENGTH + 32];
  if (options->vtu[0] && !vtu_series_add(&r->vtu, &r->session, frame, frame / options->fps, error)) return false;
  if (!pictures(options)) return true;
  if (!draw_frame(r, error)) return false;
  if (options->video[0] && !video_add(&r->video, r->rgba, error)) return false;
  if (!options->output[0]) return true;
  snprintf(path, sizeof path, "%s/frame_%05d.png", options->output, frame);
  return png_write(path, r->rgba, r->target.width, r->target.height, error);
}

// `end`: the frame after the last
static void report(const Recorder *r, const RecordOptions *options, int first, int end, int halved, double seconds) {
  const Device device = simulation_stream(r->session.simulation).device;
  if (options->output[0])
    printf("%d frames: %s/frame_%05d.png to frame_%05d.png\n", end - first, options->output, first, end - 1);
  if (options->vtu[0]) printf("%d frames for ParaView: %s/frames.pvd\n", end - first, options->vtu);
  if (options->video[0]) printf("video: %s\n", options->video);
  if (options->state[0]) printf("state: %s\n", options->state);
  printf("%lld steps, %.3f s simulated, in %.1f s", (long long)simulation_step_count(r->session.simulation),
         simulation_time(r->session.simulation), seconds);
  if (halved) printf("; %d steps were halved", halved);
  printf("\nsimulated by %s (%s)", device_name(device), device_model(device));
  if (pictures(options)) printf(", drawn by %s (%s)", gl_renderer_name(), shared_buffer_way(&r->renderer.positions));
  printf("\n");
  session_tell_trouble(&r->session);
}

// a bar and the time left, from what the frames so far took
static void show_progress(int first, int done, int frames, double seconds) {
  enum { WIDTH = 30 };
  const int full = WIDTH * (done - first) / (frames - first);
  const double left = seconds / (done - first) * (frames - done);
  fprintf(stderr, "\r[%.*s%*s] frame %d of %d, %.0f s left \033[K", full, "##############################",
          WIDTH - full, "", done, frames, left);
}

// one step, and a checkpoint where one is due
static bool advance(Recorder *r, const RecordOptions *options, StepReport *step, Error *error) {
  if (!session_step(&r->session, step, error)) return false;
  return !options->checkpoint[0] || simulation_step_count(r->session.simulation) % options->every != 0 ||
         checkpoint_write(&r->session, options->checkpoint, error);
}

// the first frame that shows the present step or a later one
static int first_frame(const Recorder *r, const RecordOptions *options) {
  const double dt = r->session.scene.simulation.dt;
  const double before = (double)(simulation_step_count(r->session.simulation) - 1) * dt;
  int frame = 0;
  while (frame < options->frames && before >= frame / options->fps - 1e-6 * dt) frame++;
  return frame;
}

// frames from `first` on; *end is the frame after the last that was written whole
static bool record_frames(Recorder *r, const RecordOptions *options, int first, int *end, int *halved, Error *error) {
  const double dt = r->session.scene.simulation.dt, begin = timer_seconds();
  const bool talk = isatty(STDERR_FILENO);
  for (*end = first; *end < options->frames; ++*end) {
    const double due = *end / options->fps;
    while (simulation_time(r->session.simulation) < due - 1e-6 * dt) {
      StepReport step;
      if (!advance(r, options, &step, error)) return false;
      *halved += step.substeps > 1;
      if (interrupted) return error_set(error, "interrupted by signal %d", (int)interrupted);
    }
    if (!write_frame(r, options, *end, error)) return false;
    if (talk) show_progress(first, *end + 1, options->frames, timer_seconds() - begin);
    if (interrupted) {
      ++*end;
      return error_set(error, "interrupted by signal %d", (int)interrupted);
    }
  }
  return true;
}

// ends what was begun, whatever happened: the film so far, and the state
static bool finish(Recorder *r, const RecordOptions *options, int frames, Error *error) {
  bool ok = !options->video[0] || frames == 0 || video_commit(&r->video, error);
  return (!options->state[0] || write_state(&r->session, options->state, error)) && ok;
}

static bool record(Recorder *r, const Scene *scene, const RecordOptions *options, Error *error) {
  const double begin = timer_seconds();
  int halved = 0, end = 0;
  if (!options->output[0] && !options->video[0] && !options->vtu[0] && !options->state[0] && !options->checkpoint[0])
    return error_set(
        error,
        "pliant record: nothing to write; give -o DIR, --video FILE, --vtu DIR, --state FILE or --checkpoint FILE");
  if (!recorder_create(r, scene, options, error)) return false;
  if (options->resume[0] && !checkpoint_read(&r->session, options->resume, error)) return false;
  const int first = options->resume[0] ? first_frame(r, options) : 0;
  if (first == options->frames)
    return error_set(error, "%s: is at step %lld, behind the last of %d frames; ask for more --frames", options->resume,
                     (long long)simulation_step_count(r->session.simulation), options->frames);
  Error second = { 0 };
  const bool recorded = record_frames(r, options, first, &end, &halved, error);
  const bool finished = finish(r, options, end - first, recorded ? error : &second);
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
  if (recorded && finished) {
    report(r, options, first, end, halved, timer_seconds() - begin);
  } else if (!recorded) {
    char cause[ERROR_LENGTH];
    memcpy(cause, error->message, sizeof cause);
    *error = (Error){ 0 };
    error_set(error, "%.600s; %d of %d frames are whole%s", cause, end - first, options->frames - first,
              options->video[0] && end > first && finished ? ", the film too" : "");
  }
  return recorded && finished;
}

bool run_record(const Scene *scene, const RecordOptions *options, Error *error) {
  Recorder *r = array_new(1, sizeof *r, "the recorder", error);
  if (!r) return false;
  const struct sigaction action = { .sa_handler = interrupt,
                                    .sa_flags = (int)SA_RESETHAND };  // a second one ends at once
  struct sigaction before[2];
  interrupted = 0;
  sigaction(SIGINT, &action, &before[0]);
  sigaction(SIGTERM, &action, &before[1]);
  const bool ok = record(r, scene, options, error);
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
  recorder_destroy(r);
  free(r);
  return ok;
}
