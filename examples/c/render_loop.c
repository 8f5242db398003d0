/* A window of the program's own, with its own OpenGL context, in which a soft cube falls onto the floor. In each frame
 * the program takes one time step and draws the body's surface, coloured by height. The library neither opens windows
 * nor uses OpenGL: the program reads positions and triangles from it.
 * usage: render_loop [FRAMES]     closes the window after this number of frames, and prints the mean brightness
 * Compile with: cc render_loop.c $(pkg-config --cflags --libs pliant glfw3 gl) */
#include <stdio.h>
#include <stdlib.h>

#include <GLFW/glfw3.h>
#include <pliant.h>

static const char *const SCENE =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [0.2, 0.2, 0.2], \"cells\": 5, \"at\": [0, 0, 0.3], \"turn\": [20, "
    "30, "
    "0]}],"
    " \"young\": 2e4, \"gravity\": [0, 0, -9.81], \"floor\": 0}";

static int fail(const char *reason) {
  fprintf(stderr, "%s\n", reason);
  glfwTerminate();
  return 1;
}

/* Sets a camera in front of the body that looks along y. The visible box is 0.8 m wide and high. */
static void place_camera(GLFWwindow *window) {
  int width, height;
  glfwGetFramebufferSize(window, &width, &height);
  glViewport(0, 0, width, height);
  glMatrixMode(GL_PROJECTION);
  glLoadIdentity();
  glOrtho(-0.4, 0.4, -0.1, 0.7, -1, 1);
  glRotatef(-90, 1, 0, 0); /* z is up */
  glMatrixMode(GL_MODELVIEW);
  glLoadIdentity();
}

/* Draws the triangles of the surface. x [nodes][3]: positions, m. color [nodes][3]: memory for the colours. */
static void draw(const pliant_view *x, const pliant_view *surface, float *color) {
  const double *at = (const double *)x->data;
  for (int64_t a = 0; a < x->shape[0]; a++) {
    const float height = (float)at[3 * a + 2] / 0.5f;
    color[3 * a] = 0.2f + height;
    color[3 * a + 1] = 0.5f;
    color[3 * a + 2] = 1 - height;
  }
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_COLOR_ARRAY);
  glVertexPointer(3, GL_DOUBLE, 0, at);
  glColorPointer(3, GL_FLOAT, 0, color);
  glDrawElements(GL_TRIANGLES, (GLsizei)(3 * surface->shape[0]), GL_UNSIGNED_INT, surface->data);
}

/* Returns the mean of all red, green and blue values of the picture, 0 to 255. */
static double brightness(GLFWwindow *window) {
  int width, height;
  glfwGetFramebufferSize(window, &width, &height);
  const size_t count = 3 * (size_t)width * (size_t)height;
  unsigned char *pixels = (unsigned char *)malloc(count);
  if (!pixels) return 0;
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += pixels[k];
  free(pixels);
  return sum / (double)count;
}

int main(int count, char **words) {
  const int frames = count > 1 ? atoi(words[1]) : 0;
  if (!glfwInit()) return fail("a window cannot be opened: there is no display");
  GLFWwindow *window = glfwCreateWindow(480, 480, "render_loop", NULL, NULL);
  if (!window) return fail("a window with OpenGL cannot be opened");
  glfwMakeContextCurrent(window);
  glEnable(GL_DEPTH_TEST);

  pliant_scene *scene = NULL;
  pliant_sim *sim = NULL;
  if (pliant_scene_parse(&scene, SCENE, NULL) || pliant_sim_create(&sim, scene)) return fail(pliant_error());
  pliant_scene_destroy(scene);
  pliant_view x = { .size = sizeof x }, surface = x;
  if (pliant_field(sim, "surface", PLIANT_HOST, &surface) || pliant_field(sim, "positions", PLIANT_HOST, &x))
    return fail(pliant_error());
  float *color = (float *)malloc(3 * (size_t)x.shape[0] * sizeof *color);
  if (!color) return fail("out of memory");

  double light = 0;
  for (int k = 0; !glfwWindowShouldClose(window) && (frames == 0 || k < frames); k++) {
    if (pliant_step(sim, 1) || pliant_field(sim, "positions", PLIANT_HOST, &x)) return fail(pliant_error());
    place_camera(window);
    draw(&x, &surface, color);
    if (k == frames - 1) light = brightness(window); /* before the picture is given to the screen */
    glfwSwapBuffers(window);
    glfwPollEvents();
  }

  if (frames > 0) printf("%d frames, mean brightness %.1f of 255\n", frames, light);
  free(color);
  pliant_sim_destroy(sim);
  glfwTerminate();
  return 0;
}
