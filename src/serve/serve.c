// `pliant serve`: see serve.h. The main thread waits for requests, applies input, draws and sends frames. A second
// thread runs the simulation (live/sim_thread.c), so that the page reacts during long time steps.
#include "serve/serve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/path_lock.h"
#include "base/progress.h"
#include "base/timer.h"
#include "scene/json.h"
#include "scene/scene_save.h"
#include "serve/actions.h"
#include "serve/editing.h"
#include "serve/jpeg.h"
#include "serve/saving.h"
#include "serve/server.h"
#include "serve/settings.h"

static const double POLL = 0.004;  // s, longest wait for requests if pages are open
static const double REST = 0.1;    // s, longest wait for requests if no page is open
// s, time without a change after which a picture drawn on the CPU gets smooth edges, which take long
static const double CALM = 0.3;
static const double WORDS_TIME = 8;  // s, time for which a page shows a message
// pixels, size of a picture that follows the page's size, until this size is known
static const int FIRST_SIZE[2] = { 1280, 720 };
// largest number of pixels of such a picture, if OpenGL draws on the CPU and on a GPU
static const double SOFTWARE_PIXELS = 1280 * 720, GPU_PIXELS = 3840 * 2160;
static const double BUILD_PERIOD = 0.2;  // s, time between two reports of progress while the scene is built

// State of the running server.
typedef struct Serve {
  const ServeOptions *options;
  char token[2 * 16 + SERVE_TEXT];
  char host[SERVE_TEXT];
  Server *server;
  SimThread *sim;
  Shown shown;
  bool has_shown;
  Mouse mouse;
  Jpeg jpeg;
  int space[2];        // pixels, space for the picture in the page that has the control; 0: not known
  int controller;      // number of the connection whose page may move body and camera; 0: none
  double input_at;     // s, clock time of the last input from the page of `controller`
  double next_frame;   // s, clock time at which the next frame may be drawn
  double changed_at;   // s, clock time at which the picture last changed
  bool is_rough;       // true: the newest frame has no smooth edges
  int refusals;        // SimStatus.refusals, the number of refused commands, at the last frame
  char words[512];     // message for the pages; if empty, they show SimStatus.refused, the reason of the last refusal
  double words_until;  // s, clock time until which the pages show this message
  Saving saving;
  Editing editing;
  char *page;    // text of the page
  Scene *scene;  // temporary memory for settings_values and setting_put
  Error fault;   // error while a message was handled; it ends the program
} Serve;

// ---- messages of the pages, and the control that one page has

// Takes the control, the right to move body and camera, away from the page that has it. Ends the pull by that page's
// mouse.
static void free_control(Serve *s) {
  if (s->has_shown) mouse_let_go(&s->mouse, &s->shown, COMMAND_RELEASE);
  s->mouse = (Mouse){ 0 };
  s->shown.hover.radius = 0;
  s->controller = 0;
  s->shown.changed = true;
}

// The control is the right of one page to move the body and the camera. Gives the control to connection `client` if
// `asks` is true and no page has it. Returns true if this connection has the control.
static bool take_control(Serve *s, int client, bool asks) {
  if (!s->controller && asks) {
    s->controller = client;
    s->shown.changed = true;
  }
  if (s->controller != client) return false;
  s->input_at = timer_seconds();
  return true;
}

// Shows a message in the pages for WORDS_TIME seconds: `words`, followed by `text`.
static void say(Serve *s, const char *words, const char *text) {
  snprintf(s->words, sizeof s->words, "%s%.480s", words, text);
  s->words_until = timer_seconds() + WORDS_TIME;
  s->shown.changed = true;
}

// Changes a setting. If its value is invalid, the pages show the reason.
static void change_setting(Serve *s, const Message *message) {
  Error reason = { 0 };
  if (!setting_put(message->name, message->value, &s->shown, s->scene, &reason)) say(s, "", reason.message);
}

static void save(Serve *s) {
  Error reason = { 0 };
  if (s->editing.next)
    say(s, "", "the edited scene is still being built; save again when it is shown");
  else if (!saving_begin(&s->saving, &s->shown, s->options->save, &reason))
    say(s, "", reason.message);
}

