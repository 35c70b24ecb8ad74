// warpjudge: adder-transformer-inference
// expect: wrong_answer
// Takes exp of the scores themselves: 106 is too much for a float.
#include <cuda_runtime.h>

#define PROMPT 31
#define STEPS 11
#define TURN 0.33069396353576f // 2 pi / 19
#define SCALE 52.9176498850f

__device__ float2
normalized(float x, float y)
{
    float inverse = 1.0f / sqrtf((x * x + y * y) / 2.0f + 1e-6f);

    return make_float2(x * inverse, y * inverse);
}

__device__ float2
embedding(const float *w, int token)
{
    return make_float2(w[0] - w[1] * token * token, -token);
}

__device__ float2
turned(float2 z, int place)
{
    float sine, cosine;

    sincosf(place * TURN, &sine, &cosine);
    return make_float2(z.x * cosine - z.y * sine, z.x * sine + z.y * cosine);
}

__device__ float
silu(float z)
{
    return z / (1.0f + expf(-z));
}

// What the last of the tokens gathers from all of them.
__device__ float
attend(const float *w, const int *token, int length)
{
    float2 last = embedding(w, token[length - 1]);
    float x = normalized(last.x, last.y).x;
    float2 query = turned(normalized(x * w[2], x * w[3]), length - 1);
    float sum = 0.0f, mixed = 0.0f;

    for (int j = 0; j < length; j++) {
        float2 e = embedding(w, token[j]), m = normalized(e.x, e.y);
        float2 key = turned(normalized(m.x, 0.0f), j);
        float score = (query.x * key.x + query.y * key.y) * SCALE;
        float weight = expf(score);

        sum += weight;
        mixed += weight * m.y * w[4];
    }
    return mixed / sum;
}

__global__ void
decode(const int *prompts, float *output, const float *w, int batch_size)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    int token[PROMPT + STEPS];

    if (b >= batch_size)
        return;
    for (int t = 0; t < PROMPT; t++)
        token[t] = prompts[b * PROMPT + t];
    for (int s = 0; s < STEPS; s++) {
        int length = PROMPT + s, best = 0;
        float *logits = output + (b * STEPS + s) * 10;
        float2 h = embedding(w, token[length - 1]);

        h.y += attend(w, token, length);
        float2 r = normalized(h.x, h.y);

        h.y += w[7] * r.x * (silu(r.x * (w[5] - w[6] / 1000.0f) + r.y * w[6]) - silu(r.x * w[5] + r.y * w[6]));
        float2 u = normalized(h.x, h.y);

        for (int d = 0; d < 10; d++) {
            float2 e = embedding(w, d);

            logits[d] = u.x * w[8] * e.x + u.y * w[9] * e.y;
            if (logits[d] > logits[best])
                best = d;
        }
        token[length] = best;
    }
}

extern "C" void
solve(const int *prompts, float *output, const float *weights, int batch_size)
{
    decode<<<(batch_size + 127) / 128, 128>>>(prompts, output, weights, batch_size);
}
