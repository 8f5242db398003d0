// `pliant record`: see run_record.h. One thread takes steps up to the time of each frame, draws the frame, reads it
// back from OpenGL and writes it.
#include "app/run_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/record_pace.h"
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/path_lock.h"
#include "base/ranks.h"
#include "base/timer.h"
#include "hud/hud.h"
#include "live/display_copy.h"
#include "live/live.h"
#include "live/live_save.h"
#include "live/scene_camera.h"
#include "record/frame_writer.h"
#include "record/old_frames.h"
#include "render/gl_picture.h"
#include "render/offscreen.h"
#include "scene/checkpoint.h"
#include "scene/scene_save.h"
#include "scene/vtu_series.h"
#include "scene/write_state.h"

#define AT(field) OPTION_AT(RecordOptions, field)
const Option record_options[] = {
  { "output", OPTION_TEXT, AT(output), .unit = "DIR",
    .help = "folder for the frames as pictures, frame_00000.png ... (also -o)" },
  { "overwrite", OPTION_FLAG, AT(overwrite),
    .help = "delete the frames of an earlier run in the same folders; without this option, folders with old frames are "
            "refused" },
  { "video", OPTION_TEXT, AT(video), .unit = "FILE",
    .help = "write a video with ffmpeg; FILE ends in .mp4, .webp or .gif, and is complete when the run has ended" },
  { "vtu", OPTION_TEXT, AT(vtu), .unit = "DIR",
    .help = "folder for VTU files with velocities and stresses; open its frames.pvd in ParaView" },
  { "xdmf", OPTION_TEXT, AT(xdmf), .unit = "DIR",
    .help = "folder for an XDMF series (frames.xdmf); not together with --vtu" },
  { "state", OPTION_TEXT, AT(state), .unit = "FILE",
    .help = "write final positions and momenta of all nodes, and their positions in the undeformed shape (.npz)" },
  { "save_scene", OPTION_TEXT, AT(save_scene), .unit = "FILE",
    .help = "at the end, write a scene (.json) that continues from the last state, with a .state file" },
  { "checkpoint", OPTION_TEXT, AT(checkpoint), .unit = "FILE",
    .help = "write checkpoints; --resume continues a run from one, with the same bits as without the interruption" },
  { "every", OPTION_INTEGER, AT(every), OPTION_FROM_TO(1, 1e9), .help = "number of time steps between checkpoints" },
  { "resume", OPTION_TEXT, AT(resume), .unit = "FILE", .input_file = true,
    .help = "continue the run from this checkpoint, with the next frame number" },
  { "frames", OPTION_INTEGER, AT(frames), OPTION_FROM_TO(1, 1000000), .help = "number of frames" },
  { "fps", OPTION_NUMBER, AT(fps), OPTION_FROM_TO(FRAME_RATE_MIN, FRAME_RATE_MAX),
    .help = "number of frames in a second of simulated time" },
  { "size", OPTION_SIZE, AT(size), OPTION_FROM_TO(FRAME_SIZE_MIN, FRAME_SIZE_MAX), .unit = "WxH",
    .help = "size of a frame, pixels" },
  { "view", OPTION_INTEGER, AT(view), OPTION_FROM_TO(0, SCENE_VIEWS_MAX),
    .help = "number of the scene's stored view (key views) that replaces its camera; 0: none; not together with "
            "--camera" },
  { "turntable", OPTION_NUMBER, AT(turntable), OPTION_FROM_TO(-1000, 1000), .unit = "TURNS",
    .help = "number of turns of the camera around the body during the recording; a negative number turns it the other "
            "way" },
  PROBE_OPTIONS(RecordOptions, probe),
  ENGINE_OPTIONS(RecordOptions, engine),
  { "verbose", OPTION_FLAG, AT(verbose), .help = "also report how long each cut and tear takes to compute" },
  { 0 },
};

