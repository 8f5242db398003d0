// Writes and reads checkpoints, files from which a run continues bit for bit: see checkpoint.h.
#include "scene/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/memory_stream.h"
#include "base/number.h"
#include "scene/sealed_file.h"
#include "scene/session_form.h"
#include "scene/session_ranks.h"
#include "scene/session_script.h"
#include "scene/session_state.h"
#include "scene/signature.h"

static const SealedKind CHECKPOINT = { "PLIANTCK", 11, "checkpoint" };
enum { STAGES_LENGTH = 96 };
// A checkpoint has at most PAYLOAD_MAX + CELL_BYTES_MAX * (number of cells) bytes. Larger files are damaged or no
// checkpoints, and are refused before their contents are read.
enum { PAYLOAD_MAX = 1 << 20, CELL_BYTES_MAX = 4096 };

static const int64_t STEPS_MAX = INT64_C(1) << 53;  // limit of the number of steps, which must be exact as a double

// Writes one line of text with the methods that compute the session: the names of device, assembly, matrix and solver,
// and the values of all settings that select a method by a number. The checkpoint contains this line. A session with
// other methods may read the checkpoint, because only the last bits of its results differ; the user then gets a notice.
// If the form of this text is changed, the file format needs a new version number.
static void list_stages(const Session *session, char text[STAGES_LENGTH]) {
  NUMBERS_WITH_POINT_HERE;
  const SimulationSettings *s = simulation_settings(session->simulation);
  memset(text, 0, STAGES_LENGTH);
  size_t length = (size_t)snprintf(text, STAGES_LENGTH, "%s", device_name(s->device));
  for (const Option *o = simulation_options; o->key && length < STAGES_LENGTH; o++) {
    if (o->applies != APPLIES_TO_STAGE || o->offset == offsetof(SimulationSettings, device)) continue;
    const size_t capacity = STAGES_LENGTH - length;
    length += (size_t)(o->type == OPTION_TEXT ? snprintf(text + length, capacity, " %s", (const char *)s + o->offset)
                                              : snprintf(text + length, capacity, " %g", option_value(o, s).number[0]));
  }
}

// Returns a text that describes the session: its mesh, settings, pins, forces and drags (signature.h). The caller frees
// it. Returns NULL with an error if memory is short.
static char *sign(const Session *session, double fps, Error *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = memory_stream(&text, &size);
  bool ok = memory && signature_write(session, fps, memory, error);
  if (memory && fclose(memory) != 0) ok = false;
  if (ok) return text;
  error_set(error, "out of memory: cannot store the settings of a checkpoint; close other programs");
  free(text);
  return NULL;
}

static bool write_payload(Session *session, double fps, FILE *file, Error *error) {
  char stages[STAGES_LENGTH];
  char *signature = sign(session, fps, error);
  if (!signature) return false;
  const uint32_t length = (uint32_t)strlen(signature);
  list_stages(session, stages);
  fwrite(&length, sizeof length, 1, file);
  fwrite(signature, length, 1, file);
  fwrite(stages, sizeof stages, 1, file);
  const uint8_t cut = session->form != session->scene_form;
  fwrite(&cut, sizeof cut, 1, file);
  if (cut) form_write(session->form, file);
  if (cut) fwrite(session->pinned, 1, (size_t)session->mesh.node_count, file);
  fwrite(&session->cut_until, sizeof session->cut_until, 1, file);
  fwrite(session->drag_ids, sizeof session->drag_ids, 1, file);
  fwrite(&session->unconverged, sizeof session->unconverged, 1, file);
  fwrite(session->trouble, sizeof session->trouble, 1, file);
  fwrite(&session->frames, sizeof session->frames, 1, file);
  free(signature);
  return simulation_save(session->simulation, file, error);
}

bool checkpoint_write(Session *session, double fps, const char *path, Error *error) {
  char *payload = NULL;
  size_t size = 0;
  AtomicFile output = { 0 };
  FILE *memory = memory_stream(&payload, &size);
  bool ok = memory && write_payload(session, fps, memory, error);
  if (memory && fclose(memory) != 0) ok = false;
  if (!ok) error_set(error, "%s: not enough memory for a checkpoint", path);
  ok = ok && atomic_file_open(&output, path, error);
  if (ok) {
    sealed_write(&CHECKPOINT, payload, size, output.stream);
    ok = atomic_file_commit(&output, error);
  }
  atomic_file_close(&output);
  free(payload);
  return ok;
}

