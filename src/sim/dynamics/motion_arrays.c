// The functions of MotionArrays (motion.h), which create, read and write the arrays of a Motion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/dynamics/integrator.h"
#include "sim/dynamics/spin.h"
#include "sim/element/mass_matrix.h"
#include "sim/force/pressure_lists.h"

// An array of reals on the body's device: the address of its pointer, and its length.
typedef struct RealArray {
  real **at;
  int64_t count;
} RealArray;

enum { REAL_ARRAYS = 25 };

// Lists the arrays of reals that every Motion has, except Iterate.nodal, which may be the array Iterate.u_theta. Arrays
// for consistent masses, obstacles, pressures and self-contact are not listed.
static void list_arrays(Motion *m, RealArray list[REAL_ARRAYS]) {
  Body *b = &m->body;
  Forces *f = &m->forces;
  Iterate *it = &m->iterate;
  const int64_t nodes = b->node_count, n = b->n;
  const RealArray all[REAL_ARRAYS] = {
    { &b->X, n },
    { &b->u, n },
    { &b->p, n },
    { &b->mass, nodes },
    { &b->target, n },
    { &f->load, n },
    { &f->pull, n },
    { &f->spring, nodes },
    { &f->damper, nodes },
    { &f->anchor, 2 * nodes },
    { &f->contact, nodes },
    { &it->u1, n },
    { &it->trial, n },
    { &it->u_theta, n },
    { &it->internal, n },
    { &it->residual, n },
    { &it->du, n },
    { &it->diagonal, n },
    { &it->shift, n + 3 * nodes },
    { &it->u_backup, n },
    { &it->p_backup, n },
    { &it->u_before, n },
    { &it->p_before, n },
    { &it->back, n },
    { &it->anchor_backup, 2 * nodes },
  };
  memcpy(list, all, sizeof all);
}

// Rounds the doubles `from` [count] to reals, and copies these to `to` [count] on the device. On overflow it fails and
// copies nothing. Waits for the device.
static bool put_reals(const Motion *m, real *to, const double *from, int64_t count, Stream stream, Error *error) {
  WORK_ARRAYS_HERE(m->rounded);
  for (int64_t k = 0; k < count; k++)
    if (isfinite(from[k]) && !isfinite((real)from[k]))
      return error_set(error, "a value of the state is %g, outside the range of precision float; set precision double",
                       from[k]);
  const bool on_host = stream.device == DEVICE_CPU;
  real *rounded = on_host ? to : work_array(m->rounded, count, sizeof *rounded, "values", error);
  for (int64_t k = 0; rounded && k < count; k++) rounded[k] = (real)from[k];
  return on_host || (rounded && device_upload(stream, to, rounded, sizeof *rounded * (size_t)count, error) &&
                     stream_sync(stream, error));
}

// Copies the reals `from` [count] on the device to the doubles `to` [count] on the host. Waits for the device.
static bool get_reals(const Motion *m, double *to, const real *from, int64_t count, Stream stream, Error *error) {
  WORK_ARRAYS_HERE(m->rounded);
  real *copy = NULL;
  if (stream.device == DEVICE_CUDA) {
    copy = work_array(m->rounded, count, sizeof *copy, "values", error);
    if (!copy || !device_download(stream, copy, from, sizeof *copy * (size_t)count, error) ||
        !stream_sync(stream, error))
      return false;
  }
  for (int64_t k = 0; k < count; k++) to[k] = copy ? copy[k] : from[k];
  return true;
}

static bool create_arrays(Motion *m, bool nodal_positions, Error *error) {
  Body *b = &m->body;
  Iterate *it = &m->iterate;
  const Device device = b->device;
  RealArray list[REAL_ARRAYS];
  list_arrays(m, list);
  for (int k = 0; k < REAL_ARRAYS; k++)
    if (!interrupt_check(error) || !(*list[k].at = device_alloc(device, sizeof(real) * (size_t)list[k].count, error)))
      return false;
  it->nodal = nodal_positions ? device_alloc(device, sizeof(real) * (size_t)b->n, error) : it->u_theta;
  if (!it->nodal) return false;
  if (!(b->origin = device_alloc(device, 3 * sizeof *b->origin, error))) return false;
  if (!(b->held = device_alloc(device, (size_t)b->n, error))) return false;
  if (!(it->scratch = device_alloc(device, m->method->scratch_bytes(m), error))) return false;
  if (!(it->norms = device_alloc(device, sizeof *it->norms, error))) return false;
  if (!(it->norms_host = device_alloc_pinned(device, sizeof *it->norms_host, error))) return false;
  if (!(it->energy = device_alloc(device, sizeof *it->energy, error))) return false;
  it->energy_host = device_alloc_pinned(device, sizeof *it->energy_host, error);
  return it->energy_host;
}

