import { connectionOf } from '../graphql/connection.js';
import { Completion } from './completion.entity.js';
import type { Recorded } from './task.queries.js';

export const CompletionConnection = connectionOf<Recorded>(Completion);
