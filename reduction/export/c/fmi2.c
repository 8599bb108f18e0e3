/* The functions of FMI 2.0 (fmi-standard.org), for model exchange and co-simulation, around instance.h.
 *
 * Types are those of fmi2TypesPlatform.h: fmi2Component void *, fmi2ValueReference unsigned int, fmi2Real double,
 * fmi2Integer and fmi2Boolean int, fmi2Byte char, fmi2Status an enumeration.
 */
#include <stdarg.h>
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
#ifdef FMI2_FUNCTION_PREFIX
#define PASTE(a, b) a##b
#define PASTE_BOTH(a, b) PASTE(a, b)
#define NAME(f) PASTE_BOTH(FMI2_FUNCTION_PREFIX, f)
#else
#define NAME(f) f
#endif

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef unsigned int fmi2ValueReference;

typedef struct {
    void (*logger)(void *environment, const char *name, fmi2Status status, const char *category, const char *text, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(void *environment, fmi2Status status);
    void *environment;
} fmi2CallbackFunctions;

typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged,
        nextEventTimeDefined;
    double nextEventTime;
} fmi2EventInfo;

static void say(const fmi2CallbackFunctions *f, const char *name, const char *text) {
    if (f && f->logger) f->logger(f->environment, name, fmi2Error, "logStatusError", "%s", text);
}

/* The status of what was done, said to the log when it went wrong. */
static fmi2Status done(instance *c, int ok) {
    if (ok) return fmi2OK;
    say((const fmi2CallbackFunctions *)c->logger, c->name, c->message);
    return fmi2Error;
}

static fmi2Status refuse(instance *c, const char *message) {
    c->message = message;
    return done(c, 0);
}

/* file:///some/folder, with %20 and the like, as a path; to be freed */
static char *path_of_uri(const char *uri) {
    const char *s = uri;
    char *path, *p;
    if (!uri) return NULL;
    if (!strncmp(s, "file:", 5)) {
        s += 5;
        if (!strncmp(s, "//", 2)) {
            s += 2;
            while (*s && *s != '/') ++s; /* localhost */
        }
    }
#ifdef _WIN32
    if (s[0] == '/' && s[1] && s[2] == ':') ++s;
#endif
    path = p = (char *)malloc(strlen(s) + 1);
    if (!path) return NULL;
    while (*s) {
        char digits[3] = {0, 0, 0}, *end;
        if (*s == '%' && s[1] && s[2]) {
            long value;
            digits[0] = s[1];
            digits[1] = s[2];
            value = strtol(digits, &end, 16);
            if (!*end) {
                *p++ = (char)value;
                s += 3;
                continue;
            }
        }
        *p++ = *s++;
    }
    while (p > path + 1 && p[-1] == '/') --p;
    *p = 0;
    return path;
}

EXPORT const char *NAME(fmi2GetTypesPlatform)(void) { return "default"; }
EXPORT const char *NAME(fmi2GetVersion)(void) { return "2.0"; }

EXPORT fmi2Status NAME(fmi2SetDebugLogging)(void *c, int on, size_t n, const char *const categories[]) {
    (void)c, (void)on, (void)n, (void)categories;
    return fmi2OK;
}

EXPORT void *NAME(fmi2Instantiate)(const char *name, int type, const char *guid, const char *resources,
                                   const fmi2CallbackFunctions *functions, int visible, int logging) {
    const char *message;
    char *folder = path_of_uri(resources);
    instance *c = instance_make(name, guid, folder, &message);
    (void)type, (void)visible, (void)logging;
    free(folder);
    if (c)
        c->logger = (void *)functions;
    else
        say(functions, name ? name : "", message);
    return c;
}

EXPORT void NAME(fmi2FreeInstance)(void *c) { instance_free((instance *)c); }

EXPORT fmi2Status NAME(fmi2SetupExperiment)(void *component, int tolerance_defined, double tolerance, double start,
                                            int stop_defined, double stop) {
    instance *c = (instance *)component;
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    c->time = start;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2EnterInitializationMode)(void *component) {
    instance *c = (instance *)component;
    if (c->mode != MODE_INSTANTIATED) return refuse(c, "the initialization was entered already");
    c->mode = MODE_INITIALIZATION;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2ExitInitializationMode)(void *component) {
    instance *c = (instance *)component;
    if (c->mode != MODE_INITIALIZATION) return refuse(c, "the initialization was not entered");
    c->mode = MODE_RUNNING;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2Terminate)(void *component) {
    ((instance *)component)->mode = MODE_TERMINATED;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2Reset)(void *component) {
    instance_reset((instance *)component);
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetReal)(void *c, const fmi2ValueReference vr[], size_t n, double value[]) {
    return done((instance *)c, instance_get((instance *)c, vr, n, value, n));
}

EXPORT fmi2Status NAME(fmi2SetReal)(void *c, const fmi2ValueReference vr[], size_t n, const double value[]) {
    return done((instance *)c, instance_set((instance *)c, vr, n, value, n));
}

