#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <sys/eventfd.h>

#include "../CGlibc/functions.h"

// The library is loaded when an MQTT broker has joined the house, and never linked.
#define HUBPAIR_MOSQUITTO(EACH) \
    EACH(mosquitto_lib_init) \
    EACH(mosquitto_new) \
    EACH(mosquitto_destroy) \
    EACH(mosquitto_int_option) \
    EACH(mosquitto_username_pw_set) \
    EACH(mosquitto_connect_callback_set) \
    EACH(mosquitto_disconnect_callback_set) \
    EACH(mosquitto_message_callback_set) \
    EACH(mosquitto_subscribe_callback_set) \
    EACH(mosquitto_connect_bind_v5) \
    EACH(mosquitto_subscribe) \
    EACH(mosquitto_unsubscribe) \
    EACH(mosquitto_publish) \
    EACH(mosquitto_disconnect) \
    EACH(mosquitto_socket) \
    EACH(mosquitto_want_write) \
    EACH(mosquitto_loop_read) \
    EACH(mosquitto_loop_write) \
    EACH(mosquitto_loop_misc) \
    EACH(mosquitto_strerror) \
    EACH(mosquitto_reason_string)
HUBPAIR_FUNCTIONS(mosquitto, HUBPAIR_MOSQUITTO)
