import { isAbsolute } from 'node:path';
import { helperCommand } from '@sextant/contracts';
import type { GitLogin } from '@sextant/contracts';

/** Where to clone from, without secrets, and the settings that carry them. */
export interface Remote {
  /** Without password; safe to log and to show. */
  readonly url: string;
  /** The transports that git may use for it. */
  readonly protocols: readonly string[];
  /** Git settings to be passed out of sight: never on a command line, never into a file. */
  readonly secrets: readonly (readonly [string, string])[];
}

const protocols: Readonly<Record<string, readonly string[]>> = {
  'https:': ['https'],
  'http:': ['http', 'https'],
  'ssh:': ['ssh'],
  'git:': ['git'],
  'file:': ['file'],
};
const scpLike = /^(?!-)[\w.-]+@(?!-)[\w.-]+:(?![/\\]{2}|:)\S+$/;

/** Whether git would take it for one of the transports that are allowed: `ext::` and other helpers are not. */
export function isAllowedURL(text: string): boolean {
  if (/[\p{Cc} ]/u.test(text) || text.includes('::')) return false;
  if (isAbsolute(text) || scpLike.test(text)) return true;
  if (!/^[a-z]+:\/\//.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol in protocols && !hostname.startsWith('-');
}

/** Splits an allowed URL into what may be seen and what may not. */
export function remoteOf(text: string): Remote {
  if (isAbsolute(text)) return { url: text, protocols: ['file'], secrets: [] };
  if (!URL.canParse(text) || scpLike.test(text)) return { url: text, protocols: ['ssh'], secrets: [] };
  const url = new URL(text);
  const allowed = protocols[url.protocol] ?? [];
  if (!url.protocol.startsWith('http')) {
    url.password = '';
    return { url: url.href, protocols: allowed, secrets: [] };
  }
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const header = `Authorization: Basic ${Buffer.from(login).toString('base64')}`;
  const secrets = login === ':' ? [] : [[`http.${url.origin}/.extraHeader`, header] as const];
  return { url: url.href, protocols: allowed, secrets };
}

/** Whether git may ask a program for the login there: only one that goes over no open line, and only where there is none. */
export function takesHelper(text: string): boolean {
  const { protocols: allowed, secrets, url } = remoteOf(text);
  return url.startsWith('https:') && allowed.includes('https') && secrets.length === 0;
}

/** The setting with which git asks a program for the login at the host of an https URL, and only there. */
export const helperSetting = (url: string, helper: string): readonly [string, string] => [
  `credential.${new URL(url).origin}.helper`,
  // What git tells a helper besides would make it store a password, or erase one that the host refuses for once.
  `!f() { test "$1" != get || ${helperCommand(helper)} get; }; f`,
];

/** Whether git signs in there over ssh. */
export const isSSH = (text: string): boolean => remoteOf(text).protocols.includes('ssh');

/** The protocol, and the host with its port, of an allowed URL; undefined for a file. */
export function serverOf(text: string): { readonly protocol: string; readonly host: string } | undefined {
  const { url, protocols: allowed } = remoteOf(text);
  if (allowed.includes('file')) return undefined;
  if (URL.canParse(url) && !scpLike.test(url)) return new URL(url);
  return { protocol: 'ssh:', host: url.replace(/^[^@]*@/, '').replace(/:.*$/s, '') };
}

/** The name of a clone that was given none: `host/path` without `.git`. */
export function nameOfURL(text: string): string {
  const { url } = remoteOf(text);
  const place = scpLike.test(url)
    ? url.replace(/^[^@]*@/, '').replace(':', '/')
    : URL.canParse(url)
      ? new URL(url).host + decodeURIComponent(new URL(url).pathname)
      : url;
  return place.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
}

/** An http or https URL with a login in it, which only `remoteOf` takes apart again. */
export function withLogin(text: string, { username, password }: GitLogin): string {
  const url = new URL(text);
  url.username = encodeURIComponent(username);
  url.password = encodeURIComponent(password);
  return url.href;
}
