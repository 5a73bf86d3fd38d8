// Four numbers at once. Swift 6.3 converts vectors one number after the other.
#include <stdint.h>

typedef float hubpair_floats __attribute__((ext_vector_type(4)));
typedef int32_t hubpair_ints __attribute__((ext_vector_type(4)));

// Without what is behind the point. Numbers beyond 32 bits give anything.
static inline __attribute__((always_inline)) hubpair_ints hubpair_whole(hubpair_floats numbers) {
    return __builtin_convertvector(numbers, hubpair_ints);
}

static inline __attribute__((always_inline)) hubpair_floats hubpair_float(hubpair_ints numbers) {
    return __builtin_convertvector(numbers, hubpair_floats);
}

// And eight. Swift takes maxima lane by lane.
typedef int16_t hubpair_shorts __attribute__((ext_vector_type(8)));

// The larger one of each two.
static inline __attribute__((always_inline)) hubpair_shorts hubpair_larger(hubpair_shorts some, hubpair_shorts others) {
    return __builtin_elementwise_max(some, others);
}

// The largest of all.
static inline __attribute__((always_inline)) int16_t hubpair_largest(hubpair_shorts numbers) {
    return __builtin_reduce_max(numbers);
}

// Eight bytes as numbers of 16 bits.
typedef uint8_t hubpair_bytes __attribute__((ext_vector_type(8)));

static inline __attribute__((always_inline)) hubpair_shorts hubpair_wide(hubpair_bytes bytes) {
    return __builtin_convertvector(bytes, hubpair_shorts);
}

// Four numbers of 16 bits.
typedef int16_t hubpair_four __attribute__((ext_vector_type(4)));

static inline __attribute__((always_inline)) hubpair_ints hubpair_widened(hubpair_four numbers) {
    return __builtin_convertvector(numbers, hubpair_ints);
}

// The lower 16 bits.
static inline __attribute__((always_inline)) hubpair_four hubpair_narrowed(hubpair_ints numbers) {
    return __builtin_convertvector(numbers, hubpair_four);
}
