import type { H3Event } from 'h3';

const allowedHeaders = /^(?:accept|authorization|content-type|last-event-id|mcp-[a-z0-9-]{1,64})$/;
/** What a client in a browser must be able to read besides the answer. */
const exposed = 'WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, X-Request-Id';
/** Seconds for which a browser remembers the answer to a preflight. */
const preflightSeconds = 600;
/** Where MCP clients learn how to sign in, register and fetch tokens; none of it looks at cookies. */
const signIn = /^\/(?:\.well-known\/(?:oauth-|openid-configuration)|\.auth\/idp\/oauth\/(?:register|token)$)/;

/**
 * What pages of other origins may do (Fetch standard, "CORS protocol"). Origins that the operator names may call MCP
 * endpoints and the pages that lead to a token. Credentials that browsers send by themselves are never allowed.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;
  readonly #endpoints: ReadonlySet<string>;

  constructor(origins: readonly string[], endpoints: readonly string[]) {
    this.#origins = new Set(origins);
    this.#endpoints = new Set(endpoints);
  }

  /** Headers for the answer to a request of an origin that is allowed there; undefined for every other request. */
  headersFor({ req, url }: H3Event): Readonly<Record<string, string>> | undefined {
    const origin = req.headers.get('origin');
    if (origin === null || !this.#origins.has(origin)) return undefined;
    if (!this.#endpoints.has(url.pathname.replace(/\/$/, '')) && !signIn.test(url.pathname)) return undefined;
    const answer = { 'access-control-allow-origin': origin, vary: 'Origin', 'access-control-expose-headers': exposed };
    return isPreflight(req) ? { ...answer, ...preflight(req) } : answer;
  }
}

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('access-control-request-method');

function preflight({ headers }: Request): Record<string, string> {
  const asked = (headers.get('access-control-request-headers') ?? '').toLowerCase().split(/\s*,\s*/);
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': asked.filter((name) => allowedHeaders.test(name)).join(', '),
    'access-control-max-age': String(preflightSeconds),
  };
}
