import { Repositories } from '@sextant/contracts';
import { definePage, definePlugin } from '@sextant/core';

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export const repositoryOverview = definePage({
  name: 'repository-overview',
  method: 'GET',
  path: '/repository-overview',
  // Who shows no credentials is sent to sign in; 'anyone' would be a public page.
  access: { scope: 'all' },
  link: { title: 'Overview', order: 50 },
  needs: { repositories: Repositories },
  async respond(_request, { repositories }, { caller }) {
    const rows = (await repositories.list(caller)).map(
      ({ name, description }) => `<li><a href="/${escaped(name)}">${escaped(name)}</a> ${escaped(description)}</li>`,
    );
    const html = `<!doctype html><title>Repositories</title><h1>Repositories</h1><ul>${rows.join('')}</ul>`;
    // The server adds a content security policy: no inline scripts or styles.
    return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  },
});

export default definePlugin({ name: 'page-repository-overview', pages: [repositoryOverview] });
