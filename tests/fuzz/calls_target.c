// Calls functions of pliant.h in an arbitrary order: see calls_target.h.
#include "calls_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pliant.h"

enum { SIMS = 3, CALLS_MAX = 40, NODES_MAX = 12 };

// Rest of the input that is not yet interpreted, and handles (scenes, sims) that the calls so far have created.
typedef struct Calls {
  const uint8_t *at, *end;
  pliant_scene *scene;
  pliant_sim *sim[SIMS];
  int grab;  // number of the newest grab
} Calls;

static void check(int status) {
  const int known = status >= PLIANT_OK && status <= PLIANT_NOT_NOW;
  if (known && (!status || pliant_error()[0])) return;
  fprintf(stderr,
          "a call returned the status %d with the message \"%s\"; expected a known status, and a message for "
          "each failure\n",
          status, pliant_error());
  abort();
}

static unsigned next(Calls *c) {
  return c->at < c->end ? *c->at++ : 0;
}

static double number(Calls *c) {
  static const double values[] = { 0, 1, -1, 0.1, -0.3, 0.5, 1e-300, 1e300, 1e9, NAN, INFINITY, 2, 0.02, -0.5 };
  return values[next(c) % (sizeof values / sizeof *values)];
}

static void point(Calls *c, double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = number(c);
}

static const char *text(Calls *c, const char *const *texts, size_t count) {
  return texts[next(c) % count];
}
#define TEXT(c, texts) text(c, texts, sizeof(texts) / sizeof *(texts))

static const char *const keys[] = { "young",     "dt",      "gravity",    "floor",      "self_contact",
                                    "precision", "degree",  "integrator", "solver",     "friction",
                                    "mass",      "density", "poisson",    "newton_max", "yung",
                                    "bodies",    "shapes",  "device",     "material",   "tear_stress" };
static const char *const values[] = { "1e5",
                                      "0.01",
                                      "[0, 0, -10]",
                                      "0",
                                      "true",
                                      "false",
                                      "\"double\"",
                                      "\"float\"",
                                      "2",
                                      "\"bdf2\"",
                                      "\"euler\"",
                                      "-1",
                                      "null",
                                      "1e400",
                                      "[",
                                      "\"dcg\"",
                                      "\"mooney_rivlin\"",
                                      "0.49",
                                      "[{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}]",
                                      "\"cpu\"" };
static const char *const lists[] = { "pins", "forces", "obstacles", "cuts", "drags", "materials", "young" };
static const char *const entries[] = {
  "{\"z\": [null, 0]}",
  "{\"region\": {\"z\": [0, null]}, \"total\": [1, 0, \"sin(t)\"]}",
  "{\"region\": {\"z\": [0, null]}, \"pressure\": 100}",
  "{\"kind\": \"sphere\", \"at\": [0, 0, 2], \"radius\": 0.5}",
  "{\"kind\": \"plane\", \"at\": [0, 0, -1], \"normal\": [0, 0, 1]}",
  "{\"time\": 0.01, \"point\": [0, 0, 0], \"normal\": [1, 0, 0]}",
  "{\"grab\": {\"z\": [0, null]}, \"path\": [[0, 0, 0, 0], [1, 0, 0, 1]]}",
  "{\"region\": {\"x\": [0, null]}, \"stiffness\": 10}",
  "{}",
  "[1]",
};
static const char *const regions[] = { "{\"z\": [0, null]}", "{\"center\": \"+x\", \"radius\": 0.1}", "{\"body\": 3}",
                                       "7" };
static const char *const observables[] = {
  "kinetic", "momentum", "position:1", "position:99", "energy", "x", "volume"
};

static void call_scene(Calls *c, unsigned which) {
  if (which == 0) {
    const char *key = TEXT(c, keys);
    check(pliant_scene_set(c->scene, key, TEXT(c, values)));
  } else if (which == 1) {
    const char *list = TEXT(c, lists);
    check(pliant_scene_add(c->scene, list, TEXT(c, entries)));
  } else if (which == 2) {
    double x[3 * NODES_MAX];
    int32_t cell[20];
    for (int k = 0; k < 3 * NODES_MAX; k++) x[k] = k % 4 == 3 ? 1 : 0.1 * (k % 3);
    for (int k = 0; k < 20; k++) cell[k] = k;
    x[next(c) % (3 * NODES_MAX)] = number(c);
    cell[next(c) % 20] = (int32_t)next(c) - 2;
    const pliant_cell kind = (pliant_cell)(next(c) % 5);
    const int64_t nodes = next(c) % (NODES_MAX + 1);
    check(pliant_scene_add_mesh(c->scene, next(c) % 2 ? "a" : NULL, kind, nodes, x, next(c) % 3, cell, NULL, NULL));
  } else if (which == 3) {
    pliant_scene *copy = NULL;
    check(pliant_scene_copy(&copy, c->scene));
    pliant_scene_destroy(c->scene);
    c->scene = copy;
  } else {
    char json[256];
    size_t needed;
    check(pliant_scene_print(c->scene, json, next(c), &needed));
  }
}

static void call_state(Calls *c, pliant_sim *sim) {
  size_t size = 0;
  check(pliant_save(sim, NULL, 0, &size));
  unsigned char *bytes = malloc(size + 1);
  if (!bytes) return;
  check(pliant_save(sim, bytes, size, NULL));
  const unsigned mode = next(c);
  if (mode % 3 == 1 && size > 0) size = size * next(c) / 256;
  if (mode % 3 == 2 && size > 0) bytes[size * next(c) / 256] ^= 1 << next(c) % 8;
  check(pliant_load(sim, bytes, size));
  free(bytes);
}

