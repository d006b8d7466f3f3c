/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  intercept,
  journey,
  Person,
  refused,
  row,
  saved,
  stageForTests,
  tapOn,
  waiting,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

const undoOf = (page: Page) => page.locator('.toast').getByRole('button', { name: 'Undo' });

/** The page sends what waits at once, and asks for what is shown. */
const comeBack = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')));

/** Opens the page anew, until it hears of each change and has sent what waits. */
async function reopen(page: Page): Promise<void> {
  await page.goto('about:blank'); // else the connection of before may be taken for that of now
  const followed = new Promise<void>((resolve) =>
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('inForce')) resolve();
      }),
    ),
  );
  await page.goto(`${stage.base}/`);
  await followed;
}

/** Opens the page, taps, and presses Undo while the tap is on its way. */
async function undoneWhileItIsSent(ana: Person) {
  const opened = await ana.opens();
  const { context, page } = opened;
  const pressed = Promise.withResolvers<void>();
  const sent = await intercept(context, 'completeTasks', async (route) => {
    await pressed.promise;
    await route.continue();
  });
  await tapOn(page, 'Swim').press('Space'); // by keys there is longer to undo it
  await expect.poll(() => sent.count).toBe(1);
  await undoOf(page).click();
  await row(page, 'Swim').getByText('saving').waitFor({ state: 'detached' });
  return { ...opened, arrive: pressed.resolve };
}

describe('A tap', needs('Chromium'), () => {
  it('that was counted is not shown as refused when its undo is', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page, arrive } = await undoneWhileItIsSent(ana);
    await intercept(context, 'undoCompletion', (route) => route.fulfill(refused('FORBIDDEN')));
    arrive();
    await page.locator('.notice').getByText('No.').waitFor();
    await saved(page, 'Swim').waitFor();
    await expect.poll(() => waiting(page)).toBe(0);
    expect([await ana.completions(), await page.getByText('refused').count()]).toEqual([1, 0]);
  });

  it('is undone after the connection dropped between both', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page, arrive } = await undoneWhileItIsSent(ana);
    const undone = await intercept(context, 'undoCompletion', (route, count) =>
      count === 1 ? route.abort() : route.continue(),
    );
    arrive();
    await expect.poll(() => undone.count).toBe(1);
    await comeBack(page);
    await expect.poll(() => waiting(page)).toBe(0);
    expect([await ana.completions(), undone.count]).toEqual([0, 2]);
  });

  it('is shown on, though what was read of the taps before it is heard only after it', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    const answered = Promise.withResolvers<void>();
    const sent = await intercept(context, 'completeTasks', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.evaluate(() => {
      const { prototype } = IDBObjectStore;
      const { getAll } = prototype;
      prototype.getAll = function (...given) {
        prototype.getAll = getAll;
        document.querySelector<HTMLElement>('.tap')?.click();
        return getAll.apply(this, given);
      };
      new BroadcastChannel('steady/page:taps').postMessage(null); // as of another window
    });
    await expect.poll(() => sent.count).toBe(1);
    expect(await tapOn(page, 'Swim').innerText()).toContain('saving');
    answered.resolve();
    await saved(page, 'Swim').waitFor();
  });

  it('is undone by the service when another window has sent it, and this one has not heard of it', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    await page.addInitScript(() => Reflect.deleteProperty(window, 'BroadcastChannel'));
    await page.clock.install();
    await reopen(page);
    await row(page, 'Swim').waitFor();
    await page.clock.pauseAt(Date.now() + 1_000); // no second attempt by itself
    const sent = await intercept(context, 'completeTasks', (route, count) =>
      count === 1 ? route.abort() : route.continue(),
    );
    await tapOn(page, 'Swim').press('Space');
    await expect.poll(() => sent.count).toBe(1);
    const other = await context.newPage();
    await other.goto(`${stage.base}/`);
    await saved(other, 'Swim').waitFor();
    await undoOf(page).click();
    await expect.poll(() => ana.completions()).toBe(0);
  });

  journey('waits for another attempt while a gateway answers, or the service is busy', async () => {
    const answers = [
      { json: { error: 'Too many requests' } },
      { json: { errors: [{ message: 'rate limited' }] } },
      { json: null },
      { body: '<h1>Bad gateway</h1>', status: 502 },
      refused('TOO_MANY_ATTEMPTS'),
      refused('OVERLOADED'),
    ];
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    const sent = await intercept(context, 'completeTasks', (route, count) => {
      const answer = answers[count - 1];
      return answer ? route.fulfill(answer) : route.continue();
    });
    await tapOn(page, 'Swim').click();
    await tapOn(page, 'Swim').getByText('waiting for the network').waitFor();
    for (const index of answers.keys()) {
      await expect.poll(() => sent.count).toBeGreaterThan(index);
      expect(await page.getByText('refused').count()).toBe(0);
      await comeBack(page);
    }
    await saved(page, 'Swim').waitFor();
    expect(await ana.completions()).toBe(1);
  });

  it('is not held up by a log-in that has ended, where another window has a newer one', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    const used: (string | undefined)[] = [];
    await intercept(context, 'completeTasks', (route, count) => {
      used.push(route.request().headers().authorization);
      return count === 1 ? route.fulfill(refused('TOKEN_INVALID')) : route.continue();
    });
    const token = await ana.newToken();
    await page.evaluate((token) => {
      const key = 'steady/page:session';
      localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? ''), token }));
    }, token);
    await tapOn(page, 'Swim').click();
    await expect.poll(() => used.length).toBeGreaterThan(0);
    await comeBack(page);
    await saved(page, 'Swim').waitFor();
    expect(used.at(-1)).toBe(`Bearer ${token}`);
  });
});

