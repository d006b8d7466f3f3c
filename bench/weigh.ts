// Preloaded into the measured service: on a message, collects garbage and reports how much memory is still held.

process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.(); // the first leaves buffers to a thread, and goes on to count them until the next one
  const { heapUsed, external } = process.memoryUsage();
  process.send?.((heapUsed + external) / 2 ** 20);
});
process.channel?.unref(); // or the channel would keep the service alive
