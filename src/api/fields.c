// Fields (arrays) and observables (numbers) of a sim, found by name: pliant_field, pliant_put and pliant_observe.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/sim.h"
#include "base/array.h"
#include "base/meant.h"
#include "base/parallel.h"
#include "sim/contact_report.h"

enum { COMPONENTS_OF_CELL = 0 };

typedef struct Field Field;
struct Field {
  const char *name, *unit, *help, *per;
  int components;
  pliant_type type;
  /// Computes the field on the host and writes it to `to`, rows of `components` values. NULL: `queue` computes it.
  bool (*evaluate)(pliant_sim *sim, void *to, Error *error);
  /// Queues the computation of the field in the stream of the sim's device. The result is written to `to`: a row of
  /// floats for each node; a scalar field also writes FIELD_EXTRA statistics after them (base/field_kind.h). NULL: the
  /// field exists only on the host.
  bool (*queue)(Simulation *simulation, float *to, Error *error);
  /// Sets the field from an array on the host. NULL: the caller cannot set the field.
  bool (*put)(pliant_sim *sim, const double *from, Error *error);
  /// Sets the field from an array on the sim's GPU, and queues this work in the sim's stream. NULL: the array is first
  /// copied to the host.
  bool (*put_there)(pliant_sim *sim, const void *from, Precision precision, Error *error);
};

typedef double (*Vectors)[3];
typedef const double (*ConstVectors)[3];

static bool positions(pliant_sim *sim, void *to, Error *error) {
  return simulation_state(sim->session.simulation, to, NULL, error);
}
static bool queue_positions(Simulation *simulation, float *to, Error *error) {
  return simulation_write_positions(simulation, to, error);
}
static bool put_positions(pliant_sim *sim, const double *from, Error *error) {
  return simulation_set_state(sim->session.simulation, (ConstVectors)from, NULL, error);
}

static bool displacements(pliant_sim *sim, void *to, Error *error) {
  return simulation_displacements(sim->session.simulation, to, error);
}

static bool velocities(pliant_sim *sim, void *to, Error *error) {
  return simulation_velocities(sim->session.simulation, to, error);
}
static bool queue_velocities(Simulation *simulation, float *to, Error *error) {
  return simulation_write_vectors(simulation, VECTORS_VELOCITY, to, error);
}
static bool put_velocities(pliant_sim *sim, const double *from, Error *error) {
  return simulation_set_velocities(sim->session.simulation, (ConstVectors)from, error);
}

static bool momenta(pliant_sim *sim, void *to, Error *error) {
  return simulation_state(sim->session.simulation, NULL, to, error);
}

static bool rest_positions(pliant_sim *sim, void *to, Error *error) {
  (void)error;
  memcpy(to, sim->session.mesh.X, sizeof *sim->session.mesh.X * (size_t)sim->session.mesh.node_count);
  return true;
}

static bool masses(pliant_sim *sim, void *to, Error *error) {
  (void)error;
  simulation_masses(sim->session.simulation, to);
  return true;
}

static bool forces(pliant_sim *sim, void *to, Error *error) {
  return session_given_forces(&sim->session, to, error);
}
// Fails if recorded work sets the forces.
static bool can_put_forces(const pliant_sim *sim, Error *error) {
  return !sim->recorded.work.chain.last ||
         error_set(error,
                   "the work of pliant_record_force sets the forces; first delete it by a call without a function");
}
static bool put_forces(pliant_sim *sim, const double *from, Error *error) {
  return can_put_forces(sim, error) && session_give_forces(&sim->session, (ConstVectors)from, error);
}
static bool put_forces_there(pliant_sim *sim, const void *from, Precision precision, Error *error) {
  return can_put_forces(sim, error) && session_give_forces_there(&sim->session, from, precision, error);
}

static bool internal_forces(pliant_sim *sim, void *to, Error *error) {
  return simulation_internal_force(sim->session.simulation, to, error);
}

static bool reactions(pliant_sim *sim, void *to, Error *error) {
  Reactions r = { 0 };
  const Vectors sum = to;
  if (!simulation_reactions(sim->session.simulation, &r, error)) return false;
  for (int a = 0; a < sim->session.mesh.node_count; a++)
    for (int i = 0; i < 3; i++) sum[a][i] = r.force[a][i] + r.inertia[a][i];
  reactions_destroy(&r);
  return true;
}

