import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostedRepositories, HostedRepository, SSHLogin } from '@sextant/contracts';
import type { Logger, ServiceFailure } from '@sextant/core';
import { isAbandoned, partialName } from './clone-ownership.ts';
import { CloneQuota } from './clone-quota.ts';
import type { ClonePlace } from './clone-quota.ts';
import type { DiskLimits } from './folder-limit.ts';
import { CloneTransport } from './clone-transport.ts';
import { Clone } from './clone.ts';
import type { CloneOptions, CloneOrigin, CloneState } from './clone.ts';
import { GitProgram } from '../process/git-process.ts';
import { HostPauses } from './host-pauses.ts';
import { LeftClones } from './left-clones.ts';
import { isSSH, withLogin } from './remote-url.ts';
import { withSSH } from './ssh-login.ts';
import { TransferSlots } from './transfer-slots.ts';

export interface ClonesOptions {
  /** The folder that holds them all. */
  root: string;
  /** Clones and fetches at once. */
  atOnce: number;
  /** Longest time of one. */
  seconds: number;
  /** Most disk that one may take. */
  bytes: number;
  /** Disk that all leave free; by default as much as `DiskLimits` says. */
  freeBytes?: number | undefined;
  /** Disk that all may take together. */
  quotaBytes?: number | undefined;
  /** A clone that a call named in this time is not evicted. */
  keepSeconds: number;
  /** Most memory of each process of git. */
  memoryBytes: number;
  /** Most refs of one. */
  refs: number;
  /** Seconds between two fetches of one. */
  interval: number;
  /** A clone that other code nodes own stays for so long. */
  graceSeconds: number;
  log: Logger;
  /** How git signs in over ssh, where its origin does not say. */
  ssh?: SSHLogin | undefined;
  /** How git signs in at code hosts. */
  hosted?: Pick<HostedRepositories, 'login' | 'sshLogin'> | undefined;
}

const byUrgency = ({ urgency: a }: Clone, { urgency: b }: Clone): number =>
  b.named - a.named || (a.changed > b.changed ? -1 : Number(a.changed < b.changed));

/** Their host says when they changed: this is for a change that nobody told of. */
const hostedIntervalSeconds = 86_400;

/** Why nothing is cloned over ssh, and what to do. */
export const noSSHLogin =
  'a URL of ssh needs the setting "ssh": { key, knownHosts }, or "account" for what the account of the server has';

/** Those of each folder that have started and are not closed, the newest last: two work side by side while a configuration changes. */
const running = new Map<string, Clones[]>();

const hostedId = (key: string): string => `hosted\0${key}`;

/** The clones that the configuration and code hosts ask for. */
export class Clones {
  readonly #options: ClonesOptions;
  readonly #git: GitProgram;
  readonly #slots: TransferSlots;
  readonly #hosts: HostPauses;
  /** By what their folders are named after. */
  readonly #clones = new Map<string, Clone>();
  readonly #quota: CloneQuota | undefined;
  readonly #left: LeftClones;
  /** What other code nodes own, and how it is called. */
  readonly #elsewhere = new Map<string, string>();
  #hasStarted = false;

  constructor(options: ClonesOptions) {
    this.#options = options;
    const { quotaBytes, root, keepSeconds, graceSeconds, log } = options;
    const isRetiring = (): boolean => this.#isRetiring;
    this.#left = new LeftClones({ root, graceSeconds, isRetiring, log });
    if (quotaBytes !== undefined) {
      this.#quota = new CloneQuota({ root, bytes: quotaBytes, keepSeconds, isRetiring, log });
    }
    this.#slots = new TransferSlots(options.atOnce);
    this.#hosts = new HostPauses(log);
    this.#git = new GitProgram({ processes: this.#slots.most, seconds: options.seconds });
  }

  /** The clone of a URL under a name. Another URL makes another clone. */
  of(origin: CloneOrigin & { id: string }): Clone {
    return this.#clones.get(origin.id) ?? this.#add(origin.id, origin, this.#options.interval);
  }

