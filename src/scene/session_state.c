// Writes and restores the state of a session as bytes: see session_state.h.
#include "scene/session_state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/memory_stream.h"
#include "scene/scene_body.h"
#include "scene/sealed_file.h"
#include "scene/session_ranks.h"
#include "scene/session_script.h"
#include "sim/element/number_range.h"

static const SealedKind STATE = { "PLIANTST", 4, "saved state" };
// Files with more than BYTES_MAX + NODE_BYTES_MAX * (number of nodes) bytes are refused before they are read.
enum { BYTES_MAX = 1 << 20, NODE_BYTES_MAX = 4096 };

bool session_motion_write(Session *session, FILE *file, Error *error) {
  fwrite(session->drag_ids, sizeof session->drag_ids, 1, file);
  fwrite(&session->pull_count, sizeof session->pull_count, 1, file);
  fwrite(session->pulls, sizeof *session->pulls, (size_t)session->pull_count, file);
  return simulation_save(session->simulation, file, error);
}

// Writes the checksum and the number of nodes of a body, and the axes along which its nodes are held.
static void write_body(const TetMesh *mesh, uint32_t sum, const uint8_t *script_pinned, FILE *file) {
  fwrite(&sum, sizeof sum, 1, file);
  fwrite(&mesh->node_count, sizeof mesh->node_count, 1, file);
  fwrite(script_pinned, 1, (size_t)mesh->node_count, file);
}

// Writes the state of a session whose body was cut, for a saved scene. Nodes and drags get the indices that they have
// in the saved scene, from which entries without nodes were removed.
static bool write_saved(Session *session, const SavedBody *saved, FILE *file, Error *error) {
  write_body(&saved->mesh, scene_body_sum(&saved->mesh), saved->script_pinned, file);
  for (int a = 0; a < saved->mesh.node_count; a++) fwrite(&session->pinned[saved->node_from[a]], 1, 1, file);
  for (int k = 0; k < SCENE_PARTS_MAX; k++) {
    const int id = saved->drag_from[k] < 0 ? 0 : session->drag_ids[saved->drag_from[k]];
    fwrite(&id, sizeof id, 1, file);
  }
  fwrite(&session->pull_count, sizeof session->pull_count, 1, file);
  for (int k = 0; k < session->pull_count; k++) {
    SessionPull pull = session->pulls[k];
    for (int i = 0; i < 3; i++) pull.nodes[i] = saved->node_now[pull.nodes[i]];
    fwrite(&pull, sizeof pull, 1, file);
  }
  return simulation_save_numbered(session->simulation, saved->node_now, file, error);
}

bool session_state_write(Session *session, const SavedBody *saved, FILE *file, Error *error) {
  if (saved) return write_saved(session, saved, file, error);
  assert(session->form == session->scene_form);
  write_body(&session->mesh, session_body_sum(session, &session->mesh), session->script_pinned, file);
  fwrite(session->pinned, 1, (size_t)session->mesh.node_count, file);
  return session_motion_write(session, file, error);
}

bool session_state_seal(Session *session, const SavedBody *saved, FILE *file, Error *error) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = memory_stream(&bytes, &size);
  bool ok = memory && session_state_write(session, saved, memory, error);
  if (memory && fclose(memory) != 0) ok = false;
  if (ok)
    sealed_write(&STATE, bytes, size, file);
  else if (!error->message[0])
    error_set(error, "out of memory: cannot store the state of the simulation; close other programs");
  free(bytes);
  return ok;
}

// Restores the pins that differed from the scene's pins when the state was saved. Other nodes keep the pins of the
// scene that is read now, which the user may have edited since.
static bool take_pins(Session *session, Bytes *bytes) {
  const int count = session->mesh.node_count;
  const unsigned char *of_scene = bytes->at, *now = bytes->at + count;
  if (bytes->exhausted || bytes->end - bytes->at < 2 * (ptrdiff_t)count) return false;
  bytes->at += 2 * (size_t)count;
  for (int a = 0; a < count; a++) {
    if (now[a] & ~PIN_BITS) return false;
    if (now[a] != of_scene[a]) session->pinned[a] = now[a];
  }
  return true;
}

