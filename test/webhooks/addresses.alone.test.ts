import { createHook } from 'node:async_hooks';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { Guard } from '../../src/base/outgoing/guard.js';
import { HttpClient } from '../../src/base/outgoing/http-client.js';
import { isRefused, rulesOf, webhookHosts } from '../../src/features/webhooks/address.js';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receivers.js';

const hosts = (text: string) => webhookHosts(text) ?? expect.unreachable(`${text} is none`);

it('WEBHOOK_HOSTS takes a star, names and ranges, and nothing else', () => {
  for (const text of ['*', 'n8n', '*.example.com', 'a.example, 10.0.0.0/8, fd00::/8', 'Bücher.example'])
    expect(webhookHosts(text), text).toBeDefined();
  for (const text of ['', 'a b', 'https://x.example', '10.0.0.0/33', '10.0.0.0/x', 'x.*', 'a,,b', '*.'])
    expect(webhookHosts(text), text).toBeUndefined();
});

it('Only what is written in a URL is refused when it is given, in every spelling', () => {
  const all = hosts('*');
  const refused = [
    ...['http://example.com', 'https://example.com:8443', 'ftp://example.com', 'nonsense', 'https://'],
    ...['https://user@example.com', 'https://:pass@example.com'],
    ...['https://localhost', 'https://LOCALHOST.', 'https://a.localhost', 'https://printer.local'],
    ...['https://x.internal', 'https://n8n', 'https://127.0.0.1', 'https://2130706433', 'https://0x7f.1'],
    ...['https://0177.0.0.1', 'https://10.0.0.1', 'https://[::1]', 'https://[::ffff:127.0.0.1]'],
    ...['https://[64:ff9b::7f00:1]', 'https://[fe80::1]', 'https://[2001:db8::1]', 'https://192.0.2.1'],
    ...['https://224.0.0.1', 'https://0.0.0.0', 'https://[::]', 'https://①②⑦.⓪.⓪.①'],
    ...['https://169.254.169.254', 'https://[fd00:ec2::254]', 'https://100.100.100.200'],
    ...['https://192.0.0.192', 'https://168.63.129.16', 'https://[::ffff:168.63.129.16]'],
    ...['https://[64:ff9b::a83f:8110]', 'https://[2002:a83f:8110::]'],
  ];
  const fine = ['https://example.com/x?y=1#z', 'https://8.8.8.8', 'https://[2606:4700::1111]'];
  expect([...fine, ...refused].filter((url) => isRefused(all, url))).toEqual(refused);
});

it('Names and ranges allow what they name, by http and on any port, and no more', () => {
  const names = 'n8n, *.home.example';
  const some = hosts(`${names}, 192.168.1.0/24, fd12::/16`);
  const fine = [
    ...['http://n8n:5678/webhook', 'http://N8N./x', 'https://a.home.example', 'http://a.b.home.example:81'],
    ...['http://192.168.1.7:8123', 'http://[fd12::7]', 'http://perhaps.example:8080'],
  ];
  const refused = [
    ...['http://home.example.evil.example@n8n', 'http://192.168.2.1', 'https://8.8.8.8'],
    ...['http://localhost', 'http://grafana'],
  ];
  expect([...fine, ...refused].filter((url) => isRefused(some, url))).toEqual(refused);
  for (const url of ['https://home.example', 'https://evilhome.example'])
    expect(isRefused(hosts(names), url), url).toBe(true);
});

