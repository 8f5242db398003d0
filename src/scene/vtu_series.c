// Writes a series of frames for ParaView: see vtu_series.h.
#include "scene/vtu_series.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "mesh/format/vtu.h"
#include "scene/observable.h"
#include "scene/vtu_piece.h"
#include "sim/report/tet_stress.h"

enum { FRAME_PATH_LENGTH = SCENE_PATH_LENGTH + 32 };

// Fields of a frame: values at nodes and cells of the session's mesh.
typedef struct Frame {
  // [tets] 1: the stress of this cell is computed; the other cells belong to pieces of other processes. NULL: all 1.
  const uint8_t *needed;
  double (*x)[3], (*u)[3], (*v)[3];  // [nodes]. x: positions, m. u: displacements, m. v: velocities, m/s.
  double (*stress)[6], *mises, *J;   // [tets]. stress: Cauchy stress, Pa. mises: von Mises stress, Pa. J: det F.
  // [nodes]. contact: contact force, N. pressure: contact pressure, Pa. NULL without self-contact.
  double (*contact)[3], *pressure;
  double *body;  // [tets] index of the tet's body; NULL: there is one body
  // [pairs], an element for each touching pair of two bodies or of a body and an obstacle. pair: numbers of the bodies
  // or obstacles (BodyContact.body). pair_force: force on the first body, N. pair_push: sum of normal forces, N.
  // pair_contacts: number of touching pairs of primitives, such as a point and a triangle (BodyContact.touching).
  double (*pair)[2], (*pair_force)[3], *pair_push, *pair_contacts;
  int pairs;
  // values of the observables that refer to the whole scene, such as energies
  int observed_count;
  struct {
    char label[OBSERVABLE_LABEL];
    int size;
    double value[OBSERVABLE_SIZE_MAX];
  } observed[OBSERVABLES_MAX];
  // Stress at each node, the mean over the cells at the node. Computed for cells within which stress varies, which are
  // quadratic tets, cubic tets and hexes; NULL for linear tets.
  double (*node_stress)[6], *node_mises;  // [nodes] Pa, Cauchy stress and von Mises stress
} Frame;

static bool is_needed(const uint8_t *needed, int e) {
  return !needed || needed[e];
}

// Arguments of stress_at_nodes, which computes the stress of each cell at its own nodes.
typedef struct NodeTask {
  const TetMesh *mesh;
  const double (*u)[3];
  const SimulationSettings *settings;
  const uint8_t *needed;                // [cells], as Frame.needed
  double (*stress)[CELL_NODES_MAX][6];  // [cells] Pa, result: stress at each node of each cell
} NodeTask;

static void stress_at_nodes(const void *task, int first, int last) {
  const NodeTask *t = task;
  for (int e = first; e < last && !interrupt_requested(); e++)
    for (int k = 0; k < mesh_cell_nodes(t->mesh) && is_needed(t->needed, e); k++) {
      double part[4] = { k & 1, k >> 1 & 1, k >> 2 };  // local coordinates, 0 or 1, of corner k of a hex
      if (!t->mesh->hex) cell_shape_part(mesh_shape(t->mesh), k, part);
      tet_cauchy_stress_at(t->mesh, t->u, e, part, t->settings, t->stress[e][k]);
    }
}

// Computes the stress at each node as the mean over the cells at the node. Adds the stresses in the order of the cells,
// so that equal input gives equal bits. Next to an inverted cell the result may be NAN.
static bool average_at_nodes(Frame *f, const TetMesh *mesh, const SimulationSettings *settings, Error *error) {
  enum { CHUNK = 256 };
  f->node_stress = array_new(mesh->node_count, sizeof *f->node_stress, "stresses", error);
  f->node_mises = array_new(mesh->node_count, sizeof *f->node_mises, "stresses", error);
  int *count = array_new(mesh->node_count, sizeof *count, "stresses", error);
  NodeTask task = { mesh, (const double(*)[3])f->u, settings, f->needed, NULL };
  task.stress = array_new(mesh->tet_count, sizeof *task.stress, "stresses", error);
  const bool made = f->node_stress && f->node_mises && count && task.stress;
  if (made) {
    parallel_for(mesh->tet_count, CHUNK, stress_at_nodes, &task);
    for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++)
      for (int k = 0; k < mesh_cell_nodes(mesh) && is_needed(f->needed, e); k++) {
        const int node = mesh_cell_node(mesh, e, k);
        for (int v = 0; v < 6; v++) f->node_stress[node][v] += task.stress[e][k][v];
        count[node]++;
      }
    for (int a = 0; a < mesh->node_count; a++) {
      if (count[a] == 0) continue;  // no cell of this process has the node: all its cells belong to other processes
      for (int v = 0; v < 6; v++) f->node_stress[a][v] /= count[a];
      f->node_mises[a] = von_mises(f->node_stress[a]);
    }
  }

  free(task.stress);
  free(count);
  return made && interrupt_check(error);
}

