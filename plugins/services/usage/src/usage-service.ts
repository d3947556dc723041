import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Directory, InstanceUsage, Usage } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import { OwnInstanceUsage } from './instance-usage.ts';
import type { UsageTables } from './tables.ts';

export interface UsageServiceOptions {
  db: Kysely<UsageTables>;
  directory: Pick<Directory, 'list'>;
  externalURL: string;
}

/** The usage of this instance: the only one that it knows. */
export class UsageService implements Usage {
  readonly #options: UsageServiceOptions;

  constructor(options: UsageServiceOptions) {
    this.#options = options;
  }

  open(caller: Caller, instanceURL: string): InstanceUsage {
    const { db, directory, externalURL } = this.#options;
    const own = new URL(externalURL);
    if (hostOf(instanceURL, own.protocol) !== own.host)
      throw new SextantError(
        'forbidden',
        'this token may not access that instance; instanceURL is the host of an instance that it belongs to',
      );
    return new OwnInstanceUsage({ db, directory, caller });
  }
}

/** Host and port of a URL or a bare host; undefined when it is neither. */
function hostOf(instance: string, protocol: string): string | undefined {
  const text = instance.trim();
  const url = /^https?:\/\//i.test(text) ? text : `${protocol}//${text}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}