static bool fill(Motion *m, const Space *space, const double *mass, const int *user_node, const void *supplemental,
                 Error *error) {
  Body *b = &m->body;
  Stream stream = { 0 };
  b->user_node = device_clone(b->device, user_node, sizeof *user_node * (size_t)b->node_count, error);
  b->diagonal_mass = b->mass;
  b->least_weight = 1;
  bool ok = b->user_node;
  ok = ok && element_cells_create(&m->cells, m->element, space, supplemental, error);
  ok = ok && interrupt_check(error);
  ok = ok && stream_create(b->device, &stream, error);
  ok = ok && put_reals(m, b->X, &space->X[0][0], b->n, stream, error);
  ok = ok && put_reals(m, b->mass, mass, b->node_count, stream, error);
  stream_destroy(&stream);
  return ok;
}

static void destroy_pressures(Pressures *p, Device device) {
  void *arrays[] = { p->row,    p->start, p->entry,   p->node,          p->table,
                     p->weight, p->value, p->tangent, p->antisymmetric, p->dot };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(device, arrays[k]);
  *p = (Pressures){ .changes = p->changes };
}

// Frees the arrays of given loads, which have one element for each node.
static void free_given(Motion *m) {
  Forces *f = &m->forces;
  device_free(m->body.device, f->base);
  device_free(m->body.device, f->given);
  f->base = f->given = NULL;
}

static void destroy(Motion *m) {
  if (!m) return;
  Body *b = &m->body;
  Iterate *it = &m->iterate;
  RealArray list[REAL_ARRAYS];
  list_arrays(m, list);
  if (it->nodal != it->u_theta) device_free(b->device, it->nodal);
  free_given(m);
  void *others[] = { b->diagonal_mass != b->mass ? b->diagonal_mass : NULL,
                     b->rows.start,
                     b->rows.neighbour,
                     b->rows.value,
                     b->rows.factor,
                     b->rows.moved,
                     b->rows.velocity,
                     b->rows.next,
                     b->rows.change,
                     b->rows.dot,
                     b->origin,
                     b->held,
                     b->user_node,
                     it->scratch,
                     it->norms,
                     it->energy,
                     m->forces.obstacle,
                     m->forces.obstacle_anchor,
                     it->obstacle_anchor_backup,
                     it->contact_force,
                     it->contact_energy,
                     it->between,
                     m->split_list,
                     m->split_values };
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) device_free(b->device, others[k]);
  destroy_pressures(&m->forces.pressure, b->device);
  for (int k = 0; k < REAL_ARRAYS; k++) device_free(b->device, *list[k].at);
  device_free_pinned(b->device, it->norms_host);
  device_free_pinned(b->device, it->energy_host);
  element_cells_destroy(&m->cells, m->element);
  element_cells_destroy(&m->spare, m->element);
  REAL_NAME(spin_forget_pieces)(m);
  if (m->rounded) work_arrays_destroy(m->rounded);
  free(m->rounded);
  free(m);
}

static Motion *create(const ElementRow *element, const Space *space, const double *mass, const int *user_node,
                      bool nodal_positions, const void *supplemental, Error *error) {
  const Device device = element->stage.device;
  Motion *m = array_new(1, sizeof *m, "body", error);
  if (!m) return NULL;
  m->method = (const MotionMethod *)stage_find(STAGE_BODY, NULL, device, REAL_PRECISION, NULL);
  m->element = element;
  m->cells.count = space->cell_count;
  m->body.device = device;
  m->body.node_count = space->node_count;
  m->body.n = 3 * space->node_count;
  m->halo = space->halo;
  m->rounded = array_new(1, sizeof *m->rounded, "body", error);
  if (m->rounded && create_arrays(m, nodal_positions, error) && fill(m, space, mass, user_node, supplemental, error))
    return m;
  destroy(m);
  return NULL;
}