describe('What is shown', needs('Chromium'), () => {
  it('is asked for once more when changes arrive from then on, and not before', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    await page.goto('about:blank');
    const [here, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.routeWebSocket('**/graphql', (socket) => {
      socket.connectToServer().onMessage(async (message) => {
        if (String(message).includes('inForce')) {
          here.resolve();
          await passed.promise;
        }
        socket.send(message);
      });
    });
    const asked = await intercept(context, 'FirstScreen', (route) => route.continue());
    await page.goto(`${stage.base}/`);
    await here.promise;
    expect(asked.count).toBe(1);
    passed.resolve();
    await expect.poll(() => asked.count).toBe(2);
  });

  it('counts a tap once, though news of it come before its answer', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim', { target: { amount: 9, unit: 'lengths' } });
    const { context, page } = await ana.opens();
    let news = 0;
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('COMPLETION_RECORDED')) news += 1;
      }),
    );
    await reopen(page);
    await tapOn(page, 'Swim').waitFor();
    let shown = '';
    await intercept(context, 'completeTasks', async (route) => {
      const response = await route.fetch();
      await expect.poll(() => news).toBeGreaterThan(0);
      await page.evaluate(
        () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
      );
      shown = await row(page, 'Swim').innerText();
      await route.fulfill({ response });
    });
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').getByText('1 of 9 lengths').waitFor();
    await expect.poll(() => shown).toContain('1 of 9 lengths');
  });

  it('is not overwritten by answers that are older, nor asked for without end while news keep coming', async () => {
    const ana = await Person.on(stage);
    const id = await ana.hasTask('Swim', { target: { amount: 9, unit: 'lengths' } });
    const { context, page } = await ana.opens();
    let beforehand = 2; // when the page is loaded, and when it is connected
    const asked = await intercept(context, 'FirstScreen', async (route, count) => {
      const news = count - 2;
      const response = await route.fetch();
      if (news > 0 && news <= 3) {
        await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id, amount: 1) { isReplayed } }', { id });
        await tapOn(page, 'Swim')
          .getByText(new RegExp(`[${news}-9] of 9 lengths`))
          .waitFor(); // more, when the page asks twice at once
      }
      await route.fulfill({ response });
      beforehand -= 1;
    });
    await page.reload();
    await expect.poll(() => beforehand).toBe(0);
    await comeBack(page);
    await saved(page, 'Swim').getByText('3 of 9 lengths').waitFor();
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').getByText('4 of 9 lengths').waitFor();
    // Five, and others where it was connected anew meanwhile: without end would be a hundred.
    expect(asked.count).toBeLessThanOrEqual(12);
  });

  it('has more habits and more that are archived than fit into one answer', async () => {
    const ana = await Person.on(stage);
    const titles = ['Swim', 'Read', 'Walk'];
    for (const title of [...titles, 'Old', 'Older']) {
      const id = await ana.hasTask(title);
      if (title.startsWith('Old'))
        await ana.asks('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    }
    const { context, page } = await ana.opens();
    await context.route('**/graphql', (route) =>
      route.continue({ postData: route.request().postData()?.replaceAll('first: 100', 'first: 1') }),
    );
    await page.reload();
    await expect.poll(() => page.locator('.tap .title').allInnerTexts()).toEqual(titles);
    await page.getByText('Archived (2)').click();
    for (const title of ['Old', 'Older']) await page.getByText(title, { exact: true }).waitFor();
  });
});
