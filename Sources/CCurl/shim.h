#include <curl/curl.h>

/* The library is not linked but loaded when it is needed. These are the types of what is looked up
 * in it then, as its own headers have them. */
#define CCURL_CALL(name) typedef __typeof__(name) *name##_call
CCURL_CALL(curl_easy_cleanup);
CCURL_CALL(curl_easy_init);
CCURL_CALL(curl_easy_perform);
CCURL_CALL(curl_easy_reset);
CCURL_CALL(curl_easy_strerror);
CCURL_CALL(curl_global_init);
CCURL_CALL(curl_slist_append);
CCURL_CALL(curl_slist_free_all);
#undef CCURL_CALL

/* Swift cannot call what takes any number of arguments of any kind: each kind has its own door
 * here. `call` is the address of curl_easy_setopt or curl_easy_getinfo. */
static inline CURLcode ccurl_set_number(void *call, CURL *handle, CURLoption option, long value) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))call)(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(
    void *call, CURL *handle, CURLoption option, const void *value) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))call)(handle, option, value);
}

static inline CURLcode ccurl_set_writer(
    void *call, CURL *handle, size_t (*writer)(char *, size_t, size_t, void *)) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))call)(handle, CURLOPT_WRITEFUNCTION, writer);
}

static inline CURLcode ccurl_get_number(void *call, CURL *handle, CURLINFO what, long *value) {
    return ((CURLcode(*)(CURL *, CURLINFO, ...))call)(handle, what, value);
}
