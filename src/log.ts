import pino, { type Logger } from 'pino';
import type { Config } from './config.js';

export const createLog = ({ logLevel }: Pick<Config, 'logLevel'>): Logger =>
  pino({ level: logLevel, base: undefined });
