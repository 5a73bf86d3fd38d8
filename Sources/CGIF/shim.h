#include <dlfcn.h>
#include <stdio.h>
#include <gif_lib.h>

// The library is loaded when the first picture of its kind comes, and never linked. Each line gives a function that
// finds its namesake in it, with the type that the header declares; Swift cannot take a type from a declaration.
#define HUBPAIR_LAZY(name) \
    static inline __typeof__(&name) lazy_##name(void *library) { return (__typeof__(&name))dlsym(library, #name); }

HUBPAIR_LAZY(DGifOpen)
HUBPAIR_LAZY(DGifCloseFile)
HUBPAIR_LAZY(DGifGetRecordType)
HUBPAIR_LAZY(DGifGetImageHeader)
HUBPAIR_LAZY(DGifGetLine)
HUBPAIR_LAZY(DGifGetExtension)
HUBPAIR_LAZY(DGifGetExtensionNext)
HUBPAIR_LAZY(DGifExtensionToGCB)
HUBPAIR_LAZY(GifErrorString)
