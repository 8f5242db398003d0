// Replaces factor_cudss.c if Pliant was built without CUDA, or if the header of cuDSS was not found.
#include "sim/direct/factor.h"

static const char *absence(void) {
#ifdef PLIANT_CUDA
  return "it needs NVIDIA's cuDSS, whose header was absent when Pliant was built (meson option cudss)";
#else
  return "it needs a GPU, and this build has no CUDA";
#endif
}

const FactorLibrary factor_cudss = { .absence = absence };
