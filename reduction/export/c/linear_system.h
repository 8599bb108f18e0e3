/* A linear system with inputs held over a step, solved exactly. No dependence on anything but the C library.
 *
 * modal:        eta'' + damping eta' + stiffness eta = B u,  x = [eta, eta']   (damping diagonal)
 * first order:  x' = A x + B u                                                (A of blocks on the diagonal)
 * both:         y = C x + F u + offset
 *
 * All matrices are stored row by row.
 */
#ifndef LINEAR_SYSTEM_H
#define LINEAR_SYSTEM_H

#include <stddef.h>

/* One source file includes all others with LOCAL as static, so that several units can be linked together. */
#ifndef LOCAL
#define LOCAL
#endif

typedef struct {
    int modal;                /* 1: stiffness and damping are used, 0: A is used */
    size_t n_x, n_u, n_y;     /* states (modal: twice the modes), inputs, outputs */
    const double *stiffness;  /* n_x / 2 */
    const double *damping;    /* n_x / 2 */
    size_t n_blocks, largest; /* blocks on the diagonal of A, and the size of the largest; modal: none */
    const size_t *block;      /* n_blocks: their sizes */
    const double *A;          /* the blocks, one after the other */
    const double *B;          /* modal: n_x / 2 * n_u, else n_x * n_u */
    const double *C;          /* n_y * n_x */
    const double *F;          /* n_y * n_u */
    const double *offset;     /* n_y */
} linear_system;

typedef struct {
    double h;                 /* of which step this is the propagator; 0 for none */
    double *P;                /* modal: 6 numbers a mode; else blocks as those of A */
    double *G;                /* first order: n_x * n_u, the integral of the propagator times B */
    double *work;             /* first order: n_x, and three blocks of the largest size */
} linear_propagator;

LOCAL void linear_derivatives(const linear_system *s, const double *x, const double *u, double *dx);
LOCAL void linear_outputs(const linear_system *s, const double *x, const double *u, const double *offset, double *y);

/* 0 when there is not enough memory */
LOCAL int linear_propagator_make(const linear_system *s, linear_propagator *p);
LOCAL void linear_propagator_free(linear_propagator *p);

/* x after a step h > 0 with constant u */
LOCAL void linear_step(const linear_system *s, linear_propagator *p, double h, const double *u, double *x);

#endif
