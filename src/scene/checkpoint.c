// Checkpoints: see checkpoint.h.
#include "scene/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/memory_stream.h"
#include "scene/signature.h"

static const char MAGIC[8] = "PLIANTCK";
enum { VERSION = 4, BYTE_ORDER_MARK = 0x01020304, HEAD_BYTES = 32, STAGES_LENGTH = 96 };
enum {
  PAYLOAD_MAX = 1 << 20,
  NODE_BYTES_MAX = 4096
};  // what there can be: of the whole body and of each node, grabs too

static const int64_t STEPS_MAX = INT64_C(1) << 53;  // the integers up to here are doubles

// those that change only the last bits: the device by name, choices by number, as all files of this version have it
static void list_stages(const Session *session, char text[STAGES_LENGTH]) {
  const SimulationSettings *s = simulation_settings(session->simulation);
  memset(text, 0, STAGES_LENGTH);
  size_t length = (size_t)snprintf(text, STAGES_LENGTH, "%s", device_name(s->device));
  for (const Option *o = simulation_options; o->key && length < STAGES_LENGTH; o++) {
    if (o->applies != APPLIES_TO_STAGE || o->offset == offsetof(SimulationSettings, device)) continue;
    const size_t room = STAGES_LENGTH - length;
    length += (size_t)(o->type == OPTION_TEXT ? snprintf(text + length, room, " %s", (const char *)s + o->offset)
                                              : snprintf(text + length, room, " %g", option_value(o, s).number[0]));
  }
}

// the signature as a text; free() releases it
static char *sign(const Session *session, double fps, Error *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = memory_stream(&text, &size);
  bool ok = memory && signature_write(session, fps, memory, error);
  if (memory && fclose(memory) != 0) ok = false;
  if (ok) return text;
  error_set(error, "out of memory: the signature");
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
  fwrite(session->drag_ids, sizeof session->drag_ids, 1, file);
  fwrite(&session->unconverged, sizeof session->unconverged, 1, file);
  fwrite(session->trouble, sizeof session->trouble, 1, file);
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
    unsigned char head[HEAD_BYTES];
    const uint64_t bytes = size;
    const uint32_t words[2] = { VERSION, BYTE_ORDER_MARK }, sum = (uint32_t)crc32_z(0, (const Bytef *)payload, size);
    memcpy(head, MAGIC, 8);
    memcpy(head + 8, words, 8);
    memcpy(head + 16, &bytes, 8);
    memcpy(head + 24, &sum, 4);
    const uint32_t head_sum = (uint32_t)crc32_z(0, head, 28);
    memcpy(head + 28, &head_sum, 4);
    fwrite(head, sizeof head, 1, output.stream);
    fwrite(payload, 1, size, output.stream);
    ok = atomic_file_commit(&output, error);
  }
  atomic_file_close(&output);
  free(payload);
  return ok;
}

