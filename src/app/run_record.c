// `pliant record`: see run_record.h. One thread: step until the frame's time, draw, read back, write.
#include "app/run_record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/checkpoint.h"
#include "app/drag_springs.h"
#include "app/scene_camera.h"
#include "app/session.h"
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
} Recorder;

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

static bool write_frame(Recorder *r, const RecordOptions *options, int frame, Error *error) {
  if (options->video[0] && !video_add(&r->video, r->rgba, error)) return false;
  if (!options->output[0]) return true;
  char path[SCENE_PATH_LENGTH + 32];
  snprintf(path, sizeof path, "%s/frame_%05d.png", options->output, frame);
  return png_write(path, r->rgba, r->target.width, r->target.height, error);
}

static void report(const Recorder *r, const RecordOptions *options, int first, int halved, double seconds) {
  const Device device = simulation_stream(r->session.simulation).device;
  if (options->output[0])
    printf("%d frames: %s/frame_%05d.png to frame_%05d.png\n", options->frames - first, options->output, first,
           options->frames - 1);
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

// one step, a checkpoint where one is due, and on failure what was good
static bool advance(Recorder *r, const RecordOptions *options, StepReport *step, Error *error) {
  if (!session_step(&r->session, step, error)) {
    Error second = { 0 };  // the last good state is worth having
    if (options->state[0] && write_state(&r->session, options->state, &second))
      error_prefix(error, "%s has the last state", options->state);
    return false;
  }
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

bool run_record(const Scene *scene, const RecordOptions *options, Error *error) {
  bool ok = false;
  const double begin = timer_seconds();
  const bool talk = isatty(STDERR_FILENO);
  int halved = 0;
  Recorder *r = array_new(1, sizeof *r, "the recorder", error);
  if (!r) return false;
  if (!options->output[0] && !options->video[0] && !options->state[0] && !options->checkpoint[0]) {
    error_set(error, "pliant record: nothing to write; give -o DIR, --video FILE, --state FILE or --checkpoint FILE");
    goto done;
  }
  if (!recorder_create(r, scene, options, error)) goto done;
  if (options->resume[0] && !checkpoint_read(&r->session, options->resume, error)) goto done;
  const int first = options->resume[0] ? first_frame(r, options) : 0;
  if (first == options->frames) {
    error_set(error, "%s: is at step %lld, behind the last of %d frames; ask for more --frames", options->resume,
              (long long)simulation_step_count(r->session.simulation), options->frames);
    goto done;
  }
  for (int frame = first; frame < options->frames; frame++) {
    const double dt = r->session.scene.simulation.dt, due = frame / options->fps;
    while (simulation_time(r->session.simulation) < due - 1e-6 * dt) {
      StepReport step;
      if (!advance(r, options, &step, error)) goto done;
      halved += step.substeps > 1;
    }
    if (pictures(options) && (!draw_frame(r, error) || !write_frame(r, options, frame, error))) goto done;
    if (talk) fprintf(stderr, "\rframe %d of %d", frame + 1, options->frames);
  }
  if (talk) fprintf(stderr, "\r\033[K");
  if (options->video[0] && !video_commit(&r->video, error)) goto done;
  if (options->state[0] && !write_state(&r->session, options->state, error)) goto done;
  report(r, options, first, halved, timer_seconds() - begin);
  ok = true;
done:
  recorder_destroy(r);
  free(r);
  return ok;
}
