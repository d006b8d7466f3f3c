import { Button } from './button.js';
import { abandonChallenge, acceptChallenge, changed, completeChallenge, updateNotes } from './changes.js';
import { inDays } from './days.js';
import { sure } from './dialog.js';
import { Form, textOf } from './form.js';
import { openTaskForm } from './task-form.js';
import type { Challenge, Screen, Template } from './types.js';

export function ChallengeCard({ screen: { user, templates } }: { screen: Screen }) {
  return (
    <section class="card challenge" aria-label="Challenge">
      <h2>Challenge</h2>
      {user.activeChallenge ? (
        <Active challenge={user.activeChallenge} />
      ) : (
        <>
          <p>One at a time. Which one next?</p>
          <ul class="templates">
            {templates.map((template) => (
              <Choice key={template.id} template={template} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const Choice = ({ template }: { template: Template }) => (
  <li>
    <details>
      <summary>
        {template.title} <span class="about">{inDays(template.durationDays)}</span>
      </summary>
      <p>{template.description}</p>
      <Button kind="primary" act={() => acceptChallenge(template.id)}>
        Take it on
      </Button>
    </details>
  </li>
);

function Active({ challenge }: { challenge: Challenge }) {
  const { id, template, progress, notes } = challenge;
  const { daysDone, daysTotal, daysElapsed, isDue, tracked } = progress;
  const keepNotes = async (data: FormData) => {
    const news = changed({ notes: notes ?? '' }, { notes: textOf(data, 'notes') });
    if (news) await updateNotes(id, news);
  };
  return (
    <>
      <h3>{template.title}</h3>
      <p>{template.description}</p>
      <progress max={daysTotal} value={daysDone} aria-label="Days done" />
      <p>
        {tracked ? `Done on ${daysDone} of ${inDays(daysTotal)}.` : 'No habit counts for it yet.'}{' '}
        {isDue ? 'Its last day is over.' : `Today is day ${daysElapsed}.`}
      </p>
      <div class="buttons">
        <Button act={() => openTaskForm(null, template.id)}>Add a habit for it</Button>
        <Button
          kind={isDue ? 'primary' : 'quiet'}
          act={() => sure('Complete this challenge?', 'Complete', () => completeChallenge(id))}
        >
          Complete
        </Button>
        <Button act={() => sure('Give up this challenge?', 'Give up', () => abandonChallenge(id), true)}>
          Give up
        </Button>
      </div>
      <details class="notes">
        <summary>Notes</summary>
        <Form key={id} action={keepNotes} submit="Save notes">
          <textarea name="notes" rows={4} maxLength={10_000} aria-label="Notes" defaultValue={notes ?? ''} />
        </Form>
      </details>
    </>
  );
}
