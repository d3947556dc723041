import { describe, expect, test } from 'vitest';
import { defineResource } from './resource.ts';
import type { Resource } from './resource.ts';

const resourceOf = (uri: string, name = 'file'): Resource =>
  defineResource({
    name,
    title: 'File',
    description: 'A file.',
    uri,
    withTools: [],
    needs: {},
    read: async () => ({ mimeType: 'text/plain', text: '' }),
  });

describe('the URI of a resource', () => {
  const { match, variables } = resourceOf('repo://{repo}@{revision}/{+path}');

  test('is taken apart into the variables of its template, escapes undone', () => {
    expect(variables).toEqual(['repo', 'revision', 'path']);
    const shop = { repo: 'acme/shop', revision: 'feature/x', path: 'src/a b.ts' };
    expect(match('repo://acme%2Fshop@feature%2Fx/src/a%20b.ts')).toEqual(shop);
    expect(match('repo://acme/shop@main/src/a@b.ts')).toEqual({
      repo: 'acme/shop',
      revision: 'main',
      path: 'src/a@b.ts',
    });
  });

  test.each(['repo://shop/a.ts', 'repo://shop@main/', 'repo://@main/a', 'file:///etc/passwd', ''])(
    '%j is of another kind',
    (uri) => expect(match(uri)).toBeUndefined(),
  );

  test('with a percent sign that begins no escape is refused', () => {
    expect(() => match('repo://shop@main/100%.txt')).toThrow('the URI has "100%.txt", where a percent sign');
  });

  test('without variables is a resource of its own', () => {
    const single = resourceOf('repo://help');
    expect([single.variables, single.match('repo://help'), single.match('repo://helpx')]).toEqual([[], {}, undefined]);
  });

  test.each(['no-scheme/{path}', 'repo://{a}{b}', 'repo://{a', 'repo://{?query}', 'repo://{a-b}/x'])(
    'of a declaration cannot be %j',
    (uri) => expect(() => resourceOf(uri)).toThrow('must be a URI whose variables are {name} or {+name}'),
  );
});

test('the name of a resource is snake_case', () => {
  expect(() => resourceOf('repo://help', 'Help')).toThrow('resource name "Help" must be snake_case');
});