static int zero_at_rest(const Motion *m, MemoryRange ranges[MOTION_RANGES_MAX]) {
  const size_t bytes = sizeof(real) * (size_t)m->body.n;
  int count = 0;
  ranges[count++] = (MemoryRange){ m->body.u, bytes };
  ranges[count++] = (MemoryRange){ m->iterate.u1, bytes };
  ranges[count++] = (MemoryRange){ m->body.p, bytes };
  ranges[count++] = (MemoryRange){ m->body.origin, 3 * sizeof *m->body.origin };
  ranges[count++] = (MemoryRange){ m->forces.anchor, 2 * sizeof(real) * (size_t)m->body.node_count };
  if (m->forces.obstacle_count > 0)
    ranges[count++] = (MemoryRange){ m->forces.obstacle_anchor, bytes * (size_t)m->forces.obstacle_count };
  return count;
}

// Returns the array that stores a vector of the body, and its length *count. Returns NULL for MOTION_ORIGIN, whose
// array has doubles.
static real *vector_of(const Motion *m, MotionVector vector, int64_t *count) {
  const int64_t nodes = m->body.node_count, n = m->body.n;
  real *const at[MOTION_VECTORS] = {
    [MOTION_U] = m->body.u,
    [MOTION_P] = m->body.p,
    [MOTION_ANCHOR] = m->forces.anchor,
    [MOTION_OBSTACLE_ANCHOR] = m->forces.obstacle_anchor,
    [MOTION_U_BEFORE] = m->iterate.u_before,
    [MOTION_P_BEFORE] = m->iterate.p_before,
    [MOTION_MASS] = m->body.mass,
    [MOTION_CONTACT] = m->forces.contact,
    [MOTION_LOAD] = m->forces.has_given ? m->forces.base : m->forces.load,
    [MOTION_GIVEN] = m->forces.given,
    [MOTION_ITERATE] = m->iterate.u1,
    [MOTION_INTERNAL] = m->iterate.internal,
    [MOTION_EXTERNAL] = m->iterate.residual,
    [MOTION_U_START] = m->iterate.u_backup,
    [MOTION_P_START] = m->iterate.p_backup,
  };
  *count = vector == MOTION_MASS || vector == MOTION_CONTACT ? nodes
           : vector == MOTION_ANCHOR                         ? 2 * nodes
           : vector == MOTION_OBSTACLE_ANCHOR                ? n * m->forces.obstacle_count
                                                             : n;
  return at[vector];
}

static bool read(const Motion *m, MotionVector vector, double *to, Stream stream, Error *error) {
  int64_t count;
  const real *from = vector_of(m, vector, &count);
  if (vector == MOTION_ORIGIN)
    return device_download(stream, to, m->body.origin, 3 * sizeof *to, error) && stream_sync(stream, error);
  return get_reals(m, to, from, count, stream, error);
}

static bool write(Motion *m, MotionVector vector, const double *from, Stream stream, Error *error) {
  int64_t count;
  real *to = vector_of(m, vector, &count);
  if (vector == MOTION_ORIGIN)
    return device_upload(stream, m->body.origin, from, 3 * sizeof *from, error) && stream_sync(stream, error);
  return put_reals(m, to, from, count, stream, error) && (vector != MOTION_LOAD || !m->forces.has_given ||
                                                          m->method->give_load(m, NULL, REAL_PRECISION, stream, error));
}

static bool give_load(Motion *m, const void *values, Precision precision, Stream stream, Error *error) {
  Forces *f = &m->forces;
  const size_t bytes = sizeof(real) * (size_t)m->body.n;
  if (!values) {
    const bool had = f->has_given;
    f->has_given = false;
    return !had || device_copy(stream, f->load, f->base, bytes, error);
  }
  if (!f->base && !(f->base = device_alloc(stream.device, bytes, error))) return false;
  if (!f->given && !(f->given = device_alloc(stream.device, bytes, error))) return false;
  f->has_given = (f->has_given || device_copy(stream, f->base, f->load, bytes, error)) &&
                 m->method->give_load(m, values, precision, stream, error);
  return f->has_given;
}

