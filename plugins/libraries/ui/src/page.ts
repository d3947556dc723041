import { Fragment, h } from 'preact';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { commonModule, icon, neededFonts, stylesheet, themeScript } from './assets.ts';
import { html, tabs, withVisibleTexts } from './components.ts';
import type { Content } from './components.ts';
import { button, linkButton, postForm } from './forms.ts';

export interface Link {
  readonly title: string;
  readonly path: string;
}

/** The signed-in person, with the token to sign out. */
export interface Person {
  readonly name: string;
  readonly csrfToken?: string;
}

/** What is around the content of a page. `pageFrame` of the contracts creates it. */
export interface Frame {
  person?: Person;
  navigation?: readonly Link[];
  /** The parent page, and then this page and its siblings. */
  section?: readonly Link[];
  /** Path of this page, to mark its link. */
  path?: string;
  /** The page to sign in, if nobody is signed in. */
  signInPath?: string;
}

export interface HtmlPage extends Frame {
  title: string;
  body: Content;
  /** Whether the page is a short form or message in the middle, as for signing in. */
  isNarrow?: boolean;
  /** Paths of more JavaScript modules on this server. */
  modules?: readonly string[];
  status?: number;
  /** More headers. A content security policy replaces that of all pages. */
  headers?: Readonly<Record<string, string>>;
  /** Value of the `Set-Cookie` header. */
  setCookie?: string | undefined;
}

/** The content security policy of all pages: no inline script or style, forms only to this server, no framing. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** A page as a response that is not cached. */
export function htmlResponse(page: HtmlPage): Response {
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    ...page.headers,
  });
  if (page.setCookie !== undefined) headers.append('set-cookie', page.setCookie);
  return new Response(`<!doctype html>${withVisibleTexts(renderToString(document(page)))}`, {
    status: page.status ?? 200,
    headers,
  });
}

/** The markup of a part of a page, for server-sent events. */
export const fragmentOf = (body: Content): string => withVisibleTexts(renderToString(h(Fragment, null, body)));

/** A part of a page as a response, which a module puts into the page. */
export const fragmentResponse = (body: Content, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(withVisibleTexts(renderToString(html`<div>${body}</div>`)), {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });

const document = (page: HtmlPage): VNode =>
  html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${page.title} · Sextant</title>
      <script src=${themeScript.path}></script>
      <link rel="stylesheet" href=${stylesheet.path} />
      ${neededFonts.map(({ path }) => html`<link rel="preload" as="font" type="font/woff2" crossorigin href=${path} />`)}
      <link rel="icon" href=${icon.path} />
      ${[commonModule.path, ...(page.modules ?? [])].map((path) => html`<script type="module" src=${path}></script>`)}
    </head>
    <body>
      <a class="skip" href="#content">Skip to the content</a>
      ${header(page)}
      <main id="content" class=${page.isNarrow ? 'narrow' : undefined}>${sectionOf(page)}${page.body}</main>
      <footer>Sextant: the same view of your code for agents and people</footer>
    </body>
  </html>`;

const sectionOf = ({ section: [root, ...below] = [], path }: HtmlPage): Content => {
  if (!root) return undefined;
  const links = [{ ...root, title: 'Overview' }, ...below];
  return tabs(
    root.title,
    links.map((link) => ({ ...link, isCurrent: link.path === path })),
  );
};

const header = ({ person, navigation = [], path, signInPath }: HtmlPage): VNode =>
  html`<header class="bar">
    <div>
      <a class="brand" href="/">${mark}Sextant</a>
      ${navigation.length > 0 && html`<nav class="links" aria-label="Pages">${navigation.map((link) => anchor(link, path))}</nav>`}
      ${navigation.some((link) => link.path === searchPath) && path !== searchPath && path !== '/' && searchEverywhere}
      <div class="person">
        <button class="theme" type="button" data-theme-switch hidden></button>
        ${person && who(person)} ${signInPath !== undefined && linkButton('Sign in', signInPath, { isSmall: true })}
      </div>
    </div>
  </header>`;

/** Where the page of that path is served; that one and the first page have a box of their own. */
const searchPath = '/search';
const searchEverywhere = html`<form class="search-box everywhere" action=${searchPath} role="search" aria-label="All repositories">
  <input type="search" name="q" aria-label="Search all repositories" placeholder="Search ( / )" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="8192" data-suggest />
</form>`;

const anchor = ({ title, path }: Link, current: string | undefined): VNode =>
  html`<a href=${path} aria-current=${currency(path, current)}>${title}</a>`;

/** Marks the link of this page, and of the page above it. */
function currency(path: string, current: string | undefined): string | undefined {
  if (path === current) return 'page';
  return path !== '/' && current?.startsWith(`${path}/`) ? 'true' : undefined;
}

const who = ({ name, csrfToken }: Person): Content =>
  html`<span class="quiet">${name}</span>
    ${csrfToken !== undefined && signOut(csrfToken)}`;

const signOut = (csrfToken: string): VNode =>
  postForm({
    action: '/sign-out',
    csrfToken,
    body: button('Sign out', { kind: 'plain', isSmall: true }),
    isInline: true,
  });

const mark = html`<svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
  <path d="M12 3 4 17a11 11 0 0 0 16 0Z" stroke-linejoin="round" />
  <path d="M12 3v17" stroke-linecap="round" />
</svg>`;