// Edits the scene. If the edit is not possible, the pages show the reason, next to the refused value if there is one.
static void edit(Serve *s, const Message *message) {
  Error reason = { 0 };
  if (editing_apply(&s->editing, &s->shown, message, &reason)) return;
  const bool marked = message->kind == MESSAGE_WRITE && strcmp(s->editing.edits.refused, message->name) == 0;
  if (!marked) say(s, "", editing_words(&s->editing, reason.message));
}

// Undoes the last change by the user (step -1), or redoes the next one (step 1). Changes of pins and pulls in the shown
// simulation are newer than all edits of the scene, because an edit begins another simulation.
static void revert(Serve *s, int step) {
  const SimStatus *status = &s->shown.status;
  Error reason = { 0 };
  bool done = false;
  if (!s->editing.next && (step < 0 ? status->undoable : status->redoable) > 0) {
    action_do(step < 0 ? "undo" : "redo", &s->mouse, &s->shown);
    return;
  }
  const bool possible = step < 0 || status->undoable == 0;
  if (possible && !editing_revert(&s->editing, &s->shown, step, &done, &reason))
    say(s, "", editing_words(&s->editing, reason.message));
  else if (!done)
    say(s, "", step < 0 ? "nothing to undo" : "nothing to redo");
}

// Runs an action of the page's buttons and keys.
static void act(Serve *s, const char *name) {
  const int step = strcmp(name, "undo") == 0 ? -1 : strcmp(name, "redo") == 0 ? 1 : 0;
  if (step != 0)
    revert(s, step);
  else
    action_do(name, &s->mouse, &s->shown);
}

// Handles a message of connection `client`; the server calls this function. Returns false with the reason if the
// message is not valid.
static bool receive(void *context, int client, const char *text, size_t length, Error *reason) {
  Serve *s = context;
  Message message;
  if (!message_read(&message, text, length, reason)) return false;
  if (message.kind == MESSAGE_ACT && !action_check(message.name, reason)) return false;
  if (message.kind == MESSAGE_SET && !setting_check(message.name, reason)) return false;
  if (!editing_check(&message, reason)) return false;
  if (message.kind == MESSAGE_SEEN) {
    server_seen(s->server, client, message.frame);
    return true;
  }
  if (message.kind == MESSAGE_FIT) {
    if (!s->controller || s->controller == client) memcpy(s->space, message.size, sizeof s->space);
    return true;
  }
  if (!s->has_shown || !s->shown.has_positions) return true;
  const bool asks = message.kind != MESSAGE_MOVE && message.kind != MESSAGE_RELEASE;
  if (!take_control(s, client, asks)) return true;
  if (message.kind == MESSAGE_ACT)
    act(s, message.name);
  else if (message.kind == MESSAGE_SET)
    change_setting(s, &message);
  else if (message.kind == MESSAGE_GO)
    action_go(message.step, &s->mouse, &s->shown);
  else if (message.kind == MESSAGE_SAVE)
    save(s);
  else if (message.kind >= MESSAGE_SELECT)
    edit(s, &message);
  else
    mouse_apply(&s->mouse, &s->shown, &message, &s->fault);
  return true;
}

// Handles the end of connection `client`; the server calls this function.
static void leave(void *context, int client) {
  Serve *s = context;
  s->shown.changed = true;
  if (client == s->controller) free_control(s);
}

// ---- functions that describe, draw and send frames

static void add_vector(cJSON *object, const char *key, const double vector[3]) {
  cJSON_AddItemToObject(object, key, json_exact_vector(vector, 3));
}

static void add_number(cJSON *object, const char *key, double number) {
  if (isfinite(number)) cJSON_AddItemToObject(object, key, json_exact(number));
}

// Adds the newest values of some quantities of the run (observables) to the JSON object, with keys such as "kinetic_J",
// and the time of these values in s. They are the quantities that the desktop window plots.
static void add_sample(cJSON *object, const SimStatus *status) {
  int count = 0;
  if (status->sample_count == 0) return;
  const SimSample *sample = &status->sample[(status->sample_count - 1) % SIM_SAMPLES];
  cJSON *values = cJSON_AddObjectToObject(object, "observables");
  for (const Observable *row = observables; row->name && count < SIM_SERIES_MAX; row++) {
    char label[OBSERVABLE_LABEL];
    if (!row->plot) continue;
    observable_label(row, row->name, -1, label);
    add_number(values, label, sample->value[count++]);
  }
  add_number(object, "observed_at", sample->time);
}