static bool has_given(const Motion *m) {
  return m->forces.has_given;
}

static bool displacements(const Motion *m, double (*u)[3], Stream stream, Error *error) {
  double origin[3];
  if (!read(m, MOTION_U, &u[0][0], stream, error) || !read(m, MOTION_ORIGIN, origin, stream, error)) return false;
  for (int i = 0; i < m->body.n; i++) u[i / 3][i % 3] += origin[i % 3];
  return true;
}

static bool set_displacements(Motion *m, const double (*u)[3], Stream stream, Error *error) {
  return device_zero(stream, m->body.origin, 3 * sizeof *m->body.origin, error) &&
         write(m, MOTION_U, &u[0][0], stream, error) && m->method->reset_anchors(m, stream, error);
}

static bool velocities(const Motion *m, double (*v)[3], Stream stream, Error *error) {
  const Body *b = &m->body;
  if (b->rows.value) return get_reals(m, &v[0][0], b->rows.velocity, b->n, stream, error);
  WORK_ARRAYS_HERE(m->rounded);
  double *mass = work_array(m->rounded, b->node_count, sizeof *mass, "masses", error);
  const bool ok = mass && get_reals(m, mass, b->mass, b->node_count, stream, error) &&
                  get_reals(m, &v[0][0], b->p, b->n, stream, error);
  for (int i = 0; ok && i < b->n; i++) v[i / 3][i % 3] /= mass[i / 3];
  return ok;
}

static bool held_unknowns(const Motion *m, uint8_t *held, Stream stream, Error *error) {
  return device_download(stream, held, m->body.held, (size_t)m->body.n, error) && stream_sync(stream, error);
}

// Allocates the arrays of the consistent mass matrix unless they exist.
static bool make_rows(Body *b, const Space *space, Error *error) {
  MassRows *rows = &b->rows;
  const int64_t pairs = space_pairs(space);
  const size_t vector = sizeof(real) * (size_t)b->n, nodes = (size_t)b->node_count;
  if (rows->value) return true;
  if (!(b->diagonal_mass = device_alloc(b->device, sizeof(real) * nodes, error))) return false;
  if (!(rows->start = device_clone(b->device, space->graph.start, sizeof *rows->start * (nodes + 1), error)))
    return false;
  if (!(rows->neighbour =
            device_clone(b->device, space->graph.neighbour, sizeof *rows->neighbour * (size_t)pairs, error)))
    return false;
  if (!(rows->factor = device_alloc(b->device, sizeof(real), error))) return false;
  if (!(rows->moved = device_alloc(b->device, vector, error))) return false;
  if (!(rows->velocity = device_alloc(b->device, vector, error))) return false;
  if (!(rows->next = device_alloc(b->device, vector, error))) return false;
  if (!(rows->change = device_alloc(b->device, vector, error))) return false;
  if (b->device == DEVICE_CPU && !(rows->dot = device_alloc(b->device, sizeof *rows->dot * nodes, error))) return false;
  rows->value = device_alloc(b->device, sizeof(real) * (size_t)pairs, error);
  return rows->value;
}

static bool set_mass_matrix(Motion *m, const Space *space, const MassMatrix *masses, Stream stream, Error *error) {
  Body *b = &m->body;
  b->rows.low = (real)masses->low;
  b->rows.high = (real)masses->high;
  return make_rows(b, space, error) && put_reals(m, b->diagonal_mass, masses->diagonal, b->node_count, stream, error) &&
         put_reals(m, b->rows.value, masses->couple, space_pairs(space), stream, error);
}

static void set_floor(Motion *m, const Floor *floor) {
  m->forces.floor = *floor;
}

// Allocates the arrays of contact forces and energies unless they exist.
static bool make_contact_arrays(Motion *m, Error *error) {
  Iterate *it = &m->iterate;
  const Device device = m->body.device;
  return (it->contact_force || (it->contact_force = device_alloc(device, sizeof(real) * (size_t)m->body.n, error))) &&
         (it->contact_energy ||
          (it->contact_energy = device_alloc(device, sizeof(real) * (size_t)m->body.node_count, error)));
}