// Tests if a checkpoint belongs to this session. Reads from the file the text that `sign` returned when the checkpoint
// was written. Fails if `sign` returns another text for this session.
static bool belongs_here(const Session *session, double fps, Bytes *bytes, Error *error) {
  uint32_t length;
  bytes_take(bytes, &length, sizeof length);
  if (bytes->exhausted || length > (size_t)(bytes->end - bytes->at))
    return error_set(error, "the checkpoint is damaged: the list of settings is incomplete");
  char *theirs = malloc((size_t)length + 1), *ours = sign(session, fps, error);
  bool ok = theirs && ours;
  if (ok) {
    bytes_take(bytes, theirs, length);
    theirs[length] = '\0';
    ok = signature_compare(theirs, ours, error);
  }
  free(theirs);
  free(ours);
  return ok || error_set(error, "out of memory: cannot store the settings of a checkpoint; close other programs");
}

// Restores the mesh and the pins of a body that was cut. After a cut, the pins no longer follow from the scene's
// regions, so the checkpoint contains them.
static bool restore_form(Session *session, Bytes *bytes, Error *error) {
  uint8_t cut;
  bytes_take(bytes, &cut, sizeof cut);
  if (!cut) return true;
  Form *form = form_read(session->scene_form, bytes, error);
  bool ok = form && session_take_form(session, form, error);
  form_release(form);
  if (ok) bytes_take(bytes, session->pinned, (size_t)session->mesh.node_count);
  for (int a = 0; ok && a < session->mesh.node_count; a++)
    if (session->pinned[a] & ~PIN_BITS)
      ok = error_set(error, "the checkpoint is damaged: the list of pins is not valid");
  return ok && simulation_set_pins(session->simulation, session->pinned, error);
}

static bool restore(Session *session, double fps, const char *path, Bytes *bytes, Error *error) {
  char stages[STAGES_LENGTH], our_stages[STAGES_LENGTH];
  if (!belongs_here(session, fps, bytes, error)) return false;
  bytes_take(bytes, stages, sizeof stages);
  stages[STAGES_LENGTH - 1] = '\0';
  if (!restore_form(session, bytes, error)) return false;
  list_stages(session, our_stages);  // after restore_form, since the default methods depend on cuts
  if (strcmp(stages, our_stages) != 0)
    log_notice(
        "%s: this checkpoint was written with the methods \"%s\", but the run continues with \"%s\": results may "
        "differ in their last bits",
        path, stages, our_stages);
  bytes_take(bytes, &session->cut_until, sizeof session->cut_until);
  if (isnan(session->cut_until)) return error_set(error, "the checkpoint is damaged: the list of cuts is not valid");
  bytes_take(bytes, session->drag_ids, sizeof session->drag_ids);
  bytes_take(bytes, &session->unconverged, sizeof session->unconverged);
  bytes_take(bytes, session->trouble, sizeof session->trouble);
  session->trouble[sizeof session->trouble - 1] = '\0';
  bytes_take(bytes, &session->frames, sizeof session->frames);
  session->loads_stale = true;  // the present loads are those of the first step
  if (!simulation_restore(session->simulation, bytes, error)) return false;
  if (simulation_step_count(session->simulation) > STEPS_MAX)
    return error_set(error, "the checkpoint is damaged: the number of steps is too large");

  // If the user was pulling the body by the mouse when the checkpoint was written, the restored state has the springs
  // of this pull. This run has no such pull, so the springs are removed.
  session_keep_grabs(session);
  if (bytes->at != bytes->end) return error_set(error, "the checkpoint is damaged: it has extra bytes at its end");
  return session_script_restore(session, error);
}

bool checkpoint_read(Session *session, double fps, const char *path, Error *error) {
  size_t size;
  unsigned char *payload = sealed_read(
      &CHECKPOINT, path, PAYLOAD_MAX + CELL_BYTES_MAX * (uint64_t)session_cell_count(session), &size, error);
  if (!payload) return false;
  Bytes bytes = { .at = payload, .end = payload + size };
  const bool ok = restore(session, fps, path, &bytes, error) || error_prefix(error, "%s", path);
  free(payload);
  return ok;
}
