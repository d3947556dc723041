import { Needle } from '../needle.ts';
import type { Workspace } from '../workspace.ts';
import type { Node } from './ast.ts';
import { Automaton } from './automaton.ts';
import { leadOf, nibbleTables } from './lead.ts';
import type { Lead } from './lead.ts';
import { compile } from './program.ts';
import type { Program } from './program.ts';
import { requirement } from './required.ts';
import type { Requirement } from './required.ts';

/** Layout of assembly/regex.ts. */
const RECORD_BYTES = 96;
const LEADS = 16;
const INTERRUPTED = 80;
const EVERY_LINE = 0;
const BY_LITERALS = 1;
const BY_WINDOW = 2;

/** A regular expression as the kernel searches it. */
export class RegexRecord {
  readonly address: number;
  /** What every match contains. */
  readonly need: Requirement;
  readonly #workspace: Workspace;
  readonly #programs: Program[];
  readonly #owned: { release(): void }[] = [];

  constructor(workspace: Workspace, node: Node) {
    this.#workspace = workspace;
    this.need = requirement(node);
    this.#programs = [compile(node, false), compile(node, true)];
    this.address = workspace.arena.allocate(RECORD_BYTES);
    try {
      this.#writeLead(leadOf(this.need));
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Forgets where the last scan was interrupted. The automata are built for the first text: often the index excludes all. */
  begin(): void {
    if (this.#programs.length > 0) {
      const automata = this.#programs
        .splice(0)
        .map((program) => this.#own(new Automaton(this.#workspace, program)).address);
      this.#workspace.arena.words(this.address, 2).set(automata);
    }
    this.#workspace.arena.words(this.address + INTERRUPTED, 1).fill(0);
  }

  release(): void {
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
      leads.set(lead.literals.map(({ bytes, foldCase }) => this.#own(new Needle(arena, bytes, foldCase)).address));
    } else {
      const tables = arena.allocate(96);
      this.#own({ release: () => arena.release(tables) });
      lead.window.forEach((place, i) => arena.u8.set(nibbleTables(place), tables + 32 * i));
      how.set([BY_WINDOW, 0]);
      leads.set([tables]);
    }
  }
}
