import { ask } from '../sync/api.js';
import { change } from '../sync/changes.js';
import * as documents from '../sync/later-documents.js';
import type { PastChallenge, Template } from '../sync/types.js';

/** Shortest first. */
export async function readTemplates(): Promise<Template[]> {
  const answer = await ask<{ challengeTemplates: Template[] }>(documents.CHALLENGE_TEMPLATES, {});
  return answer.challengeTemplates.toSorted((one, other) => one.durationDays - other.durationDays);
}

/** The ones that are over. */
export async function readPast(): Promise<PastChallenge[]> {
  const { challenges } = await ask<{ challenges: { nodes: PastChallenge[] } }>(documents.PAST_CHALLENGES, {});
  return challenges.nodes.filter(({ status }) => status !== 'ACTIVE');
}

export const acceptChallenge = (templateId: string) => change(documents.ACCEPT_CHALLENGE, { templateId });

export const completeChallenge = (id: string) => change(documents.COMPLETE_CHALLENGE, { id });

export const abandonChallenge = (id: string) => change(documents.ABANDON_CHALLENGE, { id });

export const updateNotes = (id: string, news: { notes?: string }) =>
  change(documents.UPDATE_NOTES, { id, ...news });

/** Links a habit to the challenge of a template; null: to none. */
export const linkTask = (id: string, challengeTemplateId: string | null) =>
  change(documents.UPDATE_TASK, { id, input: { challengeTemplateId } });