const OptionTerm record_terms[] = {
  { "size", .needs = "output|video" },
  { "turntable", .needs = "output|video" },
  { "overwrite", .needs = "output|vtu|xdmf" },
  { "xdmf", .not_with = "vtu" },
  { "overwrite", .not_with = "resume" },
  { "every", .needs = "checkpoint" },
  { "view", .needs = "output|video|save_scene" },  // --view, and all options of the scene's appearance
  { "camera", .not_with = "view" },
  { "speed", .needs = "save_scene" },
  { "mouse_stiffness", .needs = "save_scene" },
  { "mouse_radius", .needs = "save_scene" },
  { "curves", .needs = "probe_file|save_scene" },
  { "curves", .where = "probe", .needs = "save_scene" },  // --probe-file then writes the observables of --probe
  { 0 },
};

RecordOptions record_defaults(void) {
  return (RecordOptions){ .every = 100, .frames = 120, .fps = 30, .size = { 1280, 720 } };
}

// Returns the folder of the VTU or XDMF series; empty: none.
static const char *series_folder(const RecordOptions *options) {
  return options->xdmf[0] ? options->xdmf : options->vtu;
}

enum { FILES = 5 };  // number of single files: film, state, checkpoint, scene, probes

// State of one recording.
typedef struct Recorder {
  Live live;
  InputReader replay;  // input log that is replayed; not open if the run replays none
  Offscreen offscreen;
  Camera start_camera;  // camera of the first frame
  bool has_hud;
  Programs programs;
  SurfaceRenderer renderer;
  Form *form;       // mesh and surface that the renderer draws; the Recorder holds a reference
  int pin_version;  // value of Live.pin_version for which the renderer's marks of pinned nodes are valid
  FrameWriter writer;
  PathLock locks[2];  // locks of the folders for pictures and for the series
  PathLock file_locks[FILES];
  DisplayCopy display_copy;
  float *positions_dev;  // positions and field, in memory of the device that draws
  VtuSeries vtu;
  Probes probes;
  char film[SCENE_PATH_LENGTH + 16];  // file to which the film is written; empty: none
  int64_t checkpoint_step;            // step at which a checkpoint was last written; -1: none
  int first;                          // first frame of this run
  int written, synced;                // frames below `written` are complete; those below `synced` are also on the disk
  bool has_film;                      // the film is complete and contains all frames of this run
} Recorder;

// Returns true if frames are drawn. Otherwise the run needs no OpenGL.
static bool draws(const RecordOptions *options) {
  return options->output[0] || options->video[0];
}

static bool set_marks(Recorder *r, Error *error) {
  uint8_t *marks = array_new(r->live.session.mesh.node_count, 1, "pins", error);
  if (marks) live_marks(&r->live, marks);
  const bool ok = marks && surface_renderer_set_pins(&r->renderer, marks, error);
  free(marks);
  return ok;
}

// Gives the session's present mesh and surface to the renderer. Does this at the start and after each cut or tear,
// which change the mesh; at other times, does nothing.
static bool show_form(Recorder *r, Error *error) {
  const Session *session = &r->live.session;
  const SimulationSettings *s = simulation_settings(session->simulation);
  const Device device = r->display_copy.display;
  BodyLook look[LOOKS_MAX];
  if (r->form == session->form) return true;
  surface_renderer_destroy(&r->renderer);
  if (r->positions_dev) device_free(device, r->positions_dev);
  r->positions_dev = NULL;
  form_release(r->form);
  r->form = form_hold(session->form);
  r->pin_version = r->live.pin_version;
  scene_body_looks(&session->scene, look);
  if (!surface_renderer_create(&r->renderer, &r->programs, &session->surface, &session->mesh, device, error))
    return false;
  if (!(r->positions_dev = device_alloc(device, surface_renderer_bytes(session->mesh.node_count), error))) return false;
  if (!set_marks(r, error)) return false;
  if (!surface_renderer_set_looks(&r->renderer, look, error)) return false;
  if (!surface_renderer_set_environment(&r->renderer, r->live.environment, error)) return false;
  return surface_renderer_set_obstacles(&r->renderer, s->obstacles, s->obstacle_count, 0, error);
}

