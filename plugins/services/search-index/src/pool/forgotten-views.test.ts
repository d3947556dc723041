import { expect, test } from 'vitest';
import { ForgottenViews } from './forgotten-views.ts';

test('a view is forgotten when each thread has said so, or failed', async () => {
  const views = new ForgottenViews<string>();
  const events: string[] = [];
  const all = ['a', 'b'].flatMap((thread) => [1, 2].map((view) => ({ thread, view })));
  const forgotten = all.map(({ thread, view }) => views.by(thread, view).then(() => events.push(`${thread}${view}`)));
  views.take('a', 1);
  views.take('a', 9);
  await forgotten[0];
  expect(events).toEqual(['a1']);
  views.failed('b');
  await Promise.all([forgotten[2], forgotten[3]]);
  expect(events).toEqual(['a1', 'b1', 'b2']);
  views.take('a', 2);
  await Promise.all(forgotten);
  expect(events).toEqual(['a1', 'b1', 'b2', 'a2']);
});
