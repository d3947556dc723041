import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { repositoryOverview } from './index.ts';

test('the page lists what the caller may read, with names as text', async () => {
  const repositories = { list: async () => [{ name: 'shop', description: '<script>' }] };
  const { signal } = new AbortController();
  const call = { caller: callerOf('alice'), endpoint: '', signal, log: silentLogger, reportProgress() {} };
  const request = new Request('http://localhost/repository-overview');
  const html = await (await repositoryOverview.respond(request, { repositories }, call)).text();
  assert.match(html, /<a href="\/shop">shop<\/a> &#60;script&#62;/);
});
