import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const candidates = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Where Chromium is: the tests of pages need it, and npm does not install it. `CHROMIUM` names another place. */
export const browserPath = candidates.find((path) => path && existsSync(path));

if (!browserPath) console.warn('Pages are not tested: there is no Chromium. Set CHROMIUM to its path.');

/** Nothing that a page does may reach another host. */
const quiet = [
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      ...quiet,
      '--disable-gpu',
      '--disable-quic',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
