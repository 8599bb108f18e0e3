/* The functions of FMI 3.0 (fmi-standard.org), for model exchange and co-simulation, around instance.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL static
#include "instance.c"
#include "linear_system.c"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

/* Several units in one program, linked as sources, need names of their own. */
#ifdef FMI3_FUNCTION_PREFIX
#define PASTE(a, b) a##b
#define PASTE_BOTH(a, b) PASTE(a, b)
#define NAME(f) PASTE_BOTH(FMI3_FUNCTION_PREFIX, f)
#else
#define NAME(f) f
#endif

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef uint32_t reference;
typedef const char *text;
typedef const uint8_t *binary;
typedef void (*log_message)(void *environment, fmi3Status status, const char *category, const char *message);

/* The logger is kept as data beside the instance: C has no void pointer to a function. */
typedef struct {
    instance *c;
    log_message log;
    void *environment;
} unit;

static instance *of(void *handle) { return ((unit *)handle)->c; }

static fmi3Status done(void *handle, int ok) {
    unit *u = (unit *)handle;
    if (ok) return fmi3OK;
    if (u->log) u->log(u->environment, fmi3Error, "logStatusError", u->c->message);
    return fmi3Error;
}

static fmi3Status refuse(void *handle, const char *message) {
    of(handle)->message = message;
    return done(handle, 0);
}

/* The way to the resources, without a slash at its end; to be freed */
static char *folder_of(const char *path) {
    char *folder = path ? (char *)malloc(strlen(path) + 1) : NULL;
    size_t n;
    if (!folder) return NULL;
    strcpy(folder, path);
    for (n = strlen(folder); n > 1 && (folder[n - 1] == '/' || folder[n - 1] == '\\'); --n) folder[n - 1] = 0;
    return folder;
}

static void *make(const char *name, const char *token, const char *path, void *environment, log_message log) {
    const char *message;
    char *folder = folder_of(path);
    unit *u = (unit *)malloc(sizeof(unit));
    instance *c = u ? instance_make(name, token, folder, &message) : NULL;
    free(folder);
    if (!c) {
        if (u && log) log(environment, fmi3Error, "logStatusError", message);
        free(u);
        return NULL;
    }
    u->c = c;
    u->log = log;
    u->environment = environment;
    return u;
}

EXPORT const char *NAME(fmi3GetVersion)(void) { return "3.0"; }

EXPORT fmi3Status NAME(fmi3SetDebugLogging)(void *c, bool on, size_t n, const text categories[]) {
    (void)c, (void)on, (void)n, (void)categories;
    return fmi3OK;
}

EXPORT void *NAME(fmi3InstantiateModelExchange)(text name, text token, text resources, bool visible, bool logging,
                                                void *environment, log_message log) {
    (void)visible, (void)logging;
    return make(name, token, resources, environment, log);
}

EXPORT void *NAME(fmi3InstantiateCoSimulation)(text name, text token, text resources, bool visible, bool logging,
                                               bool event_mode, bool early_return, const reference intermediate[],
                                               size_t n, void *environment, log_message log, void (*update)(void)) {
    (void)visible, (void)logging, (void)event_mode, (void)early_return, (void)intermediate, (void)n, (void)update;
    return make(name, token, resources, environment, log);
}

EXPORT void *NAME(fmi3InstantiateScheduledExecution)(text name, text token, text resources, bool visible, bool logging,
                                                     void *environment, log_message log, void (*clock)(void *),
                                                     void (*lock)(void), void (*unlock)(void)) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    if (log) log(environment, fmi3Error, "logStatusError", "scheduled execution is not offered");
    return NULL;
}

EXPORT void NAME(fmi3FreeInstance)(void *handle) {
    if (!handle) return;
    instance_free(of(handle));
    free(handle);
}

EXPORT fmi3Status NAME(fmi3EnterInitializationMode)(void *handle, bool tolerance_defined, double tolerance,
                                                    double start, bool stop_defined, double stop) {
    instance *c = of(handle);
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    if (c->mode != MODE_INSTANTIATED) return refuse(handle, "the initialization was entered already");
    c->mode = MODE_INITIALIZATION;
    c->time = start;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3ExitInitializationMode)(void *handle) {
    instance *c = of(handle);
    if (c->mode != MODE_INITIALIZATION) return refuse(handle, "the initialization was not entered");
    c->mode = MODE_RUNNING;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3Terminate)(void *handle) {
    of(handle)->mode = MODE_TERMINATED;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3Reset)(void *handle) {
    instance_reset(of(handle));
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetFloat64)(void *c, const reference vr[], size_t n, double values[], size_t n_values) {
    return done(c, instance_get(of(c), vr, n, values, n_values));
}

EXPORT fmi3Status NAME(fmi3SetFloat64)(void *c, const reference vr[], size_t n, const double values[],
                                       size_t n_values) {
    return done(c, instance_set(of(c), vr, n, values, n_values));
}

