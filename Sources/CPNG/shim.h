#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <png.h>

#include "../CGlibc/functions.h"

// A file in memory that ends early: where the bytes end, or when `is_over` says so.
struct hubpair_png_file {
    const unsigned char *bytes;
    size_t count, position;
    int (*is_over)(const void *context);
    const void *context;
};

static inline ssize_t hubpair_png_read(void *cookie, char *target, size_t size) {
    struct hubpair_png_file *file = cookie;
    if (file->is_over(file->context)) return 0;
    size_t left = file->count - file->position, count = size < left ? size : left;
    memcpy(target, file->bytes + file->position, count);
    file->position += count;
    return (ssize_t)count;
}

// glibc declares fopencookie(3) and its structure only with _GNU_SOURCE, which Swift does not define.
struct hubpair_png_functions {
    ssize_t (*read)(void *, char *, size_t);
    ssize_t (*write)(void *, const char *, size_t);
    int (*seek)(void *, long *, int);
    int (*close)(void *);
};
FILE *hubpair_png_fopencookie(void *, const char *, struct hubpair_png_functions) __asm__("fopencookie");

// NULL without memory. `file` must live until it is closed.
static inline FILE *hubpair_png_open(struct hubpair_png_file *file) {
    struct hubpair_png_functions functions = {hubpair_png_read, NULL, NULL, NULL};
    FILE *stream = hubpair_png_fopencookie(file, "r", functions);
    // So often the time is looked at.
    if (stream != NULL) setvbuf(stream, NULL, _IOFBF, 1 << 15);
    return stream;
}

// libpng's functions, by their declarations. The library is loaded with the first PNG, and never linked.
#define HUBPAIR_PNG(function) \
    function(png_image_begin_read_from_memory) \
    function(png_image_begin_read_from_stdio) \
    function(png_image_finish_read) \
    function(png_image_free) \
    function(png_image_write_to_memory)
HUBPAIR_FUNCTIONS(png, HUBPAIR_PNG)
