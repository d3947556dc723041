import type { Links, LinkTarget } from './links.ts';

/** Links to the pages that show repositories. */
export class PageLinks implements Links {
  readonly #externalURL: string;

  constructor(externalURL: string) {
    this.#externalURL = externalURL;
  }

  file({ repo, path, revision, startLine, endLine }: LinkTarget): string {
    const at = revision === undefined ? '' : `@${encoded(revision)}`;
    const page = `${this.#externalURL}/${encoded(repo)}${at}`;
    if (path === '') return page;
    const last = endLine === undefined || endLine === startLine ? '' : `-${endLine}`;
    return `${page}/-/blob/${encoded(path)}${startLine === undefined ? '' : `?L${startLine}${last}`}`;
  }

  commit(repo: string, hash: string): string {
    return `${this.#externalURL}/${encoded(repo)}/-/commit/${hash}`;
  }
}

/** What stays as it is: so are most paths. */
const plain = /^[\w.!~*'()+/-]*$/;

/** Slashes stay: they are those of the page's path. `@` divides a repository from its revision. */
const encoded = (text: string): string =>
  plain.test(text)
    ? text
    : text
        .split('/')
        .map((segment) => encodeURIComponent(segment).replaceAll('%2B', '+'))
        .join('/');
