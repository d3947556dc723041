import type { Script, ScriptOutcome } from '../vm/script-vm.ts';

export interface LuaThreadData {
  readonly lua: WebAssembly.Module;
  /** Of a `SharedOutput`. */
  readonly output: SharedArrayBuffer;
  /** Most memory of a script. */
  readonly maxBytes: number;
}

/** What a running script wants; the thread sleeps until it is answered. */
export type Question =
  | { readonly kind: 'call'; readonly name: string; readonly argument: string }
  | { readonly kind: 'write'; readonly name: string; readonly bytes: Uint8Array };

/** JSON, or why not. */
export type Answer = { readonly value: string } | { readonly refusal: string };

/** What a thread is told: a script while it has none, an answer while it waits for one. */
export type ThreadRequest = { readonly script: Script } | { readonly answer: Answer };

/** What a thread tells: first that it can take a script. After `full` it sleeps for good: the script printed more than there is room for. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'full' }
  /** With the milliseconds that it had of the processor. */
  | { readonly kind: 'end'; readonly outcome: ScriptOutcome; readonly spent: number };
