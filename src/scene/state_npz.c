// Writes arrays into a .npz file: see state_npz.h.
#include "scene/state_npz.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/atomic_file.h"

enum { NPY_HEADER = 128, ARRAYS = 3 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "arrays are written as in memory, so the machine must be little-endian");

// Records of a ZIP archive, from PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5.3. Sizes always have 64 bits (ZIP64), so
// that small and large files need only one format. The date in the archive is constant, so that equal states give equal
// bytes.
enum { ZIP64_VERSION = 45, ZIP_DATE_1980 = 0x21, ZIP64_TAG = 1 };

typedef struct __attribute__((packed)) LocalHeader {
  uint32_t signature;  // always 0x04034b50
  uint16_t version, flags, method, time, date;
  uint32_t crc, packed, size;  // packed, size: always 0xffffffff; LocalExtra has the true sizes
  uint16_t name_length, extra_length;
} LocalHeader;

typedef struct __attribute__((packed)) LocalExtra {
  uint16_t tag, bytes;
  uint64_t size, packed;
} LocalExtra;

typedef struct __attribute__((packed)) DirectoryEntry {
  uint32_t signature;  // always 0x02014b50
  uint16_t made_by, version, flags, method, time, date;
  uint32_t crc, packed, size;
  uint16_t name_length, extra_length, comment_length, disk, internal;
  uint32_t external, offset;
} DirectoryEntry;

typedef struct __attribute__((packed)) DirectoryExtra {
  uint16_t tag, bytes;
  uint64_t size, packed, offset;
} DirectoryExtra;

typedef struct __attribute__((packed)) DirectoryEnd {
  // ZIP64 end of central directory record
  uint32_t signature64;  // always 0x06064b50
  uint64_t bytes64;
  uint16_t made_by, version;
  uint32_t disk64, first_disk64;
  uint64_t count64, total64, size64, offset64;
  // ZIP64 end of central directory locator
  uint32_t locator_signature, locator_disk;  // always 0x07064b50
  uint64_t locator_offset;
  uint32_t disks;
  // end of central directory record
  uint32_t signature;  // always 0x06054b50
  uint16_t disk, first_disk, count, total;
  uint32_t size, offset;
  uint16_t comment_length;
} DirectoryEnd;

_Static_assert(sizeof(LocalHeader) == 30 && sizeof(DirectoryEntry) == 46 && sizeof(DirectoryEnd) == 56 + 20 + 22,
               "the headers must have the sizes of the ZIP format");

// A member of the archive: a .npy file with one array.
typedef struct Member {
  const char *name;
  const double (*values)[3];
  uint64_t bytes, offset;
  uint32_t crc;
} Member;

// Writes to `header` the header of a .npy file, for an array of [count][3] doubles.
static void npy_header(int count, char header[NPY_HEADER]) {
  const uint16_t length = NPY_HEADER - 10;
  memset(header, ' ', NPY_HEADER);
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  memcpy(header + 8, &length, 2);
  char text[NPY_HEADER];
  const int written =
      snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", count);
  memcpy(header + 10, text, (size_t)written);
  header[NPY_HEADER - 1] = '\n';
}

static void put_member(FILE *file, Member *m, int count, uint64_t *at) {
  char npy[NPY_HEADER];
  const size_t bytes = sizeof *m->values * (size_t)count;
  npy_header(count, npy);
  m->bytes = NPY_HEADER + bytes;
  m->offset = *at;
  m->crc = (uint32_t)crc32_z(crc32_z(0, (const Bytef *)npy, NPY_HEADER), (const Bytef *)m->values, bytes);
  const LocalHeader header = { .signature = 0x04034b50,
                               .version = ZIP64_VERSION,
                               .date = ZIP_DATE_1980,
                               .crc = m->crc,
                               .packed = UINT32_MAX,
                               .size = UINT32_MAX,
                               .name_length = (uint16_t)strlen(m->name),
                               .extra_length = sizeof(LocalExtra) };
  const LocalExtra extra = { ZIP64_TAG, sizeof extra - 4, m->bytes, m->bytes };
  fwrite(&header, sizeof header, 1, file);
  fwrite(m->name, strlen(m->name), 1, file);
  fwrite(&extra, sizeof extra, 1, file);
  fwrite(npy, sizeof npy, 1, file);
  fwrite(m->values, 1, bytes, file);
  *at += sizeof header + strlen(m->name) + sizeof extra + m->bytes;
}

static void put_directory(FILE *file, const Member members[ARRAYS], uint64_t at) {
  uint64_t size = 0;
  for (int k = 0; k < ARRAYS; k++) {
    const Member *m = &members[k];
    const DirectoryEntry entry = { .signature = 0x02014b50,
                                   .made_by = ZIP64_VERSION,
                                   .version = ZIP64_VERSION,
                                   .date = ZIP_DATE_1980,
                                   .crc = m->crc,
                                   .packed = UINT32_MAX,
                                   .size = UINT32_MAX,
                                   .name_length = (uint16_t)strlen(m->name),
                                   .extra_length = sizeof(DirectoryExtra),
                                   .offset = UINT32_MAX };
    const DirectoryExtra extra = { ZIP64_TAG, sizeof extra - 4, m->bytes, m->bytes, m->offset };
    fwrite(&entry, sizeof entry, 1, file);
    fwrite(m->name, strlen(m->name), 1, file);
    fwrite(&extra, sizeof extra, 1, file);
    size += sizeof entry + strlen(m->name) + sizeof extra;
  }

  const DirectoryEnd end = { .signature64 = 0x06064b50,
                             .bytes64 = 56 - 12,
                             .made_by = ZIP64_VERSION,
                             .version = ZIP64_VERSION,
                             .count64 = ARRAYS,
                             .total64 = ARRAYS,
                             .size64 = size,
                             .offset64 = at,
                             .locator_signature = 0x07064b50,
                             .locator_offset = at + size,
                             .disks = 1,
                             .signature = 0x06054b50,
                             .count = ARRAYS,
                             .total = ARRAYS,
                             .size = (uint32_t)size,
                             .offset = UINT32_MAX };
  fwrite(&end, sizeof end, 1, file);
}

bool state_npz_write(const char *path, int node_count, const double (*positions)[3], const double (*momenta)[3],
                     const double (*initial_positions)[3], Error *error) {
  Member members[ARRAYS] = { { .name = "positions.npy", .values = positions },
                             { .name = "momenta.npy", .values = momenta },
                             { .name = "initial_positions.npy", .values = initial_positions } };
  AtomicFile output = { 0 };
  uint64_t at = 0;
  if (!atomic_file_open(&output, path, error)) return false;
  for (int k = 0; k < ARRAYS; k++) put_member(output.stream, &members[k], node_count, &at);
  put_directory(output.stream, members, at);
  const bool ok = atomic_file_commit(&output, error);
  atomic_file_close(&output);
  return ok;
}