// Copies the list of contacts between bodies (BodyContact) to the frame's arrays.
static bool add_pairs(Frame *f, Simulation *simulation, Error *error) {
  BodyContact *list;
  if (!contact_of_bodies(simulation, &list, &f->pairs, error)) return false;
  f->pair = array_new(f->pairs, sizeof *f->pair, "bodies that touch", error);
  f->pair_force = array_new(f->pairs, sizeof *f->pair_force, "bodies that touch", error);
  f->pair_push = array_new(f->pairs, sizeof *f->pair_push, "bodies that touch", error);
  f->pair_contacts = array_new(f->pairs, sizeof *f->pair_contacts, "bodies that touch", error);
  const bool ok = f->pair && f->pair_force && f->pair_push && f->pair_contacts;
  for (int k = 0; ok && k < f->pairs; k++) {
    for (int i = 0; i < 2; i++) f->pair[k][i] = list[k].body[i];
    memcpy(f->pair_force[k], list[k].force, sizeof *f->pair_force);
    f->pair_push[k] = list[k].push;
    f->pair_contacts[k] = (double)list[k].touching;
  }
  free(list);
  return ok;
}

// Evaluates the observables that refer to the whole scene, such as energies. Leaves out observables that depend on
// earlier steps of the run, because a run that was resumed from a checkpoint would give other values. Waits for the
// device.
static bool add_observables(Frame *f, Session *session, Error *error) {
  Observed now;
  bool ok = true;
  observed_begin(&now, session, NULL);
  for (const Observable *row = observables; ok && row->name; row++) {
    if (row->when != OBSERVED_ON_DEMAND || row->subject || row->of_past) continue;
    assert(f->observed_count < OBSERVABLES_MAX);
    observable_label(row, row->name, -1, f->observed[f->observed_count].label);
    f->observed[f->observed_count].size = row->size;
    ok = observe(&now, row, NULL, f->observed[f->observed_count++].value, error);
  }
  observed_end(&now);
  return ok;
}

static bool frame_create(Frame *f, Session *session, Error *error) {
  const TetMesh *mesh = &session->mesh;
  const SimulationSettings *s = simulation_settings(session->simulation);
  f->x = array_new(mesh->node_count, sizeof *f->x, "positions", error);
  f->u = array_new(mesh->node_count, sizeof *f->u, "displacements", error);
  f->v = array_new(mesh->node_count, sizeof *f->v, "velocities", error);
  f->stress = array_new(mesh->tet_count, sizeof *f->stress, "stresses", error);
  f->mises = array_new(mesh->tet_count, sizeof *f->mises, "stresses", error);
  f->J = array_new(mesh->tet_count, sizeof *f->J, "stresses", error);
  if (mesh->body) f->body = array_new(mesh->tet_count, sizeof *f->body, "bodies", error);

  if (!f->x || !f->u || !f->v || !f->stress || !f->mises || !f->J || (mesh->body && !f->body)) return false;
  for (int e = 0; f->body && e < mesh->tet_count; e++) f->body[e] = mesh_body(mesh, mesh_cell_node(mesh, e, 0));
  if (!simulation_state(session->simulation, f->x, f->v, error)) return false;

  // computes displacements, velocities and stresses
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) {
      f->u[a][i] = f->x[a][i] - mesh->X[a][i];
      f->v[a][i] /= session->mass[a];
    }
  if (s->mass == MASS_CONSISTENT && !simulation_velocities(session->simulation, f->v, error)) return false;
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    if (!is_needed(f->needed, e)) continue;
    f->J[e] = tet_cauchy_stress(mesh, (const double(*)[3])f->u, e, s, f->stress[e]);
    f->mises[e] = von_mises(f->stress[e]);
  }

  if (!interrupt_check(error)) return false;

  if (s->self_contact) {
    f->contact = array_new(mesh->node_count, sizeof *f->contact, "forces", error);
    f->pressure = array_new(mesh->node_count, sizeof *f->pressure, "pressures", error);
    if (!f->contact || !f->pressure || !contact_forces_on_nodes(session->simulation, f->contact, error) ||
        !contact_pressure(session->simulation, f->pressure, error))
      return false;
  }

  if (!add_pairs(f, session->simulation, error) || !add_observables(f, session, error)) return false;
  return mesh_shape(mesh) == CELL_TET4 || average_at_nodes(f, mesh, s, error);
}

