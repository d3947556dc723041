import { token } from './token.ts';

export interface HostDescription {
  readonly version: string;
  /** Everything in force that all hosts should have alike. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** The servers that work on one database. Absent where there can be only one. */
export interface Hosts {
  /** How many serve callers at this moment, with this one. */
  readonly living: number;
  /** Says what this one serves with, so that hosts that differ are seen. Who never does, as a code node, is none of them. */
  describe(self: HostDescription): void;
}

export const Hosts = token<Hosts>('hosts');