static bool create_pictures(Recorder *r, const RecordOptions *options, Error *error) {
  const Session *session = &r->live.session;
  const Device device = simulation_stream(session->simulation).device;
  if (!display_copy_create(&r->display_copy, &r->live, device, error)) return false;
  if (!scene_camera(session, (double)options->size[0] / options->size[1], &r->live.camera, error)) return false;
  if (!offscreen_create(&r->offscreen, device, error)) return false;
  if (!programs_create(&r->programs, error)) return false;
  if (!show_form(r, error)) return false;
  if (!frame_writer_open(&r->writer, options->output, r->film, options->size, options->fps, error)) return false;
  r->start_camera = r->live.camera;
  return r->has_hud = hud_create(NULL, error);
}

// Converts `path` to an absolute path, and writes it to `whole`.
static void absolute(const char *path, char whole[FILE_PATH_LENGTH + SCENE_PATH_LENGTH]) {
  while (strncmp(path, "./", 2) == 0) path += 2;
  if (path[0] == '/' || !getcwd(whole, FILE_PATH_LENGTH)) whole[0] = '\0';
  snprintf(whole + strlen(whole), SCENE_PATH_LENGTH, whole[0] ? "/%s" : "%s", path);
}

static bool lies_in(const char *file, const char *folder) {
  char a[FILE_PATH_LENGTH + SCENE_PATH_LENGTH], b[FILE_PATH_LENGTH + SCENE_PATH_LENGTH];
  absolute(file, a);
  absolute(folder, b);
  const size_t length = strlen(b);
  return folder[0] && strncmp(a, b, length) == 0 && (a[length] == '/' || b[length - 1] == '/');
}

// Tests that the single output files (film, state, checkpoint, scene, probes) can be written, and locks them for this
// run. It is called twice. The first call, with `within` false, processes files outside the folders for frames, before
// these folders are created. The second call, with `within` true, processes files in these folders, after the folders
// are created and locked.
static bool take_files(Recorder *r, const RecordOptions *options, bool within, Error *error) {
  const struct {
    const char *path;
    bool (*check)(const char *path, Error *error);
  } files[FILES] = { { options->video, video_check },
                     { options->state, atomic_file_check },
                     { options->checkpoint, atomic_file_check },
                     { options->save_scene, scene_save_check },
                     { options->probe.file, atomic_file_check } };
  for (int k = 0; k < FILES; k++) {
    const char *path = files[k].path;
    if (!path[0] || (lies_in(path, options->output) || lies_in(path, series_folder(options))) != within) continue;
    if (!files[k].check(path, error) || !path_lock_file(&r->file_locks[k], path, error)) return false;
  }
  return true;
}

// Endings of the names of frames: [0] in the folder for pictures, [1] in the folder for the VTU series.
static const char *const ENDINGS[2] = { ".png", ".vtu" };

static const char *ending_of(const RecordOptions *options, int k) {
  return k && options->xdmf[0] ? ".xmf" : ENDINGS[k];
}

// Fails if an output folder contains frames of an earlier run. Does nothing with --overwrite, which deletes the earlier
// frames, and with --resume, which adds new frames to them.
static bool refuse_old_frames(const RecordOptions *options, Error *error) {
  const char *const folders[2] = { options->output, series_folder(options) };
  for (int k = 0; k < 2 && !options->overwrite && !options->resume[0]; k++)
    if (folders[k][0] && !old_frames_refuse(folders[k], ending_of(options, k), true, error)) return false;
  return true;
}

static bool remove_old_frames(const RecordOptions *options, Error *error) {
  const char *const folders[2] = { options->output, series_folder(options) };
  for (int k = 0; k < 2 && options->overwrite && !options->resume[0]; k++)
    if (folders[k][0] && !old_frames_remove(folders[k], ending_of(options, k), error)) return false;
  return !options->overwrite || !options->xdmf[0] || old_frames_remove(options->xdmf, "*.bin", error);
}