static bool contact_forces(pliant_sim *sim, void *to, Error *error) {
  return contact_forces_on_nodes(sim->session.simulation, to, error);
}

static bool contact_pressures(pliant_sim *sim, void *to, Error *error) {
  return contact_pressure(sim->session.simulation, to, error);
}

static bool queue_von_mises(Simulation *simulation, float *to, Error *error) {
  return simulation_write_field(simulation, FIELD_VON_MISES, to, error);
}
static bool queue_principal(Simulation *simulation, float *to, Error *error) {
  return simulation_write_field(simulation, FIELD_PRINCIPAL, to, error);
}
static bool queue_J(Simulation *simulation, float *to, Error *error) {
  return simulation_write_field(simulation, FIELD_J, to, error);
}

static bool cells(pliant_sim *sim, void *to, Error *error) {
  const TetMesh *mesh = &sim->session.mesh;
  const int count = mesh_cell_nodes(mesh);
  int order[CELL_NODES_MAX];
  int32_t *next = to;
  (void)error;
  cell_shape_file_order(mesh_shape(mesh), CELL_FILE_VTK, order);
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < count; a++) *next++ = mesh_cell_node(mesh, e, order[a]);
  return true;
}

static bool surface(pliant_sim *sim, void *to, Error *error) {
  const Surface *s = &sim->session.surface;
  (void)error;
  memcpy(to, s->triangle, sizeof *s->triangle * (size_t)s->triangle_count);
  return true;
}

static bool bodies(pliant_sim *sim, void *to, Error *error) {
  int32_t *body = to;
  (void)error;
  for (int a = 0; a < sim->session.mesh.node_count; a++) body[a] = mesh_body(&sim->session.mesh, a);
  return true;
}

static bool held_axes(pliant_sim *sim, void *to, Error *error) {
  int32_t *axes = to;
  (void)error;
  for (int a = 0; a < sim->session.mesh.node_count; a++) {
    axes[a] = 0;
    for (int i = 0; i < 3; i++) axes[a] |= pin_holds(sim->session.pinned[a], i) ? 1 << i : 0;
  }
  return true;
}

static const Field fields[] = {
  { "positions", "m", "present positions", "node", 3, PLIANT_F64, .evaluate = positions, .queue = queue_positions,
    .put = put_positions },
  { "displacements", "m", "displacements: present positions minus rest positions", "node", 3, PLIANT_F64,
    .evaluate = displacements },
  { "velocities", "m/s", "velocities; 0 along held axes", "node", 3, PLIANT_F64, .evaluate = velocities,
    .queue = queue_velocities, .put = put_velocities },
  { "momenta", "kg m/s", "momenta of the nodes", "node", 3, PLIANT_F64, .evaluate = momenta },
  { "rest_positions", "m", "positions without deformation", "node", 3, PLIANT_F64, .evaluate = rest_positions },
  { "masses", "kg", "masses of the nodes (lumped)", "node", 1, PLIANT_F64, .evaluate = masses },
  { "forces", "N", "forces that pliant_put has set, in addition to those of the scene", "node", 3, PLIANT_F64,
    .evaluate = forces, .put = put_forces, .put_there = put_forces_there },
  { "internal_forces", "N", "forces of the material: gradient of the elastic energy", "node", 3, PLIANT_F64,
    .evaluate = internal_forces },
  { "reactions", "N", "forces that hold the pinned nodes", "node", 3, PLIANT_F64, .evaluate = reactions },
  { "contact_forces", "N", "forces of self-contact, including friction", "node", 3, PLIANT_F64,
    .evaluate = contact_forces },
  { "contact_pressure", "Pa", "normal pressure of self-contact", "node", 1, PLIANT_F64, .evaluate = contact_pressures },
  { "von_mises", "Pa", "von Mises stress, mean of the cells around a node", "node", 1, PLIANT_F32,
    .queue = queue_von_mises },
  { "principal", "Pa", "largest principal Cauchy stress, mean of the cells around a node", "node", 1, PLIANT_F32,
    .queue = queue_principal },
  { "J", "", "det F (deformed volume / volume at rest), mean of the cells around a node", "node", 1, PLIANT_F32,
    .queue = queue_J },
  { "cells", "", "node numbers of each cell, in VTK's order", "cell", COMPONENTS_OF_CELL, PLIANT_I32,
    .evaluate = cells },
  { "surface", "", "node numbers of each surface triangle, counterclockwise as seen from outside", "triangle", 3,
    PLIANT_I32, .evaluate = surface },
  { "body", "", "number of the node's body, counted from 0", "node", 1, PLIANT_I32, .evaluate = bodies },
  { "held_axes", "", "axes along which the node is held: the sum of 1 for x, 2 for y and 4 for z", "node", 1,
    PLIANT_I32, .evaluate = held_axes },
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };
_Static_assert((int)FIELD_COUNT <= (int)API_FIELDS_MAX, "each field needs a buffer");

