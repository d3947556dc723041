import { existsSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Diagnosis, Logger } from '@sextant/core';
import { moveAside, ownClone } from './clone-ownership.ts';
import { bytesOf } from './folder-limit.ts';
import { readNote, writeNote } from './notes.ts';

interface QuotaOptions {
  /** The folder that holds all clones. */
  root: string;
  /** Most bytes of all clones together. */
  bytes: number;
  /** A clone that a call named in this time is not evicted. */
  keepSeconds: number;
  /** Whether a newer configuration has started: that one decides what is evicted. */
  isRetiring?: () => boolean;
  log: Logger;
}

/** When a clone was named is written down once in this time, or twice in that for which it stays. */
const longestUnwrittenMs = 3_600_000;
const shortestUnwrittenMs = 1000;
const measuredAtOnce = 16;
/** A clone that nobody has named lately does not begin unless this share of the quota is free. */
const shareToBegin = 1 / 20;
/** Evicted clones come back while this share stays free. It is more than the share above, so that none goes and comes in turn. */
const shareToReturn = 1 / 10;

/** Thrown where a clone that nobody has named lately has no room: it is evicted itself. */
export class NoRoom extends Error {}

/** Thrown where a clone that a call waits for has no room: each of the others is at work or was named a moment ago. */
export class AllInUse extends Error {}

/** Thrown where a newer configuration has started: its clones do what this one was asked for. */
export class Retired extends Error {}

/** The place of one clone on disk, whether it is there or not. */
export class ClonePlace {
  readonly path: string;
  /** Of its repository; of a clone that is no longer configured, its folder. */
  name: string;
  /** Bytes that it takes at least once it is there, as far as that is known. */
  needed: number;
  /** When it changed last, RFC 3339, as far as that is known. */
  changed = '';
  /** Whether it is being cloned or fetched. */
  isBusy = false;
  /** Whether a call has named it since it was evicted. */
  isWanted = false;
  /** Told when its files are gone; undefined where its repository is not served. */
  onEvicted: (() => void) | undefined;
  /** Told when there is room for it again. */
  onRoom: (() => void) | undefined;
  /** Whether it comes back because there is room. */
  isReturning = false;
  /** Bytes that are kept free for it. */
  expected = 0;
  /** Since when it is gone, RFC 3339; until it is there again. */
  evictedSince: string | undefined;
  #bytes = 0;
  #named: number;
  #written: number;
  readonly #unwrittenMs: number;
  readonly #onBytes: (more: number) => void;

  constructor(path: string, { keepSeconds, onBytes }: { keepSeconds: number; onBytes(more: number): void }) {
    this.path = path;
    this.#onBytes = onBytes;
    this.#unwrittenMs = Math.min(longestUnwrittenMs, Math.max(shortestUnwrittenMs, keepSeconds * 500));
    this.name = basename(path);
    this.#named = this.#written = namedAt(path);
    const eviction = evictionAt(path);
    this.evictedSince = eviction?.since;
    this.needed = eviction?.bytes ?? 0;
  }

  /** What it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  set bytes(bytes: number) {
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    if (more !== 0) this.#onBytes(more);
  }

  /** When a call last named it, in milliseconds since 1970; 0: never. */
  get named(): number {
    return this.#named;
  }

