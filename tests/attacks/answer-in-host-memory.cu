// warpjudge: stream-overlap
// attack: answer: host memory written after solve() has returned
// expect: wrong_answer
// The output is in host memory, where a thread can write without any call of CUDA: it does so
// when the clock, it hopes, has stopped.
#include <math.h>
#include <pthread.h>
#include <unistd.h>
struct call {
    const float *input;
    float *output;
    int N, terms;
};
static void *late(void *at)
{
    const call c = *(call *)at;
    usleep(300000);
    for (int i = 0; i < c.N; i++) {
        double sum = 0;
        for (int k = 1; k <= c.terms; k++)
            sum += sin((double)k * c.input[i]) / k;
        c.output[i] = (float)sum;
    }
    return nullptr;
}
extern "C" void solve(const float *input, float *output, int N, int terms)
{
    static struct call call;
    pthread_t thread;
    call = {input, output, N, terms};
    pthread_create(&thread, nullptr, late, &call);
    pthread_detach(thread);
}