static void frame_destroy(Frame *f) {
  free(f->x);
  free(f->u);
  free(f->v);
  free(f->stress);
  free(f->mises);
  free(f->J);
  free(f->body);
  free(f->node_stress);
  free(f->node_mises);
  free(f->contact);
  free(f->pressure);
  free(f->pair);
  free(f->pair_force);
  free(f->pair_push);
  free(f->pair_contacts);
}

// Fills `fields` with the arrays of a frame that are written. Returns their number.
static int list_fields(const Frame *f, VtuField fields[VTU_FIELDS_MAX]) {
  const VtuField always[5] = {
    { "displacement", 3, false, &f->u[0][0], 0 },
    { "velocity", 3, false, &f->v[0][0], 0 },
    { "Cauchy stress", 6, true, &f->stress[0][0], 0 },
    { "von Mises stress", 1, true, f->mises, 0 },
    { "det F", 1, true, f->J, 0 },
  };
  int count = 5;
  memcpy(fields, always, sizeof always);
  if (f->node_stress) {
    fields[count++] = (VtuField){ "Cauchy stress at nodes", 6, false, &f->node_stress[0][0], 0 };
    fields[count++] = (VtuField){ "von Mises stress at nodes", 1, false, f->node_mises, 0 };
  }
  if (f->body) fields[count++] = (VtuField){ "body", 1, true, f->body, 0 };
  if (f->contact) {
    fields[count++] = (VtuField){ "contact force", 3, false, &f->contact[0][0], 0 };
    fields[count++] = (VtuField){ "contact pressure", 1, false, f->pressure, 0 };
  }
  if (f->pairs > 0) {
    fields[count++] = (VtuField){ "contact bodies", 2, false, &f->pair[0][0], f->pairs };
    fields[count++] = (VtuField){ "contact bodies force", 3, false, &f->pair_force[0][0], f->pairs };
    fields[count++] = (VtuField){ "contact bodies pressed", 1, false, f->pair_push, f->pairs };
    fields[count++] = (VtuField){ "contact bodies places", 1, false, f->pair_contacts, f->pairs };
  }

  for (int k = 0; k < f->observed_count; k++)
    fields[count++] = (VtuField){ f->observed[k].label, f->observed[k].size, false, f->observed[k].value, 1 };
  return count;
}

static bool write_frame(const char *path, const Session *session, const Frame *f, Error *error) {
  VtuField fields[VTU_FIELDS_MAX];
  const int count = list_fields(f, fields);
  const MeshWriting how = { MESH_ZLIB, false, 0 };
  AtomicFile output;
  if (!atomic_file_open(&output, path, error)) return false;
  const bool ok =
      vtu_write_fields(output.stream, &session->mesh, (const double(*)[3])f->x, fields, count, &how, error) &&
      atomic_file_commit_unsynced(&output, error);
  atomic_file_close(&output);
  return ok;
}

static void list_path(const VtuSeries *series, char path[FRAME_PATH_LENGTH]) {
  snprintf(path, FRAME_PATH_LENGTH, "%s/frames.pvd", series->folder);
}

