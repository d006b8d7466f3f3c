import { describe, expect, it } from 'vitest';
import { askerOf } from '../../src/graphql/context.js';
import { type OperationSlot, OperationSlots } from '../../src/graphql/live/slots.js';
import { networkOf } from '../../src/request.js';
import { eventually } from '../support/eventually.js';

const MINUTE = 60_000;

/** Operations that are at work until they are told to end, and the names of those that began or were turned away. */
function operationsOn(slots: OperationSlots) {
  const begun: string[] = [];
  const turnedAway: string[] = [];
  const enter = (owner: string, isAwaited = () => true): OperationSlot => {
    const slot = slots.enter(owner, isAwaited);
    void slot.granted.then((isGranted) => (isGranted ? begun : turnedAway).push(owner));
    return slot;
  };
  const many = (count: number, owner: string) => Array.from({ length: count }, () => enter(owner));
  const end = async (slot: OperationSlot) => {
    slot.endsWith(Promise.resolve());
    await slot.ended;
  };
  return { begun, turnedAway, enter, many, end };
}

describe('Slots of operations', () => {
  it('are for a few of one owner at a time, so that others begin at once', async () => {
    const { begun, enter, many, end } = operationsOn(new OperationSlots({ limit: 300, longestWait: MINUTE }));
    const [first] = many(50, 'ana') as [OperationSlot];
    expect(await enter('ben').granted).toBe(true);
    await eventually(() => begun.length === 11);
    expect(begun.toSorted()).toEqual([...Array(10).fill('ana'), 'ben']);
    await end(first);
    await eventually(() => begun.length > 11);
    expect(begun.slice(11)).toEqual(['ana']);
  });

  it('are given up by the owner with the most, for others and not for itself', async () => {
    const slots = new OperationSlots({ limit: 30, longestWait: MINUTE });
    const { turnedAway, many } = operationsOn(slots);
    const last = many(30, 'ana').at(-1);
    expect(slots.makeRoomFor('ben')).toBe(true);
    expect(await last?.granted).toBe(false);
    expect(await many(1, 'ben')[0]?.granted).toBe(true);
    many(18, 'ana');
    expect(slots.makeRoomFor('ana')).toBe(false);
    expect(turnedAway).toEqual(['ana']);
  });

  it('are free while operations wait in lines of their own, and still count for their owner', async () => {
    const slots = new OperationSlots({ limit: 10, longestWait: MINUTE });
    const { begun, many } = operationsOn(slots);
    const away = many(10, 'ana');
    await Promise.all(away.map(({ granted }) => granted));
    for (const slot of away) slot.leave();
    expect(slots.makeRoomFor('ana')).toBe(true);
    await Promise.all(many(10, 'ana').map(({ granted }) => granted));
    expect([begun.length, slots.countOf('ana')]).toEqual([20, 20]);
    for (const slot of away) slot.takeBack();
    expect(slots.makeRoomFor('ben')).toBe(false);
  });

  it('are not for operations that nobody waits for any more, or that have waited for too long', async () => {
    const late = new OperationSlots({ limit: 300, longestWait: -1 });
    expect(await operationsOn(late).enter('ana').granted).toBe(false);

    const slots = new OperationSlots({ limit: 300, longestWait: MINUTE });
    const { enter, many, end } = operationsOn(slots);
    const atWork = many(10, 'ana');
    await Promise.all(atWork.map(({ granted }) => granted));
    let isAwaited = true;
    const abandoned = enter('ana', () => isAwaited);
    isAwaited = false;
    await Promise.all(atWork.map(end));
    expect(await abandoned.granted).toBe(false);
    await slots.settled();
    expect(slots.countOf('ana')).toBe(0);
  });
});

describe('Who has no token', () => {
  const nobodyAt = (address: string) => askerOf({ userId: null, address });

  it('is one with all of the network, however many connections there are', () => {
    expect(nobodyAt('2001:db8:1:2::3')).toBe(nobodyAt('2001:db8:1:2:ffff::4'));
    expect(nobodyAt('2001:db8:1:2::3')).not.toBe(nobodyAt('2001:db8:1:3::3'));
  });

  it.each(['192.0.2.1', '::ffff:192.0.2.1', '::1', '2001:DB8::1:0:0:1', 'fe80::1%eth0', ''])(
    'is the same owner as over HTTP: %s',
    (address) => expect(nobodyAt(address)).toBe(networkOf(address)),
  );
});
