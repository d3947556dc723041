import type { PageFrame } from '@sextant/contracts';
import type { ToolInfo } from '@sextant/core';
import { copyText, fragmentResponse, html, htmlResponse, linkButton, notice, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { clientsFor } from './clients.ts';
import type { Client, Way } from './clients.ts';
import { repositoryList } from './repository-list.ts';
import type { ShownList } from './repository-list.ts';

export interface View {
  frame: PageFrame;
  /** Of this server, without a slash at the end. */
  url: string;
  isMcpEnabled: boolean;
  tools: readonly ToolInfo[];
  /** Undefined for someone who is not signed in. */
  repositories: ShownList | undefined;
}

export const show = (view: View): Response =>
  htmlResponse({
    ...view.frame,
    title: 'Home',
    body: [
      introduction(view),
      view.repositories && repositoryList(view.repositories),
      connect(view),
      toolList(view.tools),
    ],
  });

/** The list alone, for a page that did not wait for all of it. */
export const showList = (shown: ShownList): Response => fragmentResponse(repositoryList(shown));

const introduction = ({ frame, repositories }: View): Content =>
  html`<div class="hero">
    <h1>Code search for agents and people</h1>
    <p class="quiet">
      Sextant searches, navigates and reads the history of git repositories. Agents reach it as MCP tools, people in the browser, both with
      exactly the rights of the person behind them.
    </p>
    ${repositories && canSearch(frame) && searchBox}
    ${frame.signInPath !== undefined && html`<p>${linkButton('Sign in', frame.signInPath)}</p>`}
  </div>`;

const canSearch = ({ navigation }: PageFrame): boolean => navigation.some(({ path }) => path === '/search');

const searchBox = html`<form class="search-box" action="/search" role="search">
  <input type="search" name="q" aria-label="Search all repositories" placeholder="Words, a file, a name, or a question" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="8192" data-suggest />
  <button class="button primary" type="submit">Search</button>
</form>`;

const connect = ({ url, isMcpEnabled }: View): Content =>
  html`<section class="stack" aria-labelledby="connect">
    <div>
      <h2 id="connect">Connect a client</h2>
      <p class="quiet">
        Clients that sign in through the browser need only the address. For the others, ${html`<a href="/access-tokens">create an access token</a>`} with
        the scope mcp and keep it in <code>SEXTANT_TOKEN</code>.
      </p>
    </div>
    ${isMcpEnabled ? clientList(clientsFor(`${url}/.api/mcp`)) : notice('warning', 'MCP is switched off on this server.')}
  </section>`;

const clientList = (clients: readonly Client[]): Content =>
  html`<div class="accordion">
    ${clients.map(
      ({ id, name, ways }, index) =>
        html`<details name="client" open=${index === 0}>
          <summary>${name}</summary>
          <div class="stack">${ways.map((way, position) => instruction(`${id}-${position}`, way))}</div>
        </details>`,
    )}
  </div>`;

const instruction = (id: string, { title, where, text }: Way): Content =>
  html`<div>
    <p><strong>${title}</strong> <span class="quiet">${where}</span></p>
    ${copyText({ id, text, isBlock: true, label: 'Copy' })}
  </div>`;

/** What follows it is for those who call the tool. */
const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;

const toolList = (tools: readonly ToolInfo[]): Content =>
  tools.length > 0 &&
  html`<section class="stack" aria-labelledby="tools">
    <h2 id="tools">What agents can do here</h2>
    <dl class="tools">
      ${tools.map(
        ({ name, title, description }) =>
          html`<div>
            <dt>${title}<code>${name}</code></dt>
            <dd>${withCode(firstSentence(description))}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
