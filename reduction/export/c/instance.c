#include "instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_data.h"

#ifdef MODEL_FROM_FILE
/* resources/system.bin: doubles in the order of the bytes of this machine or the other one, which the first tells */
static double *read_data(const char *folder, const char **message) {
    const size_t count = MODEL_DOUBLES + 1;
    const size_t length = strlen(folder) + 32;
    char *path = (char *)malloc(length);
    double *data = (double *)malloc(count * sizeof(double));
    FILE *file = NULL;
    size_t i, got = 0;
    char extra;
    if (path && data) {
        sprintf(path, "%s/system.bin", folder);
        file = fopen(path, "rb");
        if (file) {
            got = fread(data, sizeof(double), count, file);
            if (fread(&extra, 1, 1, file) == 1) got = 0; /* longer than it should be */
            fclose(file);
        }
    }
    free(path);
    if (got == count && data[0] != MODEL_MARK) /* written on a machine of the other order */
        for (i = 0; i < count; ++i) {
            unsigned char *b = (unsigned char *)(data + i), t;
            int k;
            for (k = 0; k < 4; ++k) {
                t = b[k];
                b[k] = b[7 - k];
                b[7 - k] = t;
            }
        }
    if (got != count || data[0] != MODEL_MARK) {
        *message = file ? "resources/system.bin is not the one of this unit" : "resources/system.bin cannot be read";
        free(data);
        return NULL;
    }
    return data;
}
#endif

LOCAL instance *instance_make(const char *name, const char *token, const char *folder, const char **message) {
    instance *c;
    const double *data;
    size_t i, half, n_x = MODEL_STATES, n_u = MODEL_INPUTS, n_y = MODEL_OUTPUTS;
    *message = "there is not enough memory";
    if (!token || strcmp(token, MODEL_TOKEN)) {
        *message = "the token (guid) is not that of this unit";
        return NULL;
    }
    c = (instance *)calloc(1, sizeof(instance));
    if (!c) return NULL;
#ifdef MODEL_FROM_FILE
    if (!folder) {
        *message = "this unit needs its resources, but their place was not given";
        free(c);
        return NULL;
    }
    c->data = read_data(folder, message);
    if (!c->data) {
        free(c);
        return NULL;
    }
    data = c->data + 1;
    *message = "there is not enough memory";
#else
    (void)folder;
    data = model_numbers;
#endif
    half = MODEL_MODAL ? n_x / 2 : 0;
    c->system.modal = MODEL_MODAL;
    c->system.n_x = n_x;
    c->system.n_u = n_u;
    c->system.n_y = n_y;
    c->system.stiffness = data;
    c->system.damping = data + half;
    data += 2 * half;
    c->system.n_blocks = MODEL_BLOCKS;
    c->system.block = model_blocks;
    c->system.A = data;
    for (i = 0; i < c->system.n_blocks; ++i) {
        const size_t m = model_blocks[i];
        if (m > c->system.largest) c->system.largest = m;
        data += m * m;
    }
    c->system.B = data;
    data += (MODEL_MODAL ? half : n_x) * n_u;
    c->system.C = data;
    data += n_y * n_x;
    c->system.F = data;
    data += n_y * n_u;
    c->system.offset = data;
    c->nominal = data + n_y;

    c->x = (double *)calloc(3 * n_x + 2 * n_u + n_y + 1, sizeof(double));
    c->name = (char *)malloc((name ? strlen(name) : 0) + 1);
    if (!c->x || !c->name || !linear_propagator_make(&c->system, &c->propagator)) {
        instance_free(c);
        return NULL;
    }
    strcpy(c->name, name ? name : "");
    c->dx = c->x + n_x;
    c->seed = c->dx + n_x;
    c->u = c->seed + n_x + n_u;
    c->y = c->u + n_u;
    *message = NULL;
    return c;
}

LOCAL void instance_free(instance *c) {
    if (!c) return;
    linear_propagator_free(&c->propagator);
    free(c->x);
    free(c->data);
    free(c->name);
    free(c);
}

LOCAL void instance_reset(instance *c) {
    memset(c->x, 0, c->system.n_x * sizeof(double));
    memset(c->u, 0, c->system.n_u * sizeof(double));
    c->time = 0.0;
    c->fresh = 0;
    c->mode = MODE_INSTANTIATED;
}

LOCAL void instance_update(instance *c) {
    if (c->fresh) return;
    linear_outputs(&c->system, c->x, c->u, c->system.offset, c->y);
    linear_derivatives(&c->system, c->x, c->u, c->dx);
    c->fresh = 1;
}

static int fail(instance *c, const char *message) {
    c->message = message;
    return 0;
}

/* The variable of a reference, or NULL. */
static const variable *find(unsigned int reference) {
    return reference < MODEL_VARIABLES ? &model_variables[reference] : NULL;
}

static double *place(instance *c, const variable *v) {
    switch (v->kind) {
    case KIND_TIME: return &c->time;
    case KIND_INPUT: return c->u + v->first;
    case KIND_OUTPUT: return c->y + v->first;
    case KIND_STATE: return c->x + v->first;
    default: return c->dx + v->first;
    }
}

