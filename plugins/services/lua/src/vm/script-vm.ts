import { pushJson } from './json-reader.ts';
import { JsonWriter } from './json-writer.ts';
import type { JsonSource } from './json-writer.ts';
import { LuaMemory } from './lua-memory.ts';
import { ScriptError, firstUpvalue, luaType } from './lua-values.ts';
import { addressOf, instantiateLua } from './lua-wasm.ts';
import type { LuaExports } from './lua-wasm.ts';
import { openedLibraries, prelude } from './sandbox.ts';

/** What a script reaches outside. Each may throw a `ScriptError`, which the script can catch. */
export interface ScriptHost {
  print(bytes: Uint8Array): void;
  /** Calls the function of that name with one argument; the argument and the answer are JSON. */
  call(name: string, argument: string): string;
  /** Keeps a copy of the bytes; the answer is JSON. */
  writeFile(name: string, bytes: Uint8Array): string;
}

export interface Script {
  readonly text: string;
  /** Names of the tools that are functions of `tools`. */
  readonly tools: readonly string[];
  /** Most characters of the result as JSON. */
  readonly resultCharacters: number;
}

/** What a script returned, as JSON, or why it failed. */
export type ScriptOutcome = { readonly result: string } | { readonly failure: string };

/** Most characters that a script may encode or decode at once, and give to a function. */
const maxJson = 10 * 1024 * 1024;
const maxArgument = 256 * 1024;
const multipleResults = -1;
const decoder = new TextDecoder();

type HostFunction = (source: JsonSource, count: number) => number;

/** Lua for one script: nothing of one script is in the memory of the next. */
export class ScriptVm {
  readonly #lua: LuaExports;
  readonly #memory: LuaMemory;
  readonly #L: number;
  readonly #host: ScriptHost;
  readonly #call: number;

  constructor(module: WebAssembly.Module, { maxBytes, host }: { maxBytes: number; host: ScriptHost }) {
    this.#lua = instantiateLua(module, maxBytes);
    this.#memory = new LuaMemory(this.#lua);
    this.#host = host;
    this.#L = this.#lua.luaL_newstate();
    for (const [name, open] of Object.entries(openedLibraries))
      this.#lua.luaL_requiref(this.#L, this.#memory.constant(name), this.#openerOf(open), 1);
    this.#lua.lua_settop(this.#L, 0);
    this.#call = this.#addressOf((source, count) => this.#callHost(source, count));
  }

  /** Runs the script; only once. */
  run({ text, tools, resultCharacters }: Script): ScriptOutcome {
    try {
      this.#load(prelude, 'sandbox');
      this.#pushHost(tools);
      if (!this.#pcall(1)) return { failure: this.#failure() };
      if (!this.#load(text, 'script') || !this.#pcall(0)) return { failure: this.#failure() };
      return this.#result(resultCharacters);
    } catch (thrown) {
      // Neither an error of Lua nor one of the host: the script used up what JavaScript runs on, or Lua has a bug.
      return { failure: thrown instanceof RangeError ? 'stack overflow' : `Lua failed: ${String(thrown)}` };
    }
  }

  #openerOf(name: string): number {
    const open = this.#lua[name];
    if (typeof open !== 'function') throw new Error(`Lua has no ${name}`);
    return this.#lua.__indirect_function_table.grow(1, open);
  }

  #load(text: string, name: string): boolean {
    const bytes = Buffer.from(text);
    const [chunk, mode] = [this.#memory.constant(`=${name}`), this.#memory.constant('t')];
    const address = this.#memory.copyIn(bytes);
    return this.#lua.luaL_loadbufferx(this.#L, address, bytes.length, chunk, mode) === 0;
  }

  #pcall(args: number): boolean {
    return this.#lua.lua_pcallk(this.#L, args, multipleResults, 0, 0, 0) === 0;
  }