static void call_arrays(Calls *c, pliant_sim *sim) {
  pliant_field_info row = { .size = sizeof row };
  pliant_view view = { .size = sizeof view };
  check(pliant_field_row((int)(next(c) % 20), &row));
  if (!row.name) return;
  check(pliant_field(sim, row.name, next(c) % 4 ? PLIANT_HOST : 0, &view));
  if (!view.data || view.type != PLIANT_F64 || next(c) % 2) return;
  const size_t count = (size_t)(view.shape[0] * view.shape[1]);
  double *copy = malloc(sizeof *copy * (count + 1));
  if (!copy) return;
  memcpy(copy, view.data, sizeof *copy * count);
  if (count > 0) copy[next(c) % count] = number(c);
  view.data = copy;
  if (next(c) % 8 == 0) view.shape[0]--;
  const unsigned form = next(c);
  float *single = malloc(sizeof *single * (count + 1));
  for (size_t k = 0; single && k < count; k++) single[k] = (float)copy[k];
  if (form % 4 == 0 && single) {
    view.data = single;
    view.type = PLIANT_F32;
  }
  if (form % 32 == 1) view.device = 1;  // not the sim's device
  if (form % 32 == 2) view.type = PLIANT_I32;
  check(pliant_put(sim, row.name, &view));
  free(copy);
  free(single);
}

static void call_actions(Calls *c, pliant_sim *sim, unsigned which) {
  double x[3], normal[3];
  int32_t nodes[4] = { 0, 1, 2, 3 };
  int64_t count;
  nodes[0] = (int32_t)next(c) - 1;
  point(c, x);
  switch (which) {
    case 0:
      check(pliant_grab(sim, x, number(c), number(c), &c->grab));
      break;
    case 1:
      check(pliant_grab_nodes(sim, nodes, next(c) % 5, number(c), &c->grab));
      break;
    case 2:
      check(next(c) % 2 ? pliant_grab_to(sim, c->grab, x) : pliant_grab_put(sim, c->grab, nodes, next(c) % 2, x));
      break;
    case 3:
      check(pliant_release(sim, (int)next(c) % 3 ? c->grab : -1));
      break;
    case 4:
      check(pliant_hold(sim, nodes, next(c) % 5, next(c) % 9));
      break;
    case 5:
      check(pliant_find(sim, TEXT(c, regions), nodes, next(c) % 5, &count));
      break;
    case 6: {
      const double q[4] = { number(c), number(c), 0, 0 };
      check(pliant_obstacle_to(sim, (int)next(c) % 3, x, next(c) % 2 ? q : NULL));
      break;
    }
    default:
      point(c, normal);
      check(pliant_cut(sim, x, normal, number(c), NULL));
  }
}

static void call_sim(Calls *c, pliant_sim **slot, unsigned which) {
  pliant_sim *sim = *slot;
  char json[64];
  double numbers[6];
  switch (which) {
    case 0:
      check(pliant_step(sim, (int)(next(c) % 4)));
      break;
    case 1:
      call_arrays(c, sim);
      break;
    case 2:
      call_state(c, sim);
      break;
    case 3: {
      const char *const names[2] = { TEXT(c, observables), TEXT(c, observables) };
      check(pliant_observe(sim, names, 2, numbers, (int)(next(c) % 7)));
      break;
    }
    case 4:
      check(pliant_reset(sim));
      break;
    case 5:
      check(pliant_equilibrium(sim));
      break;
    case 6: {
      const char *key = TEXT(c, keys);
      check(pliant_set(sim, key, TEXT(c, values)));
      break;
    }
    case 7:
      check(pliant_get(sim, TEXT(c, keys), json, next(c) % 65, NULL));
      break;
    case 8: {
      pliant_report report = { .size = next(c) % (sizeof report + 1) };
      check(pliant_get_report(sim, &report));
      break;
    }
    case 9:
      pliant_sim_destroy(sim);
      *slot = NULL;
      break;
    default:
      call_actions(c, sim, which % 8);
  }
}

static void call_one(Calls *c) {
  const unsigned which = next(c) % 24;
  pliant_sim **slot = &c->sim[next(c) % SIMS];
  if (which < 5) {
    call_scene(c, which);
  } else if (!*slot) {
    pliant_sim *from = c->sim[next(c) % SIMS];
    check(from && next(c) % 2 ? pliant_sim_clone(slot, 1, from) : pliant_sim_create(slot, c->scene));
  } else if (which == 5) {
    int statuses[SIMS];
    check(pliant_step_many(c->sim, (int)(next(c) % (SIMS + 1)), 1, statuses));
  } else {
    call_sim(c, slot, which - 6);
  }
}

void fuzz_calls(const uint8_t *data, size_t size) {
  Calls c = { .at = data, .end = data + size };
  check(pliant_scene_create(&c.scene));
  check(pliant_scene_set(c.scene, "shapes", "[{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}]"));
  check(pliant_scene_set(c.scene, "device", "\"cpu\""));
  // With the default of 6 halvings, a step that never converges takes more than a minute with sanitizers.
  check(pliant_scene_set(c.scene, "halvings_max", "2"));
  for (int k = 0; k < CALLS_MAX && c.at < c.end; k++) call_one(&c);
  for (int k = 0; k < SIMS; k++) pliant_sim_destroy(c.sim[k]);
  pliant_scene_destroy(c.scene);
}