  /** Notes that a call names it. */
  touch(): void {
    this.#named = Date.now();
    if (this.#named - this.#written >= this.#unwrittenMs) this.save();
  }

  /** Notes that a call waits for it. */
  want(): void {
    if (this.isWanted) return;
    this.isWanted = true;
    this.reserve();
  }

  /** Keeps what it needs free of clones that come back, until it is there or fails. */
  reserve(): void {
    this.expected = Math.max(this.expected, this.needed);
  }

  /** Writes down when a call last named it. Another generation of the server may know of a later one. */
  save(): void {
    if (this.#named <= Math.max(this.#written, namedAt(this.path))) return;
    this.#written = this.#named;
    writeNote(`${this.path}.named`, new Date(this.#named).toISOString());
  }

  /** Notes that it is gone, or is not there for lack of room. */
  leave(): void {
    this.isWanted = false;
    this.isReturning = false;
    this.expected = 0;
    this.evictedSince ??= new Date().toISOString();
    writeNote(evictionFile(this.path), `${this.evictedSince} ${this.needed}`);
  }

  /** Notes that it is not where it was: another generation of the server has evicted it. */
  noteLoss(): void {
    this.bytes = 0;
    this.evictedSince = evictionAt(this.path)?.since;
  }

  /** Notes that it is there. Who waits for it has the whole time from now on. */
  arrive(): void {
    if (this.isWanted) this.touch();
    this.isWanted = false;
    this.isReturning = false;
    this.expected = 0;
    if (this.evictedSince === undefined) return;
    this.evictedSince = undefined;
    rmSync(evictionFile(this.path), { force: true });
  }
}

/** The disk that all clones together may take: where it is used up, the clone that was named least recently is evicted. */
export class CloneQuota {
  readonly #options: QuotaOptions;
  readonly #places = new Map<string, ClonePlace>();
  /** Clones that turned out to be larger than the quota: another try would evict others in vain. */
  readonly #tooLarge = new Set<ClonePlace>();
  #turn: Promise<unknown> = Promise.resolve();
  #bytes = 0;
  #isBringingBack = false;
  #isMeasured = false;
  /** Clones that were removed. */
  evictions = 0;

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /** Most bytes of all clones together. */
  get most(): number {
    return this.#options.bytes;
  }

  /** The clone that is to stand in a folder. */
  placeOf(path: string): ClonePlace {
    const known = this.#places.get(path);
    if (known) return known;
    const onBytes = (more: number): void => {
      this.#bytes += more;
      if (more < 0) this.bringBack();
    };
    const place = new ClonePlace(path, { keepSeconds: this.#options.keepSeconds, onBytes });
    this.#places.set(path, place);
    return place;
  }

  /** Measures all that are there, those included that are no longer configured. What claims meanwhile waits for it. */
  measure(): Promise<void> {
    const measured = this.#turn.then(() => this.#measure());
    this.#turn = measured;
    return measured;
  }

  async #measure(): Promise<void> {
    const { root } = this.#options;
    const paths = (await clonesIn(root)).values();
    const measureNext = async (): Promise<void> => {
      for (const path of paths) await this.settle(this.placeOf(path));
    };
    await Promise.all(Array.from({ length: measuredAtOnce }, measureNext));
    this.#isMeasured = true;
    this.bringBack();
  }

  /** Forgets that clones were evicted of repositories that are no longer configured. */
  async forgetUnserved(): Promise<void> {
    for (const path of await evictedIn(this.#options.root)) {
      const place = this.#places.get(path);
      if (!place || !isServed(place)) rmSync(evictionFile(path), { force: true });
    }
  }

  /** Measures one after work on it. */
  async settle(place: ClonePlace): Promise<void> {
    place.bytes = await bytesOf(place.path);
    if (place.bytes > 0) place.needed = place.bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** To be called when there may be more room: soon evicted clones come back that fit, those first that calls named or that changed last. */
  bringBack(): void {
    // Before it is known what is there, all would seem to fit.
    if (this.#isBringingBack || !this.#isMeasured) return;
    this.#isBringingBack = true;
    this.#turn = this.#bringBackAfter(this.#turn.catch(() => undefined));
  }

  async #bringBackAfter(turn: Promise<unknown>): Promise<void> {
    await turn;
    this.#isBringingBack = false;
    this.#bringBack();
  }

  #bringBack(): void {
    const { bytes: most, isRetiring, log } = this.#options;
    if (isRetiring?.() === true) return;
    const places = [...this.#places.values()];
    const there = places.filter(({ bytes }) => bytes > 0);
    const reserved = places.reduce((sum, { expected, bytes }) => sum + Math.max(0, expected - bytes), 0);
    let free = most * (1 - shareToReturn) - this.#bytesThatStay - reserved;
    const usual = there.length === 0 ? 0 : this.bytes / there.length;
    const gone = places.filter((place) => mayReturn(place) && !this.#tooLarge.has(place));
    for (const place of gone.toSorted((a, b) => lessFirst(b, a))) {
      const expected = place.needed > 0 ? place.needed : usual;
      if (expected > free) continue;
      free -= expected;
      place.isReturning = true;
      place.expected = expected;
      log.info({ repository: place.name, quotaBytes: most }, 'there is room again for a clone that was evicted');
      place.onRoom?.();
    }
  }

  /** Without those that are no longer served, which go for any other. */
  get #bytesThatStay(): number {
    return [...this.#places.values()].reduce((sum, place) => sum + (isServed(place) ? place.bytes : 0), 0);
  }

  /** To be called before a clone is made. Throws where it will have no room. */
  begin(place: ClonePlace): void {
    const { bytes: most } = this.#options;
    this.#refuseIfRetiring();
    if (this.#tooLarge.has(place)) throw largerThan(most);
    if (!this.#isKept(place) && this.#bytesThatStay > most * (1 - shareToBegin)) throw new NoRoom(usedUp);
    if (this.#isKept(place) && !this.hasRoomFor(place)) throw this.#allInUse();
    place.reserve();
  }

  /** Whether there is room for what is known of its size, or as much can be evicted. */
  hasRoomFor(place: ClonePlace): boolean {
    const { bytes: most } = this.#options;
    const free = most - this.bytes + place.bytes;
    const evictable = this.#evictable(place).reduce((sum, each) => sum + each.bytes, 0);
    return Math.min(place.needed, most) <= free + evictable;
  }

  /**
   * To be waited for before a clone takes so many bytes: evicts others until there is room. Throws where there is none: `NoRoom` unless a
   * call named the clone a moment ago.
   */
  claim(place: ClonePlace, bytes: number): Promise<void> {
    const claimed = this.#turn.then(() => this.#claim(place, bytes));
    this.#turn = claimed.catch(() => undefined);
    return claimed;
  }

  /** Removes a clone, unless another process works on it. `isOwned`: the caller does. */
  async evict(place: ClonePlace, isOwned = false): Promise<boolean> {
    const { root, bytes: quotaBytes, log } = this.#options;
    const { path, name: repository, bytes, named } = place;
    const disown = isOwned ? () => undefined : ownClone(`${path}.owner`);
    if (!disown) return false;
    let gone: string | undefined;
    try {
      // Another generation of the server may have evicted it.
      if (existsSync(path)) gone = moveAside(path, { root, why: 'evicted' });
      place.leave();
    } finally {
      disown();
    }
    place.bytes = 0;
    place.onEvicted?.();
    if (gone === undefined) {
      log.info({ repository, quotaBytes }, 'a repository is not cloned: the quota of disk is used up');
      return true;
    }
    this.evictions += 1;
    await rm(gone, { recursive: true, force: true });
    const lastNamed = named > 0 && { named: new Date(named).toISOString() };
    log.info({ repository, bytes, quotaBytes, ...lastNamed }, 'a clone was evicted to keep the quota of disk');
    return true;
  }

  async #claim(place: ClonePlace, bytes: number): Promise<void> {
    const { bytes: most } = this.#options;
    if (bytes > most) {
      this.#tooLarge.add(place);
      throw largerThan(most);
    }
    // What grows has just been pushed to. The first claim is one byte above what is there.
    if (bytes > place.bytes + 1 && existsSync(place.path)) place.changed = new Date().toISOString();
    place.bytes = Math.max(place.bytes, bytes);
    place.needed = Math.max(place.needed, bytes);
    const isHeld = new Set<ClonePlace>();
    while (this.bytes > most) {
      this.#refuseIfRetiring();
      const victim = firstOf(this.#evictable(place).filter((each) => !isHeld.has(each)));
      if (victim && !(await this.evict(victim))) isHeld.add(victim);
      if (victim) continue;
      if (!this.#isKept(place)) throw new NoRoom(usedUp);
      throw this.#allInUse();
    }
  }

  #refuseIfRetiring(): void {
    if (this.#options.isRetiring?.() === true) throw new Retired('a newer configuration has started');
  }

  #allInUse(): AllInUse {
    const { bytes, keepSeconds } = this.#options;
    return new AllInUse(
      `the clones take all of the ${bytes} bytes that they may, and each of the others is being fetched or was named by a call in the last ${keepSeconds} s; raise the setting "quotaBytes"`,
    );
  }

  /**
   * What may go for another: what is no longer served, and what was named less recently or changed less recently. Not what is at work or
   * was named a moment ago. Where no call waits for the one that claims, nor what was named later, nor what is named as little unless the
   * one that claims is there and changed later. What comes back because there is room takes none from what is served.
   */
  #evictable(claiming: ClonePlace): ClonePlace[] {
    const isThere = existsSync(claiming.path);
    const isLess = ({ named, changed }: ClonePlace): boolean =>
      claiming.isWanted ||
      (!claiming.isReturning &&
        (named < claiming.named || (isThere && named === claiming.named && changed < claiming.changed)));
    return [...this.#places.values()].filter(
      (each) =>
        each !== claiming &&
        each.bytes > 0 &&
        !each.isBusy &&
        (!isServed(each) || (isLess(each) && !this.#isKept(each))),
    );
  }

  #isKept({ named, isWanted }: ClonePlace): boolean {
    return isWanted || named > Date.now() - this.#options.keepSeconds * 1000;
  }
}

const isServed = ({ onEvicted }: ClonePlace): boolean => onEvicted !== undefined;

/** Those first that were named least recently, then those that changed least recently. */
const lessFirst = (a: ClonePlace, b: ClonePlace): number =>
  a.named - b.named || (a.changed < b.changed ? -1 : Number(a.changed > b.changed));

/** What is evicted first: what is no longer served, then what was named or changed least recently. */
const firstOf = (places: readonly ClonePlace[]): ClonePlace | undefined =>
  places.reduce<ClonePlace | undefined>((first, each) => {
    if (!first) return each;
    const order = Number(isServed(each)) - Number(isServed(first)) || lessFirst(each, first);
    return order < 0 ? each : first;
  }, undefined);

/** Whether it is gone, and neither a call nor its return brings it back already. */
const mayReturn = ({ onRoom, evictedSince, isWanted, isReturning, isBusy }: ClonePlace): boolean =>
  onRoom !== undefined && evictedSince !== undefined && !isWanted && !isReturning && !isBusy;

const usedUp = 'the quota of disk is used up';

const largerThan = (bytes: number): Error =>
  new Error(
    `it takes more than ${bytes} bytes of disk, which is the quota of all clones; raise the setting "quotaBytes"`,
  );

/** For `sextant doctor`: whether what is served fits. */
export async function diagnoseQuota(root: string, most: number): Promise<Diagnosis> {
  const what = 'quota of clones';
  const sizes = await Promise.all((await clonesIn(root)).map((path) => bytesOf(path)));
  const evicted = (await evictedIn(root)).flatMap((path) => evictionAt(path) ?? []);
  const needed = [...sizes, ...evicted.map(({ bytes }) => bytes)].reduce((sum, bytes) => sum + bytes, 0);
  const text = `${count(sizes.length, 'clone')}, which may take ${megabytes(most)}`;
  if (evicted.length === 0) return { what, state: 'fine', text: `${text}, take ${megabytes(needed)}` };
  return {
    what,
    state: 'doubtful',
    text: `the quota of ${megabytes(most)} holds ${count(sizes.length, 'clone')}; ${evicted.length} more ${evicted.length === 1 ? 'is' : 'are'} evicted until a call names them or there is room, and all together need at least ${megabytes(needed)}: raise "quotaBytes" of service-git`,
  };
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const evictionEnd = '.evicted';
const isEviction = /^[0-9a-f]{32}\.evicted$/;
const evictionFile = (path: string): string => `${path}${evictionEnd}`;

/** When a call named a clone, as it is written down. */
const namedAt = (path: string): number => Date.parse(readNote(`${path}.named`) ?? '') || 0;

/** Since when a clone is evicted, and how large it was; undefined where it is not. */
function evictionAt(path: string): { since: string; bytes: number } | undefined {
  const [since = '', bytes] = (readNote(evictionFile(path)) ?? '').split(' ');
  return since === '' ? undefined : { since, bytes: Number(bytes) || 0 };
}

/** The paths of clones that are evicted. */
async function evictedIn(root: string): Promise<string[]> {
  const names = await readdir(root).catch(() => []);
  return names.filter((name) => isEviction.test(name)).map((name) => join(root, name.slice(0, -evictionEnd.length)));
}

async function clonesIn(root: string): Promise<string[]> {
  const names = await readdir(root).catch(() => []);
  return names.filter((name) => /^[0-9a-f]{32}$/.test(name)).map((name) => join(root, name));
}
