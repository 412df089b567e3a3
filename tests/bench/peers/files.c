// Operations on many small files in a directory: microseconds each, one line per operation. As root: what is cold is made so.
//   files DIR COUNT
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int count;
static int directory;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void name(char *into, int i) { sprintf(into, "file-%d", i); }

static void create(const char *n) {
  int f = openat(directory, n, O_CREAT | O_EXCL | O_WRONLY, 0644);
  if (f < 0 || close(f)) fail("create");
}

static void stat_one(const char *n) {
  struct stat st;
  if (fstatat(directory, n, &st, AT_SYMLINK_NOFOLLOW)) fail("stat");
}

static void open_close(const char *n) {
  int f = openat(directory, n, O_RDONLY);
  if (f < 0 || close(f)) fail("open");
}

static void unlink_one(const char *n) {
  if (unlinkat(directory, n, 0)) fail("unlink");
}

static void forget_names(void) {
  sync();
  int f = open("/proc/sys/vm/drop_caches", O_WRONLY);
  if (f < 0 || write(f, "2", 1) != 1 || close(f)) fail("/proc/sys/vm/drop_caches");
}

static void each(const char *what, void (*once)(const char *)) {
  char n[32];
  double start = now();
  for (int i = 0; i < count; i++) {
    name(n, i);
    once(n);
  }
  printf("%s %.3f\n", what, (now() - start) / count);
}

static void list(void) {
  double start = now();
  int seen = 0;
  DIR *d = fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY));
  if (!d) fail("opendir");
  for (struct dirent *e; (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    stat_one(e->d_name);
    seen++;
  }
  closedir(d);
  if (seen != count) {
    fprintf(stderr, "files: listed %d of %d\n", seen, count);
    exit(1);
  }
  printf("list %.3f\n", (now() - start) / count);
}

int main(int words, char *word[]) {
  if (words != 3 || (count = atoi(word[2])) < 1) {
    fprintf(stderr, "usage: %s DIR COUNT\n", word[0]);
    return 2;
  }
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/files-%d", word[1], (int)getpid());
  if (mkdir(folder, 0755) || (directory = open(folder, O_RDONLY | O_DIRECTORY)) < 0) fail(folder);
  each("create", create);
  forget_names();
  each("stat", stat_one);
  each("open", open_close);
  forget_names();
  list();
  each("unlink", unlink_one);
  if (close(directory) || rmdir(folder)) fail(folder);
  return 0;
}
