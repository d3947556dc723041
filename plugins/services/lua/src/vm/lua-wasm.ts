import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What of Lua's C API is used; pointers and sizes are numbers, 64-bit integers are bigints. */
export interface LuaExports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
  malloc(size: number): number;
  luaL_newstate(): number;
  luaL_requiref(L: number, name: number, open: number, isGlobal: number): void;
  luaL_loadbufferx(L: number, text: number, size: number, name: number, mode: number): number;
  luaL_tolstring(L: number, index: number, size: number): number;
  luaL_checkstack(L: number, slots: number, message: number): void;
  luaL_where(L: number, level: number): void;
  luaL_newmetatable(L: number, name: number): number;
  luaL_setmetatable(L: number, name: number): void;
  luaL_buffinitsize(L: number, buffer: number, size: number): number;
  luaL_pushresultsize(buffer: number, size: number): void;
  lua_absindex(L: number, index: number): number;
  lua_gettop(L: number): number;
  lua_settop(L: number, index: number): void;
  lua_type(L: number, index: number): number;
  lua_isinteger(L: number, index: number): number;
  lua_tointegerx(L: number, index: number, isNumber: number): bigint;
  lua_tonumberx(L: number, index: number, isNumber: number): number;
  lua_toboolean(L: number, index: number): number;
  lua_tolstring(L: number, index: number, size: number): number;
  lua_topointer(L: number, index: number): number;
  lua_rawlen(L: number, index: number): bigint;
  lua_rawgeti(L: number, index: number, at: bigint): number;
  lua_rawseti(L: number, index: number, at: bigint): void;
  lua_rawset(L: number, index: number): void;
  lua_next(L: number, index: number): number;
  lua_getmetatable(L: number, index: number): number;
  lua_getglobal(L: number, name: number): number;
  lua_createtable(L: number, items: number, fields: number): void;
  lua_pushnil(L: number): void;
  lua_pushboolean(L: number, value: number): void;
  lua_pushinteger(L: number, value: bigint): void;
  lua_pushnumber(L: number, value: number): void;
  lua_pushvalue(L: number, index: number): void;
  lua_pushlightuserdata(L: number, pointer: number): void;
  lua_pushcclosure(L: number, fn: number, upvalues: number): void;
  lua_rotate(L: number, index: number, by: number): void;
  lua_concat(L: number, count: number): void;
  lua_error(L: number): never;
  lua_pcallk(L: number, args: number, results: number, handler: number, context: number, continuation: number): number;
}

/** What the compiler of C put there for its own use. */
interface RuntimeExports extends LuaExports {
  emscripten_stack_init(): void;
  __wasm_call_ctors(): void;
  stackSave(): number;
  stackRestore(pointer: number): void;
  setThrew(isThrown: number, value: number): void;
}

/** Thrown through frames of JavaScript where Lua raises an error; nobody but `invoke_vii` may catch it. */
const longJump = Symbol('longjmp');
const pageBytes = 65_536;
/** "Function not implemented" of WASI and (negated) of system calls. */
const noSys = 52;

/** Compiles Lua once; the result can be given to threads. */
export function compileLua(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve('wasmoon/dist/glue.wasm'))));
}

/**
 * Lua in a memory of its own that never grows beyond `maxBytes`. The JavaScript of the package is not used: it brings a
 * file system, the environment and proxies of objects, and scripts need none of them. Every import that would reach
 * outside refuses.
 */
export function instantiateLua(module: WebAssembly.Module, maxBytes: number): LuaExports {
  const { exports } = new WebAssembly.Instance(module, {
    env: {
      ...refusals(module, 'env', () => -noSys),
      abort: () => fail('Lua gave up'),
      exit: () => fail('Lua ended itself'),
      emscripten_date_now: () => Date.now(),
      emscripten_resize_heap: (bytes: number) => grow(lua.memory, bytes >>> 0, maxBytes),
      _emscripten_throw_longjmp: () => {
        throw longJump;
      },
      invoke_vii: (fn: number, a: number, b: number) => invoke(lua, fn, [a, b]),
    },
    wasi_snapshot_preview1: refusals(module, 'wasi_snapshot_preview1', () => noSys),
  });
  // What a module exports has no types.
  const lua = exports as RuntimeExports;
  lua.emscripten_stack_init();
  lua.__wasm_call_ctors();
  return lua;
}

function refusals(module: WebAssembly.Module, from: string, refuse: () => number): Record<string, () => number> {
  const wanted = WebAssembly.Module.imports(module).filter((wanted) => wanted.module === from);
  return Object.fromEntries(wanted.map(({ name }) => [name, refuse]));
}

function fail(message: string): never {
  throw new Error(message);
}

/** A protected call: an error of Lua ends it, anything else goes on. */
function invoke(lua: RuntimeExports, fn: number, args: readonly [number, number]): void {
  const stack = lua.stackSave();
  try {
    lua.__indirect_function_table.get(fn)(...args);
  } catch (thrown) {
    lua.stackRestore(stack);
    if (thrown !== longJump) throw thrown;
    lua.setThrew(1, 0);
  }
}

/** Grows by a fifth at least, so that a script that fills its memory does not ask a thousand times. */
function grow(memory: WebAssembly.Memory, wanted: number, maxBytes: number): 0 | 1 {
  const { byteLength } = memory.buffer;
  if (wanted > maxBytes) return 0;
  const size = Math.min(maxBytes, Math.max(wanted, byteLength * 1.2));
  try {
    memory.grow(Math.ceil((size - byteLength) / pageBytes));
    return 1;
  } catch {
    return 0;
  }
}

/** `(module (import "e" "f" (func (param i32) (result i32))) (export "f" (func 0)))` */
const wrapper = new WebAssembly.Module(
  Buffer.from('0061736d0100000001060160017f017f02070101650166000007050101660000', 'hex'),
);

/** The address under which Lua can call a function. */
export function addressOf(lua: LuaExports, fn: (L: number) => number): number {
  const { exports } = new WebAssembly.Instance(wrapper, { e: { f: fn } });
  return lua.__indirect_function_table.grow(1, exports['f']);
}
