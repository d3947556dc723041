import { expect, test } from 'vitest';
import { Changes } from './changes.ts';

const longMs = 100_000;

test('who waits is woken by a change on another host, and by whatever may have been missed', async () => {
  const said: string[] = [];
  let tell: (text: string | undefined) => void = () => undefined;
  const changes = new Changes({
    announce: (topic, text) => void said.push(`${topic} ${text}`),
    listen: (_topic, listener) => {
      tell = listener;
      return () => (tell = () => undefined);
    },
  });
  const { signal } = new AbortController();
  const wait = (id: number): Promise<void> => changes.wait(id, { atMost: longMs, signal });
  let isOtherWoken = false;
  const [one, other] = [wait(1), wait(2).then(() => (isOtherWoken = true))];
  tell('1');
  await one;
  expect(isOtherWoken).toBe(false);
  tell(undefined);
  await other;
  changes.announce(3);
  expect(said).toEqual(['conversation 3']);
  changes.close();
});
