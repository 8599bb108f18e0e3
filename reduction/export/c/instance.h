/* One instance of the unit: states, inputs, time, and the variables that a value reference stands for. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include "linear_system.h"

typedef enum { KIND_TIME, KIND_INPUT, KIND_OUTPUT, KIND_STATE, KIND_DERIVATIVE } variable_kind;

/* Value references are numbers of rows in this table (model_data.h): entries first ... first + size - 1 of the kind. */
typedef struct {
    variable_kind kind;
    size_t first, size;
} variable;

typedef enum { MODE_INSTANTIATED, MODE_INITIALIZATION, MODE_RUNNING, MODE_TERMINATED } instance_mode;

typedef struct {
    linear_system system;
    linear_propagator propagator;
    instance_mode mode;
    double time;
    double *x, *u, *y, *dx; /* states, inputs, room for outputs and derivatives */
    double *seed;           /* n_x + n_u: states and inputs of a directional derivative */
    const double *nominal;  /* n_x: usual sizes of the states */
    double *data;           /* what was read from the resources, or NULL */
    int fresh;              /* whether y and dx belong to x and u */
    const char *message;    /* what went wrong last */
    void *environment;
    void *logger;
    char *name;
} instance;

/* folder: of the resources, UTF-8; NULL on failure, with *message set */
LOCAL instance *instance_make(const char *name, const char *token, const char *folder, const char **message);
LOCAL void instance_free(instance *c);
LOCAL void instance_reset(instance *c);

/* Values of variables, one after the other. 1 when all went well; else 0, and c->message says why. */
LOCAL int instance_get(instance *c, const unsigned int *references, size_t n, double *values, size_t n_values);
LOCAL int instance_set(instance *c, const unsigned int *references, size_t n, const double *values, size_t n_values);
LOCAL int instance_step(instance *c, double time, double h);
LOCAL int instance_directional(instance *c, const unsigned int *unknowns, size_t n_unknowns, const unsigned int *knowns,
                         size_t n_knowns, const double *seed, size_t n_seed, double *out, size_t n_out);
LOCAL void instance_update(instance *c);

/* The state of an instance as numbers: time, x, u. */
LOCAL size_t instance_state_size(const instance *c);
LOCAL void instance_state_get(const instance *c, double *state);
LOCAL int instance_state_set(instance *c, const double *state);

#endif
