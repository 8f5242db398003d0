// A body's state: see body.h.
#include "sim/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/range.h"

// [count] doubles as reals on the device, into `to`. Waits.
static bool put_reals(const Body *body, void *to, const double *from, int64_t count, Stream stream, Error *error) {
  if (body->midpoint.precision == PRECISION_F64)
    return device_upload(stream, to, from, sizeof(double) * (size_t)count, error) && stream_sync(stream, error);
  float *rounded = array_new(count, sizeof *rounded, "values", error);
  if (!rounded) return false;
  bool ok = true;
  for (int64_t k = 0; k < count; k++) {
    rounded[k] = (float)from[k];
    if (isfinite(from[k]) && !isfinite(rounded[k]))
      ok = error_set(error, "%g is beyond what precision float has room for", from[k]);
  }
  ok = ok && device_upload(stream, to, rounded, sizeof(float) * (size_t)count, error) && stream_sync(stream, error);
  free(rounded);
  return ok;
}

// [count] reals of the device as doubles. Waits.
static bool get_reals(const Body *body, double *to, const void *from, int64_t count, Stream stream, Error *error) {
  if (body->midpoint.precision == PRECISION_F64)
    return device_download(stream, to, from, sizeof(double) * (size_t)count, error) && stream_sync(stream, error);
  float *rounded = array_new(count, sizeof *rounded, "values", error);
  if (!rounded) return false;
  const bool ok =
      device_download(stream, rounded, from, sizeof(float) * (size_t)count, error) && stream_sync(stream, error);
  for (int64_t k = 0; ok && k < count; k++) to[k] = rounded[k];
  free(rounded);
  return ok;
}

static bool create_vectors(Body *body, bool nodal_positions, Error *error) {
  Midpoint *m = &body->midpoint;
  const size_t real_size = precision_size(m->precision);
  void **vectors[] = { &m->X,      &m->u0,    &m->p0,       &m->u1,          &m->trial,
                       &m->middle, &m->F,     &m->residual, &m->du,          &m->load,
                       &m->pull,   &m->diagonal, &body->u_backup, &body->p_backup, &body->u_before, &body->p_before };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!interrupt_check(error) || !(*vectors[k] = device_alloc(m->device, real_size * (size_t)m->n, error)))
      return false;
  m->nodal = nodal_positions ? device_alloc(m->device, real_size * (size_t)m->n, error) : m->middle;
  m->spring = device_alloc(m->device, real_size * (size_t)m->node_count, error);
  m->damper = device_alloc(m->device, real_size * (size_t)m->node_count, error);
  m->mass = device_alloc(m->device, real_size * (size_t)m->node_count, error);
  m->contact = device_alloc(m->device, real_size * (size_t)m->node_count, error);
  m->shift = device_alloc(m->device, real_size * (size_t)(m->n + m->node_count), error);
  m->anchor = device_alloc(m->device, real_size * 2 * (size_t)m->node_count, error);
  body->anchor_backup = device_alloc(m->device, real_size * 2 * (size_t)m->node_count, error);
  m->scratch = device_alloc(m->device, body->operations->scratch_bytes(m), error);
  m->origin = device_alloc(m->device, 3 * sizeof *m->origin, error);
  m->sums = device_alloc(m->device, sizeof *m->sums, error);
  m->sums_host = device_alloc_pinned(m->device, sizeof *m->sums_host, error);
  m->energy = device_alloc(m->device, ENERGY_SUMS * sizeof *m->energy, error);
  m->energy_host = device_alloc_pinned(m->device, ENERGY_SUMS * sizeof *m->energy_host, error);
  return m->nodal && m->spring && m->damper && m->mass && m->contact && m->origin && m->shift && m->anchor &&
         body->anchor_backup &&
         m->scratch && m->sums && m->sums_host && m->energy && m->energy_host;
}

