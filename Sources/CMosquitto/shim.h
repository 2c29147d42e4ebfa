/*
 * libmosquitto, and the few calls of the OpenSSL library below it that its own interface lacks.
 *
 * libmosquitto takes the host name that a certificate must carry from the host that it connects to. We connect to an address that we
 * resolved ourselves (its own resolution can block for a minute), so we hand it a finished TLS context that carries the name.
 *
 * OpenSSL's headers are not included: they would define the same structures as the BoringSSL inside swift-nio-ssl, and both modules can
 * meet in one compilation. The prototypes below are part of the stable interface of libssl 1.1 and 3.
 */
#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stddef.h>
#include <sys/eventfd.h> /* not in Swift's Glibc module */

struct ssl_st;
struct ssl_ctx_st;
struct ssl_method_st;
struct X509_VERIFY_PARAM_st;
struct x509_store_ctx_st;

const struct ssl_method_st *TLS_client_method(void);
struct ssl_ctx_st *SSL_CTX_new(const struct ssl_method_st *method);
void SSL_CTX_free(struct ssl_ctx_st *context);
long SSL_CTX_ctrl(struct ssl_ctx_st *context, int command, long number, void *pointer);
void SSL_CTX_set_verify(struct ssl_ctx_st *context, int mode, int (*callback)(int, struct x509_store_ctx_st *));
int SSL_CTX_load_verify_locations(struct ssl_ctx_st *context, const char *file, const char *directory);
int SSL_CTX_set_default_verify_paths(struct ssl_ctx_st *context);
int SSL_CTX_use_certificate_chain_file(struct ssl_ctx_st *context, const char *file);
int SSL_CTX_use_PrivateKey_file(struct ssl_ctx_st *context, const char *file, int type);
int SSL_CTX_check_private_key(const struct ssl_ctx_st *context);
struct X509_VERIFY_PARAM_st *SSL_CTX_get0_param(struct ssl_ctx_st *context);
int SSL_CTX_set_ex_data(struct ssl_ctx_st *context, int index, void *data);
void *SSL_CTX_get_ex_data(const struct ssl_ctx_st *context, int index);
void SSL_CTX_set_info_callback(struct ssl_ctx_st *context, void (*callback)(const struct ssl_st *, int, int));
int X509_VERIFY_PARAM_set1_host(struct X509_VERIFY_PARAM_st *parameters, const char *name, size_t length);
int X509_VERIFY_PARAM_set1_ip_asc(struct X509_VERIFY_PARAM_st *parameters, const char *address);
const char *X509_verify_cert_error_string(long error);
struct ssl_ctx_st *SSL_get_SSL_CTX(const struct ssl_st *ssl);
long SSL_ctrl(struct ssl_st *ssl, int command, long number, void *pointer);
int SSL_want(const struct ssl_st *ssl);
int SSL_pending(const struct ssl_st *ssl);
int SSL_write(struct ssl_st *ssl, const void *bytes, int count);
int SSL_get_ex_data_X509_STORE_CTX_idx(void);
void *X509_STORE_CTX_get_ex_data(const struct x509_store_ctx_st *verification, int index);
int X509_STORE_CTX_get_error(const struct x509_store_ctx_st *verification);
unsigned long ERR_get_error(void);
void ERR_error_string_n(unsigned long error, char *text, size_t size);

/* Values of macros in OpenSSL's headers. */
enum {
    CMOSQUITTO_SSL_VERIFY_PEER = 1,
    CMOSQUITTO_SSL_FILETYPE_PEM = 1,
    CMOSQUITTO_SSL_WRITING = 2,
    CMOSQUITTO_SSL_CB_HANDSHAKE_START = 0x10,
    CMOSQUITTO_SSL_CB_HANDSHAKE_DONE = 0x20,
    CMOSQUITTO_SSL_CTRL_SET_TLSEXT_HOSTNAME = 55,
    CMOSQUITTO_SSL_CTRL_SET_MIN_PROTO_VERSION = 123,
    CMOSQUITTO_TLS1_2_VERSION = 0x0303,
    CMOSQUITTO_APPLICATION_DATA = 0 /* the index of SSL_CTX_set_app_data */
};

/* What the callbacks of one TLS context need and find: libmosquitto may have freed its SSL object before anybody can ask that. */
struct cmosquitto_tls_peer {
    /* Name for the server name extension; NULL sends none. */
    char *server_name;
    /* Whether a handshake was completed. */
    int is_through;
    /* The first fault of the broker's certificate (X509_V_ERR_*), 0 for none. */
    int verify_error;
};

static inline struct cmosquitto_tls_peer *cmosquitto_tls_peer(const struct ssl_st *ssl) {
    return (struct cmosquitto_tls_peer *)SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), CMOSQUITTO_APPLICATION_DATA);
}

/* libmosquitto has just put the numeric address into the server name extension; the ClientHello is not made yet. */
static inline void cmosquitto_tls_state(const struct ssl_st *ssl, int where, int value) {
    (void)value;
    if (where & CMOSQUITTO_SSL_CB_HANDSHAKE_START) {
        SSL_ctrl((struct ssl_st *)ssl, CMOSQUITTO_SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, cmosquitto_tls_peer(ssl)->server_name);
    }
    if (where & CMOSQUITTO_SSL_CB_HANDSHAKE_DONE) cmosquitto_tls_peer(ssl)->is_through = 1;
}

/* Changes no verdict, but notes it. */
static inline int cmosquitto_tls_verify(int verdict, struct x509_store_ctx_st *verification) {
    const struct ssl_st *ssl =
        (const struct ssl_st *)X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct cmosquitto_tls_peer *peer = cmosquitto_tls_peer(ssl);
    if (!verdict && !peer->verify_error) peer->verify_error = X509_STORE_CTX_get_error(verification);
    return verdict;
}

/* Verifies the broker's certificate in every handshake under `context`; `peer` must live as long as the context. */
static inline void cmosquitto_tls_set_peer(struct ssl_ctx_st *context, struct cmosquitto_tls_peer *peer) {
    SSL_CTX_set_ex_data(context, CMOSQUITTO_APPLICATION_DATA, peer);
    SSL_CTX_set_info_callback(context, cmosquitto_tls_state);
    SSL_CTX_set_verify(context, CMOSQUITTO_SSL_VERIFY_PEER, cmosquitto_tls_verify);
}

static inline int cmosquitto_tls_set_minimum_version(struct ssl_ctx_st *context) {
    return (int)SSL_CTX_ctrl(context, CMOSQUITTO_SSL_CTRL_SET_MIN_PROTO_VERSION, CMOSQUITTO_TLS1_2_VERSION, NULL);
}

#endif
