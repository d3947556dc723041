import { SextantError } from '@sextant/core';
import { HostApi } from '@sextant/library-host-api';
import type { HostApiOptions, HostRequest } from '@sextant/library-host-api';
import type { z } from 'zod';
import { pageOf } from './answers.ts';

/** The most that a Data Center gives at once unless its administrator says otherwise (`page.max.*`). */
const pageSize = 1000;

export interface AllRequest<S extends z.ZodType> extends Omit<HostRequest<unknown>, 'schema' | 'next'> {
  /** Of one of them. */
  readonly schema: S;
}

/** The REST API of a Bitbucket Data Center. */
export class DataCenterClient {
  readonly #api: HostApi;

  constructor(options: HostApiOptions) {
    this.#api = new HostApi(options);
  }

  async read<T>(request: HostRequest<T>): Promise<T> {
    return (await this.#api.read(request)).value;
  }

  /** What a path lists, page after page. Throws `unavailable` where the next page cannot be asked for: the list would look whole. */
  async *pages<S extends z.ZodType>({ schema, query, ...asked }: AllRequest<S>): AsyncIterable<readonly z.output<S>[]> {
    const page = pageOf(schema);
    for (let start = 0; ; ) {
      const { value } = await this.#api.read({ ...asked, schema: page, query: { ...query, start, limit: pageSize } });
      yield value.values;
      if (value.isLastPage) return;
      const next = value.nextPageStart ?? 0;
      if (next <= start)
        throw new SextantError('unavailable', `a list of ${asked.path} does not say where its next page begins`);
      start = next;
    }
  }

  async all<S extends z.ZodType>(request: AllRequest<S>): Promise<z.output<S>[]> {
    const all: z.output<S>[] = [];
    for await (const page of this.pages(request)) all.push(...page);
    return all;
  }
}
