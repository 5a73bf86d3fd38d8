// The functions of a library that is loaded when it is needed, and never linked. The shim of each such library includes
// this as text: it stands in no module map.
#include <dlfcn.h>

// `EACH` is a macro that applies its argument to the name of each function, which a header must declare. It makes
// struct hubpair_NAME, a pointer for each of them, and hubpair_load_NAME, which fills in all of them from the library.
// That returns 1; 0 if a function is missing, with the reason in dlerror(3).
#define HUBPAIR_FUNCTIONS(NAME, EACH) \
    struct hubpair_##NAME { EACH(HUBPAIR_FIELD) }; \
    static inline int hubpair_load_##NAME(struct hubpair_##NAME *functions, void *library) { \
        EACH(HUBPAIR_LOAD) \
        return 1; \
    }
#define HUBPAIR_FIELD(name) __typeof__(&name) name;
#define HUBPAIR_LOAD(name) if (!(functions->name = (__typeof__(&name))dlsym(library, #name))) return 0;

// Makes lazy_NAME, a function that looks up its namesake in the loaded library, with the type from the header:
// Swift cannot take a type from a declaration. It returns NULL if the function is missing.
#define HUBPAIR_LAZY(name) \
    static inline __typeof__(&name) lazy_##name(void *library) { \
        return (__typeof__(&name))dlsym(library, #name); \
    }