static bool set_obstacles(Motion *m, const Obstacle *obstacles, int count, Error *error) {
  Forces *f = &m->forces;
  const size_t anchors = sizeof(real) * (size_t)m->body.n * (size_t)count;
  if (count == 0) return true;
  if (!(f->obstacle = device_clone(m->body.device, obstacles, sizeof *obstacles * (size_t)count, error))) return false;
  if (!(f->obstacle_anchor = device_alloc(m->body.device, anchors, error))) return false;
  if (!(m->iterate.obstacle_anchor_backup = device_alloc(m->body.device, anchors, error))) return false;
  if (!make_contact_arrays(m, error)) return false;
  f->obstacle_count = count;
  return true;
}

static bool move_obstacles(Motion *m, const Obstacle *obstacles, Stream stream, Error *error) {
  const size_t bytes = sizeof *obstacles * (size_t)m->forces.obstacle_count;
  return device_upload(stream, m->forces.obstacle, obstacles, bytes, error) && stream_sync(stream, error);
}

static bool fill_pressures(Motion *m, Pressures *made, const PressureLists *list, const PressureLoad *load,
                           const int *node, Error *error) {
  const Device device = m->body.device;
  const size_t faces = (size_t)load->faces->count, nodes = (size_t)load->faces->nodes, entries = faces * nodes;
  const size_t weights = (size_t)list->table_count * nodes * (nodes * (nodes - 1) / 2);
  const size_t blocks = sizeof(real) * 3 * nodes * entries, dots = sizeof(double) * (size_t)list->row_count;
  made->count = load->faces->count;
  made->nodes = load->faces->nodes;
  made->row_count = list->row_count;
  if (!(made->row = device_clone(device, list->row, sizeof(int) * (size_t)list->row_count, error))) return false;
  if (!(made->start = device_clone(device, list->start, sizeof(int) * ((size_t)m->body.node_count + 1), error)))
    return false;
  if (!(made->entry = device_clone(device, list->entry, sizeof(int) * entries, error))) return false;
  if (!(made->node = device_clone(device, node, sizeof(int) * entries, error))) return false;
  if (!(made->table = device_clone(device, list->table, sizeof(int) * faces, error))) return false;
  if (!(made->weight = device_clone(device, list->weight, sizeof(double) * weights, error))) return false;
  if (!(made->value = device_clone(device, load->value, sizeof(double) * faces, error))) return false;
  if (!(made->tangent = device_alloc(device, blocks, error))) return false;
  return device != DEVICE_CPU || ((made->antisymmetric = device_alloc(device, blocks, error)) &&
                                  (made->dot = device_alloc(device, dots, error)));
}

static bool set_pressure(Motion *m, const PressureLoad *load, const int *node, Stream stream, Error *error) {
  Pressures *p = &m->forces.pressure, made = { .changes = p->changes + 1 };
  Iterate *it = &m->iterate;
  const size_t nodes = (size_t)m->body.node_count;
  bool ok = make_contact_arrays(m, error) && stream_sync(stream, error);
  if (ok && load && load->faces->count > 0) {
    PressureLists list;
    ok = pressure_lists_create(&list, load, node, (int)nodes, error) &&
         fill_pressures(m, &made, &list, load, node, error);
    pressure_lists_destroy(&list);
  }

  if (!ok) {
    destroy_pressures(&made, m->body.device);
    return false;
  }
  destroy_pressures(p, m->body.device);
  *p = made;

  // If no other force uses these arrays, free them: a cut would not enlarge them. Otherwise set the forces of the
  // former pressures to 0.
  if (made.count == 0 && m->forces.obstacle_count == 0 && !m->forces.self) {
    device_free(m->body.device, it->contact_force);
    device_free(m->body.device, it->contact_energy);
    it->contact_force = it->contact_energy = NULL;
    return true;
  }

  return device_zero(stream, it->contact_force, sizeof(real) * 3 * nodes, error) &&
         device_zero(stream, it->contact_energy, sizeof(real) * nodes, error) && stream_sync(stream, error);
}

static bool change_pressure(Motion *m, const double *value, Stream stream, Error *error) {
  const Pressures *p = &m->forces.pressure;
  return device_upload(stream, p->value, value, sizeof *value * (size_t)p->count, error) && stream_sync(stream, error);
}

