import { prefix } from './paths.js';

/** Tells the other windows of this browser. Where it offers no channel, they ask when they come to the front. */
export function toOthers(name: string, listener: () => void): () => void {
  try {
    const channel = new BroadcastChannel(`${prefix}${name}`);
    channel.onmessage = listener;
    return () => channel.postMessage(null);
  } catch {
    return () => {};
  }
}

/** Does it while no other window does the same, where the browser offers locks. */
export async function alone(name: string, work: () => Promise<void>): Promise<void> {
  await null;
  let hasBegun = false;
  const once = () => {
    hasBegun = true;
    return work();
  };
  try {
    await navigator.locks?.request(`${prefix}${name}`, once);
  } catch (error) {
    if (hasBegun) throw error; // else it is the lock that is refused
  }
  if (!hasBegun) await once();
}
