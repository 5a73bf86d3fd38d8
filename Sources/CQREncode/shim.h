#include <dlfcn.h>
#include <qrencode.h>

// libqrencode's functions, by their declarations. The library is loaded with the first code, and never linked.
struct hubpair_qrencode {
#define HUBPAIR_EACH(function) \
    function(QRinput_new2) \
    function(QRinput_append) \
    function(QRinput_free) \
    function(QRcode_encodeInput) \
    function(QRcode_free)
#define HUBPAIR_FIELD(name) __typeof__(&name) name;
    HUBPAIR_EACH(HUBPAIR_FIELD)
#undef HUBPAIR_FIELD
};

// Fills in all of `functions` from the library. Returns 1; 0 if one is missing, with the reason in dlerror(3).
static inline int hubpair_load_qrencode(struct hubpair_qrencode *functions, void *library) {
#define HUBPAIR_LOAD(name) if (!(functions->name = (__typeof__(&name))dlsym(library, #name))) return 0;
    HUBPAIR_EACH(HUBPAIR_LOAD)
#undef HUBPAIR_LOAD
    return 1;
}
#undef HUBPAIR_EACH