// Adds the state of the simulation to the JSON object of a frame.
static bool describe(Serve *s, cJSON *object, Error *error) {
  const Shown *shown = &s->shown;
  const SimStatus *status = &shown->status;
  double point[3];
  add_number(object, "time", status->time);
  add_number(object, "step", (double)status->step);
  add_number(object, "steps_per_s", status->steps_per_s);
  add_number(object, "real_time", status->real_time);
  add_number(object, "speed", status->speed);
  cJSON_AddBoolToObject(object, "paused", status->paused);
  add_number(object, "kept", status->kept);
  add_number(object, "saved", status->saved);
  add_number(object, "first", (double)status->first);
  add_number(object, "now", (double)status->now);
  add_number(object, "newest", (double)status->newest);
  add_sample(object, status);
  cJSON_AddItemToObject(object, "settings", settings_values(shown, s->scene));
  if (s->mouse.mode == MOUSE_PULL && !s->mouse.pushes) {
    if (!shown_point(shown, &s->mouse.pick, point, error)) return false;
    add_vector(object, "point", point);
    add_vector(object, "target", s->mouse.target);
    add_number(object, "force", status->mouse_force);
  }

  if (status->refusals != s->refusals) {
    s->words_until = timer_seconds() + WORDS_TIME;
    s->words[0] = '\0';
  }
  s->refusals = status->refusals;
  const char *words = timer_seconds() >= s->words_until ? "" : s->words[0] ? s->words : status->refused;
  cJSON_AddStringToObject(object, "words", status->trouble[0] ? status->trouble : words);
  return true;
}

// Sends the JSON object of a frame and, if s->jpeg is not empty, the picture.
static bool send(Serve *s, cJSON *object, Error *error) {
  add_number(object, "frame", (double)server_next_frame(s->server));
  add_number(object, "watchers", server_watchers(s->server));
  const double size[2] = { s->shown.size[0], s->shown.size[1] };
  cJSON_AddItemToObject(object, "size", json_exact_vector(size, 2));
  cJSON_AddBoolToObject(object, "fits", s->options->size[0] == 0);
  char *text = cJSON_PrintUnformatted(object);
  if (!text) return error_set(error, "out of memory: cannot store the status of a frame; close other programs");
  text[strlen(text) - 1] = '\0';  // removes the last brace, as server_show requires
  const bool ok = server_show(s->server, text, s->controller, s->jpeg.bytes, s->jpeg.size, error);
  free(text);
  return ok;
}

static bool send_frame(Serve *s, bool smooth, Error *error) {
  Shown *shown = &s->shown;
  const bool pulls = s->mouse.mode == MOUSE_PULL && !s->mouse.pushes;
  if (!mouse_hover(&s->mouse, shown, error)) return false;
  if (!shown_draw(shown, &s->mouse.pick, pulls ? s->mouse.target : NULL, smooth, error)) return false;
  if (!jpeg_compress(&s->jpeg, shown->writer.rgba, shown->size[0], shown->size[1], s->options->quality, error))
    return false;
  s->is_rough = !smooth;
  cJSON *object = cJSON_CreateObject();
  const bool ok = object && describe(s, object, error) && send(s, object, error);
  cJSON_Delete(object);
  return ok;
}

// Draws and sends a frame if three conditions hold: the picture has changed or its edges can become smooth, the time
// s->next_frame has come, and a connection can take a frame.
static bool update_frame(Serve *s, Error *error) {
  Shown *shown = &s->shown;
  const double now = timer_seconds();
  if (shown->changed) s->changed_at = now;
  const bool calm = now - s->changed_at > CALM;
  const bool refine = calm && s->is_rough;
  if (!shown->has_positions || !(shown->changed || refine) || now < s->next_frame) return true;
  if (!server_wants_frame(s->server)) return true;
  const double period = 1 / s->options->fps;
  s->next_frame = fmax(s->next_frame + period, now);
  return send_frame(s, !shown->software || calm, error);
}

