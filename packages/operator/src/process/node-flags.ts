/**
 * How Node.js runs our programs. What streams by in small pieces is garbage at once: with V8's own 16 MiB for young objects it piles up to
 * 80 MiB before it goes. And left alone V8 lets the heap grow to several times of what is in use before it looks: 250 MiB with 1,000
 * clusters, which need 40. The parser of HTTP is WebAssembly: compiling it once more, for speed, leaves 10 MiB behind and makes nothing
 * faster that could be measured.
 */
export const NODE_FLAGS = ["--max-semi-space-size=1", "--heap-growing-percent=30", "--liftoff-only"] as const;