int pliant_field_row(int index, pliant_field_info *info) {
  if (index < 0 || index >= FIELD_COUNT)
    return api_fail(PLIANT_BAD_ARGUMENT,
                    "row %d of the table of fields does not exist; the table has %d rows, counted from 0", index,
                    (int)FIELD_COUNT);
  const Field *row = &fields[index];
  const pliant_field_info made = {
    .name = row->name,
    .unit = row->unit,
    .help = row->help,
    .per = row->per,
    .components = row->components,
    .type = (int)row->type,
    .on_device = row->queue != NULL,
    .can_put = row->put != NULL,
  };
  return api_give_struct(info, &made, sizeof made);
}

// Returns the row of a field in the table of fields. If there is no such field, stores a message for pliant_error and
// returns NULL.
static const Field *find_field(const char *name) {
  Meant meant = meant_by(name);
  for (int k = 0; k < FIELD_COUNT; k++) {
    if (strcmp(fields[k].name, name) == 0) return &fields[k];
    meant_offer(&meant, fields[k].name);
  }
  char suggestion[96];
  api_fail(PLIANT_BAD_ARGUMENT, "there is no field \"%.60s\"%s; pliant_field_row lists all", name,
           meant_text(&meant, suggestion));
  return NULL;
}

// Writes the devices on which arrays of a sim can be stored, for messages, and returns `text`.
static const char *devices_of(const pliant_sim *sim, char text[80]) {
  const int device = pliant_sim_device(sim);
  if (device == PLIANT_HOST)
    snprintf(text, 80, "PLIANT_HOST (-1), since the sim is on the CPU");
  else
    snprintf(text, 80, "PLIANT_HOST (-1) or the sim's device (%d)", device);
  return text;
}

static size_t bytes_of(pliant_type type) {
  return type == PLIANT_F64 ? sizeof(double) : sizeof(float);
}

static void shape_of(const pliant_sim *sim, const Field *row, int64_t shape[2]) {
  const TetMesh *mesh = &sim->session.mesh;
  shape[0] = row->per[0] == 'n' ? mesh->node_count : row->per[0] == 'c' ? mesh->tet_count : 0;
  if (row->per[0] == 't') shape[0] = sim->session.surface.triangle_count;
  shape[1] = row->components == COMPONENTS_OF_CELL ? mesh_cell_nodes(mesh) : row->components;
}

// Makes `after` wait for all work that is queued in the stream `before` now. Both are streams of the sim's GPU.
static bool follow(pliant_sim *sim, Stream before, Stream after, Error *error) {
  if (!sim->given.handle && !event_create(DEVICE_CUDA, &sim->given, error)) return false;
  return event_record(&sim->given, before, error) && event_wait(after, &sim->given, error);
}

// Queues the computation of a field on the sim's device as floats in *buffer.
static bool queue_on_device(pliant_sim *sim, const Field *row, Buffer **buffer, Error *error) {
  const Device device = simulation_stream(sim->session.simulation).device;
  const size_t rows = (size_t)sim->session.mesh.node_count + FIELD_EXTRA;
  return api_reserve(sim, buffer, device, rows * (size_t)row->components * sizeof(float), error) &&
         row->queue(sim->session.simulation, (*buffer)->data, error);
}

// Computes a field on the sim's device as floats in *buffer, and waits for the result.
static bool fill_on_device(pliant_sim *sim, const Field *row, Buffer **buffer, Error *error) {
  return queue_on_device(sim, row, buffer, error) && stream_sync(simulation_stream(sim->session.simulation), error);
}

