// Imported into a service that is measured: collects garbage when it is asked to, and says what is still held.

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.((heapUsed + external) / 2 ** 20);
});
process.channel?.unref(); // or the service would not end