LOCAL int instance_get(instance *c, const unsigned int *references, size_t n, double *values, size_t n_values) {
    size_t i, k = 0;
    instance_update(c);
    for (i = 0; i < n; ++i) {
        const variable *v = find(references[i]);
        if (!v) return fail(c, "there is no variable of this value reference");
        if (k + v->size > n_values) return fail(c, "there is not room for all values");
        memcpy(values + k, place(c, v), v->size * sizeof(double));
        k += v->size;
    }
    return k == n_values || fail(c, "the number of values is not that of the variables");
}

LOCAL int instance_set(instance *c, const unsigned int *references, size_t n, const double *values, size_t n_values) {
    size_t i, j, k = 0;
    for (i = 0; i < n; ++i) {
        const variable *v = find(references[i]);
        if (!v) return fail(c, "there is no variable of this value reference");
        if (v->kind != KIND_INPUT && v->kind != KIND_STATE) return fail(c, "outputs and derivatives cannot be set");
        if (v->kind == KIND_STATE && c->mode != MODE_INSTANTIATED && c->mode != MODE_INITIALIZATION)
            return fail(c, "states can be set as variables only before the end of the initialization");
        if (k + v->size > n_values) return fail(c, "there are fewer values than the variables need");
        for (j = 0; j < v->size; ++j)
            if (!isfinite(values[k + j])) return fail(c, "a value is not finite");
        memcpy(place(c, v), values + k, v->size * sizeof(double));
        k += v->size;
    }
    c->fresh = 0;
    return k == n_values || fail(c, "the number of values is not that of the variables");
}

LOCAL int instance_step(instance *c, double time, double h) {
    size_t i;
    if (c->mode != MODE_RUNNING) return fail(c, "a step needs an initialized instance");
    if (!(h > 0.0) || !isfinite(h) || !isfinite(time)) return fail(c, "the length of a step must be positive");
    linear_step(&c->system, &c->propagator, h, c->u, c->x);
    c->time = time + h;
    c->fresh = 0;
    for (i = 0; i < c->system.n_x; ++i)
        if (!isfinite(c->x[i])) return fail(c, "a state is not finite any more");
    return 1;
}

LOCAL int instance_directional(instance *c, const unsigned int *unknowns, size_t n_unknowns, const unsigned int *knowns,
                         size_t n_knowns, const double *seed, size_t n_seed, double *out, size_t n_out) {
    const size_t n_x = c->system.n_x;
    size_t i, k = 0;
    double *x = c->seed, *u = c->seed + n_x;
    memset(c->seed, 0, (n_x + c->system.n_u) * sizeof(double));
    for (i = 0; i < n_knowns; ++i) {
        const variable *v = find(knowns[i]);
        if (!v || (v->kind != KIND_INPUT && v->kind != KIND_STATE))
            return fail(c, "derivatives are with respect to inputs and states");
        if (k + v->size > n_seed) return fail(c, "there are fewer seeds than the variables need");
        memcpy((v->kind == KIND_INPUT ? u : x) + v->first, seed + k, v->size * sizeof(double));
        k += v->size;
    }
    if (k != n_seed) return fail(c, "the number of seeds is not that of the variables");
    /* the system is linear, so that the derivative is the system without its offset */
    linear_outputs(&c->system, x, u, NULL, c->y);
    linear_derivatives(&c->system, x, u, c->dx);
    c->fresh = 0;
    for (i = 0, k = 0; i < n_unknowns; ++i) {
        const variable *v = find(unknowns[i]);
        if (!v || (v->kind != KIND_OUTPUT && v->kind != KIND_DERIVATIVE))
            return fail(c, "derivatives are those of outputs and of derivatives of states");
        if (k + v->size > n_out) return fail(c, "there is not room for all derivatives");
        memcpy(out + k, place(c, v), v->size * sizeof(double));
        k += v->size;
    }
    return k == n_out || fail(c, "the number of derivatives is not that of the variables");
}

LOCAL size_t instance_state_size(const instance *c) { return 2 + c->system.n_x + c->system.n_u; }

LOCAL void instance_state_get(const instance *c, double *state) {
    state[0] = c->time;
    state[1] = (double)c->mode;
    memcpy(state + 2, c->x, c->system.n_x * sizeof(double));
    memcpy(state + 2 + c->system.n_x, c->u, c->system.n_u * sizeof(double));
}

LOCAL int instance_state_set(instance *c, const double *state) {
    size_t i;
    for (i = 0; i < instance_state_size(c); ++i)
        if (!isfinite(state[i])) return fail(c, "the state of the unit is damaged");
    if (state[1] < MODE_INSTANTIATED || state[1] > MODE_TERMINATED) return fail(c, "the state of the unit is damaged");
    c->time = state[0];
    c->mode = (instance_mode)(int)state[1];
    memcpy(c->x, state + 2, c->system.n_x * sizeof(double));
    memcpy(c->u, state + 2 + c->system.n_x, c->system.n_u * sizeof(double));
    c->fresh = 0;
    return 1;
}
