// A FUSE file system that keeps everything in memory: the limit that mounts of OctoFS are measured against.
// libfuse 3, low-level interface, several threads. One lock for names, none for data: files are private to their writer.
#define FUSE_USE_VERSION 34
#define _GNU_SOURCE
#include <errno.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define BUCKETS (1 << 20)
#define FILE_MAX (1UL << 32) // Address space of a file; pages come when they are touched.

struct node {
  struct stat st;
  char *data;
  struct entry *children; // of a directory
  unsigned long opens;
  unsigned long changes; // of the children, so that a listing knows when its place is lost
};

// Where a listing goes on, so that it need not count from the start.
struct cursor {
  struct entry *next;
  off_t at;
  unsigned long changes;
};

struct entry {
  struct node *parent, *child;
  struct entry *next_in_bucket, *next, *previous;
  char name[];
};

static struct node root = {.st = {.st_ino = FUSE_ROOT_ID, .st_mode = S_IFDIR | 0777, .st_nlink = 2}};
static struct entry *buckets[BUCKETS];
static pthread_rwlock_t names = PTHREAD_RWLOCK_INITIALIZER;
static const double FOREVER = 3600; // Nobody else changes anything here.

static struct node *node_of(fuse_ino_t ino) { return ino == FUSE_ROOT_ID ? &root : (struct node *)ino; }

static struct entry **bucket_of(struct node *parent, const char *name) {
  unsigned long h = (unsigned long)parent;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3UL;
  return &buckets[(h ^ h >> 32) % BUCKETS];
}

static struct entry **find(struct node *parent, const char *name) {
  struct entry **e = bucket_of(parent, name);
  while (*e && ((*e)->parent != parent || strcmp((*e)->name, name))) e = &(*e)->next_in_bucket;
  return e;
}

static void add(struct node *parent, const char *name, struct node *child) {
  struct entry *e = calloc(1, sizeof *e + strlen(name) + 1);
  strcpy(e->name, name);
  e->parent = parent;
  e->child = child;
  struct entry **bucket = bucket_of(parent, name);
  e->next_in_bucket = *bucket;
  *bucket = e;
  e->next = parent->children;
  if (e->next) e->next->previous = e;
  parent->children = e;
  parent->changes++;
}

static void take(struct entry **place) {
  struct entry *e = *place;
  *place = e->next_in_bucket;
  e->parent->changes++;
  if (e->previous) e->previous->next = e->next; else e->parent->children = e->next;
  if (e->next) e->next->previous = e->previous;
  free(e);
}

static void drop_if_unused(struct node *n) {
  if (n->st.st_nlink == 0 && n->opens == 0 && n->data) {
    munmap(n->data, FILE_MAX);
    n->data = NULL; // The node itself stays: the kernel may still know its number.
  }
}

static struct fuse_entry_param answer(struct node *n) {
  return (struct fuse_entry_param){
      .ino = n == &root ? FUSE_ROOT_ID : (fuse_ino_t)n, .attr = n->st, .attr_timeout = FOREVER, .entry_timeout = FOREVER};
}

static void do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name) {
  pthread_rwlock_rdlock(&names);
  struct entry *e = *find(node_of(parent), name);
  struct node *child = e ? e->child : NULL;
  pthread_rwlock_unlock(&names);
  if (!child) { fuse_reply_err(req, ENOENT); return; }
  struct fuse_entry_param p = answer(child);
  fuse_reply_entry(req, &p);
}

static struct node *make(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode) {
  struct node *n = calloc(1, sizeof *n);
  n->st.st_ino = (ino_t)n;
  n->st.st_mode = mode;
  n->st.st_nlink = S_ISDIR(mode) ? 2 : 1;
  n->st.st_uid = fuse_req_ctx(req)->uid;
  n->st.st_gid = fuse_req_ctx(req)->gid;
  clock_gettime(CLOCK_REALTIME, &n->st.st_mtim);
  n->st.st_atim = n->st.st_ctim = n->st.st_mtim;
  pthread_rwlock_wrlock(&names);
  int exists = *find(node_of(parent), name) != NULL;
  if (!exists) add(node_of(parent), name, n);
  pthread_rwlock_unlock(&names);
  if (!exists) return n;
  free(n);
  fuse_reply_err(req, EEXIST);
  return NULL;
}