// Computes a field with shape[0] rows of shape[1] values, and stores it in the sim's buffer in host memory. A field
// without `evaluate` is computed on the sim's device, and copied to this buffer if the device is a GPU.
static bool fill_on_host(pliant_sim *sim, const Field *row, const int64_t shape[2], Error *error) {
  Buffer **host = &sim->host[row - fields];
  const size_t bytes = (size_t)(shape[0] * shape[1]) * bytes_of(row->type);
  const Stream stream = simulation_stream(sim->session.simulation);
  if (row->evaluate)
    return api_reserve(sim, host, DEVICE_CPU, bytes, error) && row->evaluate(sim, (*host)->data, error);
  if (stream.device == DEVICE_CPU) return fill_on_device(sim, row, host, error);
  Buffer **there = &sim->device[row - fields];
  if (!fill_on_device(sim, row, there, error)) return false;
  if (!api_reserve(sim, host, DEVICE_CPU, bytes, error)) return false;
  if (!device_download(stream, (*host)->data, (*there)->data, bytes, error)) return false;
  return stream_sync(stream, error);
}

int pliant_sim_device(const pliant_sim *sim) {
  if (!sim || simulation_stream(sim->session.simulation).device == DEVICE_CPU) return PLIANT_HOST;
  return simulation_settings(sim->session.simulation)->gpu;
}

int pliant_field(pliant_sim *sim, const char *name, int device, pliant_view *view) {
  API_SIM_CALL(sim);
  if (api_need(sim, "sim") || api_need(name, "name")) return PLIANT_BAD_ARGUMENT;
  const Field *row = find_field(name);
  if (!row) return PLIANT_BAD_ARGUMENT;
  const bool on_host = device == PLIANT_HOST;
  char devices[80];
  if (!on_host && device != pliant_sim_device(sim))
    return api_fail(PLIANT_BAD_ARGUMENT, "device is %d, expected %s", device, devices_of(sim, devices));
  if (!on_host && !row->queue)
    return api_fail(PLIANT_BAD_ARGUMENT, "field \"%s\" exists only on the host; pass PLIANT_HOST as device", name);
  pliant_view made = { .device = device, .generation = sim->generation };
  shape_of(sim, row, made.shape);
  made.type = on_host ? (int32_t)row->type : PLIANT_F32;
  Buffer **buffer = on_host ? &sim->host[row - fields] : &sim->device[row - fields];
  const bool ok = on_host ? fill_on_host(sim, row, made.shape, &error) : fill_on_device(sim, row, buffer, &error);
  if (!ok) return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
  made.data = (*buffer)->data;
  return api_give_struct(view, &made, sizeof made);
}

int pliant_field_on(pliant_sim *sim, const char *name, void *stream, pliant_view *view) {
  API_SIM_CALL(sim);
  if (api_need(sim, "sim") || api_need(name, "name")) return PLIANT_BAD_ARGUMENT;
  const Field *row = find_field(name);
  if (!row) return PLIANT_BAD_ARGUMENT;
  if (pliant_sim_device(sim) == PLIANT_HOST)
    return api_fail(PLIANT_BAD_ARGUMENT, "the sim is on the CPU, which has no streams; call pliant_field");
  if (!row->queue)
    return api_fail(PLIANT_BAD_ARGUMENT, "field \"%s\" exists only on the host; call pliant_field", name);
  const Stream own = simulation_stream(sim->session.simulation), caller = { DEVICE_CUDA, stream };
  Buffer **buffer = &sim->device[row - fields];
  pliant_view made = { .device = pliant_sim_device(sim), .type = PLIANT_F32, .generation = sim->generation };
  shape_of(sim, row, made.shape);
  if (!follow(sim, caller, own, &error) || !queue_on_device(sim, row, buffer, &error) ||
      !follow(sim, own, caller, &error))
    return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
  made.data = (*buffer)->data;
  made.stream = stream;
  return api_give_struct(view, &made, sizeof made);
}

// Arguments of copy_some, which copies a field of several sims to the caller's array `to`, for pliant_field_many. The
// field of sim k has `bytes` bytes and begins at to + k * bytes.
typedef struct ManyFields {
  pliant_sim *const *sims;
  const Field *row;
  char *to;
  size_t bytes;
} ManyFields;