static bool set_self_contact(Motion *m, struct Contact *contact, Error *error) {
  m->forces.self = contact;
  return make_contact_arrays(m, error) &&
         (m->iterate.between = device_alloc(m->body.device, sizeof(real) * (size_t)m->body.n, error));
}

// The functions below change the arrays of a body that is cut or torn.

// Enlarges m->split_list and m->split_values, the buffers on a GPU for the lists that describe a cut (MotionRows).
static bool reserve_lists(Motion *m, const SpaceSplit *split, Error *error) {
  const int64_t corners = (int64_t)split->changed_count * m->element->nodes;
  const int64_t maximum = split->row_count > corners ? split->row_count : corners;
  const int64_t kept = split->node_count > split->cells_left ? split->node_count : split->cells_left;
  const int64_t list = split->removed_count > 0 && kept > 2 * maximum ? kept : 2 * maximum;
  const int64_t values = (int64_t)SPLIT_VALUES * split->row_count;
  if (corners > INT32_MAX)
    return error_set(error, "the cut changes cells with %lld corners, too many for 32-bit indices; make a smaller cut",
                     (long long)corners);
  if (m->body.device == DEVICE_CPU) return true;
  if (list > m->split_list_capacity) {
    if (!device_grow(m->body.device, &m->split_list, 0, sizeof *m->split_list * (size_t)list, error)) return false;
    m->split_list_capacity = list;
  }
  if (values > m->split_values_capacity) {
    if (!device_grow(m->body.device, &m->split_values, 0, sizeof *m->split_values * (size_t)values, error))
      return false;
    m->split_values_capacity = values;
  }
  return true;
}

// Enlarges the arrays of contact forces and of friction anchors on obstacles (positions at which nodes stick) from
// `before` to `now` nodes. Does nothing without obstacles.
static bool reserve_obstacles(Motion *m, size_t before, size_t now, Error *error) {
  Forces *f = &m->forces;
  Iterate *it = &m->iterate;
  const Device device = m->body.device;
  const size_t node = 3 * sizeof(real), all = node * (size_t)f->obstacle_count;
  if (f->obstacle_count == 0) return true;
  if (!device_grow(device, &f->obstacle_anchor, all * before, all * now, error)) return false;
  if (!device_grow(device, &it->obstacle_anchor_backup, all * before, all * now, error)) return false;
  if (!device_grow(device, &it->contact_force, node * before, node * now, error)) return false;
  return device_grow(device, &it->contact_energy, sizeof(real) * before, sizeof(real) * now, error);
}

// Allocates m->spare, the second array of cells, if cells are removed and m->spare does not exist yet.
static bool reserve_cells(Motion *m, const SpaceSplit *split, Error *error) {
  const size_t count = (size_t)m->cells.count;
  const Device device = m->body.device;
  if (split->removed_count == 0 || m->spare.cell) return true;
  m->spare.cell = device_alloc(device, sizeof *m->spare.cell * (size_t)m->element->nodes * count, error);
  m->spare.owned = device_alloc(device, sizeof(real) * (size_t)m->element->supplemental * count, error);
  if (m->spare.cell && m->spare.owned) return true;
  element_cells_destroy(&m->spare, m->element);
  return false;
}

