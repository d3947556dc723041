import { cut } from '@sextant/core';
import type { LuaMemory } from './lua-memory.ts';
import type { LuaExports } from './lua-wasm.ts';
import { ScriptError, luaType, maxDepth, objectMark, typeName } from './lua-values.ts';

/** Slots of Lua's stack that one level needs: a key, a value, a metatable. */
const slots = 8;
// A byte order mark is part of the string.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export interface JsonSource {
  readonly lua: LuaExports;
  readonly memory: LuaMemory;
  /** The stack, which is another one in each coroutine. */
  readonly L: number;
}

/**
 * Writes one value of a script as JSON. A table with the keys 1 to n is an array, an empty one too; any other is an object,
 * with its keys in order so that the same data is the same text. NaN and infinities are null.
 */
export class JsonWriter {
  readonly #source: JsonSource;
  readonly #open = new Set<number>();
  readonly #objectMark: number;
  #left: number;

  /** Throws `ScriptError` for more characters than `most`, for what is no data, and for what contains itself. */
  constructor(source: JsonSource, most: number) {
    this.#source = source;
    this.#left = most;
    const { lua, memory, L } = source;
    lua.luaL_newmetatable(L, memory.constant(objectMark));
    this.#objectMark = lua.lua_topointer(L, -1);
    lua.lua_settop(L, -2);
  }

  /** `path` names the value in errors. */
  write(index: number, path: string): string {
    const { lua, memory, L } = this.#source;
    const type = lua.lua_type(L, index);
    switch (type) {
      case luaType.none:
      case luaType.nil:
        return this.#spent('null');
      case luaType.boolean:
        return this.#spent(lua.lua_toboolean(L, index) ? 'true' : 'false');
      case luaType.number:
        return this.#spent(this.#number(index));
      case luaType.string:
        return this.#string(memory.stringAt(L, index));
      case luaType.table:
        return this.#table(lua.lua_absindex(L, index), path);
    }
    if (type === luaType.lightUserdata && lua.lua_topointer(L, index) === 0) return this.#spent('null');
    throw new ScriptError(`${path} is a ${typeName(type)}, which JSON does not have`);
  }

  #number(index: number): string {
    const { lua, L } = this.#source;
    if (lua.lua_isinteger(L, index)) return String(lua.lua_tointegerx(L, index, 0));
    return JSON.stringify(lua.lua_tonumberx(L, index, 0));
  }

  #string(bytes: Uint8Array): string {
    this.#spend(bytes.length);
    return JSON.stringify(decoder.decode(bytes));
  }

  #table(index: number, path: string): string {
    const { lua, L } = this.#source;
    const address = lua.lua_topointer(L, index);
    if (this.#open.has(address)) throw new ScriptError(`${path} contains itself, which JSON cannot say`);
    if (this.#open.size >= maxDepth) throw new ScriptError(`${cut(path, 60)} is more than ${maxDepth} tables deep`);
    lua.luaL_checkstack(L, slots, 0);
    this.#open.add(address);
    const length = Number(lua.lua_rawlen(L, index));
    const text = this.#isArray(index, length) ? this.#array(index, length, path) : this.#object(index, path);
    this.#open.delete(address);
    return text;
  }

  /** Whether the keys are exactly 1 to `length`. */
  #isArray(index: number, length: number): boolean {
    const { lua, L } = this.#source;
    if (length === 0 && this.#isMarked(index)) return false;
    let count = 0;
    lua.lua_pushnil(L);
    while (lua.lua_next(L, index)) {
      lua.lua_settop(L, -2);
      count += 1;
      if (count <= length) continue;
      lua.lua_settop(L, -2);
      return false;
    }
    return true;
  }

  #isMarked(index: number): boolean {
    const { lua, L } = this.#source;
    if (!lua.lua_getmetatable(L, index)) return false;
    const isMarked = lua.lua_topointer(L, -1) === this.#objectMark;
    lua.lua_settop(L, -2);
    return isMarked;
  }

  #array(index: number, length: number, path: string): string {
    const { lua, L } = this.#source;
    const items: string[] = [];
    for (let at = 1; at <= length; at += 1) {
      lua.lua_rawgeti(L, index, BigInt(at));
      items.push(this.write(-1, `${path}[${at}]`));
      lua.lua_settop(L, -2);
    }
    this.#spend(items.length + 2);
    return `[${items.join(',')}]`;
  }

  #object(index: number, path: string): string {
    const { lua, L } = this.#source;
    const members: [key: string, value: string][] = [];
    lua.lua_pushnil(L);
    while (lua.lua_next(L, index)) {
      const key = this.#key(path);
      members.push([key, this.write(-1, `${path}.${key}`)]);
      lua.lua_settop(L, -2);
    }
    this.#spend(members.length * 4 + 2);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  }

  /** The key below the value on top. A number is not made a string in place: that would confuse the walk. */
  #key(path: string): string {
    const { lua, memory, L } = this.#source;
    const type = lua.lua_type(L, -2);
    if (type === luaType.number) return this.#number(-2);
    if (type !== luaType.string)
      throw new ScriptError(`${path} has a key that is a ${typeName(type)}; keys of JSON are strings`);
    const bytes = memory.stringAt(L, -2);
    this.#spend(bytes.length);
    return decoder.decode(bytes);
  }

  #spent(text: string): string {
    this.#spend(text.length);
    return text;
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new ScriptError('the value is too large; return or encode less of it');
  }
}
