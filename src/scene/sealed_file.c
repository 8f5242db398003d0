// Writes and reads files with checksums: see sealed_file.h.
#include "scene/sealed_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/input_file.h"

enum { BYTE_ORDER_MARK = 0x01020304, HEAD_BYTES = 32 };

void sealed_write(const SealedKind *kind, const void *payload, size_t size, FILE *stream) {
  unsigned char head[HEAD_BYTES];
  const uint64_t bytes = size;
  const uint32_t words[2] = { kind->version, BYTE_ORDER_MARK }, sum = (uint32_t)crc32_z(0, payload, size);
  memcpy(head, kind->letters, 8);
  memcpy(head + 8, words, 8);
  memcpy(head + 16, &bytes, 8);
  memcpy(head + 24, &sum, 4);
  const uint32_t head_sum = (uint32_t)crc32_z(0, head, 28);
  memcpy(head + 28, &head_sum, 4);
  fwrite(head, sizeof head, 1, stream);
  fwrite(payload, 1, size, stream);
}

unsigned char *sealed_read(const SealedKind *kind, const char *path, uint64_t maximum, size_t *size, Error *error) {
  unsigned char head[HEAD_BYTES], *payload = NULL, beyond;
  char what[96];
  uint32_t words[2], sum, head_sum;
  uint64_t bytes = 0;
  FILE *file = input_file_open(path, INPUT_FILE, error);
  const char *fault = NULL;
  if (!file) return NULL;
  if (fread(head, sizeof head, 1, file) != 1) {
    snprintf(what, sizeof what, "is too short for a %s of Pliant: it is incomplete, or a file of another kind",
             kind->name);
    fault = ferror(file) ? strerror(errno) : what;
    goto done;
  }

  // checks the header
  snprintf(what, sizeof what, "is not a %s of Pliant", kind->name);
  memcpy(words, head + 8, 8);
  memcpy(&bytes, head + 16, 8);
  memcpy(&sum, head + 24, 4);
  memcpy(&head_sum, head + 28, 4);
  if (memcmp(head, kind->letters, 8) != 0)
    fault = what;
  else if (words[1] != BYTE_ORDER_MARK)
    fault = "was written on a machine with another byte order";
  else if (words[0] != kind->version)
    error_set(error,
              "%s: is a %s of version %u, expected version %u; create the file again with this version of Pliant", path,
              kind->name, words[0], kind->version);
  else if (head_sum != crc32_z(0, head, 28))
    fault = "is damaged: the checksum of its header is wrong";
  if (fault || error->message[0]) goto done;

  // compares the size in the header with the size of the file, before memory is allocated
  if (fseek(file, 0, SEEK_END) != 0 || (uint64_t)ftell(file) != bytes + HEAD_BYTES ||
      fseek(file, HEAD_BYTES, SEEK_SET) != 0) {
    fault = "is incomplete or has data after its end: its size is not the one in its header";
    goto done;
  }

  if (bytes > maximum) {
    snprintf(what, sizeof what, "does not fit this scene: no %s of its body is as large as this file", kind->name);
    fault = what;
    goto done;
  }

  // reads the payload and compares its checksum with the one in the header
  payload = malloc(bytes ? bytes : 1);
  if (!payload)
    fault = "not enough memory to read the file";
  else if (fread(payload, 1, bytes, file) != bytes || fread(&beyond, 1, 1, file) != 0)
    fault = ferror(file) ? strerror(errno) : "another program shortened the file while it was read";
  else if (sum != crc32_z(0, payload, bytes))
    fault = "is damaged: its checksum is wrong";
done:
  fclose(file);
  *size = bytes;
  if (fault) error_set(error, "%s: %s", path, fault);
  if (!error->message[0]) return payload;
  free(payload);
  return NULL;
}