static bool recorder_create(Recorder *r, const Scene *scene, const RecordOptions *options, Error *error) {
  const char *const folders[2] = { options->output, series_folder(options) };
  if (!take_files(r, options, false, error)) return false;
  for (int k = 0; k < 2; k++)
    if (folders[k][0] && (!make_folders(folders[k], error) || !path_lock_folder(&r->locks[k], folders[k], error)))
      return false;
  if (!refuse_old_frames(options, error) || !take_files(r, options, true, error)) return false;
  memcpy(r->vtu.folder, series_folder(options), sizeof r->vtu.folder);
  r->vtu.is_xdmf = options->xdmf[0];
  if (r->replay.file) live_keep_history(&r->live);  // the log may return to earlier steps, so their states are stored
  return live_create_logged(&r->live, scene, &r->replay, error);
}

// Returns the number of the first frame that shows the present state, which is the state after the last completed step,
// or a later state. A resumed run begins with this frame or, if it exists already, with the next one.
static int first_frame(const Recorder *r, const RecordOptions *options) {
  const double dt = simulation_settings(r->live.session.simulation)->dt;
  const int64_t steps = simulation_step_count(r->live.session.simulation) - r->live.session.begin_step;
  const double before = (double)(steps - 1) * dt;
  int frame = 0;
  while (frame < options->frames && before >= frame / options->fps - 1e-6 * dt) frame++;
  return frame;
}

// Chooses the file of the film. A film cannot be extended, so a resumed run writes a new film, whose name contains the
// number of its first frame.
static void name_film(Recorder *r, const char *video, int first) {
  const char *slash = strrchr(video, '/'), *dot = strrchr(video, '.');
  const int stem = dot && (!slash || dot > slash + 1) ? (int)(dot - video) : (int)strlen(video);
  if (first == 0 || !video[0]) {
    memcpy(r->film, video, strlen(video) + 1);
    return;
  }
  snprintf(r->film, sizeof r->film, "%.*s-%05d%s", stem, video, first, video + stem);
  // The film of the earlier run may be missing: if a run is killed, it does not complete its film.
  log_notice("%s: a video cannot be extended; frames from %d on are written to %s%s", video, first, r->film,
             access(video, F_OK) == 0 ? "" : ". The video of the earlier frames is missing");
}

// Continues from a checkpoint: reads the session's state, computes the number of the first frame, and opens the VTU or
// XDMF series of the earlier run for further frames.
static bool resume(Recorder *r, const RecordOptions *options, Error *error) {
  Live *live = &r->live;
  if (!checkpoint_read(&live->session, options->fps, options->resume, error)) return false;
  live->elapsed = simulation_time(live->session.simulation) - live->session.begin_time;
  r->first = first_frame(r, options);
  // a checkpoint at the end of a run was written after the frame of its state, other checkpoints before
  if (live->session.frames > r->first) r->first = live->session.frames;
  if (r->first < options->frames)
    return !series_folder(options)[0] || vtu_series_continue(&r->vtu, r->first, options->fps,
                                                             simulation_settings(live->session.simulation)->dt, error);
  return error_set(error, "%s: this checkpoint is at step %lld, after the last of %d frames; increase --frames",
                   options->resume, (long long)simulation_step_count(live->session.simulation), options->frames);
}

static void recorder_destroy(Recorder *r) {
  if (r->positions_dev) device_free(r->display_copy.display, r->positions_dev);
  display_copy_destroy(&r->display_copy);
  frame_writer_close(&r->writer);
  surface_renderer_destroy(&r->renderer);
  form_release(r->form);
  programs_destroy(&r->programs);
  if (r->has_hud) hud_destroy();
  offscreen_destroy(&r->offscreen);
  vtu_series_destroy(&r->vtu);
  probes_close(&r->probes);
  for (int k = 0; k < FILES; k++) path_lock_release(&r->file_locks[k]);
  for (int k = 0; k < 2; k++) path_lock_release(&r->locks[k]);
  live_destroy(&r->live);
  input_reader_close(&r->replay);
}

