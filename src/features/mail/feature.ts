import { feature } from '../../feature.js';
import { mailFinding } from './checks.js';
import { mailSettings } from './settings.js';
import { mailMetrics } from './topics.js';

export const mail = feature({
  settings: mailSettings,
  asks: [{ about: 'mail', look: mailFinding }],
  metrics: mailMetrics,
  build: () => ({}),
});
