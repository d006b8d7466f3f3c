import { feature } from '../../feature.js';
import type { Trust } from '../../http/address.js';
import type { Account } from '../account/feature.js';
import type { Habits } from '../habits/feature.js';
import type { History } from '../history/feature.js';
import { AgentReads } from './agent-reads.service.js';
import { AgentWrites } from './agent-writes.service.js';
import { agentRoutes } from './agents.routes.js';
import { callTools } from './calls.js';
import { HabitNames } from './habit-names.js';
import { toolsOn } from './tools.js';

export const agents = feature({
  build({ config, database, clock, log }, needs: Account & Habits & History) {
    const { accounts, callers, tasks } = needs;
    const names = new HabitNames(database, tasks);
    const reads = new AgentReads(database, names, needs);
    const writes = new AgentWrites(database, clock, names, reads, needs);
    const load = async () => {
      const { answerOn } = await import('./mcp.js');
      return answerOn(toolsOn(reads, writes), callTools(accounts, log));
    };
    return { router: (trusts: Trust) => agentRoutes({ config, callers, trusts, log, load }) };
  },
});