static bool reserve(Motion *m, const SpaceSplit *split, Error *error) {
  Body *b = &m->body;
  Iterate *it = &m->iterate;
  const Device device = b->device;
  const size_t before = (size_t)split->node_before, now = (size_t)split->node_capacity;
  const bool separate_nodal = it->nodal != it->u_theta, lumped = b->diagonal_mass == b->mass;
  Motion was = *m, then = *m;
  was.body.node_count = split->node_before;
  was.body.n = 3 * split->node_before;
  then.body.node_count = split->node_capacity;
  then.body.n = 3 * split->node_capacity;
  RealArray list[REAL_ARRAYS];
  list_arrays(m, list);
  bool ok = true;
  for (int k = 0; ok && k < REAL_ARRAYS; k++) {
    const size_t each = sizeof(real) * (size_t)(list[k].count / b->node_count);
    ok = device_grow(device, list[k].at, each * before, each * now, error);
  }
  if (!separate_nodal) it->nodal = it->u_theta;
  if (lumped) b->diagonal_mass = b->mass;
  if (!ok) return false;
  if (!reserve_lists(m, split, error)) return false;
  if (!reserve_obstacles(m, before, now, error)) return false;
  if (!reserve_cells(m, split, error)) return false;
  if (separate_nodal && !device_grow(device, &it->nodal, 3 * sizeof(real) * before, 3 * sizeof(real) * now, error))
    return false;
  if (!device_grow(device, &b->held, 3 * before, 3 * now, error)) return false;
  if (!device_grow(device, &b->user_node, sizeof *b->user_node * before, sizeof *b->user_node * now, error))
    return false;
  return device_grow(device, &it->scratch, m->method->scratch_bytes(&was), m->method->scratch_bytes(&then), error);
}

// Returns the address of a list in the memory of the body's device. On the CPU, this is the list itself. On a GPU, the
// function copies the list to `buffer` and returns this address.
static const void *on_device(const Motion *m, void *buffer, const void *list, size_t bytes, Stream stream,
                             Error *error) {
  if (m->body.device == DEVICE_CPU) return list;
  return device_upload(stream, buffer, list, bytes, error) ? buffer : NULL;
}

// Moves the friction anchors on obstacles (positions at which nodes stick) from an array [obstacle_count][old_count][3]
// to an array [obstacle_count][node_count][3]. The new array is the memory for the backup of the anchors, which is not
// in use between steps. Then swaps the pointers to the two arrays.
static bool move_anchors(Motion *m, size_t old_count, size_t node_count, Stream stream, Error *error) {
  Forces *f = &m->forces;
  real *from = f->obstacle_anchor, *to = m->iterate.obstacle_anchor_backup;
  for (size_t k = 0; k < (size_t)f->obstacle_count; k++)
    if (!device_copy(stream, to + 3 * node_count * k, from + 3 * old_count * k, 3 * sizeof *to * old_count, error))
      return false;
  if (f->obstacle_count > 0) {
    f->obstacle_anchor = to;
    m->iterate.obstacle_anchor_backup = from;
  }
  return true;
}

// Removes nodes from `array`, which has `item` bytes per node: keeps only the nodes listed in left [count], in this
// order. Iterate.residual, which is not in use between steps, is the work array.
static bool keep_nodes(Motion *m, void *array, size_t item, const int *left, int count, Stream stream, Error *error) {
  void *gathered = m->iterate.residual;
  return m->method->gather(gathered, array, item, left, count, stream, error) &&
         device_copy(stream, array, gathered, item * (size_t)count, error);
}

static bool keep_all_nodes(Motion *m, const MotionRows *rows, Stream stream, Error *error) {
  const SpaceSplit *s = rows->split;
  Body *b = &m->body;
  Forces *f = &m->forces;
  Iterate *it = &m->iterate;
  const int *left = on_device(m, m->split_list, s->left, sizeof *s->left * (size_t)s->left_count, stream, error);
  const struct {
    void *array;
    size_t item;
  } kept[] = { { b->X, 3 * sizeof(real) },         { b->u, 3 * sizeof(real) },      { b->p, 3 * sizeof(real) },
               { f->load, 3 * sizeof(real) },      { it->u1, 3 * sizeof(real) },    { it->u_before, 3 * sizeof(real) },
               { it->p_before, 3 * sizeof(real) }, { f->anchor, 2 * sizeof(real) }, { b->mass, sizeof(real) },
               { f->contact, sizeof(real) },       { b->held, 3 * sizeof *b->held } };
  bool ok = left;
  for (size_t k = 0; ok && k < sizeof kept / sizeof *kept; k++)
    ok = keep_nodes(m, kept[k].array, kept[k].item, left, s->left_count, stream, error);
  for (size_t k = 0; ok && k < (size_t)f->obstacle_count; k++) {
    real *from = f->obstacle_anchor + 3 * (size_t)s->node_count * k, *gathered = it->residual;
    ok = m->method->gather(gathered, from, 3 * sizeof *gathered, left, s->left_count, stream, error) &&
         device_copy(stream, f->obstacle_anchor + 3 * (size_t)s->left_count * k, gathered,
                     3 * sizeof *gathered * (size_t)s->left_count, error);
  }

  b->node_count = s->left_count;
  b->n = 3 * s->left_count;
  return ok &&
         device_upload(stream, b->user_node, rows->user_node, sizeof *b->user_node * (size_t)s->left_count, error);
}

