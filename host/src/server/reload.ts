import { messageOf } from '@sextant/core';
import type { Quarantined } from '@sextant/core';
import { configFileFor, loadConfig } from '../config/config.ts';
import type { Configuration, ConfigSource } from '../config/config.ts';
import type { Generation, Serving } from './generation.ts';
import type { Logger } from '../log/log.ts';
import { placeInPlugin } from '../plugins/plugin-files.ts';
import { logLeftOut, logMistakes, startGeneration, startedLater } from './start.ts';
import type { StartOptions } from './start.ts';

/** A start that is under way may take so long when the server stops. */
const closingMs = 2000;

export interface LiveOptions extends Omit<StartOptions, 'previous' | 'log'> {
  source: ConfigSource;
  log: Logger;
}

/** A call that is still running may take the time that calls may take, and a little more to answer. */
const drainMs = ({ settings }: Generation): number => settings.limits.callSeconds * 1000 + 5000;

/**
 * The generation in force, replaced as a whole when the configuration changes. A change that cannot be put into force
 * changes nothing; the reason stands in `configurationError` until a change succeeds.
 */
export class LiveServing implements Serving {
  readonly #options: LiveOptions;
  readonly #retiring = new Set<Generation>();
  #current: Generation;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;
  #told: () => Promise<void> = async () => undefined;

  constructor(current: Generation, options: LiveOptions) {
    this.#current = current;
    this.#options = options;
  }

  get current(): Generation {
    return this.#current;
  }

  get configurationError(): string | undefined {
    return this.#current.configurationError;
  }

  /** Told each time after another configuration has come into force. */
  whenChanged(told: () => Promise<void>): void {
    this.#told = told;
  }

  /** Starts the plugins that waited for the server to listen; it serves without them until they run or have failed. */
  startRest(configuration: Configuration): Promise<void> {
    this.#running ??= this.#startRest(configuration)
      .then(() => this.#reloadWhileWanted())
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Puts the configuration as it is now into force. Asked for while one runs, one more follows, not two. */
  reload(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#reloadWhileWanted().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Closes everything, whatever still runs: what serves and what is retiring. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // A plugin that does not end its start must not hold the end of the server.
    await Promise.race([this.#running, new Promise((resolve) => setTimeout(resolve, closingMs).unref())]);
    const retired = await Promise.allSettled(
      [this.#current, ...this.#retiring].map((generation) => generation.retire(0)),
    );
    const failures = retired.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(messageOf).join('; '));
  }

  async #reloadWhileWanted(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      await this.#reloadOnce();
    }
  }

  async #startRest(configuration: Configuration): Promise<void> {
    const { log } = this.#options;
    const before = this.#current.quarantined;
    try {
      log.info(await this.#replaceBy(configuration), 'the optional plugins were started');
    } catch (error) {
      this.#current.leaveOutStarting(withPlace(error));
    }
    this.#logLeftOut(before);
  }

  /** Names the plugins that are left out and were not before, or for another reason. */
  #logLeftOut(before: readonly Quarantined[]): void {
    const known = before.map(({ plugin, reason }) => `${plugin}: ${reason}`);
    const quarantined = this.#current.quarantined.filter(
      ({ plugin, reason }) => !known.includes(`${plugin}: ${reason}`),
    );
    logLeftOut({ quarantined }, this.#options.log);
  }

  async #reloadOnce(): Promise<void> {
    const { log, source } = this.#options;
    try {
      // A file that was not there at the start may have been written since.
      const file = source.file ?? (await configFileFor(undefined, source.workingDirectory));
      const configuration = await loadConfig({ ...source, file });
      await logMistakes(configuration, log);
      const running = namesOf(this.#current);
      const before = this.#current.quarantined;
      // What runs already must not stop meanwhile.
      const later = startedLater(configuration).filter((name) => !running.includes(name));
      log.info(await this.#replaceBy(configuration, later), 'the changed configuration is in force');
      this.#logLeftOut(before);
      if (later.length > 0) await this.#startRest(configuration);
    } catch (error) {
      const reason = withPlace(error);
      this.#current.configurationError = reason;
      log.error({}, `the changed configuration is not in force, the one before goes on: ${reason}`);
    }
  }

  /** Puts a configuration into force; answers what changed. */
  async #replaceBy(configuration: Configuration, later: readonly string[] = []): Promise<Changes> {
    const next = await this.#startNext(configuration, later);
    if (this.#isClosed) {
      await next.assembly.close();
      throw new Error('the server is stopping');
    }
    const replaced = this.#current;
    const changed = changes(replaced, next);
    this.#current = next;
    this.#options.log.level = next.settings.logLevel;
    this.#retire(replaced);
    await this.#told();
    return changed;
  }

  async #startNext(configuration: Configuration, later: readonly string[]): Promise<Generation> {
    const next = await startGeneration(configuration, { ...this.#options, later, previous: this.#current });
    try {
      await next.assembly.ready();
      return next;
    } catch (error) {
      await next.assembly.close();
      throw error;
    }
  }

  #retire(generation: Generation): void {
    const { log } = this.#options;
    this.#retiring.add(generation);
    void generation
      .retire(drainMs(generation))
      .catch((error: unknown) =>
        log.error({}, `a plugin of the replaced configuration failed to close: ${messageOf(error)}`),
      )
      .finally(() => this.#retiring.delete(generation));
  }
}

/** The message, with the line of the plugin where the error arose. */
function withPlace(error: unknown): string {
  const [message, place] = [messageOf(error), placeInPlugin(error)];
  return place === undefined || message.includes(place) ? message : `${message} (${place})`;
}

interface Changes {
  readonly loaded: readonly string[];
  readonly removed: readonly string[];
  readonly failed: readonly string[];
}

function changes(before: Generation, after: Generation): Changes {
  const [old, now] = [namesOf(before), namesOf(after)];
  const running = new Set(before.assembly.plugins);
  const loaded = after.assembly.plugins.filter((plugin) => !running.has(plugin));
  return {
    // Those, too, that were made again after a change of their files.
    loaded: loaded.map(({ name }) => name),
    removed: old.filter((name) => !now.includes(name)),
    failed: after.quarantined.map(({ plugin }) => plugin),
  };
}

const namesOf = ({ assembly }: Generation): string[] => assembly.plugins.map(({ name }) => name);
