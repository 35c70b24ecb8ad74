/* One step in double, rounded once; who is whose neighbour is decided in float, which
 * is exact near 25. */
void
solve(const float *agents, float *agents_next, int N)
{
    for (long i = 0; i < N; i++) {
        const float *me = agents + 4 * i;
        double vx = 0, vy = 0, count = 0;

        for (long j = 0; j < N; j++) {
            float dx = me[0] - agents[4 * j], dy = me[1] - agents[4 * j + 1];

            if (j == i || !(dx * dx + dy * dy < 25.0f))
                continue;
            vx += agents[4 * j + 2];
            vy += agents[4 * j + 3];
            count++;
        }
        vx = me[2] + 0.05 * ((count > 0 ? vx / count : me[2]) - me[2]);
        vy = me[3] + 0.05 * ((count > 0 ? vy / count : me[3]) - me[3]);
        agents_next[4 * i] = (float)(me[0] + vx);
        agents_next[4 * i + 1] = (float)(me[1] + vy);
        agents_next[4 * i + 2] = (float)vx;
        agents_next[4 * i + 3] = (float)vy;
    }
}
