import type { Audit, Counters, Directory, Secrets, Sessions } from '@sextant/contracts';
import { SextantError, networkOf, token } from '@sextant/core';
import type { ServerSettings } from '@sextant/core';
import type { Provider } from 'oidc-provider';
import { z } from 'zod';
import type { ArtifactStore } from './tokens/artifact-store.ts';
import { askBeforeLeaving } from './pages/ask-before-leaving.ts';
import type { ClientAdministration } from './clients/client-administration.ts';
import type { ClientStore } from './clients/client-store.ts';
import type { CookieNames } from './cookie-names.ts';
import { nodeExchange } from './protocol/node-exchange.ts';
import type { NodeExchange } from './protocol/node-exchange.ts';
import { paths } from './paths.ts';
import { registrationOf } from './clients/registration.ts';
import type { RegistrationRules } from './clients/registration.ts';
import type { Resources } from './protocol/resources.ts';
import type { TokenCheck } from './tokens/token-check.ts';
import { toLibrary } from './protocol/to-library.ts';

/** What an address may do within an hour, in all processes together. */
const anHour = {
  registrations: 60,
  /** A code has 34 random bits and lives ten minutes; who types one in by hand needs a few attempts (RFC 8628 section 5.1). */
  deviceForms: 100,
  /** Each writes a row before anyone has signed in. */
  flows: 5000,
} as const;
const hourMs = 3_600_000;

/** What tells whether a client was registered. */
const registered = z.object({ client_id: z.string().optional(), error: z.string().optional() });

export interface AuthorizationServerParts {
  readonly provider: () => Promise<Provider>;
  readonly artifacts: ArtifactStore;
  readonly counters: Counters;
  readonly clients: ClientStore;
  readonly administration: ClientAdministration;
  readonly check: TokenCheck;
  readonly resources: Resources;
  readonly sessions: Sessions;
  readonly directory: Directory;
  readonly settings: ServerSettings;
  readonly audit: Audit | undefined;
  readonly externalURL: string;
  readonly cookieNames: CookieNames;
  readonly secrets: Secrets;
  readonly registration: RegistrationRules;
}

/** The authorization server, between the pages of this plugin and the library of the protocol. */
export class AuthorizationServer {
  readonly parts: AuthorizationServerParts;

  constructor(parts: AuthorizationServerParts) {
    this.parts = parts;
  }

  /** Answers a request of the protocol. */
  async answer(request: Request, remoteAddress?: string): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === paths.register) return this.#register(request, remoteAddress);
    if (pathname === paths.device && request.method === 'POST') await this.#requireRoom('deviceForms', remoteAddress);
    if (pathname === paths.authorize || pathname === paths.deviceCode) await this.#requireRoom('flows', remoteAddress);
    const answer = await this.#pass(toLibrary(request, this.parts.cookieNames.session), remoteAddress);
    return pathname === paths.authorize ? askBeforeLeaving(answer, request, this.parts.clients) : answer;
  }

  /** The pair that the library of the protocol wants, for what a page does with it. */
  exchange(request: Request, body = ''): Promise<NodeExchange> {
    return nodeExchange(request, { externalURL: this.parts.externalURL, body });
  }

  async #register(request: Request, remoteAddress = ''): Promise<Response> {
    const { isMcpEnabled, isClientRegistrationEnabled } = this.parts.settings;
    if (!isMcpEnabled || !isClientRegistrationEnabled) return notFound();
    const failure = { action: 'client.registered', outcome: 'failure', address: remoteAddress } as const;
    const wait = await this.#waitOf('registrations', remoteAddress);
    if (wait !== undefined) {
      const message = `${anHour.registrations} clients registered from this address within an hour; try again later`;
      this.parts.audit?.record({ ...failure, detail: message });
      throw new SextantError('exhausted', message, { retryAfterSeconds: wait });
    }
    const registration = registrationOf(await request.text(), this.parts.registration);
    if ('refused' in registration) {
      const { error, error_description: description } = registration.refused;
      this.parts.audit?.record({ ...failure, detail: `${error}: ${description}` });
      return Response.json(registration.refused, { status: 400, headers: noStore });
    }
    // The answer is JSON whatever the client would rather read (RFC 7591 section 3.2).
    const { url, method, headers } = request;
    const asJson = new Request(url, {
      method,
      headers: { ...Object.fromEntries(headers), accept: 'application/json' },
    });
    const answer = await this.#pass(asJson, remoteAddress, registration.accepted);
    const { client_id: client, error } = registered.parse(await answer.clone().json());
    this.parts.audit?.record(
      client === undefined
        ? { ...failure, detail: error ?? '' }
        : { ...failure, outcome: 'success', client, detail: registration.name },
    );
    return answer;
  }

  async #requireRoom(what: keyof typeof anHour, remoteAddress?: string): Promise<void> {
    const wait = await this.#waitOf(what, remoteAddress);
    if (wait !== undefined)
      throw new SextantError('exhausted', 'this was done too often from this address; try again later', {
        retryAfterSeconds: wait,
      });
  }

  /** Counts one; the seconds to wait when it is one too many. */
  #waitOf(what: keyof typeof anHour, remoteAddress = ''): Promise<number | undefined> {
    const key = `${what} ${networkOf(remoteAddress)}`;
    return this.parts.counters.take([{ key, max: anHour[what], windowMs: hourMs }]);
  }

  async #pass(request: Request, remoteAddress?: string, body?: string): Promise<Response> {
    const exchange = await nodeExchange(request, {
      externalURL: this.parts.externalURL,
      remoteAddress,
      ...(body !== undefined && { body }),
    });
    const provider = await this.parts.provider();
    await provider.callback()(exchange.request, exchange.response);
    return exchange.response.answered;
  }
}

/** Used inside this plugin only. */
export const authorizationServer = token<AuthorizationServer>('authorization-server');

const noStore = { 'cache-control': 'no-store' };

export const notFound = (): Response =>
  new Response('not found', { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
