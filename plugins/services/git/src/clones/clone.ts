import { existsSync, lstatSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { backoffMs, joinSignals, messageOf } from '@sextant/core';
import type { Logger, ServiceFailure } from '@sextant/core';
import { causeOf } from './transfer-failure.ts';
import { moveAside, ownClone, partialName, removeLeftovers } from './clone-ownership.ts';
import type { CloneProgress, AskedLogin, GitLogin, SSHLogin } from '@sextant/contracts';
import { TooManyStarts, depthOf } from './clone-transport.ts';
import type { CloneTransport } from './clone-transport.ts';
import { HostPaused } from './host-pauses.ts';
import type { HostPauses } from './host-pauses.ts';
import { readNote } from './notes.ts';
import { AllInUse, NoRoom, Retired } from './clone-quota.ts';
import type { ClonePlace, CloneQuota } from './clone-quota.ts';
import { GitFolder, gitFolderOf } from '../storage/git-folder.ts';
import type { SlotKind } from '../process/slots.ts';
import type { TransferSlots } from './transfer-slots.ts';

export type CloneState = 'cloning' | 'ready' | 'failed' | 'evicted';

/** What a clone is a copy of. */
export interface CloneOrigin {
  readonly name: string;
  /** May have a login in it. */
  readonly url: string;
  /** How git signs in, where that is not in the URL. */
  login?(signal: AbortSignal): Promise<GitLogin | AskedLogin | undefined>;
  /** How it signs in over ssh, where it does so otherwise than others. */
  readonly ssh?: SSHLogin | undefined;
  /** Commits of each branch and tag; absent: all. */
  readonly depth?: number | undefined;
  /** Another text after each push; absent where nobody tells. */
  readonly changed?: string;
}

export interface CloneOptions {
  origin: CloneOrigin;
  /** Where it stands once it is complete. */
  path: string;
  /** Signs in where that is needed, and does work with the connection. */
  connect(origin: CloneOrigin, signal: AbortSignal, work: (transport: CloneTransport) => Promise<void>): Promise<void>;
  /** Shared by all clones. */
  slots: TransferSlots;
  /** Shared by all clones. */
  hosts: HostPauses;
  /** Seconds between two fetches. */
  interval: number;
  log: Logger;
  /** Where all clones together may take only so much disk. */
  quota?: { readonly of: CloneQuota; readonly place: ClonePlace } | undefined;
}

/** Characters of what git said. */
const maxReason = 1000;
const staleLockMs = 60_000;
const firstRetryMs = 5000;
const longestRetryMs = 3_600_000;
/** A newer configuration that has started may still fail to come into force. */
const retiredRetryMs = 10_000;
/** Unless somebody asks for it, or the configuration changes. */
const tooManyStartsRetryMs = 86_400_000;

/** A clone of ours: made, then fetched again and again, each failure tried again after a longer time. */
export class Clone {
  readonly #options: CloneOptions;
  readonly #closing = new AbortController();
  #origin: CloneOrigin;
  /** What `changed` of the origin was when it was last brought up to date. */
  #fetchedChange: string | undefined;
  #folder: GitFolder | undefined;
  #failures = 0;
  #told: string | undefined;
  /** Milliseconds for which its host is left alone. */
  #waitMs: number | undefined;
  #failure: { reason: string; since: string } | undefined;
  #nextTry: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #isStarted = false;
  #isWantedAgain = false;
  /** Whether it waits for room that others take, or leaves it to a newer configuration to make some. */
  #lacksRoom = false;
  #isClean = false;
  #fetched: string | undefined;
  #progress: CloneProgress | undefined;
  /** Whether somebody asks for it now, though its host may not have answered a moment ago. */
  #isRequested = false;
  /** Whether a call has named it while it is not there. */
  #isAwaited = false;
  /** Gives up its place in the queue for a better one. */
  #requeue: AbortController | undefined;

  constructor(options: CloneOptions) {
    this.#options = options;
    this.#origin = options.origin;
    this.#joinQuota();
    this.#fetchedChange = readNote(changeFile(options.path));
  }

  /** Whether it has what its origin had at a change. */
  isAsNewAs(changed: string): boolean {
    return this.#fetchedChange === changed && this.folder() !== undefined;
  }

  #joinQuota(): void {
    const place = this.#options.quota?.place;
    if (!place) return;
    this.follow(this.#origin);
    place.onEvicted = () => {
      this.#folder = undefined;
      this.#fetched = undefined;
      this.#failure = undefined;
      this.#failures = 0;
      clearTimeout(this.#timer);
    };
    place.onRoom = () => void this.update();
    if (this.folder()) place.arrive();
  }

  /** Since when it is evicted, RFC 3339; also while it is cloned again. */
  get evictedSince(): string | undefined {
    return this.folder() ? undefined : this.#options.quota?.place.evictedSince;
  }

  get #isEvicted(): boolean {
    const place = this.#options.quota?.place;
    return this.evictedSince !== undefined && !place?.isReturning && !place?.isWanted;
  }

  /** A call names it: one that is not there comes next, and one that was evicted is cloned again. */
  touch(): void {
    const { of, place } = this.#options.quota ?? {};
    place?.touch();
    this.checkLoss();
    if (this.folder()) return;
    if (!this.#isAwaited) this.#requeue?.abort();
    this.#isAwaited = true;
    if (!of || !place) return;
    const wasEvicted = this.#isEvicted;
    if (this.evictedSince !== undefined) place.want();
    if (!wasEvicted && (!this.#lacksRoom || this.#work || !of.hasRoomFor(place))) return;
    this.request();
  }

  /** Another generation of the server may have evicted it. */
  #noteLoss(): void {
    if (this.#folder && !existsSync(this.#options.path)) this.#lose();
  }

  #lose(): void {
    this.#folder = undefined;
    this.#fetched = undefined;
    this.#options.quota?.place.noteLoss();
  }

  /** To be called where its files may be gone: if they are, it is cloned again. */
  checkLoss(): void {
    const { path, log } = this.#options;
    if (!this.#folder || !isLost(path)) return;
    this.#lose();
    if (this.#isEvicted) return;
    log.warn({ repository: this.#origin.name }, 'a clone is gone from the disk, and is made again');
    this.request();
  }

  /** How soon it is to be cloned, before others: after those that calls named lately, those that changed lately. */
  get urgency(): { readonly named: number; readonly changed: string } {
    return { named: this.#options.quota?.place.named ?? 0, changed: this.#origin.changed ?? '' };
  }

  /** How far it is; undefined unless it is being cloned. */
  get progress(): CloneProgress | undefined {
    return this.state === 'cloning' ? (this.#progress ?? { stage: 'waiting' }) : undefined;
  }

  /** Its origin is called otherwise from now on, stands elsewhere, or has changed. */
  follow(origin: CloneOrigin): void {
    this.#origin = origin;
    const place = this.#options.quota?.place;
    if (!place) return;
    place.name = origin.name;
    place.changed = origin.changed ?? place.changed;
  }

  /** Brings it up to date, or waits for the next time where its origin did not change meanwhile. */
  begin(): void {
    const { changed, depth } = this.#origin;
    const isAsWanted = depthOf(this.#options.path) === depth;
    if (!isAsWanted || changed === undefined || !this.isAsNewAs(changed)) void this.update();
    else this.#wait(Math.random() * this.#options.interval * 1000);
  }

  get state(): CloneState {
    if (this.folder()) return 'ready';
    if (this.#isEvicted) return 'evicted';
    return this.#failure ? 'failed' : 'cloning';
  }

  /** Commits of each branch and tag; undefined: all. */
  get depth(): number | undefined {
    return this.#origin.depth;
  }

  /** When it was last brought up to date by this process, RFC 3339. */
  get fetched(): string | undefined {
    return this.#fetched;
  }

  /** What went wrong the last time. */
  get failure(): ServiceFailure | undefined {
    if (!this.#failure) return undefined;
    return {
      name: this.#origin.name,
      ...this.#failure,
      ...(this.#nextTry !== undefined && { nextTry: this.#nextTry }),
    };
  }

  /** Why it fails, as anyone may know who may read it; undefined where that is not understood. */
  get cause(): string | undefined {
    return this.#told;
  }

  /** Undefined while it is not cloned yet. */
  folder(): GitFolder | undefined {
    const { path } = this.#options;
    const found = this.#folder ? undefined : gitFolderOf(path);
    if (found !== undefined) this.#folder = new GitFolder(found);
    return this.#folder;
  }

  /**
   * Clones or fetches. A request while one waits for its turn is the same one. A request while one runs adds another
   * run, because the other side may have changed meanwhile. Never fails: failures are kept, and tried again.
   */
  update(): Promise<void> {
    if (this.#isEvicted) return Promise.resolve();
    if (this.#work) {
      this.#isWantedAgain ||= this.#isStarted;
      return this.#work;
    }
    clearTimeout(this.#timer);
    this.#work = this.#run().finally(() => {
      this.#work = undefined;
      this.#isStarted = false;
      const isWantedAgain = this.#isWantedAgain;
      this.#isWantedAgain = false;
      if (this.#closing.signal.aborted || this.#isEvicted) return;
      if (isWantedAgain) void this.update();
      else this.#wait(this.#msToNext());
    });
    return this.#work;
  }

  /** As `update`, for somebody who asks for it now: its host is asked even where others wait for that. */
  request(): void {
    this.#isRequested = true;
    void this.update();
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#nextTry = new Date(Date.now() + ms).toISOString();
    this.#timer = setTimeout(() => void this.update(), ms).unref();
  }

  /** Ends what runs, and waits for that. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the clone is closed'));
    clearTimeout(this.#timer);
    this.#options.quota?.place.save();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#closing;
    this.#waitMs = undefined;
    this.#lacksRoom = false;
    try {
      const release = await this.#slot();
      this.#isStarted = true;
      if (this.#isEvicted) release();
      else await this.#transfer().finally(release);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Retired) {
        this.#waitMs = retiredRetryMs;
        this.#lacksRoom = true;
        return;
      }
      const since = this.#failure?.since ?? new Date().toISOString();
      if (error instanceof HostPaused) {
        this.#waitMs = error.waitMs;
        this.#told = error.reason;
        this.#failure = { reason: error.message, since };
        return;
      }
      this.#failures += 1;
      this.#lacksRoom = error instanceof AllInUse;
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      if (cause instanceof TooManyStarts) this.#waitMs = tooManyStartsRetryMs;
      const said = messageOf(cause);
      this.#told = causeOf(said);
      const reason = `${this.#told === undefined ? '' : `${this.#told}: `}${said}`.slice(0, maxReason);
      this.#failure = { reason, since };
      log.warn(
        { repository: this.#origin.name, failures: this.#failures, reason },
        'a repository could not be fetched; it is tried again',
      );
    }
  }

  async #slot(): Promise<() => void> {
    const { signal } = this.#closing;
    for (;;) {
      const requeue = new AbortController();
      this.#requeue = requeue;
      try {
        return await this.#options.slots.take(joinSignals(signal, requeue.signal), this.#slotKind);
      } catch (error) {
        if (signal.aborted || !requeue.signal.aborted) throw error;
      } finally {
        this.#requeue = undefined;
      }
    }
  }

  /** What a call waits for comes first, and what cannot be read yet before what may be a little old. */
  get #slotKind(): SlotKind {
    if (this.#failures > 0) return 'failed';
    if (this.folder()) return 'continued';
    return this.#isAwaited ? 'awaited' : 'new';
  }

  async #transfer(): Promise<void> {
    const { path, connect, hosts } = this.#options;
    const { signal } = this.#closing;
    const origin = this.#origin;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const disown = ownClone(`${path}.owner`);
    if (!disown) throw new Error('another process is fetching it');
    try {
      this.#noteLoss();
      if (this.#isEvicted) return;
      if (!this.folder() && existsSync(path)) refuseUnlessLost(path);
      const asking = { name: origin.name, url: origin.url, isRequested: this.#isRequested };
      this.#isRequested = false;
      const ask = (): Promise<void> =>
        hosts.ask(asking, (onAnswer) => connect(origin, signal, (transport) => this.#fill(transport, onAnswer)));
      if (!(await this.#withinQuota(ask))) return;
      this.#failures = 0;
      this.#failure = undefined;
      this.#fetched = new Date().toISOString();
      this.#isClean = true;
      await this.#noteChange(origin.changed);
    } finally {
      disown();
    }
  }

  /** Answers whether the work was done: where there is no room for it, it is evicted instead. */
  async #withinQuota(work: () => Promise<void>): Promise<boolean> {
    const { quota } = this.#options;
    if (!quota) return work().then(() => true);
    const { of, place } = quota;
    place.isBusy = true;
    try {
      if (!this.folder()) of.begin(place);
      await work();
      place.arrive();
      await of.settle(place);
      return true;
    } catch (error) {
      // What fails keeps no room free.
      place.expected = 0;
      if (error instanceof HostPaused) throw error;
      await of.settle(place);
      if (!(error instanceof NoRoom)) throw error;
      await of.evict(place, true);
      return false;
    } finally {
      place.isBusy = false;
    }
  }

  async #fill(transport: CloneTransport, onAnswer: () => void): Promise<void> {
    const { path } = this.#options;
    const { signal } = this.#closing;
    if (this.folder()) {
      // The last git here may have been killed, by us or with us.
      if (!this.#isClean) removeLeftovers(path, staleLockMs);
      this.#isClean = false;
      await transport.fetch(path, { signal, onAnswer });
      return;
    }
    if (existsSync(path)) await removeLost(path);
    const paths = { partial: join(dirname(path), partialName(basename(path))), folder: path };
    this.#progress = { stage: 'preparing' };
    let received: Pick<CloneProgress, 'bytes'> = {};
    try {
      const onProgress = (progress: CloneProgress): void => {
        if (progress.bytes !== undefined) received = { bytes: progress.bytes };
        this.#progress = { ...received, ...progress };
      };
      await transport.clone(paths, { signal, onAnswer, onProgress });
      this.#isAwaited = false;
    } finally {
      this.#progress = undefined;
    }
  }

  async #noteChange(changed: string | undefined): Promise<void> {
    if (changed === undefined || changed === this.#fetchedChange) return;
    await writeFile(changeFile(this.#options.path), changed, { mode: 0o600 });
    this.#fetchedChange = changed;
  }

  #msToNext(): number {
    if (this.#waitMs !== undefined) return this.#waitMs;
    const intervalMs = this.#options.interval * 1000;
    if (this.#failures === 0) return intervalMs;
    return backoffMs(this.#failures, { firstMs: firstRetryMs, longestMs: Math.max(longestRetryMs, intervalMs) });
  }
}

/** Whether it lacks a part without which it is no repository. Where that cannot be told, it is taken to have it. */
function isLost(path: string): boolean {
  try {
    return ['HEAD', 'objects', 'refs'].some(
      (name) => lstatSync(join(path, name), { throwIfNoEntry: false }) === undefined,
    );
  } catch {
    return false;
  }
}

/** A disk that does not answer may still have all of it. */
function refuseUnlessLost(path: string): void {
  if (!isLost(path)) throw new Error('its files are there, but cannot be read');
}

async function removeLost(path: string): Promise<void> {
  refuseUnlessLost(path);
  await rm(moveAside(path, { root: dirname(path), why: 'lost' }), { recursive: true, force: true });
}

const changeFile = (path: string): string => `${path}.changed`;
