#include <dlfcn.h>
#include <libheif/heif.h>

// The library is loaded with the first picture of its format, and never linked. Each line makes a function
// that looks up its namesake in the loaded library, with the type from the header: Swift cannot take a type
// from a declaration.
#define HUBPAIR_LAZY(name) \
    static inline __typeof__(&name) lazy_##name(void *library) { \
        return (__typeof__(&name))dlsym(library, #name); \
    }

HUBPAIR_LAZY(heif_context_alloc)
HUBPAIR_LAZY(heif_context_free)
HUBPAIR_LAZY(heif_context_read_from_memory_without_copy)
HUBPAIR_LAZY(heif_context_set_maximum_image_size_limit)
HUBPAIR_LAZY(heif_context_set_max_decoding_threads)
HUBPAIR_LAZY(heif_context_get_primary_image_handle)
HUBPAIR_LAZY(heif_image_handle_release)
HUBPAIR_LAZY(heif_image_handle_get_width)
HUBPAIR_LAZY(heif_image_handle_get_height)
HUBPAIR_LAZY(heif_image_handle_has_alpha_channel)
HUBPAIR_LAZY(heif_decoding_options_alloc)
HUBPAIR_LAZY(heif_decoding_options_free)
HUBPAIR_LAZY(heif_decode_image)
HUBPAIR_LAZY(heif_image_release)
HUBPAIR_LAZY(heif_image_get_width)
HUBPAIR_LAZY(heif_image_get_height)
HUBPAIR_LAZY(heif_image_has_channel)
HUBPAIR_LAZY(heif_image_get_bits_per_pixel_range)
HUBPAIR_LAZY(heif_image_get_plane_readonly)