static bool fill(Body *body, const TetMesh *mesh, const double *mass, const int *user_node, Stream stream,
                 Error *error) {
  Midpoint *m = &body->midpoint;
  size_t bytes = 0;
  void *S = body->operations->supplemental(mesh, &bytes, error);
  bool ok = S && interrupt_check(error);
  if (ok) m->fixed = device_alloc(m->device, (size_t)m->n, error);
  if (ok) m->supplemental = device_clone(m->device, S, bytes, error);
  if (ok) m->tet = device_clone(m->device, mesh->tet, sizeof *mesh->tet * (size_t)mesh->tet_count, error);
  if (ok) m->user_node = device_clone(m->device, user_node, sizeof *user_node * (size_t)m->node_count, error);
  ok = ok && m->fixed && m->supplemental && m->tet && m->user_node &&
       put_reals(body, m->X, &mesh->X[0][0], m->n, stream, error) &&
       put_reals(body, m->mass, mass, m->node_count, stream, error);
  if (ok && mesh->stiffness) {
    m->stiffness = device_alloc(m->device, precision_size(m->precision) * (size_t)m->tet_count, error);
    ok = m->stiffness && put_reals(body, m->stiffness, mesh->stiffness, m->tet_count, stream, error);
  }
  free(S);
  return ok;
}

bool body_create(Body *body, Device device, Precision precision, const TetMesh *mesh, const double *mass,
                 const int *user_node, bool nodal_positions, Error *error) {
  *body = (Body){ .midpoint = { .device = device,
                                .precision = precision,
                                .node_count = mesh->node_count,
                                .tet_count = mesh->tet_count,
                                .n = 3 * mesh->node_count } };
  for (int k = 0; midpoint_operations[k]; k++)
    if (midpoint_operations[k]->device == device && midpoint_operations[k]->precision == precision)
      body->operations = midpoint_operations[k];
  Stream stream = { 0 };
  bool ok = stream_create(device, &stream, error) && create_vectors(body, nodal_positions, error) &&
            fill(body, mesh, mass, user_node, stream, error);
  stream_destroy(&stream);
  if (!ok) body_destroy(body);
  return ok;
}

void body_destroy(Body *body) {
  Midpoint *m = &body->midpoint;
  if (m->nodal != m->middle) device_free(m->device, m->nodal);
  void *arrays[] = { m->X,         m->u0,       m->p0,          m->u1,          m->trial,        m->middle,
                     m->F,         m->residual, m->du,          m->load,        m->pull,         m->spring,
                     m->damper,    m->mass,     m->fixed,       m->tet,         m->supplemental, m->scratch,
                     m->sums,      m->energy,   body->u_backup, body->p_backup, m->shift,        m->diagonal,
                     m->user_node, m->contact,  m->stiffness,   m->anchor,  m->origin,      body->anchor_backup,
                     body->u_before, body->p_before };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(m->device, arrays[k]);
  device_free_pinned(m->device, m->sums_host);
  device_free_pinned(m->device, m->energy_host);
  *body = (Body){ 0 };
}

bool body_reset(Body *body, Stream stream, Error *error) {
  const Midpoint *m = &body->midpoint;
  const size_t bytes = precision_size(m->precision) * (size_t)m->n;
  return device_zero(stream, m->u0, bytes, error) && device_zero(stream, m->u1, bytes, error) &&
         device_zero(stream, m->p0, bytes, error) && device_zero(stream, m->origin, 3 * sizeof *m->origin, error) &&
         device_zero(stream, m->anchor, 2 * precision_size(m->precision) * (size_t)m->node_count, error);
}

bool body_set_fixed(Body *body, const uint8_t *fixed, Stream stream, Error *error) {
  Midpoint *m = &body->midpoint;
  m->held = memchr(fixed, 1, (size_t)m->n) != NULL;
  return device_upload(stream, m->fixed, fixed, (size_t)m->n, error) && stream_sync(stream, error);
}

bool body_set_mass(Body *body, const double *mass, Stream stream, Error *error) {
  return put_reals(body, body->midpoint.mass, mass, body->midpoint.node_count, stream, error);
}

