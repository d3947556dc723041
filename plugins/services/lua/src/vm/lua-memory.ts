import type { LuaExports } from './lua-wasm.ts';

const encoder = new TextEncoder();
/** Larger than a `luaL_Buffer`, whose size depends on the build. */
const bufferBytes = 8192;

/** The memory of one Lua as bytes and strings. */
export class LuaMemory {
  readonly #lua: LuaExports;
  readonly #buffer: number;
  readonly #size: number;
  readonly #constants = new Map<string, number>();
  #view: Uint8Array;

  constructor(lua: LuaExports) {
    this.#lua = lua;
    this.#buffer = lua.malloc(bufferBytes);
    this.#size = lua.malloc(4);
    this.#view = new Uint8Array(lua.memory.buffer);
  }

  /** Address of a text that stays for good, with a NUL behind it. */
  constant(text: string): number {
    const known = this.#constants.get(text);
    if (known !== undefined) return known;
    const bytes = encoder.encode(`${text}\0`);
    const address = this.#lua.malloc(bytes.length);
    this.#bytes.set(bytes, address);
    this.#constants.set(text, address);
    return address;
  }

  /** Copies bytes to an address that stays for good; only for what is there before a script runs. */
  copyIn(bytes: Uint8Array): number {
    const address = this.#lua.malloc(Math.max(bytes.length, 1));
    if (address !== 0) this.#bytes.set(bytes, address);
    return address;
  }

  pushString(L: number, text: string): void {
    const size = Buffer.byteLength(text);
    const address = this.#lua.luaL_buffinitsize(L, this.#buffer, size);
    encoder.encodeInto(text, this.#bytes.subarray(address, address + size));
    this.#lua.luaL_pushresultsize(this.#buffer, size);
  }

  /** The bytes of the string at an index; they are valid until Lua runs again. */
  stringAt(L: number, index: number): Uint8Array {
    return this.#sized(this.#lua.lua_tolstring(L, index, this.#size));
  }

  /** The same of any value as `tostring` shows it, which is pushed. */
  pushShown(L: number, index: number): Uint8Array {
    return this.#sized(this.#lua.luaL_tolstring(L, index, this.#size));
  }

  #sized(address: number): Uint8Array {
    const bytes = this.#bytes;
    const size = new DataView(bytes.buffer).getUint32(this.#size, true);
    return bytes.subarray(address, address + size);
  }

  /** A view is void once the memory has grown. */
  get #bytes(): Uint8Array {
    if (this.#view.buffer !== this.#lua.memory.buffer) this.#view = new Uint8Array(this.#lua.memory.buffer);
    return this.#view;
  }
}