/* All variables are real. */
#define NONE(get, set, type)                                                                                     \
    EXPORT fmi2Status NAME(get)(void *c, const fmi2ValueReference vr[], size_t n, type value[]) {                \
        (void)vr, (void)value;                                                                                   \
        return n ? refuse((instance *)c, #get ": all variables are real") : fmi2OK;                              \
    }                                                                                                            \
    EXPORT fmi2Status NAME(set)(void *c, const fmi2ValueReference vr[], size_t n, const type value[]) {          \
        (void)vr, (void)value;                                                                                   \
        return n ? refuse((instance *)c, #set ": all variables are real") : fmi2OK;                              \
    }
NONE(fmi2GetInteger, fmi2SetInteger, int)
NONE(fmi2GetBoolean, fmi2SetBoolean, int)
typedef const char *text;
NONE(fmi2GetString, fmi2SetString, text)

EXPORT fmi2Status NAME(fmi2GetFMUstate)(void *component, void **state) {
    instance *c = (instance *)component;
    if (!*state) *state = malloc(instance_state_size(c) * sizeof(double));
    if (!*state) return refuse(c, "there is not enough memory");
    instance_state_get(c, (double *)*state);
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2SetFMUstate)(void *component, void *state) {
    instance *c = (instance *)component;
    return state ? done(c, instance_state_set(c, (const double *)state)) : refuse(c, "there is no state");
}

EXPORT fmi2Status NAME(fmi2FreeFMUstate)(void *component, void **state) {
    (void)component;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2SerializedFMUstateSize)(void *component, void *state, size_t *size) {
    (void)state;
    *size = instance_state_size((instance *)component) * sizeof(double);
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2SerializeFMUstate)(void *component, void *state, char bytes[], size_t size) {
    instance *c = (instance *)component;
    if (!state || size != instance_state_size(c) * sizeof(double)) return refuse(c, "the state has another size");
    memcpy(bytes, state, size);
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2DeSerializeFMUstate)(void *component, const char bytes[], size_t size, void **state) {
    instance *c = (instance *)component;
    if (size != instance_state_size(c) * sizeof(double)) return refuse(c, "the state has another size");
    if (!*state) *state = malloc(size);
    if (!*state) return refuse(c, "there is not enough memory");
    memcpy(*state, bytes, size);
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetDirectionalDerivative)(void *c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                                     const fmi2ValueReference knowns[], size_t n_knowns,
                                                     const double seed[], double out[]) {
    return done((instance *)c, instance_directional((instance *)c, unknowns, n_unknowns, knowns, n_knowns, seed,
                                                    n_knowns, out, n_unknowns));
}

/* --- model exchange ------------------------------------------------------------------------------------------ */

EXPORT fmi2Status NAME(fmi2EnterEventMode)(void *c) {
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2NewDiscreteStates)(void *c, fmi2EventInfo *info) {
    (void)c;
    memset(info, 0, sizeof *info);
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2EnterContinuousTimeMode)(void *c) {
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2CompletedIntegratorStep)(void *c, int no_return, int *enter_event, int *terminate) {
    (void)c, (void)no_return;
    *enter_event = *terminate = 0;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2SetTime)(void *component, double time) {
    ((instance *)component)->time = time;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2SetContinuousStates)(void *component, const double x[], size_t n) {
    instance *c = (instance *)component;
    if (n != c->system.n_x) return refuse(c, "the number of states is another one");
    memcpy(c->x, x, n * sizeof(double));
    c->fresh = 0;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetDerivatives)(void *component, double dx[], size_t n) {
    instance *c = (instance *)component;
    if (n != c->system.n_x) return refuse(c, "the number of states is another one");
    linear_derivatives(&c->system, c->x, c->u, dx);
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetEventIndicators)(void *c, double indicators[], size_t n) {
    (void)indicators;
    return n ? refuse((instance *)c, "there are no event indicators") : fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetContinuousStates)(void *component, double x[], size_t n) {
    instance *c = (instance *)component;
    if (n != c->system.n_x) return refuse(c, "the number of states is another one");
    memcpy(x, c->x, n * sizeof(double));
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetNominalsOfContinuousStates)(void *component, double nominal[], size_t n) {
    instance *c = (instance *)component;
    if (n != c->system.n_x) return refuse(c, "the number of states is another one");
    memcpy(nominal, c->nominal, n * sizeof(double));
    return fmi2OK;
}

/* --- co-simulation ------------------------------------------------------------------------------------------- */

EXPORT fmi2Status NAME(fmi2SetRealInputDerivatives)(void *c, const fmi2ValueReference vr[], size_t n, const int order[],
                                                    const double value[]) {
    (void)vr, (void)order, (void)value;
    return n ? refuse((instance *)c, "inputs are held during a step") : fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetRealOutputDerivatives)(void *c, const fmi2ValueReference vr[], size_t n,
                                                     const int order[], double value[]) {
    (void)vr, (void)order, (void)value;
    return n ? refuse((instance *)c, "derivatives of outputs are not offered") : fmi2OK;
}

EXPORT fmi2Status NAME(fmi2DoStep)(void *c, double time, double h, int no_return) {
    (void)no_return;
    return done((instance *)c, instance_step((instance *)c, time, h));
}

EXPORT fmi2Status NAME(fmi2CancelStep)(void *c) { return refuse((instance *)c, "steps are done at once"); }

/* Steps are done when they return, so nothing is pending. */
#define STATUS(get, type)                                                                                        \
    EXPORT fmi2Status NAME(get)(void *c, int kind, type *value) {                                                \
        (void)c, (void)kind, (void)value;                                                                        \
        return fmi2Discard;                                                                                      \
    }
STATUS(fmi2GetStatus, fmi2Status)
STATUS(fmi2GetIntegerStatus, int)
STATUS(fmi2GetStringStatus, const char *)

EXPORT fmi2Status NAME(fmi2GetRealStatus)(void *component, int kind, double *value) {
    if (kind != 2) return fmi2Discard; /* fmi2LastSuccessfulTime */
    *value = ((instance *)component)->time;
    return fmi2OK;
}

EXPORT fmi2Status NAME(fmi2GetBooleanStatus)(void *component, int kind, int *value) {
    if (kind != 3) return fmi2Discard; /* fmi2Terminated */
    *value = ((instance *)component)->mode == MODE_TERMINATED;
    return fmi2OK;
}
