import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../packages/client/src/client.js';
import { type FaultyWay, faultyWayTo } from '../support/faulty-way.js';
import { systemNodes } from '../support/nodes.js';
import { temporaryFolder } from '../support/process.js';
import { world } from '../support/world.js';

const CLIENT = path.resolve('packages/client/dist');

function tapping(node: string, args: string[]) {
  const child = spawn(node, ['test/support/tapping.js', CLIENT, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  return { child, said: () => output.split('\n'), ended: once(child, 'close') };
}

const FAULTS = [undefined, undefined, undefined, 'lost', 'unanswered', 'repeated', 'late'] as const;

/** Whatever a killed process has asked is answered by now: nobody needs to wait until it surely would be. */
async function laterOn(folder: string, way: FaultyWay): Promise<void> {
  await way.quiet();
  for (const name of readdirSync(folder).filter((each) => each.startsWith('sending'))) {
    const [key, value] = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    const over = JSON.stringify({ ...JSON.parse(value), until: 0 });
    writeFileSync(path.join(folder, name), JSON.stringify([key, over]));
  }
}

it.each(systemNodes())(
  'Processes on one folder, killed at any moment, lose no tap and count none twice: Node %s',
  async (_version, node) => {
    const { base, newUser } = await world();
    const ana = await newUser();
    const way = await faultyWayTo(base);
    way.faults = () => FAULTS[Math.floor(Math.random() * FAULTS.length)];
    const taskId = String((await ana.hasTask()).id);
    const folder = temporaryFolder();
    const args = [way.base, ana.token, folder, taskId];
    const all: ReturnType<typeof tapping>[] = [];
    for (let round = 0; round < Number(process.env.CLIENT_KILLS ?? 4); round += 1) {
      const both = ['a', 'b'].map((name) => tapping(node, [...args, `${name}${round}`, '40']));
      all.push(...both);
      for (const { child, said, ended } of both) {
        const enough = 1 + Math.floor(Math.random() * 25);
        await expect.poll(() => said().length > enough || child.exitCode !== null).toBe(true);
        child.kill('SIGKILL');
        await ended;
      }
    }
    await laterOn(folder, way);
    way.mend();
    const heir = tapping(node, [...args, 'heir', '0']);
    await heir.ended;
    expect(heir.child.exitCode).toBe(0);
    const left = readdirSync(folder).filter((name) => !/^(owner|today|\.)/.test(name));
    expect(left).toEqual([]);

    const said = all.flatMap((each) => each.said());
    const keysOf = (what: string) =>
      new Set(said.flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : [])));
    const [kept, undoing, undone] = [keysOf('kept'), keysOf('undoing'), keysOf('undone')];
    const client = createClient({ url: base, token: ana.token });
    const times = new Map<string | null, number>();
    for await (const { note } of client.completions()) times.set(note, (times.get(note) ?? 0) + 1);
    client.close();
    const mayBe = (key: string) => {
      if (undone.has(key)) return [0];
      return kept.has(key) && !undoing.has(key) ? [1] : [0, 1];
    };
    const begun = [...keysOf('begun')];
    const wrong = begun.filter((key) => !mayBe(key).includes(times.get(key) ?? 0));
    expect(wrong).toEqual([]);
    expect(kept.size).toBeGreaterThan(5);
  },
);
