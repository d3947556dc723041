/** Kinds of values, as Lua's C API numbers them. */
export const luaType = {
  none: -1,
  nil: 0,
  boolean: 1,
  lightUserdata: 2,
  number: 3,
  string: 4,
  table: 5,
} as const;

const typeNames = ['nil', 'boolean', 'userdata', 'number', 'string', 'table', 'function', 'userdata', 'coroutine'];

export const typeName = (type: number): string => typeNames[type] ?? 'nothing';

/** The pseudo-index of the first value that a function was made with (`lua_upvalueindex(1)`). */
export const firstUpvalue = -1_001_001;

/** Most tables in each other that are read or written as JSON. */
export const maxDepth = 100;

/** Tables with this metatable are written as JSON objects, also when they are empty. */
export const objectMark = 'object';

/** An error that is to be raised in the script, where it can be caught. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}
