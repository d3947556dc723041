import type { SourceContext } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { HostApi } from '@sextant/library-host-api';
import type { Credential, HostAnswer, HostRequest } from '@sextant/library-host-api';
import { z } from 'zod';
import { apiOf } from './config.ts';

export interface Question<T> {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Of `data`. What the token may not see is null there. */
  readonly schema: z.ZodType<T>;
  readonly waits: boolean;
  readonly signal: AbortSignal;
}

export interface GitHubClientOptions {
  url: string;
  credential: Credential;
  requestsPerHour: number | undefined;
  onWait: SourceContext['onWait'];
  /** Texts that no message may have in it, besides the credential. */
  secrets: readonly string[];
}

const graphqlQuota = 'graphql';

/** The REST and the GraphQL API of a GitHub, with one credential. */
export class GitHubClient {
  readonly #api: HostApi;
  readonly #rest: string;

  constructor({ url, credential, requestsPerHour, onWait, secrets }: GitHubClientOptions) {
    const { baseURL, rest } = apiOf(url);
    this.#rest = rest;
    this.#api = new HostApi({
      baseURL,
      headers: async (signal) => ({ authorization: `Bearer ${await credential.token(signal)}` }),
      secrets: () => [...secrets, ...credential.secrets()],
      // A token that is not good any more is made again the next time.
      onUnauthenticated: () => credential.forget(),
      requestsPerHour,
      onWait,
    });
  }

  read<T>(request: HostRequest<T>): Promise<HostAnswer<T>> {
    return this.#api.read(this.#below(request));
  }

  pages<T>(request: HostRequest<T>): AsyncIterable<HostAnswer<T>> {
    return this.#api.pages(this.#below(request));
  }

  /** The answer of GraphQL. Throws as `RepositorySource`, but not for parts that the token may not see. */
  async ask<T>({ query, variables, schema, waits, signal }: Question<T>): Promise<T> {
    const { value } = await this.#api.read({
      path: '/graphql',
      body: { query, variables },
      quota: graphqlQuota,
      schema: z.object({ data: schema.nullish(), errors: problems }),
      waits,
      signal,
    });
    const others = value.errors.filter(({ type }) => !isHidden(type));
    const [first = value.errors[0]] = others;
    if (value.data !== null && value.data !== undefined && others.length === 0) return value.data;
    const said = first?.message ?? 'nothing';
    if (first?.type === 'RATE_LIMITED')
      throw new SextantError('exhausted', `GitHub limits requests: ${said}`, { retryAfterSeconds: 60 });
    throw new SextantError(isHidden(first?.type) ? 'forbidden' : 'unavailable', `GitHub answered GraphQL: ${said}`);
  }

  #below<T>(request: HostRequest<T>): HostRequest<T> {
    return {
      ...request,
      path: this.#rest + request.path,
      headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    };
  }
}

const problems = z
  .array(z.object({ type: z.string().optional(), message: z.string().transform((text) => text.slice(0, 300)) }))
  .default([]);

const isHidden = (type: string | undefined): boolean => type === 'NOT_FOUND' || type === 'FORBIDDEN';
