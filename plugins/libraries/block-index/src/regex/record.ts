import { Needle, NO_DOCUMENT } from '../match/needle.ts';
import type { Workspace } from '../kernel/workspace.ts';
import type { CompiledRegex } from './compiled.ts';
import { windowTables } from './lead.ts';
import type { Lead } from './lead.ts';

/** Layout of assembly/regex.ts. */
const RECORD_BYTES = 100;
const LEADS = 16;
const INTERRUPTED = 80;
const WANTED = 84;
const EVERY_LINE = 0;
const BY_LITERALS = 1;
const BY_WINDOW = 2;

/** A regular expression as the kernel searches it. */
export class RegexRecord {
  readonly address: number;
  readonly #workspace: Workspace;
  readonly #regex: CompiledRegex;
  readonly #owned: { release(): void }[] = [];
  #hasAutomata = false;

  constructor(workspace: Workspace, regex: CompiledRegex) {
    this.#workspace = workspace;
    this.#regex = regex;
    this.address = workspace.arena.allocate(RECORD_BYTES);
    try {
      this.#writeLead(regex.lead);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Forgets where the last scan was interrupted; matches in so many lines of each document will be written. */
  begin(lines: number): void {
    const { arena, automata } = this.#workspace;
    if (!this.#hasAutomata) {
      const { forward, backward } = automata.use(this.#regex);
      this.#hasAutomata = true;
      arena.words(this.address, 2).set([forward, backward]);
    }
    arena.words(this.address + INTERRUPTED, 1).fill(0);
    arena.words(this.address + WANTED, 2).set([lines, NO_DOCUMENT]);
  }

  release(): void {
    if (this.#hasAutomata) this.#workspace.automata.letGo(this.#regex);
    for (const owned of this.#owned) owned.release();
    this.#workspace.arena.release(this.address);
  }

  #own<T extends { release(): void }>(resource: T): T {
    this.#owned.push(resource);
    return resource;
  }

  #writeLead(lead: Lead): void {
    const { arena } = this.#workspace;
    const how = arena.words(this.address + 8, 2);
    const leads = arena.words(this.address + LEADS, 8);
    if (!lead) how.set([EVERY_LINE, 0]);
    else if ('literals' in lead) {
      how.set([BY_LITERALS, lead.literals.length]);
      leads.set(
        lead.literals.map(({ bytes, foldCase }) => this.#own(new Needle(arena).write(bytes, foldCase)).address),
      );
    } else {
      const record = windowTables(lead.window);
      const tables = arena.allocate(record.length);
      this.#own({ release: () => arena.release(tables) });
      arena.u8.set(record, tables);
      how.set([BY_WINDOW, 0]);
      leads.set([tables]);
    }
  }
}