bool body_set_contact(Body *body, const double *contact, Stream stream, Error *error) {
  return put_reals(body, body->midpoint.contact, contact, body->midpoint.node_count, stream, error);
}

bool body_set_load(Body *body, const double (*force)[3], const double gravity[3], const double *mass, Stream stream,
                   Error *error) {
  const Midpoint *m = &body->midpoint;
  double *load = array_new(m->n, sizeof *load, "forces", error);
  if (!load) return false;
  for (int i = 0; i < m->n; i++) load[i] = gravity[i % 3] * mass[i / 3] + (force ? force[i / 3][i % 3] : 0);
  const bool ok = range_check_values(load, m->n, m->precision, "the load on a node", "N", error) &&
                  put_reals(body, m->load, load, m->n, stream, error);
  free(load);
  return ok;
}

bool body_state(const Body *body, double (*u)[3], double (*p)[3], Stream stream, Error *error) {
  const Midpoint *m = &body->midpoint;
  double origin[3];
  if (!body_vectors(body, u, p, origin, stream, error)) return false;
  for (int i = 0; u && i < m->n; i++) u[i / 3][i % 3] += origin[i % 3];
  return true;
}

bool body_vectors(const Body *body, double (*u)[3], double (*p)[3], double origin[3], Stream stream, Error *error) {
  const Midpoint *m = &body->midpoint;
  return (!u || get_reals(body, &u[0][0], m->u0, m->n, stream, error)) &&
         (!p || get_reals(body, &p[0][0], m->p0, m->n, stream, error)) &&
         device_download(stream, origin, m->origin, 3 * sizeof *origin, error) && stream_sync(stream, error);
}

bool body_set_origin(Body *body, const double origin[3], Stream stream, Error *error) {
  return device_upload(stream, body->midpoint.origin, origin, 3 * sizeof *origin, error) && stream_sync(stream, error);
}

bool body_set_state(Body *body, const double (*u)[3], const double (*p)[3], Stream stream, Error *error) {
  const Midpoint *m = &body->midpoint;
  return (!u || (device_zero(stream, m->origin, 3 * sizeof *m->origin, error) &&
                 put_reals(body, m->u0, &u[0][0], m->n, stream, error) &&
                 body->operations->set_anchors(m, true, stream, error))) &&
         (!p || put_reals(body, m->p0, &p[0][0], m->n, stream, error));
}

bool body_force(const Body *body, double (*f)[3], Stream stream, Error *error) {
  return get_reals(body, &f[0][0], body->midpoint.F, body->midpoint.n, stream, error);
}

bool body_anchors(const Body *body, double (*anchor)[2], Stream stream, Error *error) {
  return get_reals(body, &anchor[0][0], body->midpoint.anchor, 2 * (int64_t)body->midpoint.node_count, stream, error);
}

bool body_set_anchors(Body *body, const double (*anchor)[2], Stream stream, Error *error) {
  return put_reals(body, body->midpoint.anchor, &anchor[0][0], 2 * (int64_t)body->midpoint.node_count, stream, error);
}

bool body_before(const Body *body, double (*u)[3], double (*p)[3], Stream stream, Error *error) {
  return get_reals(body, &u[0][0], body->u_before, body->midpoint.n, stream, error) &&
         get_reals(body, &p[0][0], body->p_before, body->midpoint.n, stream, error);
}

bool body_set_before(Body *body, const double (*u)[3], const double (*p)[3], Stream stream, Error *error) {
  return put_reals(body, body->u_before, &u[0][0], body->midpoint.n, stream, error) &&
         put_reals(body, body->p_before, &p[0][0], body->midpoint.n, stream, error);
}

bool body_iterate(const Body *body, double (*u)[3], Stream stream, Error *error) {
  return get_reals(body, &u[0][0], body->midpoint.u1, body->midpoint.n, stream, error);
}
