// Creates and sets a German locale, in which numbers have a decimal comma. Few systems have such a locale installed.
#pragma once
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Temporary folder for the locale and for output of the tests.
static char folder[] = "/tmp/pliant_locale_XXXXXX";

// Sets the locale of this process to German. Returns false if the system cannot create it.
static inline bool take_german(void) {
  char command[200];
  if (!mkdtemp(folder)) return false;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 > %s/log 2>&1", folder, folder);
  const int status = system(command);
  setenv("LOCPATH", folder, 1);
  return status >= 0 && setlocale(LC_ALL, "de_DE.UTF-8") && strtod("0,5", NULL) == 0.5;
}

static inline int remove_folder(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}