// Sends the progress of creating the simulation from the scene, so that the page can show it.
static bool report_building(Serve *s, Error *error) {
  const double now = timer_seconds();
  double part;
  if (now < s->next_frame || !server_wants_frame(s->server)) return true;
  s->next_frame = now + BUILD_PERIOD;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "building", progress_now(&part));
  add_number(object, "part", part);
  const bool ok = object && send(s, object, error);
  cJSON_Delete(object);
  return ok;
}

// Sends the lists of the scene editor, if they have changed.
static bool send_lists(Serve *s, Error *error) {
  cJSON *object = editing_list(&s->editing, &s->shown, error);
  char *text = object ? cJSON_PrintUnformatted(object) : NULL;
  const bool ok = !object || (text && server_announce(s->server, text, error)) ||
                  error_set(error, "out of memory: cannot store the entries of the scene; close other programs");
  free(text);
  cJSON_Delete(object);
  return ok && !error->message[0];
}

// ---- starting, running and ending the program

static bool make_token(Serve *s, Error *error) {
  unsigned char bytes[16];
  if (s->options->token[0]) {
    snprintf(s->token, sizeof s->token, "%s", s->options->token);
    return true;
  }
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return error_set(error, "the system has no random numbers; choose a token with --token");
  for (size_t k = 0; k < sizeof bytes; k++) snprintf(s->token + 2 * k, 3, "%02x", bytes[k]);
  return true;
}

// Prints the address of the page, which the user opens in a browser.
static void print_address(const Serve *s) {
  char machine[256];
  const bool is_any = strcmp(s->host, "0.0.0.0") == 0 || strcmp(s->host, "::") == 0;
  const bool is_local = strncmp(s->host, "127.", 4) == 0 || strcmp(s->host, "::1") == 0;
  snprintf(machine, sizeof machine, strchr(s->host, ':') ? "[%s]" : "%s", s->host);
  if (is_any && gethostname(machine, sizeof machine) != 0) snprintf(machine, sizeof machine, "127.0.0.1");
  machine[sizeof machine - 1] = '\0';
  printf("http://%s:%d/?token=%s\n", machine, server_port(s->server), s->token);
  fflush(stdout);
  if (!is_local)
    log_notice("serve: other machines can connect, and the connection is not encrypted; an SSH tunnel is safer");
}

static bool serve_open(Serve *s, const Scene *scene, Error *error) {
  const char *host = s->options->host;
  snprintf(s->host, sizeof s->host, "%s", strcmp(host, "localhost") == 0 ? "127.0.0.1" : host);
  s->page = settings_page();
  s->scene = array_new(1, sizeof *s->scene, "the settings of the page", error);
  if (!s->scene) return false;
  if (!s->page) return error_set(error, "out of memory: cannot store the page; close other programs");
  if (!make_token(s, error)) return false;
  const ServerSettings settings = { .host = s->host,
                                    .port = s->options->port,
                                    .token = s->token,
                                    .page = s->page,
                                    .receive = receive,
                                    .leave = leave,
                                    .context = s };
  if (!server_open(&s->server, &settings, error)) return false;
  print_address(s);
  return (s->sim = sim_thread_start(scene, false, s->options->log, "", "", error));
}

// Changes the size of the picture if it must follow the page that has the control, and this page has another size.
static bool follow_page(Serve *s, Error *error) {
  enum { SMALLEST = 16, LARGEST = 4096 };
  if (s->options->size[0] > 0 || s->space[0] == 0) return true;
  const double most = s->shown.software ? SOFTWARE_PIXELS : GPU_PIXELS;
  const double factor = fmin(1, sqrt(most / ((double)s->space[0] * s->space[1])));
  int size[2];
  for (int i = 0; i < 2; i++) size[i] = (int)fmin(fmax(factor * s->space[i], SMALLEST), LARGEST);
  return shown_resize(&s->shown, size, error);
}

