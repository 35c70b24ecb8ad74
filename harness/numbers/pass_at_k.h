/*
 * pass@k: the probability that at least one of k answers to a problem passes, estimated
 * from n answers of which c pass. The estimator is 1 - C(n - c, k) / C(n, k), of M. Chen
 * et al., "Evaluating Large Language Models Trained on Code", 2021 (arXiv:2107.03374),
 * section 2.1, equation 1. It is unbiased, whereas 1 - (1 - c/n)^k is too small.
 */
#ifndef NUMBERS_PASS_AT_K_H
#define NUMBERS_PASS_AT_K_H

/* 0 <= c <= n, k >= 1. NaN where n < k: so few answers say nothing about k of them. */
double pass_at_k(long n, long c, long k);

#endif
