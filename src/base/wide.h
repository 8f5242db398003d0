// WIDE marks functions that are compiled for several vector widths of a processor family. When the program is loaded,
// the C library selects the widest version that the processor supports. Products and sums are not fused
// (-ffp-contract=off) and keep the order of the source, so all versions compute the same bits.
#pragma once

// WIDE has no effect in builds with sanitizers, because the C library selects a version while it loads the program,
// when a sanitizer is not ready yet.
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__ && \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define WIDE __attribute__((flatten, target_clones("avx2", "default")))
#else
#define WIDE
#endif
