import type { HostRepository } from '@sextant/contracts';
import { visibilities } from '@sextant/contracts';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { SourcesTables } from './tables.ts';

/** A repository that a source listed. */
export interface ListedRepository {
  /** Given once, never again. */
  readonly number: number;
  readonly facts: HostRepository;
  readonly formerPaths: readonly string[];
}

const mostFormerPaths = 20;

const facts = z.object({
  id: z.string(),
  path: z.string(),
  cloneURL: z.string(),
  sshURL: z.exactOptional(z.string()),
  description: z.string(),
  defaultBranch: z.string(),
  visibility: z.enum(visibilities),
  isArchived: z.boolean(),
  isFork: z.boolean(),
  isEmpty: z.boolean(),
  topics: z.array(z.string()),
  stars: z.exactOptional(z.number()),
  pushed: z.exactOptional(z.string()),
  changed: z.string(),
});
const paths = z.array(z.string());

/** What was seen of one source, kept over restarts. */
export class RepositoryStore {
  readonly #db: Kysely<SourcesTables>;
  readonly #source: string;

  constructor(db: Kysely<SourcesTables>, source: string) {
    this.#db = db;
    this.#source = source;
  }

  /** Everything that is not gone, by the host's id. */
  async load(): Promise<Map<string, ListedRepository>> {
    const rows = await this.#db
      .selectFrom('sources_repository')
      .selectAll()
      .where('source', '=', this.#source)
      .where('is_gone', '=', 0)
      .execute();
    return new Map(rows.map((row) => [row.host_id, listedOf(row)]));
  }

  /** The host's ids of all that are gone. */
  async gone(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('sources_repository')
      .select('host_id')
      .where('source', '=', this.#source)
      .where('is_gone', '=', 1)
      .execute();
    return rows.map((row) => row.host_id);
  }

  async state(): Promise<{ listedAt: number | undefined; changedAt: string }> {
    const row = await this.#db
      .selectFrom('sources_state')
      .selectAll()
      .where('source', '=', this.#source)
      .executeTakeFirst();
    return { listedAt: row?.listed_at ?? undefined, changedAt: row?.changed_at ?? '' };
  }

  async saveState({ listedAt, changedAt }: { listedAt: number | undefined; changedAt: string }): Promise<void> {
    const values = { listed_at: listedAt ?? null, changed_at: changedAt };
    await this.#db
      .insertInto('sources_state')
      .values({ source: this.#source, ...values })
      .onConflict((conflict) => conflict.column('source').doUpdateSet(values))
      .execute();
  }

  /** Adds or changes repositories, in one transaction. Answers them as they are now. */
  save(given: readonly HostRepository[]): Promise<ListedRepository[]> {
    return this.#db.transaction().execute(async (transaction) => {
      const saved: ListedRepository[] = [];
      for (const repository of given) saved.push(await this.#saveOne(transaction, repository));
      return saved;
    });
  }

  /** Says that repositories are no longer there. */
  async remove(numbers: readonly number[]): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      for (const number of numbers)
        await transaction.updateTable('sources_repository').set({ is_gone: 1 }).where('number', '=', number).execute();
    });
  }

  async #saveOne(transaction: Kysely<SourcesTables>, given: HostRepository): Promise<ListedRepository> {
    const known = await transaction
      .selectFrom('sources_repository')
      .selectAll()
      .where('source', '=', this.#source)
      .where('host_id', '=', given.id)
      .executeTakeFirst();
    const before = known && listedOf(known);
    const formerPaths = before ? formerPathsOf(before, given.path) : [];
    const values = { facts: JSON.stringify(given), former_paths: JSON.stringify(formerPaths), is_gone: 0 };
    const row = await transaction
      .insertInto('sources_repository')
      .values({ source: this.#source, host_id: given.id, ...values })
      .onConflict((conflict) => conflict.columns(['source', 'host_id']).doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow();
    return listedOf(row);
  }
}

const formerPathsOf = ({ facts: { path }, formerPaths }: ListedRepository, now: string): string[] =>
  [...new Set([...(path === now ? [] : [path]), ...formerPaths])]
    .filter((each) => each !== now)
    .slice(0, mostFormerPaths);

const listedOf = (row: Selectable<SourcesTables['sources_repository']>): ListedRepository => ({
  number: row.number,
  facts: facts.parse(JSON.parse(row.facts)),
  formerPaths: paths.parse(JSON.parse(row.former_paths)),
});
