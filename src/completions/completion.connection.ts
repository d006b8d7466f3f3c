import { connectionOf } from '../graphql/connection.js';
import { Completion } from './completion.entity.js';
import type { CompletionRow } from './completion-list.queries.js';

export const CompletionConnection = connectionOf<CompletionRow>(Completion);
