import { oneOf, type ValuesOf } from '../../base/config/setting.js';

const settings = { mcp: oneOf('MCP', 'on', ['on', 'off']) };

declare module '../../base/config/setting.js' {
  interface SettingsOfFeatures extends ValuesOf<typeof settings> {}
}

export const agentSettings = { settings };