static void do_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode) {
  struct node *n = make(req, parent, name, S_IFDIR | mode);
  if (n) { struct fuse_entry_param p = answer(n); fuse_reply_entry(req, &p); }
}

static void do_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev) {
  (void)rdev;
  struct node *n = make(req, parent, name, mode);
  if (n) { struct fuse_entry_param p = answer(n); fuse_reply_entry(req, &p); }
}

static void do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi) {
  __atomic_add_fetch(&node_of(ino)->opens, 1, __ATOMIC_SEQ_CST);
  fi->keep_cache = 1;
  fuse_reply_open(req, fi);
}

static void do_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi) {
  struct node *n = make(req, parent, name, S_IFREG | mode);
  if (!n) return;
  n->opens = 1;
  struct fuse_entry_param p = answer(n);
  fuse_reply_create(req, &p, fi);
}

static void do_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi) {
  (void)fi;
  pthread_rwlock_wrlock(&names);
  node_of(ino)->opens--;
  drop_if_unused(node_of(ino));
  pthread_rwlock_unlock(&names);
  fuse_reply_err(req, 0);
}

static void remove_name(fuse_req_t req, fuse_ino_t parent, const char *name, int directory) {
  int error = 0;
  pthread_rwlock_wrlock(&names);
  struct entry **place = find(node_of(parent), name);
  if (!*place) error = ENOENT;
  else if (directory && (*place)->child->children) error = ENOTEMPTY;
  else {
    struct node *child = (*place)->child;
    take(place);
    child->st.st_nlink = 0;
    drop_if_unused(child);
  }
  pthread_rwlock_unlock(&names);
  fuse_reply_err(req, error);
}

static void do_unlink(fuse_req_t req, fuse_ino_t parent, const char *name) { remove_name(req, parent, name, 0); }
static void do_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name) { remove_name(req, parent, name, 1); }

static void do_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to, const char *new_name,
                      unsigned flags) {
  if (flags) { fuse_reply_err(req, EINVAL); return; }
  pthread_rwlock_wrlock(&names);
  struct entry **from = find(node_of(parent), name);
  if (*from) {
    struct node *child = (*from)->child;
    take(from);
    struct entry **old = find(node_of(to), new_name);
    if (*old) { (*old)->child->st.st_nlink = 0; take(old); }
    add(node_of(to), new_name, child);
    from = &node_of(to)->children;
  }
  int error = *from ? 0 : ENOENT;
  pthread_rwlock_unlock(&names);
  fuse_reply_err(req, error);
}

static void do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi) {
  (void)fi;
  fuse_reply_attr(req, &node_of(ino)->st, FOREVER);
}

static void do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *to, int set, struct fuse_file_info *fi) {
  struct node *n = node_of(ino);
  if (set & FUSE_SET_ATTR_MODE) n->st.st_mode = to->st_mode;
  if (set & FUSE_SET_ATTR_UID) n->st.st_uid = to->st_uid;
  if (set & FUSE_SET_ATTR_GID) n->st.st_gid = to->st_gid;
  if (set & FUSE_SET_ATTR_SIZE) {
    if (n->data && to->st_size < n->st.st_size) madvise(n->data, FILE_MAX, MADV_DONTNEED); // only ever to 0 here
    n->st.st_size = to->st_size;
  }
  do_getattr(req, ino, fi);
}

static void do_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi) {
  (void)fi;
  struct node *n = node_of(ino);
  off_t left = n->st.st_size - off;
  if (left <= 0 || !n->data) { fuse_reply_buf(req, NULL, 0); return; }
  fuse_reply_buf(req, n->data + off, (off_t)size < left ? size : (size_t)left);
}