static bool draw_frame(Recorder *r, Error *error) {
  Live *live = &r->live;
  const SimulationSettings *s = simulation_settings(live->session.simulation);
  Spring springs[LIVE_SPRINGS_MAX];
  Picture picture = {
    .camera = &live->camera, .style = &live->style, .springs = springs, .floor = s->has_floor ? &s->floor_height : NULL
  };
  if (!show_form(r, error)) return false;
  if (live->pin_version != r->pin_version && !set_marks(r, error)) return false;
  r->pin_version = live->pin_version;
  Obstacle obstacles[OBSTACLES_MAX + 1];
  double radius, middle[3];
  live_ball(live, &radius, middle);
  const int count = obstacles_and_ball(s->obstacles, s->obstacle_count, radius, middle, obstacles);
  live_springs(live, springs, &picture.spring_count);
  if (!display_copy_write(&r->display_copy, live, r->positions_dev, error)) return false;
  if (!surface_renderer_update(&r->renderer, display_copy_stream(&r->display_copy, live), r->positions_dev,
                               live->style.field, live->style.vectors, error))
    return false;
  if (!surface_renderer_move_obstacles(&r->renderer, obstacles, count, simulation_time(live->session.simulation),
                                       error))
    return false;
  return frame_writer_draw(&r->writer, &r->renderer, &picture, error);
}

// Writes a frame in all requested formats. If only the writing of the film fails, the frame's other files are complete,
// and the frame counts as written. Then updates the energy and the angular momentum for the final report.
static bool write_frame(Recorder *r, const RecordOptions *options, int frame, Error *error) {
  const double dt = simulation_settings(r->live.session.simulation)->dt;
  if (series_folder(options)[0] &&
      !vtu_series_add(&r->vtu, &r->live.session, frame, vtu_series_time(frame, options->fps, dt), error))
    return false;
  if (options->turntable != 0) {
    r->live.camera = r->start_camera;
    camera_orbit(&r->live.camera, 2 * M_PI * options->turntable * frame / options->frames, 0);
  }
  if (draws(options) && !draw_frame(r, error)) return false;
  const bool drawn = !draws(options) || frame_writer_add(&r->writer, frame, error);
  if (drawn || r->writer.count > frame - r->first) r->written = frame + 1;
  Session *session = &r->live.session;
  return drawn && energy_budget_update(&session->budget, session->simulation, NULL, error) &&
         energy_budget_update_spin(&session->budget, session->simulation, error);
}

static void report(const Recorder *r, const RecordOptions *options, int halved, double seconds) {
  const int first = r->first, end = r->written;
  const Device device = simulation_stream(r->live.session.simulation).device;
  if (options->output[0])
    printf("frames: %d, %s/frame_%05d.png to frame_%05d.png\n", end - first, options->output, first, end - 1);
  if (r->vtu.folder[0]) vtu_series_print(&r->vtu);
  if (options->video[0]) printf("video: %s\n", r->film);
  if (options->state[0]) printf("state: %s\n", options->state);
  if (options->save_scene[0]) printf("scene: %s\n", options->save_scene);
  if (options->probe.file[0]) printf("probes: %s\n", options->probe.file);
  printf("%lld steps, %.3f s simulated; the run took %.1f s",
         (long long)simulation_step_count(r->live.session.simulation), simulation_time(r->live.session.simulation),
         seconds);
  if (halved) printf("; %d step%s split into shorter ones", halved, halved == 1 ? " was" : "s were");
  printf("\nsimulated by %s (%s)", device_name(device), device_model(device));
  if (draws(options))
    printf(", drawn by %s (transfer of positions: %s)", gl_renderer_name(),
           shared_buffer_method(&r->renderer.positions));
  printf("\n");
  const EnergyBudget *budget = &r->live.session.budget;
  if (budget->steps)
    printf("energy: %.4g J at the end; damping, friction and the integrator changed it by %+.4g J in %lld steps\n",
           budget->total, budget->change, (long long)budget->steps);
  char part[64];
  energy_budget_spin_text(budget, part, sizeof part);
  if (budget->spin_steps)
    printf("spin: the integrator changed the angular momentum about the centre of mass by %+.4g kg m^2/s%s\n",
           budget->spin_change, part);
  session_report_trouble(&r->live.session);
  char gain[160];
  energy_budget_text(budget, simulation_settings(r->live.session.simulation), gain, sizeof gain);
  if (gain[0]) log_notice("%s", gain);
}