// Reads the beginning of a saved state: checksum and number of nodes, then the pins. Fails if checksum and number are
// not those of the session's body.
static bool take_head(Session *session, Bytes *bytes, Error *error) {
  uint32_t sum;
  int count;
  bytes_take(bytes, &sum, sizeof sum);
  bytes_take(bytes, &count, sizeof count);
  if (bytes->exhausted || count != session->mesh.node_count || sum != session_body_sum(session, &session->mesh))
    return error_set(error, "the saved state is the state of another body, not of the body of %s", session->scene.path);
  return take_pins(session, bytes) || error_set(error, "the saved state is damaged: the list of pins is not valid");
}

// Returns that part of the saved state session->begin which follows checksum, number of nodes and pins. These were read
// by session_begin_read.
static Bytes behind_pins(const Session *session) {
  Bytes bytes = { .at = session->begin, .end = session->begin + session->begin_size };
  bytes.at += sizeof(uint32_t) + sizeof(int) + 2 * (size_t)session->mesh.node_count;
  return bytes;
}

bool session_begin_read(Session *session, Error *error) {
  const char *path = session->scene.begin;
  const int nodes = session->mesh.node_count;
  if (!path[0]) return true;
  session->begin = sealed_read(&STATE, path, BYTES_MAX + NODE_BYTES_MAX * (uint64_t)nodes, &session->begin_size, error);
  if (!session->begin) return false;
  session->begin_sum = (uint32_t)crc32_z(0, session->begin, session->begin_size);
  Bytes bytes = { .at = session->begin, .end = session->begin + session->begin_size };
  return take_head(session, &bytes, error) || error_prefix(error, "%s", path);
}

// Returns true if a length, m, is within the range of the session's precision, and not NaN.
static bool is_held(const Session *session, double length) {
  return fabs(length) <= range_largest("m", session->scene.simulation.precision);
}

static bool take_pulls(Session *session, Bytes *bytes) {
  bytes_take(bytes, session->drag_ids, sizeof session->drag_ids);
  bytes_take(bytes, &session->pull_count, sizeof session->pull_count);
  const int count = session->pull_count;
  session->pull_count = 0;
  if (bytes->exhausted || count < 0 || count > SESSION_PULLS_MAX) return false;
  bytes_take(bytes, session->pulls, sizeof *session->pulls * (size_t)count);
  for (int k = 0; k < count; k++) {
    const SessionPull *pull = &session->pulls[k];
    for (int i = 0; i < 3; i++)
      if (pull->nodes[i] < 0 || pull->nodes[i] >= session->mesh.node_count || !isfinite(pull->barycentric[i]) ||
          !is_held(session, pull->start[i]) || !is_held(session, pull->goal[i]) || !is_held(session, pull->offset[i]))
        return false;
  }
  session->pull_count = count;
  return !bytes->exhausted;
}

void session_keep_grabs(Session *session) {
  int ids[SCENE_PARTS_MAX + SESSION_PULLS_MAX], count = 0;
  for (int k = 0; k < SCENE_PARTS_MAX; k++) ids[count++] = session->drag_ids[k];
  for (int k = 0; k < session->pull_count; k++) ids[count++] = session->pulls[k].id;
  simulation_keep_grabs(session->simulation, ids, count);
  for (int k = 0; k < SCENE_PARTS_MAX; k++)
    if (session->drag_ids[k] != DRAG_TORN) session->drag_ids[k] = ids[k];
  count = 0;
  for (int k = 0; k < session->pull_count; k++)
    if (ids[SCENE_PARTS_MAX + k]) session->pulls[count++] = session->pulls[k];
  session->pull_count = count;
}

bool session_motion_restore(Session *session, Bytes *bytes, Error *error) {
  if (!take_pulls(session, bytes))
    return error_set(error, "the saved state is damaged: the list of pulls is not valid");
  return simulation_restore(session->simulation, bytes, error) &&
         (bytes->at == bytes->end || error_set(error, "the saved state is damaged: it has extra bytes at its end"));
}

