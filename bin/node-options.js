/**
 * Options of Node for a script. In a small heap garbage is collected before the process has grown; with a heap of this
 * size Node would let what is young grow to 192 MB, where a third takes hardly more of the processor.
 *
 * @param {string} script
 * @returns {string[]}
 */
export const heapOf = (script) =>
  script === 'main.js' ? ['--max-old-space-size=768', '--max-semi-space-size=32'] : [];

/** glibc gives freed memory back to the system; other libraries ignore it. */
export const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
