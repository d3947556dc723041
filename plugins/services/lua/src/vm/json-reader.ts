import type { JsonSource } from './json-writer.ts';
import { ScriptError, maxDepth, objectMark } from './lua-values.ts';

/** Slots of Lua's stack that one level needs. */
const slots = 4;

/**
 * Pushes a value of JSON as plain tables, strings and numbers. Whole numbers are integers, null is `json.null`, and an empty
 * object is marked so that it is written as one again.
 */
export function pushJson(source: JsonSource, value: unknown, depth = 0): void {
  const { lua, memory, L } = source;
  switch (typeof value) {
    case 'string':
      return memory.pushString(L, value);
    case 'number':
      return Number.isSafeInteger(value) ? lua.lua_pushinteger(L, BigInt(value)) : lua.lua_pushnumber(L, value);
    case 'boolean':
      return lua.lua_pushboolean(L, value ? 1 : 0);
    case 'object':
      if (value !== null) break;
      return lua.lua_pushlightuserdata(L, 0);
    default:
      return lua.lua_pushnil(L);
  }
  if (depth === maxDepth) throw new ScriptError(`JSON that is more than ${maxDepth} values deep`);
  lua.luaL_checkstack(L, slots, 0);
  if (Array.isArray(value)) pushArray(source, value, depth + 1);
  else pushObject(source, Object.entries(value), depth + 1);
}

function pushArray(source: JsonSource, items: readonly unknown[], depth: number): void {
  const { lua, L } = source;
  lua.lua_createtable(L, items.length, 0);
  for (const [index, item] of items.entries()) {
    pushJson(source, item, depth);
    lua.lua_rawseti(L, -2, BigInt(index + 1));
  }
}

function pushObject(source: JsonSource, members: readonly [string, unknown][], depth: number): void {
  const { lua, memory, L } = source;
  lua.lua_createtable(L, 0, members.length);
  if (members.length === 0) {
    lua.luaL_newmetatable(L, memory.constant(objectMark));
    lua.lua_settop(L, -2);
    lua.luaL_setmetatable(L, memory.constant(objectMark));
  }
  for (const [key, item] of members) {
    memory.pushString(L, key);
    pushJson(source, item, depth);
    lua.lua_rawset(L, -3);
  }
}
