// A library for LD_PRELOAD that makes one system call fail: call number $FAIL_AT (from 1) of the kind $FAIL_CALL. When
// that call fails, the library creates the empty file $FAIL_MARK. A seccomp filter turns every call of the kind into a
// signal, so that calls within libc, as in fclose, are included. The signal handler makes the call or returns the
// error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { NUMBERS_MAX = 3 };

static const struct Kind {
  const char *name;
  int numbers[NUMBERS_MAX], error;  // system calls of this kind, 0: unused; errno that the failing call returns
  int never;  // system call that always fails with EINVAL, as if the system did not have it; 0: none
} KINDS[] = {
  { "write", { SYS_write, SYS_pwrite64, SYS_writev }, ENOSPC, 0 },
  { "fsync", { SYS_fsync, SYS_fdatasync }, EIO, 0 },
  { "rename", { SYS_rename, SYS_renameat, SYS_renameat2 }, EACCES, 0 },
  { "exchange", { SYS_rename, SYS_renameat2 }, EACCES, SYS_renameat2 },
  { "close", { SYS_close }, EIO, 0 },
  { "open", { SYS_open, SYS_openat }, EMFILE, 0 },
  { "mmap", { SYS_mmap }, ENOMEM, 0 },
  { "malloc", { 0 }, ENOMEM, 0 },  // also calloc and realloc: these are functions, so this library replaces them
};
static const struct Kind *kind;
static int fail_at;
static atomic_int count;
static const char *mark;

// Makes a system call that the filter always lets pass. The filter recognises it by the address of `syscall` below.
long raw_call(long number, long a, long b, long c, long d, long e, long f);
extern const char raw_call_behind[];
__asm__(
    ".text\n"
    ".globl raw_call\n"
    ".hidden raw_call\n"
    ".hidden raw_call_behind\n"
    "raw_call:\n"
    "  mov %rdi, %rax\n"
    "  mov %rsi, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  mov %rcx, %rdx\n"
    "  mov %r8, %r10\n"
    "  mov %r9, %r8\n"
    "  mov 8(%rsp), %r9\n"
    "  syscall\n"
    ".globl raw_call_behind\n"
    "raw_call_behind:\n"
    "  ret\n");

// Counts a call. If it is the one that fails, creates $FAIL_MARK and returns 1.
static int is_to_fail(void) {
  if (atomic_fetch_add(&count, 1) + 1 != fail_at) return 0;
  const long descriptor = raw_call(SYS_openat, AT_FDCWD, (long)mark, O_CREAT | O_WRONLY, 0666, 0, 0);
  if (descriptor >= 0) raw_call(SYS_close, descriptor, 0, 0, 0, 0, 0);
  return 1;
}

static void answer(int signal, siginfo_t *info, void *context) {
  (void)signal;
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  if (kind->never && info->si_syscall == kind->never) {
    r[REG_RAX] = -EINVAL;
    return;
  }
  const int fails = is_to_fail();
  // A failing close still closes the descriptor.
  if (!fails || info->si_syscall == SYS_close)
    r[REG_RAX] = raw_call(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
  if (fails) r[REG_RAX] = -kind->error;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static int memory_fails(void) {
  if (!kind || kind->numbers[0] || !is_to_fail()) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return memory_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  return memory_fails() ? NULL : __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
  return memory_fails() ? NULL : __libc_realloc(memory, size);
}

static void begin(void) {
  const char *name = getenv("FAIL_CALL"), *at = getenv("FAIL_AT");
  mark = getenv("FAIL_MARK");
  if (!name || !at || !mark) return;
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
    if (strcmp(KINDS[k].name, name) == 0) kind = &KINDS[k];
  if (!kind) abort();
  fail_at = atoi(at);
  if (!kind->numbers[0]) return;
  struct sigaction action = { .sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER };
  if (sigaction(SIGSYS, &action, NULL) != 0) abort();
  const uint64_t behind = (uint64_t)raw_call_behind;
  struct sock_filter filter[16] = {
    // let calls from raw_call pass, which have this instruction pointer
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)behind, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(behind >> 32), 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
  };
  unsigned short used = 6;
  for (int k = 0; k < NUMBERS_MAX && kind->numbers[k]; k++) {
    filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)kind->numbers[k], 0, 1);
    filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  }
  filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = { .len = used, .filter = filter };

  // If the system does not allow a filter, no call fails. Then the test that loads this library finds no file
  // $FAIL_MARK.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// Counting starts at main(). Earlier calls, such as those of a GPU runtime's initialisation, are not made by the
// program.
typedef int Main(int count, char **words, char **environment);
static Main *program;

static int begin_main(int arguments, char **words, char **environment) {
  begin();
  return program(arguments, words, environment);
}

int __libc_start_main(Main *main, int arguments, char **words, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end) {
  typedef int Start(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  Start *start;
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return start(begin_main, arguments, words, init, fini, loader_fini, stack_end);
}
