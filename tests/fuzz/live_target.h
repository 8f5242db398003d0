// Fuzz targets that need a body. Each function writes the bytes to a file at `path`, reads this file, and applies
// accepted input to a small body. Output of the run goes to `folder`.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Reads a checkpoint. If the bytes begin with "PLIANTCK", they are the whole file. Otherwise they are the part after
/// the list of settings, and the function writes a valid header and list before them.
void fuzz_checkpoint(const char *folder, const char *path, const uint8_t *data, size_t size);

/// Reads an input log. The first byte selects the part of the log that the other bytes replace. 'R': the whole file;
/// 'H': the rest of the first line, after its scene, and all later lines. With any other first byte, all bytes are the
/// lines after the first line.
void fuzz_input_log(const char *folder, const char *path, const uint8_t *data, size_t size);

/// Reads the bytes as numbers, eight bytes each, and writes them into a scene: as values of obstacles of every kind
/// with paths and spins, of a contact distance, and of a body's position and velocity. The next numbers are
/// displacements of the body's nodes. Takes steps with self-contact if the scene is accepted.
void fuzz_numbers(const char *path, const uint8_t *data, size_t size);
