import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { messageOf } from '@sextant/core';
import type { HostDescription, Hosts, Logger, ServiceFailure, ServiceStatus } from '@sextant/core';
import type { DirectConnection } from './direct-connection.ts';

const intervalMs = 1000;
/** A host that was not seen for so long is dead. By the clock of the database, which all share. */
const deadAfterSeconds = 5;

interface Host {
  readonly name: string;
  readonly version: string;
  /** A hash of everything in force, so that hosts that differ are seen. */
  readonly configuration: string;
  /** RFC 3339. */
  readonly startedAt: string;
}

export interface HeartbeatsOptions {
  connection: Pick<DirectConnection, 'query'>;
  log: Logger;
}

/** Says once a second that this host serves, and with what, as soon as it is described. Knows which others do. */
export class Heartbeats implements Hosts {
  readonly #options: HeartbeatsOptions;
  readonly #id = randomUUID();
  readonly #startedAt = new Date().toISOString();
  #self: Pick<Host, 'version' | 'configuration'> | undefined;
  #others: readonly Host[] = [];
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
  }

  get living(): number {
    return Math.max(1, this.#others.length + (this.#self ? 1 : 0));
  }

  describe({ version, configuration }: HostDescription): void {
    this.#self = { version, configuration: hashOf(configuration) };
  }

  async begin(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => void (this.#beating ??= this.#beat()), intervalMs).unref();
  }

  /** Others need not wait until it counts as dead. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    if (!this.#timer) return;
    await this.#options.connection
      .query({ text: 'delete from database_host where id = $1', values: [this.#id] })
      .catch(() => undefined);
  }

  status(): ServiceStatus {
    const own = this.#own();
    const failures = this.#others.flatMap((other): ServiceFailure[] => {
      if (!own) return [];
      if (other.version !== own.version)
        return [differs(other, `it runs version ${other.version}, this one ${own.version}`)];
      if (other.configuration !== own.configuration) return [differs(other, 'its configuration is another than here')];
      return [];
    });
    const hosts = [...(own ? [{ ...own, isThis: true }] : []), ...this.#others];
    return { isReady: true, detail: { hosts }, ...(failures.length > 0 && { failures }) };
  }

  #own(): Host | undefined {
    return this.#self && { name: `${hostname()} ${process.pid}`, ...this.#self, startedAt: this.#startedAt };
  }

  async #beat(): Promise<void> {
    const { connection, log } = this.#options;
    const own = this.#own();
    try {
      if (own)
        await connection.query({
          text: `insert into database_host values ($1, $2, $3, $4, $5, clock_timestamp())
            on conflict (id) do update set configuration = excluded.configuration, seen_at = excluded.seen_at`,
          values: [this.#id, own.name, own.version, own.configuration, own.startedAt],
        });
      const { rows } = await connection.query<Record<keyof Host, string>>({
        text: `with gone as (delete from database_host where id <> $1 and seen_at < clock_timestamp() - interval '1 day')
          select name, version, configuration, started_at as "startedAt" from database_host
          where id <> $1 and seen_at > clock_timestamp() - make_interval(secs => ${deadAfterSeconds}) order by name`,
        values: [this.#id],
      });
      this.#others = rows;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) log.warn({}, `other hosts are not seen: ${messageOf(error)}`);
      this.#hasFailed = true;
    } finally {
      this.#beating = undefined;
    }
  }
}

const differs = ({ name }: Host, reason: string): ServiceFailure => ({ name, reason });

const hashOf = (configuration: object): string =>
  createHash('sha256').update(JSON.stringify(configuration)).digest('hex').slice(0, 12);
