#include <zbar.h>

#include "../CGlibc/functions.h"

// The library is loaded with the first picture, and never linked.
HUBPAIR_LAZY(zbar_image_scanner_create)
HUBPAIR_LAZY(zbar_image_scanner_destroy)
HUBPAIR_LAZY(zbar_image_scanner_set_config)
HUBPAIR_LAZY(zbar_image_create)
HUBPAIR_LAZY(zbar_image_destroy)
HUBPAIR_LAZY(zbar_image_set_format)
HUBPAIR_LAZY(zbar_image_set_size)
HUBPAIR_LAZY(zbar_image_set_data)
HUBPAIR_LAZY(zbar_scan_image)
HUBPAIR_LAZY(zbar_image_first_symbol)
HUBPAIR_LAZY(zbar_symbol_next)
HUBPAIR_LAZY(zbar_symbol_get_type)
HUBPAIR_LAZY(zbar_symbol_get_quality)
HUBPAIR_LAZY(zbar_symbol_get_data)
HUBPAIR_LAZY(zbar_symbol_get_data_length)
HUBPAIR_LAZY(zbar_symbol_get_loc_size)
HUBPAIR_LAZY(zbar_symbol_get_loc_x)
HUBPAIR_LAZY(zbar_symbol_get_loc_y)
HUBPAIR_LAZY(zbar_get_symbol_name)
