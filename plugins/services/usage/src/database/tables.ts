import type { Generated } from 'kysely';

export interface UsageTables {
  usage_event: {
    /** Never given again: what was sent elsewhere already is told by one number. */
    id: Generated<number>;
    /** Milliseconds since 1970. */
    started_at: number;
    /** `YYYY-MM-DD` in UTC. */
    day: string;
    milliseconds: number;
    origin_id: number;
    /** 0: none. Apart from the origin, of which there would be many times as many. */
    repository_id: number;
  };
  /** What many events have in common: a row without it is written in half the time, and takes a fifth of the room. */
  usage_origin: {
    id: Generated<number>;
    user_id: number;
    client: string;
    kind: string;
    tool: string;
    endpoint: string;
    language: string;
    outcome: string;
    credits: number;
  };
  usage_daily: {
    /** 0 is this instance; others send their sums here. */
    instance_id: number;
    user_id: number;
    /** `YYYY-MM`; before the day, so that days and months alike are read in the order of the key. */
    month: string;
    day: string;
    client: string;
    language: string;
    tool: string;
    kind: string;
    calls: number;
    errors: number;
    milliseconds: number;
    credits: number;
  };
  /** Repositories that calls were about. `name` is what their figures are kept by. */
  usage_repository: { id: Generated<number>; name: string };
  /** The sums of calls of this instance that were about a repository. */
  usage_repository_daily: {
    repository_id: number;
    day: string;
    user_id: number;
    client: string;
    language: string;
    tool: string;
    calls: number;
    errors: number;
    milliseconds: number;
    credits: number;
  };
  /** What each tool that was ever called is used for, as it declared it last. */
  usage_tool: { tool: string; activity: string };
  /** One row: the last event that was written, also when it was deleted since. */
  usage_progress: { event_id: number };
  /** Events that the sums do not have yet, from one to another. Whoever removes a row adds its events up. */
  usage_unsummed: { first_id: number; last_id: number };
  /** The sums of everyone by day and one dimension: a tool, a client, a language, a user, a repository, or a page or report that was viewed. */
  usage_overview: {
    instance_id: number;
    dimension: string;
    day: string;
    value: string;
    calls: number;
    errors: number;
    milliseconds: number;
    credits: number;
  };
  /** Instances that have sent their sums here. */
  usage_instance: {
    id: Generated<number>;
    /** With the port where it is not the usual one. */
    host: string;
  };
  /** Users of those instances, as they were when they were sent last. */
  usage_person: {
    instance_id: number;
    user_id: number;
    name: string;
    email: string;
    is_active: number;
    is_service_account: number;
    is_site_admin: number;
  };
  /** How far sums were sent to another instance. */
  usage_push: {
    /** Its URL. */
    target: string;
    /** The last event whose sums were sent, or will be at the end of a walk through all of them. */
    event_id: number;
    /** JSON of the key up to which such a walk has come; empty when it is finished. */
    sent_to: string;
  };
}

export const ownInstance = 0;

export const originKey = ['user_id', 'client', 'kind', 'tool', 'endpoint', 'language', 'outcome', 'credits'] as const;

export const dailyKey = ['instance_id', 'user_id', 'month', 'day', 'client', 'language', 'tool', 'kind'] as const;
export const repositoryDailyKey = ['repository_id', 'day', 'user_id', 'client', 'language', 'tool'] as const;
export const overviewKey = ['instance_id', 'dimension', 'day', 'value'] as const;
export const personKey = ['instance_id', 'user_id'] as const;
