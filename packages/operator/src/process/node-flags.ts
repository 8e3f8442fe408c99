/**
 * How Node.js runs our programs. Data that streams by in small pieces is garbage at once: with V8's own 16 MiB for
 * young objects it grows to 80 MiB before it is collected. And by default V8 lets the heap grow to several times of
 * what is in use before it collects: 250 MiB with 1,000 clusters, which need 40. The parser of HTTP is WebAssembly:
 * recompiling it for speed costs 10 MiB and made nothing measurably faster.
 */
export const NODE_FLAGS = ["--max-semi-space-size=1", "--heap-growing-percent=30", "--liftoff-only"] as const;
