import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { callerOf } from '@sextant/core/testing';
import plugin from './index.ts';

const secret = 'a secret of at least thirty-two characters';
const services = {
  plugin: { settings: { secret, maxAgeSeconds: 60 } },
  principals: { named: async (name: string) => (name === 'alice' ? callerOf('alice') : undefined) },
};

async function userOf(name: string, seconds: number, key = secret): Promise<string | undefined> {
  const signature = createHmac('sha256', key).update(`${name} ${seconds}`).digest('hex');
  const headers = new Headers({ 'x-proxy-user': `${name} ${seconds} ${signature}` });
  return (await plugin.authenticators[0]?.authenticate({ headers }, services))?.user.name;
}

test('only a fresh header that the proxy signed is good, and only for a user that there is', async () => {
  const now = Math.floor(Date.now() / 1000);
  assert.equal(await userOf('alice', now), 'alice');
  assert.equal(await userOf('alice', now - 3600), undefined);
  assert.equal(await userOf('alice', now, 'another secret of thirty-two characters'), undefined);
  assert.equal(await userOf('nobody', now), undefined);
});