static void copy_some(const void *context, int first, int last) {
  const ManyFields *many = context;
  NUMBERS_WITH_POINT_HERE;
  for (int k = first; k < last; k++) {
    pliant_sim *sim = many->sims[k];
    int64_t shape[2];
    shape_of(sim, many->row, shape);
    API_SIM_PART(sim);
    if ((size_t)(shape[0] * shape[1]) * bytes_of(many->row->type) != many->bytes) {
      sim->listed_status = PLIANT_BAD_ARGUMENT;
      error_set(&sim->listed_error, "field \"%s\" has the shape [%lld, %lld], but that of sim 0 has another shape",
                many->row->name, (long long)shape[0], (long long)shape[1]);
    } else if (!fill_on_host(sim, many->row, shape, &sim->listed_error)) {
      sim->listed_status = PLIANT_NO_MEMORY;
    } else {
      memcpy(many->to + many->bytes * (size_t)k, sim->host[many->row - fields]->data, many->bytes);
    }
  }
}

int pliant_field_many(pliant_sim *const *sims, int count, const char *name, void *values, size_t capacity) {
  API_ENTER;
  int64_t shape[2];
  if (count < 0) return api_fail(PLIANT_BAD_ARGUMENT, "count is %d, expected 0 or more", count);
  if (count == 0) return PLIANT_OK;
  if (api_need(sims, "sims") || api_need(name, "name") || api_need(values, "values")) return PLIANT_BAD_ARGUMENT;
  const int fault = api_begin_listed(sims, count);
  if (fault) return fault;
  const Field *row = find_field(name);
  if (!row) return PLIANT_BAD_ARGUMENT;
  shape_of(sims[0], row, shape);
  const ManyFields many = {
    .sims = sims, .row = row, .to = values, .bytes = (size_t)(shape[0] * shape[1]) * bytes_of(row->type)
  };
  if (capacity / (size_t)count < many.bytes)
    return api_fail(PLIANT_BAD_ARGUMENT, "capacity is %zu bytes, but field \"%s\" of %d sims needs %zu", capacity, name,
                    count, many.bytes * (size_t)count);
  parallel_for(count, 1, copy_some, &many);
  return api_end_listed(sims, count, NULL);
}

// Sets a field from an array on the sim's GPU, without a copy to the host.
static bool put_there(pliant_sim *sim, const Field *row, const pliant_view *view, void *stream, Error *error) {
  const Stream own = simulation_stream(sim->session.simulation), caller = { DEVICE_CUDA, stream };
  const Precision precision = view->type == PLIANT_F64 ? PRECISION_F64 : PRECISION_F32;
  return follow(sim, caller, own, error) && row->put_there(sim, view->data, precision, error) &&
         follow(sim, own, caller, error);
}

// Copies an array of `count` numbers of the caller, on the host or the sim's GPU, to `to`, as doubles.
static bool read_numbers(pliant_sim *sim, const pliant_view *view, void *stream, int64_t count, double *to,
                         Error *error) {
  const Stream own = simulation_stream(sim->session.simulation), caller = { DEVICE_CUDA, stream };
  const size_t bytes = (size_t)count * bytes_of((pliant_type)view->type);
  if (view->device == PLIANT_HOST)
    memcpy(to, view->data, bytes);
  else if (!follow(sim, caller, own, error) || !device_download(own, to, view->data, bytes, error) ||
           !stream_sync(own, error))
    return false;
  // convert floats in place, from the last to the first
  const float *single = (const float *)(const void *)to;
  for (int64_t k = count - 1; view->type == PLIANT_F32 && k >= 0; k--) to[k] = single[k];
  return true;
}

// Sets a field from an array on the host.
static bool put_numbers(pliant_sim *sim, const Field *row, const double *from, const int64_t shape[2], Error *error) {
  for (int64_t k = 0; k < shape[0] * shape[1]; k++)
    if (!isfinite(from[k]))
      return error_set(error, "field \"%s\": component %lld of row %lld (both counted from 0) is not finite", row->name,
                       (long long)(k % shape[1]), (long long)(k / shape[1]));
  return row->put(sim, from, error);
}