  /** The table that the prelude gets. */
  #pushHost(tools: readonly string[]): void {
    const functions: Record<string, HostFunction> = {
      bind: (source) => this.#bind(source),
      print: (source, count) => this.#print(source, count),
      encode: (source) => this.#encode(source),
      decode: (source) => this.#decode(source),
      write: (source) => this.#write(source),
    };
    const [lua, L] = [this.#lua, this.#L];
    pushJson(this.#source(L), { tools });
    for (const [name, run] of Object.entries(functions)) {
      this.#memory.pushString(L, name);
      lua.lua_pushcclosure(L, this.#addressOf(run), 0);
      lua.lua_rawset(L, -3);
    }
  }

  #addressOf(run: HostFunction): number {
    return addressOf(this.#lua, (L) => this.#guarded(L, run));
  }

  /** What the host refuses becomes an error of Lua at the line that asked; Lua's own errors pass. */
  #guarded(L: number, run: HostFunction): number {
    let refusal: string;
    try {
      return run(this.#source(L), this.#lua.lua_gettop(L));
    } catch (thrown) {
      if (!(thrown instanceof ScriptError)) throw thrown;
      refusal = thrown.message;
    }
    this.#lua.luaL_where(L, 1);
    this.#memory.pushString(L, refusal);
    this.#lua.lua_concat(L, 2);
    return this.#lua.lua_error(L);
  }

  #source(L: number): JsonSource {
    return { lua: this.#lua, memory: this.#memory, L };
  }

  #bind({ lua, L }: JsonSource): number {
    lua.lua_settop(L, 1);
    lua.lua_pushcclosure(L, this.#call, 1);
    return 1;
  }

  #callHost(source: JsonSource, count: number): number {
    const name = decoder.decode(this.#memory.stringAt(source.L, firstUpvalue));
    if (count > 1) throw new ScriptError(`${name} takes one argument, such as ${name}{name = value}`);
    const argument = new JsonWriter(source, maxArgument).write(1, 'the argument');
    pushJson(source, JSON.parse(this.#host.call(name, argument)));
    return 1;
  }

  #print(source: JsonSource, count: number): number {
    const { lua, L } = source;
    for (let index = 1; index <= count; index += 1) {
      if (index > 1) this.#host.print(tab);
      this.#host.print(this.#memory.pushShown(L, index));
      lua.lua_settop(L, -2);
    }
    this.#host.print(lineEnd);
    return 0;
  }

  #encode(source: JsonSource): number {
    this.#memory.pushString(source.L, new JsonWriter(source, maxJson).write(1, 'the value'));
    return 1;
  }

  #decode(source: JsonSource): number {
    const text = decoder.decode(this.#string(source, 1, 'json.decode(text)'));
    if (text.length > maxJson) throw new ScriptError(`json.decode: the text is longer than ${maxJson} characters`);
    pushJson(source, parse(text));
    return 1;
  }

  #write(source: JsonSource): number {
    const usage = 'files.write(name, text)';
    const name = decoder.decode(this.#string(source, 1, usage));
    const bytes = this.#string(source, 2, usage).slice();
    pushJson(source, JSON.parse(this.#host.writeFile(name, bytes)));
    return 1;
  }

  #string({ lua, L }: JsonSource, index: number, usage: string): Uint8Array {
    if (lua.lua_type(L, index) !== luaType.string) throw new ScriptError(`${usage} takes strings; tostring makes one`);
    return this.#memory.stringAt(L, index);
  }

  /** Written by a function that Lua calls, so that running out of memory in it is an error and not the end. */
  #result(mostCharacters: number): ScriptOutcome {
    let result = '';
    const write: HostFunction = (source, count) => {
      const writer = new JsonWriter(source, mostCharacters);
      const values = Array.from({ length: count }, (_, index) =>
        writer.write(index + 1, count > 1 ? `result[${index + 1}]` : 'the result'),
      );
      result = count > 1 ? `[${values.join(',')}]` : (values[0] ?? 'null');
      return 0;
    };
    return this.#protected(write) ? { result } : { failure: this.#failure() };
  }

  /** Calls a function with everything on the stack. */
  #protected(run: HostFunction): boolean {
    const [lua, L] = [this.#lua, this.#L];
    const count = lua.lua_gettop(L);
    lua.lua_pushcclosure(L, this.#addressOf(run), 0);
    lua.lua_rotate(L, 1, 1);
    return this.#pcall(count);
  }

  /** The error on the stack as text; data is shown as JSON. */
  #failure(): string {
    let shown = 'an error that cannot be shown';
    this.#protected((source, count) => {
      const { lua, L } = source;
      const isData = lua.lua_type(L, count) === luaType.table && !lua.lua_getmetatable(L, count);
      shown = isData
        ? new JsonWriter(source, 10_000).write(count, 'the error')
        : decoder.decode(this.#memory.pushShown(L, count));
      return 0;
    });
    return shown;
  }
}

const tab = Uint8Array.of(9);
const lineEnd = Uint8Array.of(10);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ScriptError(`json.decode: ${error instanceof Error ? error.message : 'no JSON'}`);
  }
}
