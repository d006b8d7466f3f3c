import { type Browser, chromium } from 'playwright-core';
import { browserPath } from './tools.ts';

/** Nothing that a page does may reach another host. */
const quiet = [
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Playwright's own choice, which a choice of ours replaces. */
const disabledByPlaywright = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding', 'AimEnabled'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'PreconnectToSearch'],
];

/** Each window would prepare pages for the lists of its address bar, and a process that no test comes to use. */
const preparations = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      ...quiet,
      '--disable-gpu',
      '--disable-quic',
      `--disable-features=${[...disabledByPlaywright, ...preparations].join(',')}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });

let shared: Promise<Browser> | undefined;

/** For all files of a worker, with which it ends; each test has a context of its own. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser();
  return shared;
}
