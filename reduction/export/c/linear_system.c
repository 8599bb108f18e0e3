#include "linear_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* four sums, which a processor adds at the same time */
static double dot(size_t n, const double *a, const double *b) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; ++i) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

/* out = A x + B u for blocks A */
static void blocks_times(const linear_system *s, const double *A, const double *B, const double *x, const double *u,
                         double *out) {
    size_t b, i;
    for (b = 0; b < s->n_blocks; ++b) {
        const size_t m = s->block[b];
        for (i = 0; i < m; ++i) out[i] = dot(m, A + i * m, x) + dot(s->n_u, B + i * s->n_u, u);
        A += m * m;
        B += m * s->n_u;
        x += m;
        out += m;
    }
}

LOCAL void linear_derivatives(const linear_system *s, const double *x, const double *u, double *dx) {
    size_t i;
    if (s->modal) {
        const size_t n = s->n_x / 2;
        for (i = 0; i < n; ++i) {
            dx[i] = x[n + i];
            dx[n + i] = dot(s->n_u, s->B + i * s->n_u, u) - s->stiffness[i] * x[i] - s->damping[i] * x[n + i];
        }
    } else {
        blocks_times(s, s->A, s->B, x, u, dx);
    }
}

LOCAL void linear_outputs(const linear_system *s, const double *x, const double *u, const double *offset, double *y) {
    size_t i;
    for (i = 0; i < s->n_y; ++i) {
        y[i] = dot(s->n_x, s->C + i * s->n_x, x) + dot(s->n_u, s->F + i * s->n_u, u);
        if (offset) y[i] += offset[i];
    }
}

/* how many numbers the blocks have */
static size_t block_numbers(const linear_system *s) {
    size_t b, count = 0;
    for (b = 0; b < s->n_blocks; ++b) count += s->block[b] * s->block[b];
    return count;
}

LOCAL int linear_propagator_make(const linear_system *s, linear_propagator *p) {
    const size_t n = s->n_x, m = s->largest;
    p->h = 0.0;
    p->P = (double *)malloc((s->modal ? 3 * n + 1 : block_numbers(s) + 1) * sizeof(double)); /* 6 for n / 2 modes */
    p->G = (double *)malloc((s->modal ? 1 : n * s->n_u + 1) * sizeof(double));
    p->work = (double *)malloc((s->modal ? 1 : n + 3 * m * m + 1) * sizeof(double));
    return p->P && p->G && p->work;
}

LOCAL void linear_propagator_free(linear_propagator *p) {
    free(p->P);
    free(p->G);
    free(p->work);
    p->P = p->G = p->work = NULL;
}

/* How often h is halved until size * h is below a half. */
static int halvings(double size, double *h) {
    int k = 0;
    while (size * *h > 0.5 && k < 1000) {
        *h *= 0.5;
        ++k;
    }
    return k;
}

/* P = [p11 p12 p21 p22 g1 g2]: (eta, eta')(h) = [p11 p12; p21 p22] (eta, eta') + [g1; g2] f for a constant force f. */
static void mode_propagator(double w2, double d, double h, double *P) {
    const double delta = 0.5 * d, square = w2 - delta * delta;
    if (square > 0.0 && sqrt(square) * h > 0.3) { /* oscillates: closed form, without cancellation at this size */
        const double wd = sqrt(square), e = exp(-delta * h), c = cos(wd * h), s = sin(wd * h) / wd;
        P[0] = e * (c + delta * s);
        P[1] = e * s;
        P[2] = -w2 * e * s;
        P[3] = e * (c - delta * s);
        P[4] = (1.0 - P[0]) / w2;
        P[5] = P[1];
    } else { /* rigid, slow or overdamped: power series of a short step, doubled; no case is special */
        const double size = sqrt(w2) > d ? sqrt(w2) : d;
        double part = h, a11, a12, a21, a22, t11 = 1.0, t12 = 0.0, t21 = 0.0, t22 = 1.0;
        int k, order;
        const int doublings = halvings(size, &part);
        P[0] = P[3] = 1.0;
        P[1] = P[2] = P[4] = P[5] = 0.0;
        for (order = 1; order <= 20; ++order) { /* 0.5^20 / 20! < 1e-24 */
            const double f = part / order;
            /* the integral first: terms of order k - 1, times part / k */
            P[4] += f * t12;
            P[5] += f * t22;
            a11 = f * t21;
            a12 = f * t22;
            a21 = f * (-w2 * t11 - d * t21);
            a22 = f * (-w2 * t12 - d * t22);
            t11 = a11;
            t12 = a12;
            t21 = a21;
            t22 = a22;
            P[0] += t11;
            P[1] += t12;
            P[2] += t21;
            P[3] += t22;
        }
        for (k = 0; k < doublings; ++k) {
            const double p11 = P[0], p12 = P[1], p21 = P[2], p22 = P[3], g1 = P[4], g2 = P[5];
            P[4] = g1 + p11 * g1 + p12 * g2;
            P[5] = g2 + p21 * g1 + p22 * g2;
            P[0] = p11 * p11 + p12 * p21;
            P[1] = p11 * p12 + p12 * p22;
            P[2] = p21 * p11 + p22 * p21;
            P[3] = p21 * p12 + p22 * p22;
        }
    }
}