// Applies the commands of the replayed log that the user gave before the next step.
static bool apply_log(Recorder *r, Error *error) {
  Command command;
  Live *live = &r->live;
  while (live_next_logged(live, &r->replay, &command, error)) {
    if (!live_apply(live, &command, error)) return input_reader_prefix(&r->replay, error);
    if (live->refused[0]) log_notice("%s:%d: %s", r->replay.path, r->replay.line_number, live->refused);
  }
  return !error->message[0];
}

// Writes a checkpoint, unless one was written at this step already.
static bool write_checkpoint_now(Recorder *r, const RecordOptions *options, Error *error) {
  const int64_t step = simulation_step_count(r->live.session.simulation);
  if (!options->checkpoint[0] || step == r->checkpoint_step) return true;
  // A run that resumes from the checkpoint does not write these frames again, so they must reach the disk first.
  if (!frame_writer_sync(&r->writer, r->synced, r->written, error) ||
      !vtu_series_sync(&r->vtu, r->synced, r->written, error))
    return false;
  r->synced = r->written;
  r->live.session.frames = r->written;
  if (!checkpoint_write(&r->live.session, options->fps, options->checkpoint, error)) return false;
  r->checkpoint_step = step;
  return true;
}

// Adds a row to the table of probes. step: report of the last step; NULL: the initial state.
static bool add_probes(Recorder *r, const StepReport *step, Error *error) {
  Session *session = &r->live.session;
  Observed now;
  if (r->probes.count == 0) return true;
  observed_begin(&now, session, step);
  const bool ok = probes_add(&r->probes, &now, simulation_step_count(session->simulation),
                             simulation_time(session->simulation), error);
  observed_end(&now);
  return ok;
}

// Opens the table of probes. Fails in a resumed run if the file exists, since a new table would replace the rows of
// earlier steps.
static bool begin_probes(Recorder *r, const RecordOptions *options, Error *error) {
  const char *file = options->probe.file;
  if (options->resume[0] && !options->overwrite && file[0] && access(file, F_OK) == 0 && strncmp(file, "/dev/", 5) != 0)
    return error_set(error,
                     "%s: exists. The run that resumes from %s cannot continue this table; choose another file for "
                     "--probe-file",
                     file, options->resume);
  return probes_open(&r->probes, &options->probe, &r->live.session, "time_s", error) && add_probes(r, NULL, error);
}

// Takes one step. Writes a checkpoint if one is due at this step.
static bool advance(Recorder *r, const RecordOptions *options, StepReport *step, Error *error) {
  Session *session = &r->live.session;
  if (!live_step(&r->live, step, error) || !add_probes(r, step, error)) return false;
  return simulation_step_count(session->simulation) % options->every != 0 || write_checkpoint_now(r, options, error);
}

// Computes and writes the frames from r->first on. *halved counts steps that were divided into shorter ones.
static bool record_frames(Recorder *r, const RecordOptions *options, int *halved, Error *error) {
  const double dt = simulation_settings(r->live.session.simulation)->dt;
  Pace pace;
  if (!pace_begin(&pace, &r->live.session, options->fps, r->first, options->frames, error)) return false;
  while (r->written < options->frames) {
    const double due = r->written / options->fps;
    while (r->live.elapsed < due - 1e-6 * dt) {
      StepReport step;
      if (r->replay.file && !apply_log(r, error)) return false;
      if (r->replay.file && input_reader_over(&r->replay, r->live.steps_taken)) return true;
      if (!advance(r, options, &step, error)) return false;
      *halved += step.substeps > 1;
      pace_report(&pace, r->live.elapsed, r->written, &step);

      // Ctrl-C and SIGTERM end the recording after the present step or frame
      if (!interrupt_check(error)) return false;
    }
    if (r->replay.file && !apply_log(r, error)) return false;
    if (!write_frame(r, options, r->written, error)) return false;
    pace_report(&pace, r->live.elapsed, r->written, NULL);
    if (interrupt_signal()) return interrupt_check(error);
  }
  return true;
}

