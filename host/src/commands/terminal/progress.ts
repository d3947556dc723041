import cliProgress from 'cli-progress';
import type { SingleBar } from 'cli-progress';
import type { ServiceProgress, ServiceStatus } from '@sextant/core';
import type { Logger } from '../../log/log.ts';

const everyMs = 200;
/** A look at thousands of repositories takes a while: it is followed by a rest so many times as long. */
const restTimes = 20;
/** Lines instead of bars come at most so often. */
const lineMs = 5000;

interface Watching {
  readonly status: () => Readonly<Record<string, ServiceStatus>>;
  readonly log: Logger;
  readonly stream: NodeJS.WriteStream;
}

/**
 * Shows what services prepare in the background until all are ready. On a terminal it is a bar for one after the other,
 * otherwise lines of the log. Returns the function that stops it.
 */
export function watchProgress({ status, log, stream }: Watching): () => void {
  const display = stream.isTTY ? new Bar(stream) : new Lines(log);
  let restUntil = 0;
  const timer = setInterval(() => {
    const started = performance.now();
    if (started < restUntil) return;
    const states = Object.entries(status());
    const looked = performance.now();
    restUntil = looked + restTimes * (looked - started);
    const [first] = states.flatMap(([service, { isReady, progress }]) =>
      progress && !isReady ? [{ service, progress }] : [],
    );
    if (first) display.show(first.service, first.progress);
    if (states.every(([, { isReady }]) => isReady)) stop();
  }, everyMs).unref();
  const stop = (): void => {
    clearInterval(timer);
    display.end();
  };
  return stop;
}

interface Display {
  show(service: string, progress: ServiceProgress): void;
  end(): void;
}

class Bar implements Display {
  readonly #bar: SingleBar;
  #isStarted = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#bar = new cliProgress.SingleBar({
      stream,
      format: '{service} [{bar}] {percentage} %  {shown} of {total} {unit}',
      barsize: 30,
      clearOnComplete: true,
      // The library would cut lines of the log at the width of the terminal.
      linewrap: null,
      hideCursor: true,
      gracefulExit: false,
    });
  }

  show(service: string, { done, total, unit }: ServiceProgress): void {
    const payload = { service, shown: Math.floor(done), unit };
    if (!this.#isStarted) this.#bar.start(total, done, payload);
    this.#isStarted = true;
    this.#bar.setTotal(total);
    this.#bar.update(done, payload);
  }

  end(): void {
    if (this.#isStarted) this.#bar.stop();
    this.#isStarted = false;
  }
}

class Lines implements Display {
  readonly #log: Logger;
  /** By service, what was said last and when. */
  readonly #said = new Map<string, { done: number; time: number }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  show(service: string, { done, total, unit }: ServiceProgress): void {
    const whole = Math.floor(done);
    const before = this.#said.get(service);
    const now = Date.now();
    if (before && (before.done === whole || (now - before.time < lineMs && whole < total))) return;
    this.#said.set(service, { done: whole, time: now });
    this.#log.info({ service }, `${whole} of ${total} ${unit}`);
  }

  end(): void {}
}
