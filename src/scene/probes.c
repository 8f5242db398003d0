// Writes a table of quantities of a run (observables) that the user has selected: see probes.h.
#include "scene/probes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "scene/json_file.h"

bool probes_read(Probes *p, const ProbeOptions *options, const char *curves, bool elsewhere, Error *error) {
  *p = (Probes){ 0 };
  p->of_scene = options->file[0] && !options->names[0];
  const char *first = p->of_scene ? curves : options->names, *name = first;
  const char *source = p->of_scene ? "key \"curves\"" : "--probe";
  if (options->file[0] && !first[0])
    return error_set(
        error, "--probe-file %s needs --probe NAME,NAME, the observables to write; `pliant probes` lists their names",
        options->file);
  if (options->names[0] && !options->file[0] && !elsewhere)
    return error_set(error, "--probe %.100s needs an output file; give --probe-file FILE", options->names);
  while (*name || (name > first && name[-1] == ',')) {
    const int whole = (int)strcspn(name, ",");
    const int blanks = (int)strspn(name, " ");  // users write "energy, volume"
    int length = whole - blanks;
    while (length > 0 && name[blanks + length - 1] == ' ') length--;
    Probe *probe = &p->probe[p->count];
    if (p->count == PROBES_MAX) return error_set(error, "%s: has more than %d names, the maximum", source, PROBES_MAX);
    if (length >= OBSERVABLE_TEXT_MAX)
      return error_set(error, "%s: \"%.40s...\" is too long for a probe", source, name);
    snprintf(probe->text, sizeof probe->text, "%.*s", length, name + blanks);
    probe->row = observable_find(probe->text, &probe->subject_text, error);
    if (!probe->row) return error_prefix(error, "%s", source);
    p->value_count += probe->row->size;
    p->count++;
    name += whole + (name[whole] == ',');
  }
  return true;
}

bool probes_check(const ProbeOptions *options, const char *curves, bool elsewhere, Error *error) {
  Probes *probes = array_new(1, sizeof *probes, "probes", error);
  const bool ok = probes && probes_read(probes, options, curves, elsewhere, error);
  free(probes);
  return ok;
}

// Writes a comma and the title of a column. The title is quoted if it contains a blank, a quote or a semicolon, as
// names of bodies may.
static void write_title(FILE *file, const char *label) {
  const bool quoted = strpbrk(label, "\" ;") != NULL;
  fputc(',', file);
  if (quoted) fputc('"', file);
  for (const char *c = label; *c; c++) {
    if (*c == '"') fputc('"', file);
    fputc(*c, file);
  }
  if (quoted) fputc('"', file);
}

bool probes_open(Probes *p, const ProbeOptions *options, const Session *session, const char *time, Error *error) {
  for (int k = 0; k < p->count; k++) {
    Probe *probe = &p->probe[k];
    if (!observable_find_subject(probe->row, session, probe->subject_text, &probe->subject, error))
      return error_prefix(error, p->of_scene ? "key \"curves\": %s" : "--probe %s", probe->text);
  }
  return !options->file[0] || probes_start(p, options->file, time, error);
}

bool probes_start(Probes *p, const char *file, const char *time, Error *error) {
  char label[OBSERVABLE_LABEL];
  if (!atomic_file_open(&p->file, file, error)) return false;
  fprintf(p->file.stream, "step,%s", time);
  for (int k = 0; k < p->count; k++)
    for (int i = 0; i < p->probe[k].row->size; i++) {
      observable_label(p->probe[k].row, p->probe[k].text, i, label);
      write_title(p->file.stream, label);
    }
  fputc('\n', p->file.stream);
  return true;
}

bool probes_add(Probes *p, Observed *observed, int64_t step, double time, Error *error) {
  double *value = p->value;
  for (int k = 0; k < p->count; value += p->probe[k++].row->size)
    if (!observe(observed, p->probe[k].row, &p->probe[k].subject, value, error)) return false;
  return !p->file.stream || probes_write(p, step, time, error);
}

bool probes_write(Probes *p, int64_t step, double time, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  fprintf(p->file.stream, "%lld,%.17g", (long long)step, time);
  for (int k = 0; k < p->value_count; k++) {
    fputc(',', p->file.stream);
    if (isfinite(p->value[k])) fprintf(p->file.stream, "%.17g", p->value[k]);
  }
  fputc('\n', p->file.stream);
  // reports a failed write now, and not at the end of the run
  return !ferror(p->file.stream) || atomic_file_commit(&p->file, error);
}

void probes_add_json(const Probes *p, const double *value, cJSON *object) {
  char label[OBSERVABLE_LABEL];
  for (int k = 0; k < p->count; value += p->probe[k++].row->size) {
    observable_label(p->probe[k].row, p->probe[k].text, -1, label);
    observable_add_json(p->probe[k].row, label, value, object);
  }
}

bool probes_commit(Probes *p, Error *error) {
  return !p->file.stream || atomic_file_commit(&p->file, error);
}

void probes_close(Probes *p) {
  atomic_file_close(&p->file);
}
