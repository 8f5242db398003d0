// Targets that need a body: each reads the bytes as a file at `path`, and what is taken is done to a small body.
// `folder` is one to write into.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// A checkpoint: the whole file where it begins with "PLIANTCK", else what comes behind the signature.
void fuzz_checkpoint(const char *folder, const char *path, const uint8_t *data, size_t size);

/// An input log: 'R' and the whole file, 'H' and what comes behind the scene in its head, or the lines after that.
void fuzz_input_log(const char *folder, const char *path, const uint8_t *data, size_t size);

/// Numbers of a scene, eight bytes each: obstacles of every kind, their paths and spins, a contact distance, places and
/// velocities of a body, and last displacements of its nodes. What is taken is stepped with self-contact.
void fuzz_numbers(const char *path, const uint8_t *data, size_t size);
