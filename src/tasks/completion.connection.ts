import { connectionOf } from '../graphql/connection.js';
import { Completion } from './completion.entity.js';
import type { CompletionRow } from './task.queries.js';

export const CompletionConnection = connectionOf<CompletionRow>(Completion);