// Writes a scene file with the present state and the camera of the last picture.
static bool save_scene(Recorder *r, const RecordOptions *options, Error *error) {
  Live *live = &r->live;
  Camera camera = live->camera;
  Style style = live->style;
  if (!draws(options) && !scene_camera(&live->session, 1, &camera, error)) return false;
  if (draws(options)) surface_renderer_fix_range(&r->renderer, &style);
  const Scene *scene = &live->session.scene;
  return live_save(live, &camera, &scene->views, &style, scene->mouse_stiffness, 0, options->save_scene, error);
}

// Completes film, probes, state, scene and checkpoint. Also called after an error.
static bool finish(Recorder *r, const RecordOptions *options, Error *error) {
  bool ok = frame_writer_commit(&r->writer, error);
  r->has_film = ok && r->writer.has_video && r->writer.count > 0;
  ok = probes_commit(&r->probes, error) && ok;
  ok = (!options->state[0] || write_state(&r->live.session, options->state, error)) && ok;
  ok = (!options->save_scene[0] || save_scene(r, options, error)) && ok;
  return write_checkpoint_now(r, options, error) && ok;
}

// Extends the error message of a run that ended early by the number of complete frames, by a clause that says if the
// film is complete or missing, and by the option that continues the run.
static void add_what_was_written(const Recorder *r, const RecordOptions *options, Error *error) {
  char cause[ERROR_LENGTH], of[32] = "", film[SCENE_PATH_LENGTH + 64] = "", more[SCENE_PATH_LENGTH + 64] = "";
  memcpy(cause, error->message, sizeof cause);
  *error = (Error){ 0 };
  if (r->checkpoint_step == simulation_step_count(r->live.session.simulation))
    snprintf(more, sizeof more, "; --resume %s continues from step %lld", options->checkpoint,
             (long long)r->checkpoint_step);
  if (options->frames < RECORD_FRAMES_OPEN) snprintf(of, sizeof of, " of %d", options->frames - r->first);
  if (r->has_film)
    snprintf(film, sizeof film, "; the video is complete");
  else if (options->video[0])
    snprintf(film, sizeof film, "; the video is missing");
  const bool lost = options->video[0] && !r->has_film && !options->output[0] && !series_folder(options)[0];
  if (lost)
    error_set(error, "%.400s; the video is missing%.400s", cause, more);
  else
    error_set(error, "%.400s; complete frames: %d%s%s%.400s", cause, r->written - r->first, of, film, more);
}

static bool record(Recorder *r, const Scene *scene, const RecordOptions *options, Error *error) {
  const double begin = timer_seconds();
  int halved = 0;
  r->checkpoint_step = -1;
  if (!options->output[0] && !options->video[0] && !series_folder(options)[0] && !options->state[0] &&
      !options->checkpoint[0] && !options->save_scene[0] && !options->probe.file[0] && !options->probe.names[0])
    return error_set(error,
                     "pliant record: nothing to write; give -o DIR, --video FILE, --vtu DIR, --xdmf DIR, --state FILE, "
                     "--save-scene FILE, --checkpoint FILE or --probe-file FILE");
  if (!probes_read(&r->probes, &options->probe, scene->curves, false, error)) return false;
  if (!recorder_create(r, scene, options, error)) return false;
  if (options->resume[0] && !resume(r, options, error)) return false;
  if (!begin_probes(r, options, error)) return false;

  // The first frame of a resumed run comes after some steps. The reported change of energy includes these steps.
  Session *session = &r->live.session;
  if (!energy_budget_update(&session->budget, session->simulation, NULL, error)) return false;
  r->written = r->synced = r->first;
  name_film(r, options->video, r->first);
  if (draws(options) && !create_pictures(r, options, error)) return false;
  if (!remove_old_frames(options, error)) return false;
  Error second = { 0 };
  const bool recorded = record_frames(r, options, &halved, error);
  if (!recorded) ranks_fail(scene->simulation.ranks, error);
  const bool finished = finish(r, options, recorded ? error : &second);
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
  if (recorded && finished) {
    report(r, options, halved, timer_seconds() - begin);
    return true;
  }
  if (second.message[0]) log_notice("%s", second.message);
  const bool lost_film = options->video[0] && !r->has_film && r->written > r->first;
  if (!recorded || lost_film) add_what_was_written(r, options, error);
  return false;
}