it('At each call every address is checked', () => {
  for (const [text, url, address, allows] of [
    ['*', 'https://a.example', '8.8.8.8', true],
    ['*', 'http://a.example', '8.8.8.8', false],
    ['*', 'https://a.example:444', '8.8.8.8', false],
    ['*', 'https://a.example', '10.0.0.1', false],
    ['n8n, 192.168.1.0/24', 'http://n8n:1', '10.0.0.1', true],
    ['n8n, 192.168.1.0/24', 'http://a.example', '192.168.1.9', true],
    ['n8n, 192.168.1.0/24', 'http://a.example', '192.168.2.9', false],
  ] as const)
    expect(rulesOf(hosts(text)).allows(new URL(url), address), `${text} ${url} ${address}`).toBe(allows);
  const guard = new Guard(rulesOf(hosts('0.0.0.0/0, ::/0')));
  const connect = (host: string) => guard.assertMayConnect(new URL(`http://${host}/`));
  for (const host of [
    ...['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    ...['[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[::ffff:0:a9fe:a9fe]'],
    ...['[64:ff9b:1:a9fe:a9:fe00::]', '[2001::5601:5601]'],
  ])
    expect(() => connect(host), host).toThrow('not public');
  connect('10.0.0.1');
});

/**
 * A server of DNS that has addresses of IPv4 for some names, and never answers for others, until `giveUp`. `asked` is
 * told each name of which the addresses of IPv4 were asked for.
 */
async function dnsServer(known: Record<string, number[][]>, asked: (name: string) => void) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  socket.on('message', (query, from) => {
    const question = query.subarray(12);
    const name = question.subarray(1, 1 + (question[0] ?? 0)).toString();
    const isOfFour = question.at(-3) === 1;
    const rows = known[name]?.map((address) => [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
    if (rows) {
      const head = [...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isOfFour ? rows.length : 0, 0, 0, 0, 0];
      socket.send(Buffer.from([...head, ...question, ...(isOfFour ? rows.flat() : [])]), from.port);
    }
    if (isOfFour) asked(name);
  });
  const resolvers: Resolver[] = [];
  const newResolver = () => {
    const resolver = new Resolver({ timeout: 60_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${socket.address().port}`]);
    resolvers.push(resolver);
    return resolver;
  };
  const giveUp = () => {
    for (const resolver of resolvers) resolver.cancel();
  };
  return { newResolver, giveUp };
}

it('A name that a user gives takes no thread, whether anybody answers for it or not, and every address counts', async () => {
  const ours = [8, 8, 8, 8];
  const known = { open: [ours], mixed: [ours, [10, 0, 0, 1]] };
  const asked = new Set<string>();
  const { newResolver, giveUp } = await dnsServer(known, (name) => asked.add(name));
  const guard = new Guard(rulesOf(hosts('*, localhost')), newResolver);
  const addressOf = (name: string) =>
    new Promise((resolve) =>
      guard.lookupFor(new URL(`https://${name}`))(name, {}, (error, address) =>
        resolve(error?.code ?? address),
      ),
    );
  const threads: string[] = [];
  const hook = createHook({
    init: (_id, type) => void (type === 'GETADDRINFOREQWRAP' && threads.push(type)),
  }).enable();
  onTestFinished(() => void hook.disable());
  const unanswered = Array.from({ length: 20 }, (_, n) => `silent${n}.example`);
  const names = ['open.example', 'mixed.example', ...unanswered];
  const [open, mixed, ...silent] = names.map(addressOf);
  expect([await open, await mixed]).toEqual(['8.8.8.8', 'ENOTPUBLIC']);
  await eventually(() => asked.size === names.length);
  giveUp();
  expect(new Set(await Promise.all(silent))).toEqual(new Set(['ECANCELLED']));
  expect(threads).toEqual([]);
  expect(await addressOf('localhost')).toMatch(/^(127\.0\.0\.1|::1)$/);
  expect(threads).toHaveLength(1);
});

it('A name is looked up once for each call: what it leads to by the next one is checked anew', async () => {
  const receiver = await new Receiver().start();
  const known = { turns: [[127, 0, 0, 1]] };
  const asked: string[] = [];
  const { newResolver } = await dnsServer(known, (name) => {
    asked.push(name);
    known.turns = [[127, 0, 0, 9]];
  });
  const guard = new Guard(rulesOf(hosts('127.0.0.1')), newResolver);
  const client = new HttpClient({ guard, keepAlive: false });
  onTestFinished(() => client.close());
  const url = new URL(receiver.url.replace('127.0.0.1', 'turns.example'));
  expect(await client.send(url)).toMatchObject({ status: 200 });
  expect(asked).toEqual(['turns']);
  await expect(client.send(url)).rejects.toMatchObject({ code: 'ENOTPUBLIC' });
  expect(receiver.taken).toHaveLength(1);
});
