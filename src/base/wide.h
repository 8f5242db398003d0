// Functions that are built for the widths of vectors that processors of one family have, of which the program takes
// the widest that its processor runs. Products and sums are not fused (-ffp-contract=off) and stand in the order that
// the source gives them, so the bits are the same on all of them.
#pragma once

// the choice is made by the C library as it loads the program, before any sanitizer is ready
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__ && \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define WIDE __attribute__((flatten, target_clones("avx2", "default")))
#else
#define WIDE
#endif