bool session_state_restore(Session *session, const void *memory, size_t size, Error *error) {
  Bytes bytes = { .at = memory, .end = (const unsigned char *)memory + size };
  memcpy(session->pinned, session->script_pinned, (size_t)session->mesh.node_count);
  if (!take_head(session, &bytes, error)) return error_prefix(error, "the given state");
  return simulation_set_pins(session->simulation, session->pinned, error) &&
         session_motion_restore(session, &bytes, error) && session_script_restore(session, error);
}

bool session_begin_restore(Session *session, Error *error) {
  if (!session->begin) return true;
  Bytes bytes = behind_pins(session);
  if (!session_motion_restore(session, &bytes, error)) return error_prefix(error, "%s", session->scene.begin);
  session_keep_grabs(session);
  session->begin_step = simulation_step_count(session->simulation);
  session->begin_time = simulation_time(session->simulation);
  return true;
}

// Returns an error message for a session whose motion no other session can continue; NULL: one can.
static const char *obstruction(const Session *session) {
  if (session->form != session->scene_form) return "the body was cut";
  return session->crossing_marks ? "surfaces intersect, or did so at the start" : NULL;
}

bool session_hand_over(Session *session, FILE *file, Error *error) {
  const int nodes = session->mesh.node_count;
  const char *why = obstruction(session);
  if (why) return error_set(error, "the motion cannot continue after this edit: %s", why);
  double(*v)[3] = array_new(nodes, sizeof *v, "velocities", error);
  const bool ok = v && simulation_velocities(session->simulation, v, error);
  if (ok) {
    const uint32_t sum = scene_mesh_sum(&session->mesh);
    const MassKind kind = simulation_settings(session->simulation)->mass;
    fwrite(&sum, sizeof sum, 1, file);
    fwrite(&kind, sizeof kind, 1, file);
    fwrite(session->mass, sizeof *session->mass, (size_t)nodes, file);
    fwrite(v, sizeof *v, (size_t)nodes, file);
    fwrite(session->script_pinned, 1, (size_t)nodes, file);
    fwrite(session->pinned, 1, (size_t)nodes, file);
  }
  free(v);
  return ok && session_motion_write(session, file, error);
}

bool session_take_over(Session *session, const void *memory, size_t size, Error *error) {
  Bytes bytes = { .at = memory, .end = (const unsigned char *)memory + size };
  const int nodes = session->mesh.node_count;
  const char *why = obstruction(session);
  uint32_t sum;
  MassKind kind;
  if (why) return error_set(error, "the motion cannot continue after this edit: %s", why);
  bytes_take(&bytes, &sum, sizeof sum);
  bytes_take(&bytes, &kind, sizeof kind);
  if (sum != scene_mesh_sum(&session->mesh))
    return error_set(error, "the motion cannot continue after this edit: it is the motion of another mesh");
  double *mass = array_new(nodes, sizeof *mass, "masses", error);
  double(*v)[3] = array_new(nodes, sizeof *v, "velocities", error);
  bool ok = mass && v;
  if (ok) bytes_take(&bytes, mass, sizeof *mass * (size_t)nodes);
  if (ok) bytes_take(&bytes, v, sizeof *v * (size_t)nodes);
  ok = ok && (take_pins(session, &bytes) || error_set(error, "the list of pins is not valid")) &&
       simulation_set_pins(session->simulation, session->pinned, error) &&
       session_motion_restore(session, &bytes, error);

  // the restored momenta belong to the masses of the other session
  const bool same = kind == simulation_settings(session->simulation)->mass;
  if (ok && !(same && memcmp(mass, session->mass, sizeof *mass * (size_t)nodes) == 0))
    ok = simulation_set_velocities(session->simulation, (const double(*)[3])v, error);
  free(mass);
  free(v);
  if (ok) session_keep_grabs(session);
  return ok && session_script_restore(session, error);
}