/* R = X Y, n x n, row by row */
static void multiply(size_t n, const double *X, const double *Y, double *R) {
    size_t i, j, k;
    memset(R, 0, n * n * sizeof(double));
    for (i = 0; i < n; ++i)
        for (k = 0; k < n; ++k) {
            const double x = X[i * n + k];
            if (x != 0.0)
                for (j = 0; j < n; ++j) R[i * n + j] += x * Y[k * n + j];
        }
}

/* P = exp(A h) of n x n, G = integral of exp(A t) from 0 to h: power series of a short step, doubled. */
static void dense_propagator(size_t n, const double *A, double h, double *P, double *G, double *term, double *next) {
    const size_t size = n * n;
    double norm = 0.0, part = h, *swap;
    size_t i, j;
    int k, order, doublings;
    for (i = 0; i < n; ++i) {
        double row = 0.0;
        for (j = 0; j < n; ++j) row += fabs(A[i * n + j]);
        if (row > norm) norm = row;
    }
    doublings = halvings(norm, &part);
    memset(term, 0, size * sizeof(double));
    memset(G, 0, size * sizeof(double));
    for (i = 0; i < n; ++i) term[i * n + i] = 1.0;
    memcpy(P, term, size * sizeof(double));
    for (order = 1; order <= 16; ++order) { /* 0.5^17 / 17! < 3e-20 */
        const double f = part / order;
        for (i = 0; i < size; ++i) G[i] += f * term[i];
        multiply(n, A, term, next);
        for (i = 0; i < size; ++i) next[i] *= f;
        for (i = 0; i < size; ++i) P[i] += next[i];
        swap = term;
        term = next;
        next = swap;
    }
    for (k = 0; k < doublings; ++k) {
        multiply(n, P, G, term);
        for (i = 0; i < size; ++i) G[i] += term[i];
        multiply(n, P, P, term);
        memcpy(P, term, size * sizeof(double));
    }
}

/* exp(A h) of all blocks, and its integral times B. */
static void propagators(const linear_system *s, double h, linear_propagator *p) {
    const size_t square = s->largest * s->largest;
    const double *A = s->A, *B = s->B;
    double *P = p->P, *out = p->G, *G = p->work + s->n_x;
    size_t b, i, j, k;
    for (b = 0; b < s->n_blocks; ++b) {
        const size_t m = s->block[b];
        dense_propagator(m, A, h, P, G, G + square, G + 2 * square);
        for (i = 0; i < m; ++i)
            for (j = 0; j < s->n_u; ++j) {
                double sum = 0.0;
                for (k = 0; k < m; ++k) sum += G[i * m + k] * B[k * s->n_u + j];
                out[i * s->n_u + j] = sum;
            }
        A += m * m;
        B += m * s->n_u;
        P += m * m;
        out += m * s->n_u;
    }
}

LOCAL void linear_step(const linear_system *s, linear_propagator *p, double h, const double *u, double *x) {
    const size_t n = s->n_x / 2;
    size_t i;
    /* a master that adds up its time gives steps that differ in the last digits */
    if (fabs(h - p->h) > 1e-13 * h) {
        if (s->modal)
            for (i = 0; i < n; ++i) mode_propagator(s->stiffness[i], s->damping[i], h, p->P + 6 * i);
        else
            propagators(s, h, p);
        p->h = h;
    }
    if (s->modal) {
        for (i = 0; i < n; ++i) {
            const double f = dot(s->n_u, s->B + i * s->n_u, u), q = x[i], v = x[n + i];
            const double *P = p->P + 6 * i;
            x[i] = P[0] * q + P[1] * v + P[4] * f;
            x[n + i] = P[2] * q + P[3] * v + P[5] * f;
        }
    } else {
        blocks_times(s, p->P, p->G, x, u, p->work);
        memcpy(x, p->work, s->n_x * sizeof(double));
    }
}
