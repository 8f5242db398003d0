// Fuzz targets that need a body. Each writes the bytes to a file at `path`, reads it, and applies accepted input to a
// small body. `folder` is for output.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Reads a checkpoint. The bytes are the whole file if they begin with "PLIANTCK", otherwise the part after the
/// signature.
void fuzz_checkpoint(const char *folder, const char *path, const uint8_t *data, size_t size);

/// Reads an input log. After 'R' comes the whole file, after 'H' the part after the scene in the first line. Other
/// bytes are the lines after the first.
void fuzz_input_log(const char *folder, const char *path, const uint8_t *data, size_t size);

/// Reads numbers of a scene, eight bytes each: obstacles of every kind with paths and spins, a contact distance, a
/// body's position and velocities, and displacements of its nodes. Takes steps with self-contact if the scene is
/// accepted.
void fuzz_numbers(const char *path, const uint8_t *data, size_t size);
