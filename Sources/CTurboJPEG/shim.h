#include <dlfcn.h>
#include <stdio.h>
#include <turbojpeg.h>

// libturbojpeg's functions, by their declarations. The library is loaded with the first JPEG, and never linked.
struct hubpair_turbojpeg {
#define HUBPAIR_EACH(function) \
    function(tjInitDecompress) \
    function(tjDecompressHeader3) \
    function(tjDecompress2) \
    function(tjDestroy) \
    function(tjGetErrorCode) \
    function(tjGetErrorStr2)
#define HUBPAIR_FIELD(name) __typeof__(&name) name;
    HUBPAIR_EACH(HUBPAIR_FIELD)
#undef HUBPAIR_FIELD
};

// Fills in all of `functions` from the library. Returns 1; 0 if one is missing, with the reason in dlerror(3).
static inline int hubpair_load_turbojpeg(struct hubpair_turbojpeg *functions, void *library) {
#define HUBPAIR_LOAD(name) if (!(functions->name = (__typeof__(&name))dlsym(library, #name))) return 0;
    HUBPAIR_EACH(HUBPAIR_LOAD)
#undef HUBPAIR_LOAD
    return 1;
}
#undef HUBPAIR_EACH