  /** The clone of a repository of a code host, which stays the same when that is renamed. */
  ofHosted({ key, name, cloneURL: url, changed, depth }: HostedRepository): Clone {
    const login: CloneOrigin['login'] = async (signal) => this.#options.hosted?.login(key, signal);
    const origin = { name, url, changed, depth, login, ssh: this.#options.hosted?.sshLogin(key) };
    const known = this.#clones.get(hostedId(key));
    known?.follow(origin);
    return known ?? this.#add(hostedId(key), origin, hostedIntervalSeconds);
  }

  /** Ends the work on a repository that a code host no longer lists. */
  forget(key: string): Promise<void> {
    return this.drop(hostedId(key));
  }

  /** Ends the work on a clone. Its files stay: it may be wanted again. */
  async drop(id: string): Promise<void> {
    const clone = this.#clones.get(id);
    this.#clones.delete(id);
    if (clone && this.#quota) this.#leave(this.#quota, this.#quota.placeOf(this.#pathOf(id)));
    await clone?.close();
  }

  /** Others own a repository now: ends the work on it. Its files stay until `removeLeft`. */
  async leave(id: string, name: string): Promise<void> {
    const before = this.#elsewhere.get(id);
    this.#elsewhere.set(id, name);
    if (before === name) return;
    if (before !== undefined) return this.#left.rename(this.#pathOf(id), name);
    await this.drop(id);
    const now = this.#elsewhere.get(id);
    if (now !== undefined) this.#left.note(this.#pathOf(id), now);
  }

  /** The same for a repository of a code host. */
  leaveHosted({ key, name }: HostedRepository): Promise<void> {
    return this.leave(hostedId(key), name);
  }

  /** The clones that stand here and that other code nodes own, and how many were removed. */
  get left(): Pick<LeftClones, 'names' | 'removed'> {
    return this.#left;
  }

  /** Removes clones that are left, of repositories that all their owners have. Answers how many. */
  async removeLeft(held: readonly string[]): Promise<number> {
    const removed = await this.#left.remove(held);
    for (const path of removed) await this.#quota?.settle(this.#quota.placeOf(path));
    return removed.length;
  }

  #leave(quota: CloneQuota, place: ClonePlace): void {
    place.onEvicted = undefined;
    place.onRoom = undefined;
    place.isReturning = false;
    place.expected = 0;
    quota.bringBack();
  }

  /** Whether a newer configuration has started; it may still fail to come into force. */
  get #isRetiring(): boolean {
    const all = running.get(this.#options.root) ?? [];
    return all.includes(this) && all.at(-1) !== this;
  }

  /** Removes what a killed process left, and begins to clone and fetch. */
  async start(): Promise<void> {
    const { root } = this.#options;
    running.set(root, [...(running.get(root) ?? []), this]);
    const names = await readdir(root).catch(() => []);
    for (const name of names) if (isAbandoned(name)) await rm(join(root, name), { recursive: true, force: true });
    await this.#quota?.forgetUnserved();
    void this.#quota?.measure();
    this.#hasStarted = true;
    for (const clone of [...this.#clones.values()].toSorted(byUrgency)) clone.begin();
  }

  /** How the quota is used; undefined where there is none. */
  get quota(): { bytes: number; most: number; evictions: number } | undefined {
    return this.#quota;
  }

  count(state: CloneState): number {
    return [...this.#clones.values()].filter((clone) => clone.state === state).length;
  }

  /** Failures of repositories that are not cloned yet, and of those that can no longer be fetched. */
  failures(): ServiceFailure[] {
    return [...this.#clones.values()].flatMap(({ failure }) => failure ?? []);
  }

  async close(): Promise<void> {
    const { root } = this.#options;
    const others = (running.get(root) ?? []).filter((each) => each !== this);
    if (others.length > 0) running.set(root, others);
    else running.delete(root);
    await Promise.all([...this.#clones.values()].map((clone) => clone.close()));
  }

  #add(id: string, origin: CloneOrigin, interval: number): Clone {
    const { log } = this.#options;
    const path = this.#pathOf(id);
    this.#elsewhere.delete(id);
    this.#left.takeBack(path);
    const quota = this.#quota && { of: this.#quota, place: this.#quota.placeOf(path) };
    const claim = quota && ((bytes: number): Promise<void> => quota.of.claim(quota.place, bytes));
    const connect: CloneOptions['connect'] = (each, signal, work) => this.#connect(each, { claim, signal }, work);
    const clone = new Clone({ origin, path, connect, slots: this.#slots, hosts: this.#hosts, interval, log, quota });
    this.#clones.set(id, clone);
    if (this.#hasStarted) clone.begin();
    if (clone.evictedSince !== undefined) this.#quota?.bringBack();
    return clone;
  }

  #pathOf(id: string): string {
    return join(this.#options.root, createHash('sha256').update(id).digest('hex').slice(0, 32));
  }

  async #connect(
    { url, login, ssh, depth }: CloneOrigin,
    { claim, signal }: { claim: DiskLimits['claim']; signal: AbortSignal },
    work: (transport: CloneTransport) => Promise<void>,
  ): Promise<void> {
    const { root, bytes, freeBytes, memoryBytes, refs } = this.#options;
    const signedIn = await login?.(signal);
    const [git, limits] = [this.#git, { bytes, freeBytes, memoryBytes, refs, ...(claim && { claim }) }];
    const how =
      signedIn && 'helper' in signedIn
        ? { url, helper: signedIn.helper }
        : { url: signedIn ? withLogin(url, signedIn) : url };
    const begin = (environment: NodeJS.ProcessEnv): Promise<void> =>
      work(new CloneTransport({ git, ...how, depth, environment, limits }));
    if (!isSSH(url)) return begin({});
    const signIn = ssh ?? this.#options.ssh;
    if (!signIn) throw new Error(noSSHLogin);
    return withSSH({ login: signIn, folder: join(root, partialName(`ssh-${randomUUID()}`)) }, begin);
  }
}
