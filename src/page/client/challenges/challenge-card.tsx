import { useEffect, useRef, useState } from 'preact/hooks';
import { openTaskForm } from '../shell/views.js';
import { changed } from '../sync/changes.js';
import { tell } from '../sync/store.js';
import type { Challenge, PastChallenge, Screen, Task, Template } from '../sync/types.js';
import { dateInWords } from '../today/days.js';
import { isLimit } from '../today/target.js';
import { useAnswer, Waiting } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { open, thenClose } from '../ui/dialog.js';
import { Checkbox, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { sure } from '../ui/sure.js';
import {
  abandonChallenge,
  acceptChallenge,
  completeChallenge,
  linkTask,
  readPast,
  readTemplates,
  updateNotes,
} from './challenges.js';

export function ChallengeCard({ screen: { user, tasks } }: { screen: Screen }) {
  const [isPastOpen, setPastOpen] = useState(false);
  const past = (
    <details onToggle={({ currentTarget }) => setPastOpen(currentTarget.open)}>
      <summary>{t.challenge.past}</summary>
      {isPastOpen && <Past current={user.activeChallenge} />}
    </details>
  );
  return user.activeChallenge ? (
    <>
      <Active key={user.activeChallenge.id} challenge={user.activeChallenge} tasks={tasks} />
      {past}
    </>
  ) : (
    <>
      <p>{t.challenge.which}</p>
      <Choices />
      {past}
    </>
  );
}

function Choices() {
  const [templates] = useAnswer(readTemplates);
  if (!templates) return <Waiting />;
  return (
    <ul class="templates">
      {templates.map((template) => (
        <Choice key={template.id} template={template} />
      ))}
    </ul>
  );
}

const Choice = ({ template }: { template: Template }) => (
  <li>
    <details>
      <summary>
        {t.challenge.ofTemplate(template.title)} <span class="about">{t.days(template.durationDays)}</span>
      </summary>
      <p>{t.challenge.ofTemplate(template.description)}</p>
      <Button kind="primary" act={() => acceptChallenge(template.id)}>
        {t.challenge.start}
      </Button>
    </details>
  </li>
);

function Active({ challenge, tasks }: { challenge: Challenge; tasks: readonly Task[] }) {
  const { id, template, progress, notes } = challenge;
  const { daysDone, daysTotal, daysElapsed, isOver, isTracked } = progress;
  const isFull = daysDone >= daysTotal;
  const wasFull = useRef(isFull);
  useEffect(() => {
    if (isFull && !wasFull.current) celebrate(challenge);
    wasFull.current = isFull;
  });
  const keepNotes = async (data: FormData) => {
    const news = changed({ notes: notes ?? '' }, { notes: textOf(data, 'notes') });
    if (news) await updateNotes(id, news);
  };
  return (
    <>
      <h3>{t.challenge.ofTemplate(template.title)}</h3>
      <p>{t.challenge.ofTemplate(template.description)}</p>
      <p class="days-done">
        <span class="ring-frame" aria-hidden="true">
          <Days done={daysDone} total={daysTotal} />
          <strong>{t.number(daysDone)}</strong>
        </span>
        <span>
          {isTracked ? t.challenge.doneOn(daysDone, daysTotal) : t.challenge.noHabit}{' '}
          {isFull || (isOver ? t.challenge.lastDayOver : t.challenge.todayIsDay(daysElapsed))}
        </span>
      </p>
      <div class="buttons">
        <Button act={() => open(t.challenge.whichCount, () => <Members template={template} tasks={tasks} />)}>
          {t.challenge.choose}
        </Button>
        <Button act={() => openTaskForm(null, template.id)}>{t.challenge.newHabit}</Button>
        {(isFull || isOver) && (
          <Button kind="primary" act={() => end(challenge)}>
            {t.challenge.complete}
          </Button>
        )}
        {!isFull && (
          <Button
            kind="quiet danger"
            act={() => sure(t.challenge.giveUpSure, t.challenge.giveUp, () => abandonChallenge(id), true)}
          >
            {t.challenge.giveUp}
          </Button>
        )}
      </div>
      <details class="notes">
        <summary>{t.common.notes}</summary>
        <Form key={id} action={keepNotes} submit={t.challenge.saveNotes}>
          <textarea
            name="notes"
            rows={4}
            maxLength={10_000}
            aria-label={t.common.notes}
            defaultValue={notes ?? ''}
          />
        </Form>
      </details>
    </>
  );
}

/** Once, as it becomes full: nothing more can be done for it. */
function celebrate(challenge: Challenge): void {
  const { template, progress } = challenge;
  const undo = { words: t.challenge.complete, act: () => end(challenge) };
  const text = t.said(t.challenge.ofTemplate(template.title), t.list.allDone(progress.daysTotal));
  tell(text, true, { isJoy: true, undo });
}

/** One that is over may lack days: who ends it is asked. */
function end({ id, template, progress: { daysDone, daysTotal } }: Challenge) {
  const act = async () => {
    await completeChallenge(id);
    const became = t.challenge.doneOn(daysDone, daysTotal);
    tell(t.said(t.challenge.ofTemplate(template.title), became), true);
  };
  if (daysDone >= daysTotal) return act();
  return sure(t.challenge.endAnyway(daysDone, daysTotal), t.common.endIt, act);
}

/** A ring of as many parts as it has days. */
const Days = ({ done, total }: { done: number; total: number }) => (
  <svg class="ring" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10.5" pathLength={total} stroke-dasharray="0.85 0.15" />
    <circle
      class="share"
      cx="12"
      cy="12"
      r="10.5"
      pathLength={total}
      stroke-dasharray={done >= total ? undefined : `${done} ${total}`}
    />
  </svg>
);

/** Habits that exist can join, and leave; limits cannot. */
function Members({ template, tasks: all }: { template: Template; tasks: readonly Task[] }) {
  const tasks = all.filter((task) => !isLimit(task));
  const isMember = ({ challengeTemplate }: Task) => challengeTemplate?.id === template.id;
  const link = async (chosen: unknown[]) => {
    for (const task of tasks)
      if (chosen.includes(task.id) !== isMember(task))
        await linkTask(task.id, isMember(task) ? null : template.id);
  };
  return (
    <Form action={(data) => thenClose(() => link(data.getAll('members')))} submit={t.common.save}>
      <p class="about">{t.challenge.onlyOne}</p>
      {tasks.map((task) => (
        <Checkbox key={task.id} name="members" value={task.id} label={task.title} checked={isMember(task)} />
      ))}
    </Form>
  );
}

/** The ones that are over, read each time one begins or ends. */
function Past({ current }: { current: Challenge | null }) {
  const [past] = useAnswer(readPast, current?.id);
  if (!past) return <Waiting />;
  if (past.length === 0) return <p class="about">{t.challenge.none}</p>;
  return (
    <ul>
      {past.map(({ id, status, template, progress }) => (
        <li key={id} class="row">
          <span class="title">
            {t.challenge.ofTemplate(template.title)}{' '}
            <span class="about">
              {[
                fate(status)(dateInWords(progress.firstDay)),
                progress.isTracked && t.challenge.doneOn(progress.daysDone, progress.daysTotal),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

const fate = (status: PastChallenge['status']) =>
  status === 'COMPLETED' ? t.challenge.pastCompleted : t.challenge.pastGivenUp;
