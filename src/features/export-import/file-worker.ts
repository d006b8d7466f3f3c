import { parentPort, workerData } from 'node:worker_threads';
import { FileReader } from './file-reader.js';

// Reads a file beside the event loop: to parse and unpack a large one takes seconds.
await new FileReader(workerData, (part) => parentPort?.postMessage(part)).read();