static bool write_list(const VtuSeries *series, Error *error) {
  char path[FRAME_PATH_LENGTH];
  AtomicFile output;
  list_path(series, path);
  if (!atomic_file_open(&output, path, error)) return false;
  fprintf(output.stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
  for (int k = 0; k < series->count; k++)
    fprintf(output.stream, "<DataSet timestep=\"%.9g\" file=\"frame_%05d.%s\"/>\n", series->frame[k].time,
            series->frame[k].number, series->frame[k].is_divided ? "pvtu" : "vtu");
  fprintf(output.stream, "</Collection>\n</VTKFile>\n");
  const bool ok = atomic_file_commit_unsynced(&output, error);
  atomic_file_close(&output);
  return ok;
}

static bool list(VtuSeries *series, int frame, double time, bool is_divided, Error *error) {
  void *frames = series->frame;
  const bool ok = array_reserve(&frames, &series->capacity, series->count + 1, sizeof *series->frame, "frames", error);
  series->frame = frames;
  if (ok) series->frame[series->count++] = (VtuFrame){ frame, time, is_divided };
  return ok;
}

static void frame_path(const VtuSeries *series, int frame, bool is_divided, char path[FRAME_PATH_LENGTH]) {
  snprintf(path, FRAME_PATH_LENGTH, "%s/frame_%05d.%s", series->folder, frame, is_divided ? "pvtu" : "vtu");
}

static void piece_path(const VtuSeries *series, int frame, int piece, char path[FRAME_PATH_LENGTH]) {
  snprintf(path, FRAME_PATH_LENGTH, "%s/frame_%05d_%d.vtu", series->folder, frame, piece);
}

// Deletes the file of a frame, which an earlier run may have written. is_divided: the file that lists its pieces. Only
// process 0 deletes files. Returns true if the file existed.
static bool remove_frame(const VtuSeries *series, int frame, bool is_divided) {
  char path[FRAME_PATH_LENGTH];
  frame_path(series, frame, is_divided, path);
  return !atomic_file_discards() && unlink(path) == 0;
}

// Deletes the pieces of a frame from number `first` on, which an earlier run with more processes has written.
static void remove_pieces(const VtuSeries *series, int frame, int first) {
  char path[FRAME_PATH_LENGTH];
  bool found = !atomic_file_discards();
  for (int piece = first; found; piece++) {
    piece_path(series, frame, piece, path);
    found = unlink(path) == 0;
  }
}

// Writes the piece of this process. If a process fails, all processes delete their pieces and fail.
static bool write_piece(const VtuSeries *series, const VtuPiece *piece, const Frame *f, int frame, Error *error) {
  VtuField fields[VTU_FIELDS_MAX];
  char path[FRAME_PATH_LENGTH];
  const int count = list_fields(f, fields);
  piece_path(series, frame, series->ranks->rank, path);
  const bool own = vtu_piece_write(piece, path, (const double(*)[3])f->x, fields, count, error);
  const bool all = ranks_agree(series->ranks, own, error);
  if (own && !all) unlink(path);
  return all;
}

// Writes the file that lists the pieces of a frame.
static bool write_piece_list(const VtuSeries *series, const Frame *f, int frame, Error *error) {
  VtuField fields[VTU_FIELDS_MAX];
  char path[FRAME_PATH_LENGTH], stem[32];
  AtomicFile output;
  const int count = list_fields(f, fields);
  frame_path(series, frame, true, path);
  snprintf(stem, sizeof stem, "frame_%05d", frame);
  if (!atomic_file_open(&output, path, error)) return false;
  vtu_write_pieces(output.stream, stem, series->ranks->count, fields, count);
  const bool ok = atomic_file_commit_unsynced(&output, error);
  atomic_file_close(&output);
  return ok;
}

// Deletes the files of a frame that an earlier run has written, except pieces, and lists only the frames before it.
static bool forget_frame(const VtuSeries *series, int frame, Error *error) {
  const bool whole = remove_frame(series, frame, false), divided = remove_frame(series, frame, true);
  return !(whole || divided) || write_list(series, error);
}

// Adds a frame of which each process writes a piece. The file that lists the pieces is written last, so its existence
// means that the frame is complete. Therefore such a file of an earlier run is deleted first.
static bool add_divided(VtuSeries *series, Session *session, int frame, double time, Error *error) {
  const Ranks *ranks = series->ranks;
  VtuPiece piece = { 0 };
  Frame f = { 0 };
  bool ok = forget_frame(series, frame, error) && vtu_piece_create(&piece, session, error);
  f.needed = piece.is_near;

  // frame_create communicates, so no process writes its piece before process 0 has deleted the earlier files
  ok = ok && frame_create(&f, session, error) && write_piece(series, &piece, &f, frame, error);
  if (ok) {
    ok = write_piece_list(series, &f, frame, error) && list(series, frame, time, true, error) &&
         write_list(series, error);
    ok = ranks_agree(ranks, ok, error);
  }
  frame_destroy(&f);
  vtu_piece_destroy(&piece);
  if (ok) remove_pieces(series, frame, ranks->count);
  return ok;
}

// Writes the XDMF files of a frame, and writes the list of all frames again.
static bool write_xdmf(VtuSeries *series, const Session *session, const Frame *f, int frame, double time,
                       Error *error) {
  VtuField fields[VTU_FIELDS_MAX];
  const int count = list_fields(f, fields);
  return xdmf_series_add(&series->xdmf, series->folder, frame, time, &session->mesh, (const double(*)[3])f->x, fields,
                         count, error);
}

bool vtu_series_add(VtuSeries *series, Session *session, int frame, double time, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  const Ranks *ranks = simulation_settings(session->simulation)->ranks;
  Frame f = { 0 };
  char path[FRAME_PATH_LENGTH];
  series->ranks = ranks && ranks->count > 1 && !series->is_xdmf ? ranks : NULL;
  if (series->ranks) return add_divided(series, session, frame, time, error);
  frame_path(series, frame, false, path);
  const bool written =
      frame_create(&f, session, error) &&
      (series->is_xdmf ? write_xdmf(series, session, &f, frame, time, error) : write_frame(path, session, &f, error));
  frame_destroy(&f);
  if (!written || !list(series, frame, time, false, error)) return false;
  if (series->is_xdmf) return true;
  if (!write_list(series, error)) return false;
  remove_frame(series, frame, true);
  remove_pieces(series, frame, 0);
  return true;
}

double vtu_series_time(int frame, double fps, double dt) {
  const double rounding = 1e-6;
  return frame == 0 ? 0 : ceil(frame / fps / dt - rounding) * dt;  // ceil(-rounding) is -0
}

bool vtu_series_continue(VtuSeries *series, int first, double fps, double dt, Error *error) {
  char path[FRAME_PATH_LENGTH];
  struct stat status;
  for (int frame = 0; frame < first; frame++) {
    bool found = false;
    if (series->is_xdmf && (!xdmf_series_take(&series->xdmf, series->folder, frame, &found, error) ||
                            (found && !list(series, frame, vtu_series_time(frame, fps, dt), false, error))))
      return false;
    for (int divided = 0; divided < 2 && !series->is_xdmf && !found; divided++) {
      frame_path(series, frame, divided, path);
      found = stat(path, &status) == 0 && S_ISREG(status.st_mode);
      if (found && !list(series, frame, vtu_series_time(frame, fps, dt), divided, error)) return false;
    }
  }
  if (series->count < first)
    log_notice(
        "%s: only %d of the %d frames before frame %d were found; the list of frames for ParaView contains only these",
        series->folder, series->count, first, first);
  return true;
}

// Waits until the pieces that this process has written are on the disk.
static bool sync_pieces(const VtuSeries *series, int first, int end, Error *error) {
  char path[FRAME_PATH_LENGTH];
  for (int frame = first; frame < end; frame++) {
    piece_path(series, frame, series->ranks->rank, path);
    if (!atomic_file_sync_always(path, error)) return false;
  }
  return atomic_file_sync_always(series->folder, error);
}

// Waits until the other files of the frames, and the list of frames, are on the disk.
static bool sync_frames(const VtuSeries *series, int first, int end, Error *error) {
  char path[FRAME_PATH_LENGTH];
  for (int frame = first; frame < end; frame++) {
    frame_path(series, frame, series->ranks, path);
    if (series->is_xdmf && !xdmf_frame_sync(series->folder, frame, error)) return false;
    if (!series->is_xdmf && !atomic_file_sync(path, error)) return false;
  }
  if (series->is_xdmf) return xdmf_list_sync(series->folder, error);
  list_path(series, path);
  return atomic_file_sync(path, error) && atomic_file_sync(series->folder, error);
}

bool vtu_series_sync(const VtuSeries *series, int first, int end, Error *error) {
  if (!series->folder[0] || first >= end) return true;
  const bool ok = (!series->ranks || sync_pieces(series, first, end, error)) && sync_frames(series, first, end, error);
  return ranks_agree(series->ranks, ok, error);
}

void vtu_series_print(const VtuSeries *series) {
  printf("frames for ParaView: %d, listed in %s/frames.%s\n", series->count, series->folder,
         series->is_xdmf ? "xdmf" : "pvd");
}

void vtu_series_destroy(VtuSeries *series) {
  xdmf_series_destroy(&series->xdmf);
  free(series->frame);
  *series = (VtuSeries){ 0 };
}