// Fails unless pliant_put can set the field from this array.
static int check_put(const pliant_sim *sim, const Field *row, const pliant_view *view) {
  int64_t shape[2];
  char devices[80];
  shape_of(sim, row, shape);
  if (!row->put) return api_fail(PLIANT_BAD_ARGUMENT, "field \"%s\" can be read, but not set", row->name);
  if (view->type != PLIANT_F64 && view->type != PLIANT_F32)
    return api_fail(PLIANT_BAD_ARGUMENT, "field \"%s\": the array has the type %d, expected PLIANT_F64 or PLIANT_F32",
                    row->name, view->type);
  if (view->device != PLIANT_HOST && view->device != pliant_sim_device(sim))
    return api_fail(PLIANT_BAD_ARGUMENT, "field \"%s\": the array is on device %d, expected %s", row->name,
                    view->device, devices_of(sim, devices));
  if (view->shape[0] != shape[0] || view->shape[1] != shape[1])
    return api_fail(PLIANT_BAD_ARGUMENT, "field \"%s\" has shape [%lld][%lld], but the array has [%lld][%lld]",
                    row->name, (long long)shape[0], (long long)shape[1], (long long)view->shape[0],
                    (long long)view->shape[1]);
  return PLIANT_OK;
}

int pliant_put(pliant_sim *sim, const char *name, const pliant_view *view) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(name, "name") || api_need(view, "view") || api_need(view->data, "view->data"))
    return PLIANT_BAD_ARGUMENT;
  const Field *row = find_field(name);
  if (!row || check_put(sim, row, view)) return PLIANT_BAD_ARGUMENT;

  // callers that were compiled with an older header have no member `stream`
  void *stream = view->size >= offsetof(pliant_view, stream) + sizeof view->stream ? view->stream : NULL;

  bool ok;
  if (view->device != PLIANT_HOST && row->put_there) {
    ok = put_there(sim, row, view, stream, &error);
  } else if (view->device == PLIANT_HOST && view->type == PLIANT_F64) {
    ok = put_numbers(sim, row, view->data, view->shape, &error);
  } else {
    const int64_t count = view->shape[0] * view->shape[1];
    double *copy = array_new(count, sizeof *copy, row->name, &error);
    if (!copy) return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
    ok = read_numbers(sim, view, stream, count, copy, &error) && put_numbers(sim, row, copy, view->shape, &error);
    free(copy);
  }

  if (ok) api_sim_changed(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

// Returns the sim's stored observable of this name, such as "position:17". Stores it first if it is new. Returns NULL
// with an error if no observable has this name.
static Asked *find_asked(pliant_sim *sim, const char *text, Error *error) {
  for (int64_t k = 0; k < sim->asked_count; k++)
    if (strcmp(sim->asked[k].text, text) == 0) return &sim->asked[k];
  const char *subject;
  Asked made = { 0 };
  if (strlen(text) >= sizeof made.text) {
    error_set(error, "%.60s...: the name of the observable is too long", text);
    return NULL;
  }
  memcpy(made.text, text, strlen(text) + 1);
  made.row = observable_find(made.text, &subject, error);
  if (!made.row) return NULL;
  if (made.row->subject && !observable_find_subject(made.row, &sim->session, subject, &made.subject, error))
    return NULL;
  if (!array_reserve((void **)&sim->asked, &sim->asked_capacity, sim->asked_count + 1, sizeof *sim->asked,
                     "observables", error))
    return NULL;
  sim->asked[sim->asked_count] = made;
  return &sim->asked[sim->asked_count++];
}

int pliant_observe(pliant_sim *sim, const char *const *names, int count, double *values, int capacity) {
  API_SIM_CALL(sim);
  if (api_need(sim, "sim") || api_need(names, "names") || api_need(values, "values")) return PLIANT_BAD_ARGUMENT;
  if (count < 0) return api_fail(PLIANT_BAD_ARGUMENT, "count is %d, expected 0 or more", count);
  Observed now;
  observed_begin(&now, &sim->session, sim->stepped ? &sim->report : NULL);
  bool ok = true;
  int used = 0;
  for (int k = 0; k < count && ok; k++) {
    Asked *asked = names[k] ? find_asked(sim, names[k], &error) : NULL;
    if (!names[k]) error_set(&error, "names[%d] is NULL", k);
    if (asked && used + asked->row->size > capacity)
      error_set(&error,
                "the array `values` is too small for the values of all names: its capacity is %d; give a larger array",
                capacity);
    double value[OBSERVABLE_SIZE_MAX];
    ok = asked && !error.message[0] && observe(&now, asked->row, &asked->subject, value, &error);
    if (!ok) break;
    memcpy(values + used, value, sizeof *value * (size_t)asked->row->size);
    used += asked->row->size;
  }
  observed_end(&now);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}