/* All variables are of type Float64. */
#define NONE(get, set, type)                                                                                     \
    EXPORT fmi3Status NAME(get)(void *c, const reference vr[], size_t n, type values[], size_t n_values) {       \
        (void)vr, (void)values, (void)n_values;                                                                  \
        return n ? refuse(c, #get ": all variables are of type Float64") : fmi3OK;                               \
    }                                                                                                            \
    EXPORT fmi3Status NAME(set)(void *c, const reference vr[], size_t n, const type values[], size_t n_values) { \
        (void)vr, (void)values, (void)n_values;                                                                  \
        return n ? refuse(c, #set ": all variables are of type Float64") : fmi3OK;                               \
    }
NONE(fmi3GetFloat32, fmi3SetFloat32, float)
NONE(fmi3GetInt8, fmi3SetInt8, int8_t)
NONE(fmi3GetUInt8, fmi3SetUInt8, uint8_t)
NONE(fmi3GetInt16, fmi3SetInt16, int16_t)
NONE(fmi3GetUInt16, fmi3SetUInt16, uint16_t)
NONE(fmi3GetInt32, fmi3SetInt32, int32_t)
NONE(fmi3GetUInt32, fmi3SetUInt32, uint32_t)
NONE(fmi3GetInt64, fmi3SetInt64, int64_t)
NONE(fmi3GetUInt64, fmi3SetUInt64, uint64_t)
NONE(fmi3GetBoolean, fmi3SetBoolean, bool)
NONE(fmi3GetString, fmi3SetString, text)

/* What needs clocks or binary variables, of which there are none: (arguments), whether something was asked for. */
#define WITHOUT(name, arguments, asked)                                                                          \
    EXPORT fmi3Status NAME(name) arguments { return (asked) ? refuse(c, #name ": there is none") : fmi3OK; }
WITHOUT(fmi3GetBinary, (void *c, const reference vr[], size_t n, size_t s[], binary v[], size_t m), ((void)vr, (void)s, (void)v, (void)m, n))
WITHOUT(fmi3SetBinary, (void *c, const reference vr[], size_t n, const size_t s[], const binary v[], size_t m), ((void)vr, (void)s, (void)v, (void)m, n))
WITHOUT(fmi3GetClock, (void *c, const reference vr[], size_t n, bool v[]), ((void)vr, (void)v, n))
WITHOUT(fmi3SetClock, (void *c, const reference vr[], size_t n, const bool v[]), ((void)vr, (void)v, n))
WITHOUT(fmi3GetIntervalDecimal, (void *c, const reference vr[], size_t n, double v[], int q[]), ((void)vr, (void)v, (void)q, n))
WITHOUT(fmi3GetIntervalFraction, (void *c, const reference vr[], size_t n, uint64_t v[], uint64_t r[], int q[]), ((void)vr, (void)v, (void)r, (void)q, n))
WITHOUT(fmi3GetShiftDecimal, (void *c, const reference vr[], size_t n, double v[]), ((void)vr, (void)v, n))
WITHOUT(fmi3GetShiftFraction, (void *c, const reference vr[], size_t n, uint64_t v[], uint64_t r[]), ((void)vr, (void)v, (void)r, n))
WITHOUT(fmi3SetIntervalDecimal, (void *c, const reference vr[], size_t n, const double v[]), ((void)vr, (void)v, n))
WITHOUT(fmi3SetIntervalFraction, (void *c, const reference vr[], size_t n, const uint64_t v[], const uint64_t r[]), ((void)vr, (void)v, (void)r, n))
WITHOUT(fmi3SetShiftDecimal, (void *c, const reference vr[], size_t n, const double v[]), ((void)vr, (void)v, n))
WITHOUT(fmi3SetShiftFraction, (void *c, const reference vr[], size_t n, const uint64_t v[], const uint64_t r[]), ((void)vr, (void)v, (void)r, n))
WITHOUT(fmi3ActivateModelPartition, (void *c, reference vr, double t), ((void)vr, (void)t, 1))
WITHOUT(fmi3GetNumberOfVariableDependencies, (void *c, reference vr, size_t *n), ((void)vr, (void)n, 1))
WITHOUT(fmi3GetVariableDependencies, (void *c, reference vr, size_t e[], reference i[], size_t k[], int d[], size_t n), ((void)vr, (void)e, (void)i, (void)k, (void)d, (void)n, 1))
WITHOUT(fmi3GetAdjointDerivative, (void *c, const reference a[], size_t n, const reference b[], size_t m, const double s[], size_t n_s, double o[], size_t n_o), ((void)a, (void)n, (void)b, (void)m, (void)s, (void)n_s, (void)o, (void)n_o, 1))
WITHOUT(fmi3GetOutputDerivatives, (void *c, const reference vr[], size_t n, const int32_t o[], double v[], size_t m), ((void)vr, (void)o, (void)v, (void)m, n))
WITHOUT(fmi3GetEventIndicators, (void *c, double v[], size_t n), ((void)v, n))
WITHOUT(fmi3EnterConfigurationMode, (void *c), ((void)c, 0))
WITHOUT(fmi3ExitConfigurationMode, (void *c), ((void)c, 0))
WITHOUT(fmi3EnterEventMode, (void *c), ((void)c, 0))
WITHOUT(fmi3EnterStepMode, (void *c), ((void)c, 0))
WITHOUT(fmi3EnterContinuousTimeMode, (void *c), ((void)c, 0))
WITHOUT(fmi3EvaluateDiscreteStates, (void *c), ((void)c, 0))

EXPORT fmi3Status NAME(fmi3UpdateDiscreteStates)(void *c, bool *again, bool *terminate, bool *nominals, bool *values,
                                                 bool *event, double *time) {
    (void)c;
    *again = *terminate = *nominals = *values = *event = false;
    *time = 0.0;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetFMUState)(void *c, void **state) {
    if (!*state) *state = malloc(instance_state_size(of(c)) * sizeof(double));
    if (!*state) return refuse(c, "there is not enough memory");
    instance_state_get(of(c), (double *)*state);
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3SetFMUState)(void *c, void *state) {
    return state ? done(c, instance_state_set(of(c), (const double *)state)) : refuse(c, "there is no state");
}

EXPORT fmi3Status NAME(fmi3FreeFMUState)(void *c, void **state) {
    (void)c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3SerializedFMUStateSize)(void *c, void *state, size_t *size) {
    (void)state;
    *size = instance_state_size(of(c)) * sizeof(double);
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3SerializeFMUState)(void *c, void *state, uint8_t bytes[], size_t size) {
    if (!state || size != instance_state_size(of(c)) * sizeof(double)) return refuse(c, "the state has another size");
    memcpy(bytes, state, size);
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3DeserializeFMUState)(void *c, const uint8_t bytes[], size_t size, void **state) {
    if (size != instance_state_size(of(c)) * sizeof(double)) return refuse(c, "the state has another size");
    if (!*state) *state = malloc(size);
    if (!*state) return refuse(c, "there is not enough memory");
    memcpy(*state, bytes, size);
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetDirectionalDerivative)(void *c, const reference unknowns[], size_t n_unknowns,
                                                     const reference knowns[], size_t n_knowns, const double seed[],
                                                     size_t n_seed, double out[], size_t n_out) {
    return done(c, instance_directional(of(c), unknowns, n_unknowns, knowns, n_knowns, seed, n_seed, out, n_out));
}

/* --- model exchange ------------------------------------------------------------------------------------------ */

EXPORT fmi3Status NAME(fmi3CompletedIntegratorStep)(void *c, bool no_return, bool *enter_event, bool *terminate) {
    (void)c, (void)no_return;
    *enter_event = *terminate = false;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3SetTime)(void *c, double time) {
    of(c)->time = time;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3SetContinuousStates)(void *handle, const double x[], size_t n) {
    instance *c = of(handle);
    if (n != c->system.n_x) return refuse(handle, "the number of states is another one");
    memcpy(c->x, x, n * sizeof(double));
    c->fresh = 0;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetContinuousStateDerivatives)(void *handle, double dx[], size_t n) {
    instance *c = of(handle);
    if (n != c->system.n_x) return refuse(handle, "the number of states is another one");
    linear_derivatives(&c->system, c->x, c->u, dx);
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetContinuousStates)(void *handle, double x[], size_t n) {
    instance *c = of(handle);
    if (n != c->system.n_x) return refuse(handle, "the number of states is another one");
    memcpy(x, c->x, n * sizeof(double));
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetNominalsOfContinuousStates)(void *handle, double nominal[], size_t n) {
    instance *c = of(handle);
    if (n != c->system.n_x) return refuse(handle, "the number of states is another one");
    memcpy(nominal, c->nominal, n * sizeof(double));
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetNumberOfEventIndicators)(void *c, size_t *n) {
    (void)c;
    *n = 0;
    return fmi3OK;
}

EXPORT fmi3Status NAME(fmi3GetNumberOfContinuousStates)(void *c, size_t *n) {
    *n = of(c)->system.n_x;
    return fmi3OK;
}

/* --- co-simulation ------------------------------------------------------------------------------------------- */

EXPORT fmi3Status NAME(fmi3DoStep)(void *c, double time, double h, bool no_return, bool *event, bool *terminate,
                                   bool *early, double *last) {
    const int ok = instance_step(of(c), time, h);
    (void)no_return;
    *event = *terminate = *early = false;
    *last = of(c)->time;
    return done(c, ok);
}
