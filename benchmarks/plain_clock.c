/* A chain of additions, each of which waits for the one before: one a cycle, however wide the processor is. */
double plain_clock(void) {
    unsigned long sum = 0;
    const long steps = 50000000;
    for (long step = 0; step < steps; step++)
        for (int one = 0; one < 8; one++) {
            sum++;
            __asm__ volatile("" : "+r"(sum));
        }
    return 8.0 * steps;
}
