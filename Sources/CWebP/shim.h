#include <dlfcn.h>
#include <webp/decode.h>

// The library is loaded when the first picture of its kind comes, and never linked. Each line gives a function that
// finds its namesake in it, with the type that the header declares; Swift cannot take a type from a declaration.
#define HUBPAIR_LAZY(name) \
    static inline __typeof__(&name) lazy_##name(void *library) { return (__typeof__(&name))dlsym(library, #name); }

HUBPAIR_LAZY(WebPGetFeaturesInternal)
HUBPAIR_LAZY(WebPInitDecoderConfigInternal)
HUBPAIR_LAZY(WebPIDecode)
HUBPAIR_LAZY(WebPIUpdate)
HUBPAIR_LAZY(WebPIDelete)