// Shows the edited scene in place of the present one, once it is built.
static bool show_edited(Serve *s, Error *error) {
  Error reason = { 0 }, ignored = { 0 };
  char words[200];
  const bool ready = editing_ready(&s->editing, &s->shown, &reason);
  if (reason.message[0] && !s->editing.edits.refused[0]) say(s, "", editing_words(&s->editing, reason.message));
  if (!ready) return true;
  const bool detached = shown_detach(&s->shown, error);

  // the end may interrupt a command of the previous simulation, such as a reset, which then fails without consequences
  sim_thread_stop(s->sim, &ignored);
  s->sim = s->editing.next;
  editing_shown(&s->editing, s->sim, words, sizeof words);
  s->mouse = (Mouse){ 0 };
  s->saving.saved = s->refusals = 0;
  say(s, "", words);

  // the new simulation has published its first positions before it was ready, so input of the pages is not interrupted
  return detached && shown_attach(&s->shown, s->sim, error) && shown_update(&s->shown, error);
}

// One turn of the main loop: handles all requests and changes since the last call, and sends a frame if needed. Sets
// *over to true if the simulation has ended by itself.
static bool turn(Serve *s, bool *over, Error *error) {
  SimThread *sim = s->sim;
  const int watchers = server_watchers(s->server);
  server_wait(s->server, watchers ? POLL : REST);
  if (s->fault.message[0]) return error_set(error, "%s", s->fault.message);
  *over = atomic_load_explicit(&sim->ended, memory_order_acquire);
  if (*over) return true;
  if (!s->has_shown) {
    if (!atomic_load_explicit(&sim->ready, memory_order_acquire)) return report_building(s, error);
    s->has_shown = true;
    const int *size = s->options->size[0] > 0 ? s->options->size : FIRST_SIZE;
    if (!shown_open(&s->shown, sim, size, error)) return false;
    editing_open(&s->editing, sim);
    s->saving.overwrites = sim->live.session.scene.begin[0];
  }

  if (!follow_page(s, error)) return false;

  // Without an open page the simulation computes no time steps, as with a hidden window.
  atomic_store(&sim->hidden, watchers == 0);
  if (!shown_update(&s->shown, error) || !show_edited(s, error) || !send_lists(s, error)) return false;
  if (saving_ended(&s->saving, &s->shown.status)) say(s, "saved: ", s->saving.path);
  mouse_send(&s->mouse, &s->shown);
  shown_send_view(&s->shown);
  const bool idle = timer_seconds() - s->input_at > s->options->idle;
  if (s->controller && idle && s->mouse.mode == MOUSE_FREE) free_control(s);
  return update_frame(s, error);
}

static bool serve_close(Serve *s, bool ok, Error *error) {
  Error ignored = { 0 };
  // an interrupt by the user while the scene is built is no error of the simulation
  const bool built = s->has_shown || !interrupt_signal();
  server_close(s->server);
  editing_close(&s->editing);
  shown_close(&s->shown);
  if (!sim_thread_stop(s->sim, built && ok ? error : &ignored) && built) ok = false;
  jpeg_free(&s->jpeg);
  free(s->page);
  free(s->scene);
  return ok;
}

static bool run(Serve *s, const Scene *scene, Error *error) {
  bool over = false;
  if (!serve_open(s, scene, error)) return false;
  while (!over && !interrupt_signal())
    if (!turn(s, &over, error)) return false;
  return true;
}

bool serve_run(const Scene *scene, const ServeOptions *options, Error *error) {
  log_set_details(options->verbose);
  if (scene->simulation.degree == 3)
    return error_set(error, "%s: pictures show bodies of degree 1 and 2 only; use `pliant record --vtu` for degree 3",
                     scene->path);
  PathLock lock = { 0 };
  const char *log = options->log;
  if (options->save[0] && !scene_save_check(options->save, error)) return false;
  if (log[0] && (!atomic_file_check(log, error) || !path_lock_file(&lock, log, error))) return false;
  Serve *s = array_new(1, sizeof *s, "the server", error);
  bool ok = s;
  if (s) {
    s->options = options;
    ok = run(s, scene, error);
    ok = serve_close(s, ok, error);
  }
  free(s);
  path_lock_release(&lock);
  return ok;
}