static void do_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off, struct fuse_file_info *fi) {
  (void)fi;
  struct node *n = node_of(ino);
  if (off + size > FILE_MAX) { fuse_reply_err(req, EFBIG); return; }
  if (!n->data) {
    char *data = mmap(NULL, FILE_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) { fuse_reply_err(req, ENOSPC); return; }
    madvise(data, FILE_MAX, MADV_HUGEPAGE);
    char *none = NULL;
    if (!__atomic_compare_exchange_n(&n->data, &none, data, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) munmap(data, FILE_MAX);
  }
  memcpy(n->data + off, buf, size);
  off_t end = off + size, before = __atomic_load_n(&n->st.st_size, __ATOMIC_SEQ_CST);
  while (before < end && !__atomic_compare_exchange_n(&n->st.st_size, &before, end, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
  fuse_reply_write(req, size);
}

static void do_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi) {
  (void)ino;
  fi->fh = (uint64_t)calloc(1, sizeof(struct cursor));
  fuse_reply_open(req, fi);
}

static void do_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi) {
  (void)ino;
  free((void *)fi->fh);
  fuse_reply_err(req, 0);
}

static void list(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi, int plus) {
  char *buffer = malloc(size);
  struct cursor *cursor = (struct cursor *)fi->fh;
  size_t used = 0;
  pthread_rwlock_rdlock(&names);
  struct node *directory = node_of(ino);
  struct entry *e = cursor->next;
  if (off == 0 || off != cursor->at || cursor->changes != directory->changes) {
    e = directory->children;
    for (off_t at = 0; e && at < off; at++) e = e->next;
  }
  for (; e; e = e->next) {
    size_t room;
    if (plus) {
      struct fuse_entry_param p = answer(e->child);
      room = fuse_add_direntry_plus(req, buffer + used, size - used, e->name, &p, off + 1);
    } else {
      room = fuse_add_direntry(req, buffer + used, size - used, e->name, &e->child->st, off + 1);
    }
    if (room > size - used) break;
    used += room;
    off++;
  }
  *cursor = (struct cursor){.next = e, .at = off, .changes = directory->changes};
  pthread_rwlock_unlock(&names);
  fuse_reply_buf(req, buffer, used);
  free(buffer);
}

static void do_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi) {
  list(req, ino, size, off, fi, 0);
}

static void do_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi) {
  list(req, ino, size, off, fi, 1);
}

static void do_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi) {
  (void)ino, (void)datasync, (void)fi;
  fuse_reply_err(req, 0);
}

static void do_init(void *data, struct fuse_conn_info *conn) {
  (void)data;
  conn->max_write = 1 << 20;
  conn->want &= ~FUSE_CAP_SPLICE_READ; // no clear gain, and one call less
}

static const struct fuse_lowlevel_ops OPERATIONS = {
    .init = do_init, .lookup = do_lookup, .getattr = do_getattr, .setattr = do_setattr, .mknod = do_mknod,
    .mkdir = do_mkdir, .unlink = do_unlink, .rmdir = do_rmdir, .rename = do_rename, .open = do_open, .create = do_create,
    .read = do_read, .write = do_write, .release = do_release, .fsync = do_fsync, .opendir = do_opendir,
    .readdir = do_readdir, .readdirplus = do_readdirplus, .releasedir = do_releasedir};

int main(int count, char *words[]) {
  struct fuse_args args = FUSE_ARGS_INIT(count, words);
  struct fuse_cmdline_opts options;
  struct fuse_loop_config loop = {.clone_fd = 1, .max_idle_threads = 10};
  if (fuse_parse_cmdline(&args, &options) || !options.mountpoint) {
    fprintf(stderr, "usage: %s [-f] DIR\n", words[0]);
    return 2;
  }
  struct fuse_session *session = fuse_session_new(&args, &OPERATIONS, sizeof OPERATIONS, NULL);
  if (!session || fuse_set_signal_handlers(session) || fuse_session_mount(session, options.mountpoint)) return 1;
  fuse_daemonize(options.foreground);
  int result = fuse_session_loop_mt(session, &loop);
  fuse_session_unmount(session);
  fuse_session_destroy(session);
  return result != 0;
}