// After cells of the mesh were removed: deletes the data of removed nodes and cells from all arrays, and renumbers
// nodes.
static bool keep_left(Motion *m, const MotionRows *rows, Stream stream, Error *error) {
  const SpaceSplit *s = rows->split;
  const int nodes = m->element->nodes, *list;
  const size_t S = sizeof(real) * (size_t)m->element->supplemental, count = (size_t)s->cells_left;
  ElementCells now = m->spare;
  if (s->removed_count == 0) return true;
  if (!(list = on_device(m, m->split_list, s->cell_left, sizeof *s->cell_left * count, stream, error)) ||
      !m->method->gather(now.cell, m->cells.cell, sizeof *now.cell * (size_t)nodes, list, s->cells_left, stream,
                         error) ||
      !m->method->gather(now.owned, m->cells.owned, S, list, s->cells_left, stream, error))
    return false;
  now.supplemental = now.owned;
  m->spare = m->cells;
  m->cells = now;
  m->cells.count = s->cells_left;
  if (s->left_count == s->node_count)
    return device_upload(stream, m->body.user_node, rows->user_node, sizeof(int) * (size_t)s->left_count, error);
  return (list = on_device(m, m->split_list, s->renamed, sizeof *s->renamed * (size_t)s->node_count, stream, error)) &&
         m->method->rename(m->cells.cell, (int64_t)nodes * s->cells_left, list, stream, error) &&
         keep_all_nodes(m, rows, stream, error);
}

static bool split_body(Motion *m, const MotionRows *rows, Stream stream, Error *error) {
  const SpaceSplit *s = rows->split;
  const Forces *f = &m->forces;
  const size_t now = sizeof(real) * (size_t)s->node_count;
  const int corners = s->changed_count * m->element->nodes;
  int first_copy = s->row_count;
  while (first_copy > 0 && s->row[first_copy - 1] >= s->old_count) first_copy--;
  REAL_NAME(spin_forget_pieces)(m);
  if (!give_load(m, NULL, REAL_PRECISION, stream, error)) return false;
  free_given(m);
  const void *node = on_device(m, m->split_list, rows->node, sizeof *rows->node * (size_t)s->row_count, stream, error);
  const void *value =
      on_device(m, m->split_values, rows->value, sizeof *rows->value * (size_t)s->row_count, stream, error);
  m->body.node_count = s->node_count;
  m->body.n = 3 * s->node_count;
  if (!node || !value || !move_anchors(m, (size_t)s->old_count, (size_t)s->node_count, stream, error) ||
      !m->method->split(m, node, value, s->row_count, first_copy, stream, error))
    return false;
  const void *corner = on_device(m, m->split_list, rows->corner, sizeof *rows->corner * (size_t)corners, stream, error);
  if (!corner) return false;
  if (m->method->change_cells && !m->method->change_cells(m, corner, corners, stream, error)) return false;
  if (!device_zero(stream, f->spring, now, error)) return false;
  if (!device_zero(stream, f->damper, now, error)) return false;
  if (!device_zero(stream, f->pull, 3 * now, error)) return false;
  return keep_left(m, rows, stream, error);
}

const MotionArrays REAL_NAME(motion_arrays) = {
  .create = create,
  .destroy = destroy,
  .zero_at_rest = zero_at_rest,
  .read = read,
  .write = write,
  .displacements = displacements,
  .set_displacements = set_displacements,
  .velocities = velocities,
  .held = held_unknowns,
  .set_mass_matrix = set_mass_matrix,
  .give_load = give_load,
  .has_given = has_given,
  .set_floor = set_floor,
  .set_obstacles = set_obstacles,
  .move_obstacles = move_obstacles,
  .set_pressure = set_pressure,
  .change_pressure = change_pressure,
  .set_self_contact = set_self_contact,
  .reserve = reserve,
  .split = split_body,
};
