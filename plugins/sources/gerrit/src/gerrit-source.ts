import type {
  GitLogin,
  HostAccount,
  HostEvent,
  HostMessage,
  HostRepository,
  ReadableRepositories,
  RepositorySource,
  SignInIdentity,
  SourceCheck,
  SourceContext,
  SourcePermissions,
  Visibility,
} from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { HostApi, lastDue } from '@sextant/library-host-api';
import { z } from 'zod';
import {
  account as accountSchema,
  capabilities,
  cloneURLOf,
  group as groupSchema,
  hostAccount,
  hostRepository,
  projects as projectsSchema,
  serverInfo,
  sshURLOf,
} from './answers.ts';
import type { GerritAccount, GerritProject } from './answers.ts';
import type { GerritConfig } from './config.ts';
import { eventOf } from './messages.ts';
import { decoded, readRulesOf } from './project-access.ts';
import { listProjects, listSubmitted, listWithoutCode } from './project-list.ts';
import type { Listing } from './project-list.ts';
import { anonymousUsers, everyoneIn, memberOf, registeredUsers } from './read-rules.ts';
import type { ReadRules } from './read-rules.ts';

/** Accounts in a page, and the most pages that a name or address can have. */
const accountsAtOnce = 100;
const mostAccountPages = 20;
/** Gerrit tells in no list when somebody pushed directly: without a message of it, a project may have changed each hour. */
const unseenMs = 3_600_000;
const mostNamed = 5;

interface ListedProject {
  readonly project: GerritProject;
  readonly cloneURL: string;
  readonly sshURL: string | undefined;
  readonly visibility: Visibility;
  /** Undefined where it is not told who reads it. */
  readonly rules: ReadRules | undefined;
}

/** What decides about who reads what, as of the last complete list. */
interface Listed {
  /** By name. */
  readonly projects: ReadonlyMap<string, ListedProject>;
  /** Names of those that have rights for others, and no code. */
  readonly withoutCode: ReadonlySet<string>;
  /** Milliseconds since 1970 at which the oldest part of it was asked for. */
  readonly at: number;
}

/** Projects of a Gerrit, and what its accounts may read there. */
export class GerritSource implements RepositorySource {
  readonly host: string;
  readonly cloneOrigins: readonly string[];
  readonly sshHosts: readonly string[];
  readonly #config: GerritConfig;
  readonly #permissions: SourcePermissions;
  readonly #log: Logger;
  readonly #api: HostApi;
  #listed: Listed | undefined;
  /** Messages that rights may have changed: a list that was under way then may have the old ones. */
  #changes = 0;
  #toldProblems = '';
  /** When a change was last submitted to a project, by name (RFC 3339 in UTC). */
  readonly #submitted = new Map<string, string>();
  /** Milliseconds since 1970 at which that was asked for; what is older was fetched when it was due. */
  #submittedAt = Date.now() - unseenMs;

