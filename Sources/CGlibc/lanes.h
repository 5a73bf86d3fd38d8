// Operations on vectors that Swift 6.3 carries out on one number after the other. The compiler of C makes one or two
// instructions of each.
#include <stdint.h>

// Vectors of 16 bytes, and of 8.
typedef float hubpair_floats __attribute__((ext_vector_type(4)));
typedef int32_t hubpair_ints __attribute__((ext_vector_type(4)));
typedef int16_t hubpair_shorts __attribute__((ext_vector_type(8)));
typedef int16_t hubpair_four __attribute__((ext_vector_type(4)));
typedef uint8_t hubpair_bytes __attribute__((ext_vector_type(8)));

// Truncated. A number that does not fit 32 bits gives an undefined one.
static inline __attribute__((always_inline)) hubpair_ints hubpair_whole(hubpair_floats numbers) {
    return __builtin_convertvector(numbers, hubpair_ints);
}

static inline __attribute__((always_inline)) hubpair_floats hubpair_float(hubpair_ints numbers) {
    return __builtin_convertvector(numbers, hubpair_floats);
}

// The larger number of each lane.
static inline __attribute__((always_inline)) hubpair_shorts hubpair_larger(hubpair_shorts some, hubpair_shorts others) {
    return __builtin_elementwise_max(some, others);
}

// The largest number of all lanes.
static inline __attribute__((always_inline)) int16_t hubpair_largest(hubpair_shorts numbers) {
    return __builtin_reduce_max(numbers);
}

static inline __attribute__((always_inline)) hubpair_shorts hubpair_wide(hubpair_bytes bytes) {
    return __builtin_convertvector(bytes, hubpair_shorts);
}

static inline __attribute__((always_inline)) hubpair_ints hubpair_widened(hubpair_four numbers) {
    return __builtin_convertvector(numbers, hubpair_ints);
}

// The lower 16 bits of each.
static inline __attribute__((always_inline)) hubpair_four hubpair_narrowed(hubpair_ints numbers) {
    return __builtin_convertvector(numbers, hubpair_four);
}