static bool run(Recorder *r, const Scene *scene, const RecordOptions *options, Error *error) {
  const bool ok = record(r, scene, options, error);
  recorder_destroy(r);
  free(r);
  return ok;
}

// Replaces the camera of a scene, and its kind of projection, by the scene's stored view `number`, counted from 1.
// Fails if the scene stores no such view.
static bool use_view(Scene *scene, int number, Error *error) {
  const SceneViews *views = &scene->views;
  if (number > views->count || !views->camera[number - 1].given)
    return error_set(error,
                     "%s: the scene stores no view %d, which --view names; store views in the tab View of the window's "
                     "panel, or in the key views",
                     scene->path, number);
  scene->camera = views->camera[number - 1];
  scene->style.orthographic = scene->camera.orthographic;
  scene->camera.orthographic = false;
  return true;
}

// Runs the scene from rest or from a checkpoint. Frame i shows the first step whose time is at least i / fps. Prints
// the written files at the end. Ctrl-C, SIGTERM and a full disk end the run early: the run then completes its files,
// and fails with a message that has the number of complete frames.
static bool run_record(const CommandInput *input, Error *error) {
  const RecordOptions *options = input->options;
  log_set_details(options->verbose);
  Engine engine;
  Recorder *r = NULL;
  const bool ok = engine_begin(&engine, &options->engine, input->scene, error) &&
                  (r = array_new(1, sizeof *r, "the recorder", error)) && run(r, input->scene, options, error);
  return engine_end(&engine, ok, error);
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(RecordOptions *)options = record_defaults();
}

static bool check(const CommandInput *input, Error *error) {
  const RecordOptions *options = input->options;
  if (options->engine.engine == ENGINE_PETSC && (draws(options) || options->save_scene[0]))
    return error_set(error,
                     "engine \"petsc\" draws no pictures and saves no scenes; use --vtu DIR, --xdmf DIR, --state FILE "
                     "or --checkpoint FILE");
  if (options->view > 0 && !use_view(input->scene, options->view, error)) return false;
  return probes_check(&options->probe, input->scene->curves, false, error);
}

extern const CommandRow record_command;
const CommandRow record_command = {
  .name = "record",
  .usage = "[OPTION]... [SCENE|MESH] -o DIR",
  .summary =
      "Records a scene without a window, as numbered PNG files, as a video, or as VTU or XDMF files for ParaView. "
      "Without a name it records the shipped scene \"drag\", in which a finger is pulled.",
  .options = record_options,
  .options_size = sizeof(RecordOptions),
  .terms = record_terms,
  .pictures = true,
  .default_scene = "scenes/drag.json",
  .default_without_gpu = "scenes/drag_coarse.json",
  .prepare = prepare,
  .check = check,
  .run = run_record,
};

bool record_replay(const char *log, const RecordOptions *options, Error *error) {
  log_set_details(options->verbose);
  Recorder *r = array_new(1, sizeof *r, "the recorder", error);
  Scene *scene = array_new(1, sizeof *scene, "the scene", error);
  bool ok = r && scene && input_reader_open(&r->replay, log, scene, error);
  if (ok)
    ok = run(r, scene, options, error);
  else
    free(r);
  free(scene);
  return ok;
}