// the bytes behind the head, at most `most`, which have been checked, sums and all; free() releases them
static unsigned char *read_payload(const char *path, uint64_t most, size_t *size, Error *error) {
  unsigned char head[HEAD_BYTES], *payload = NULL, beyond;
  uint32_t words[2], sum, head_sum;
  uint64_t bytes = 0;
  FILE *file = fopen(path, "rb");
  const char *fault = NULL;
  if (!file) {
    error_set(error, "%s: cannot open: %s", path, strerror(errno));
    return NULL;
  }
  if (fread(head, sizeof head, 1, file) != 1) {
    fault = ferror(file) ? strerror(errno) : "cut off, or no checkpoint of Pliant";
    goto done;
  }
  memcpy(words, head + 8, 8);
  memcpy(&bytes, head + 16, 8);
  memcpy(&sum, head + 24, 4);
  memcpy(&head_sum, head + 28, 4);
  if (memcmp(head, MAGIC, 8) != 0)
    fault = "not a checkpoint of Pliant";
  else if (words[1] != BYTE_ORDER_MARK)
    fault = "written on a machine of the other byte order";
  else if (words[0] != VERSION)
    error_set(error, "%s: a checkpoint of version %u, expected version %d", path, words[0], VERSION);
  else if (head_sum != crc32_z(0, head, 28))
    fault = "damaged: the checksum of its head is wrong";
  if (fault || error->message[0]) goto done;
  // the size that the head states is compared with the file's before memory is taken
  if (fseek(file, 0, SEEK_END) != 0 || (uint64_t)ftell(file) != bytes + HEAD_BYTES ||
      fseek(file, HEAD_BYTES, SEEK_SET) != 0) {
    fault = "cut off, or longer than its head says";
    goto done;
  }
  if (bytes > most) {
    fault = "of another session: larger than any of this body";
    goto done;
  }
  payload = malloc(bytes ? bytes : 1);
  if (!payload)
    fault = "too large for the memory there is";
  else if (fread(payload, 1, bytes, file) != bytes || fread(&beyond, 1, 1, file) != 0)
    fault = ferror(file) ? strerror(errno) : "cut off while it was read";
  else if (sum != crc32_z(0, payload, bytes))
    fault = "damaged: its checksum is wrong";
done:
  fclose(file);
  *size = bytes;
  if (fault) error_set(error, "%s: %s", path, fault);
  if (!error->message[0]) return payload;
  free(payload);
  return NULL;
}

// fails unless mesh, settings and script are those of the checkpoint
static bool belongs_here(const Session *session, double fps, Bytes *bytes, Error *error) {
  uint32_t length;
  bytes_take(bytes, &length, sizeof length);
  if (bytes->exhausted || length > (size_t)(bytes->end - bytes->at))
    return error_set(error, "its signature is cut off");
  char *theirs = malloc((size_t)length + 1), *ours = sign(session, fps, error);
  bool ok = theirs && ours;
  if (ok) {
    bytes_take(bytes, theirs, length);
    theirs[length] = '\0';
    ok = signature_compare(theirs, ours, error);
  }
  free(theirs);
  free(ours);
  return ok || error_set(error, "out of memory: the signature");
}

static bool restore(Session *session, double fps, const char *path, Bytes *bytes, Error *error) {
  char stages[STAGES_LENGTH], our_stages[STAGES_LENGTH];
  if (!belongs_here(session, fps, bytes, error)) return false;
  list_stages(session, our_stages);
  bytes_take(bytes, stages, sizeof stages);
  stages[STAGES_LENGTH - 1] = '\0';
  if (strcmp(stages, our_stages) != 0)
    log_notice("%s: was made with the stages %s, continues with %s: not bit for bit", path, stages, our_stages);
  bytes_take(bytes, session->drag_ids, sizeof session->drag_ids);
  bytes_take(bytes, &session->unconverged, sizeof session->unconverged);
  bytes_take(bytes, session->trouble, sizeof session->trouble);
  session->trouble[sizeof session->trouble - 1] = '\0';
  session->load_key = -1;  // the load is set anew before the next step
  if (!simulation_restore(session->simulation, bytes, error)) return false;
  if (simulation_step_count(session->simulation) > STEPS_MAX)
    return error_set(error, "its number of steps is too large");
  // a grab that no drag of the script holds would never be let go
  simulation_keep_grabs(session->simulation, session->drag_ids, SCENE_PARTS_MAX);
  return bytes->at == bytes->end || error_set(error, "longer than its contents");
}

bool checkpoint_read(Session *session, double fps, const char *path, Error *error) {
  size_t size;
  unsigned char *payload =
      read_payload(path, PAYLOAD_MAX + NODE_BYTES_MAX * (uint64_t)session->mesh.node_count, &size, error);
  if (!payload) return false;
  Bytes bytes = { .at = payload, .end = payload + size };
  const bool ok = restore(session, fps, path, &bytes, error) || error_prefix(error, "%s", path);
  free(payload);
  return ok;
}
