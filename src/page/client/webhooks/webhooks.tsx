import { dayAt, type Zone } from '../../../../packages/client/src/day.js';
import { ask, Refused } from '../sync/api.js';
import type { State } from '../sync/store.js';
import { dateInWords } from '../today/days.js';
import { Button } from '../ui/button.js';
import { Field, textOf } from '../ui/form.js';
import { words } from '../ui/later-words.js';
import { Revocables } from '../ui/revocable.js';
import { CREATE_WEBHOOK, DELETE_WEBHOOK, RESUME_WEBHOOK, WEBHOOKS } from './webhooks-documents.js';

interface Webhook {
  id: string;
  name: string;
  url: string;
  state: 'ACTIVE' | 'FAILING' | 'PAUSED';
  lastDeliveredAt: string | null;
}

const readWebhooks = async () => (await ask<{ me: { webhooks: Webhook[] } }>(WEBHOOKS, {})).me.webhooks;

/** What only webhooks are refused for is said by their words. */
async function asking<Answer>(document: string, variables: object): Promise<Answer> {
  try {
    return await ask<Answer>(document, variables);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { message, reason, fields, token } = error;
    throw new Refused(words.webhooks.reasons[reason] ?? message, reason, fields, token);
  }
}

async function createWebhook(data: FormData): Promise<string> {
  const input = { name: textOf(data, 'name'), url: textOf(data, 'url').trim() };
  type Created = { createWebhook: { secret: string } };
  return (await asking<Created>(CREATE_WEBHOOK, { input })).createWebhook.secret;
}

function stateOf({ state, lastDeliveredAt }: Webhook): string {
  if (state === 'PAUSED') return words.webhooks.paused;
  if (state === 'FAILING') return words.states.FAILING;
  return lastDeliveredAt ? words.states.WORKING : words.untried;
}

const lastSent = ({ lastDeliveredAt }: Webhook, zone: Zone) =>
  lastDeliveredAt && words.lastSent(dateInWords(dayAt(Date.parse(lastDeliveredAt), zone)));

/** Addresses of programs that are told of each change. */
export function Webhooks({ state: { screen } }: { state: State }) {
  if (!screen) return null;
  const resume = ({ id, name, state }: Webhook, readAgain: () => Promise<void>) =>
    state === 'PAUSED' && (
      <Button
        label={words.webhooks.resumeOf(name)}
        act={async () => {
          await asking(RESUME_WEBHOOK, { id });
          await readAgain();
        }}
      >
        {words.webhooks.resume}
      </Button>
    );
  return (
    <Revocables
      about={words.webhooks.about}
      read={readWebhooks}
      details={(one) => [new URL(one.url).host, stateOf(one), lastSent(one, screen.user)]}
      beside={resume}
      ending={{ word: words.remove, of: words.removeOf, sure: words.removeSure }}
      revoke={(id) => ask(DELETE_WEBHOOK, { id })}
      create={createWebhook}
      submit={words.add}
    >
      <Field id="webhook.name" label={words.name} required maxlength={200} />
      <Field
        id="webhook.url"
        label={words.webhooks.url}
        type="url"
        placeholder="https://"
        required
        maxlength={2_000}
      />
    </Revocables>
  );
}
