import { compileLua } from '../vm/lua-wasm.ts';
import { ScriptVm } from '../vm/script-vm.ts';
import type { ScriptHost, ScriptOutcome } from '../vm/script-vm.ts';

const lua = compileLua();

export interface RanScript {
  readonly outcome: ScriptOutcome;
  readonly printed: string;
}

export interface RunScriptOptions extends Partial<ScriptHost> {
  resultCharacters?: number;
  megabytes?: number;
}

/** Runs a script in this thread. Functions of the host answer their own name and argument unless said. */
export function runScript(text: string, options: RunScriptOptions = {}): RanScript {
  const { resultCharacters = 10_000, megabytes = 64, ...host } = options;
  const printed: Buffer[] = [];
  const vm = new ScriptVm(lua, {
    maxBytes: megabytes << 20,
    host: {
      print: (bytes) => void printed.push(Buffer.from(bytes)),
      call: (name, argument) => JSON.stringify({ name, argument: JSON.parse(argument) as unknown }),
      writeFile: (name, bytes) => JSON.stringify({ name, bytes: bytes.length }),
      ...host,
    },
  });
  const outcome = vm.run({ text, tools: ['list_repos', 'read_file'], resultCharacters });
  return { outcome, printed: Buffer.concat(printed).toString() };
}

/** What a script returns; throws why it failed. */
export function resultOf(text: string, options: RunScriptOptions = {}): unknown {
  const { outcome } = runScript(text, options);
  if ('failure' in outcome) throw new Error(outcome.failure);
  return JSON.parse(outcome.result);
}
