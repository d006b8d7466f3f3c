import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Senders } from '../../src/channels/senders.js';
import { readConfig } from '../../src/config.js';
import type { Database } from '../../src/database/database.js';

describe('With no setting of reminders', () => {
  it('nothing is made that could call anybody, and the database is not asked for keys', async () => {
    const opened: Socket[] = [];
    const note = (message: unknown) => void opened.push((message as { socket: Socket }).socket);
    channel('net.client.socket').subscribe(note);
    const asked: string[] = [];
    const database = { query: () => asked.push('query') } as unknown as Database;
    const senders = new Senders(database, readConfig({}));
    expect(senders.kinds).toEqual([]);
    expect(await senders.pushKey()).toBeNull();
    senders.close();
    channel('net.client.socket').unsubscribe(note);
    expect([opened, asked]).toEqual([[], []]);
  });
});
