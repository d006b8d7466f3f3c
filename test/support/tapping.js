// `node tapping.js CLIENT URL TOKEN FOLDER TASK NAME COUNT`: completes a task so often, and undoes every third one. Says
// what is kept and what is undone as soon as it is, so that whoever kills it knows what has to be there.
import { writeSync } from 'node:fs';

const [client, url, token, folder, taskId, name, count] = process.argv.slice(2);
const { createClient } = await import(`${client}/index.js`);
const { fileStorage } = await import(`${client}/file.js`);
const steady = createClient({
  url,
  token,
  storage: fileStorage(folder),
  now: () => new Date('2026-11-21T12:00:00Z'),
});
const say = (what, key) => writeSync(1, `${what} ${key}\n`);

for (let index = 0; index < Number(count); index += 1) {
  const key = `${name}-${index}`;
  say('begun', key);
  const tap = await steady.complete(taskId, { key, note: key });
  say('kept', key);
  if (index % 3 !== 2) continue;
  say('undoing', key);
  await steady.undo(tap);
  say('undone', key);
}
if (count === '0')
  while ((await steady.queue.flush()) > 0) await new Promise((resolve) => setTimeout(resolve, 200));
steady.close();
