#include <wchar.h>

// glibc declares it only with _XOPEN_SOURCE, which Swift does not define.
int wcwidth(wchar_t character);