  constructor(config: GerritConfig, { permissions, log, onWait }: SourceContext) {
    const { url, username, token, webhookSecret = '', requestsPerHour } = config;
    const login = Buffer.from(`${username}:${token}`).toString('base64');
    this.#config = config;
    this.#permissions = permissions;
    this.#log = log;
    this.host = new URL(url).host;
    this.cloneOrigins = [new URL(url).origin];
    this.sshHosts = [new URL(url).hostname];
    this.#api = new HostApi({
      baseURL: url,
      headers: async () => ({ authorization: `Basic ${login}` }),
      secrets: () => [login, token, webhookSecret],
      requestsPerHour,
      onWait,
    });
  }

  async check(signal: AbortSignal): Promise<SourceCheck> {
    const { username } = this.#config;
    const isAdministrator = await this.#isAdministrator(signal);
    const problems = this.#permissions === 'sync' && !isAdministrator ? [this.#cannotTell()] : [];
    return { account: username, problems };
  }

  async *list(signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    const at = Date.now();
    const changes = this.#changes;
    const run = { waits: true, signal };
    const { value: server } = await this.#api.read({ path: '/a/config/server/info', schema: serverInfo, ...run });
    const all = await listProjects(this.#listing(signal));
    const { all_projects: root, all_users: users } = server.gerrit;
    const withoutCode = new Set([root, users, ...(await listWithoutCode(this.#listing(signal), all.size))]);
    const names = [...all.keys()].filter((name) => !withoutCode.has(name));
    const rules = await readRulesOf(names, { api: this.#api, root, signal });
    const isClosed = await this.#refusesStrangers(signal);
    const projects = new Map<string, ListedProject>();
    for (const [name, project] of all) {
      const own = rules.get(name);
      const visibility = visibilityOf(own, isClosed);
      const cloneURL = cloneURLOf(name, server, this.#config.url);
      const sshURL = sshURLOf(name, server, this.#config.username);
      if (!withoutCode.has(name)) projects.set(name, { project, cloneURL, sshURL, visibility, rules: own });
    }
    await this.#noteSubmitted(signal);
    for (const name of this.#submitted.keys()) if (!projects.has(name)) this.#submitted.delete(name);
    this.#tellProblems(projects);
    if (this.#changes === changes) this.#listed = { projects, withoutCode, at };
    yield this.#described(projects);
  }

  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    const listed = this.#listed;
    const now = await listProjects(this.#listing(signal));
    const served = [...now].filter(([name]) => !listed?.withoutCode.has(name));
    const isSame = ([name, project]: [string, GerritProject]): boolean =>
      JSON.stringify(project) === JSON.stringify(listed?.projects.get(name)?.project);
    if (!listed || served.length !== listed.projects.size || !served.every(isSame))
      throw new SextantError('conflict', `other projects of ${this.host} are there than were listed`);
    await this.#noteSubmitted(signal);
    yield this.#described(listed.projects).filter(({ changed }) => changed >= since);
  }

  async login(): Promise<GitLogin> {
    return { username: this.#config.username, password: this.#config.token };
  }

  /** By the id of the account, or by its username where that is no number. */
  async account({ issuer, subject }: SignInIdentity, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (issuer.replace(/\/+$/, '') !== this.#config.url) return undefined;
    if (/^\d{1,15}$/.test(subject)) {
      const found = await this.#accountOfId(subject, signal);
      return found && hostAccount(found);
    }
    const found = await this.#accounts(`username:"${subject}"`, signal);
    const owner = found.find(({ username }) => username === subject);
    return owner && hostAccount(owner);
  }

  async accountOfEmail(email: string, signal: AbortSignal): Promise<HostAccount | undefined> {
    const wanted = email.toLowerCase();
    const found = await this.#accounts(`email:"${email}"`, signal);
    const owners = found.filter(({ email: first = '', secondary_emails: others }) =>
      [first, ...others].some((each) => each.toLowerCase() === wanted),
    );
    return owners.length === 1 && owners[0] ? hostAccount(owners[0]) : undefined;
  }

  async readable({ id, login }: HostAccount, signal: AbortSignal): Promise<ReadableRepositories> {
    const account = await this.#accountOfId(id, signal);
    if (!account || hostAccount(account).login !== login) return { whole: [], ids: [] };
    const path = `/a/accounts/${account._account_id}/groups/`;
    const { value: groups } = await this.#api.read({ path, schema: z.array(groupSchema), waits: false, signal });
    // Others are not told of all groups, and a group can take rights away.
    if (!(await this.#isAdministrator(signal))) throw new SextantError('forbidden', this.#cannotTell());
    const listed = this.#listed;
    if (!listed) throw new SextantError('unavailable', `the projects of ${this.host} were not listed yet`);
    const reader = memberOf(new Set([anonymousUsers, registeredUsers, ...groups.map((each) => decoded(each.id))]));
    const decisions = new Map<ReadRules | undefined, boolean>();
    const reads = (rules: ReadRules | undefined): boolean => {
      const decision = decisions.get(rules) ?? rules?.isReadableBy(reader) ?? false;
      decisions.set(rules, decision);
      return decision;
    };
    const ids = [...listed.projects].filter(([, { rules }]) => reads(rules)).map(([name]) => name);
    return { whole: ['public', 'internal'], ids, asOf: listed.at };
  }

  readMessage(message: HostMessage): HostEvent | undefined {
    const event = eventOf(message, this.#config.webhookSecret);
    // Who reads what may be different now.
    if (event?.kind === 'repositories') {
      this.#listed = undefined;
      this.#changes += 1;
    }
    return event;
  }

  #listing(signal: AbortSignal): Listing {
    return { api: this.#api, prefixes: this.#config.prefixes, signal };
  }

  /** Learns which projects changes were submitted to since the last time. */
  async #noteSubmitted(signal: AbortSignal): Promise<void> {
    const at = Date.now();
    for (const [name, moment] of await listSubmitted(this.#listing(signal), this.#submittedAt))
      if (moment > (this.#submitted.get(name) ?? '')) this.#submitted.set(name, moment);
    this.#submittedAt = at;
  }

  #described(projects: ReadonlyMap<string, ListedProject>): HostRepository[] {
    const now = Date.now();
    return [...projects].map(([name, { project, cloneURL, sshURL, visibility }]) => {
      const due = new Date(lastDue(name, unseenMs, now)).toISOString();
      const submitted = this.#submitted.get(name) ?? '';
      return hostRepository({
        name,
        project,
        cloneURL,
        sshURL,
        visibility,
        changed: due > submitted ? due : submitted,
      });
    });
  }

  /** Whether people who did not sign in see nothing, as behind a server that lets nobody else through. */
  async #refusesStrangers(signal: AbortSignal): Promise<boolean> {
    const asked = { path: '/projects/', query: { n: 1 }, signsIn: false, waits: true, signal };
    try {
      const { value } = await this.#api.read({ ...asked, schema: projectsSchema });
      return value.length === 0;
    } catch (error) {
      if (!isSextantError(error)) throw error;
      return true;
    }
  }

  async #isAdministrator(signal: AbortSignal): Promise<boolean> {
    const path = '/a/accounts/self/capabilities';
    const { value } = await this.#api.read({ path, schema: capabilities, waits: false, signal });
    return value.administrateServer;
  }

  async #accountOfId(id: string, signal: AbortSignal): Promise<GerritAccount | undefined> {
    try {
      const path = `/a/accounts/${encodeURIComponent(id)}/detail`;
      const { value } = await this.#api.read({ path, schema: accountSchema, waits: false, signal });
      return value.inactive || String(value._account_id) !== id ? undefined : value;
    } catch (error) {
      if (isSextantError(error) && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** Active accounts that a query finds; it may find more than it is about. */
  async #accounts(query: string, signal: AbortSignal): Promise<GerritAccount[]> {
    signal.throwIfAborted();
    // Inside quotes, these two would end the query or begin another.
    if (/["\\]/.test(query.slice(query.indexOf('"') + 1, -1))) return [];
    const found: GerritAccount[] = [];
    for (let page = 0; page < mostAccountPages; page += 1) {
      const asked = { q: query, o: ['DETAILS', 'ALL_EMAILS'], n: accountsAtOnce, S: found.length };
      const { value } = await this.#api.read({
        path: '/a/accounts/',
        query: asked,
        schema: z.array(accountSchema),
        waits: false,
        signal,
      });
      found.push(...value);
      if (value.at(-1)?._more_accounts !== true) return found.filter(({ inactive }) => !inactive);
    }
    throw new SextantError('unavailable', `too many accounts of ${this.host} are like that one`);
  }

  #cannotTell(): string {
    return `${this.#config.username} cannot tell what others may read: it needs the capability Administrate Server of ${this.host}`;
  }

  /** Operators learn which projects nobody can read here, when those are others than before. */
  #tellProblems(projects: ReadonlyMap<string, ListedProject>): void {
    if (this.#permissions !== 'sync') return;
    const problems = [...projects].flatMap(([name, { rules }]) => {
      const problem = rules ? rules.problem : 'its rights are not told';
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
    if (problems.join('\n') !== this.#toldProblems && problems.length > 0)
      this.#log.warn(
        { source: this.host, projects: problems.length, reasons: problems.slice(0, mostNamed) },
        'nobody may read projects whose rights cannot be followed',
      );
    this.#toldProblems = problems.join('\n');
  }
}

function visibilityOf(rules: ReadRules | undefined, isClosed: boolean): Visibility {
  if (rules?.isReadableBy(everyoneIn(anonymousUsers)) === true) return isClosed ? 'internal' : 'public';
  return rules?.isReadableBy(everyoneIn(anonymousUsers, registeredUsers)) === true ? 'internal' : 'private';
}
