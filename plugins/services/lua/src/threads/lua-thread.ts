import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { threadMilliseconds } from '@sextant/library-workers/thread';
import { ScriptError } from '../vm/lua-values.ts';
import { ScriptVm } from '../vm/script-vm.ts';
import type { Script, ScriptHost } from '../vm/script-vm.ts';
import type { LuaThreadData, Question, ThreadMessage, ThreadRequest } from './protocol.ts';
import { SharedOutput } from './shared-output.ts';

/** Runs one script after the other; knows nothing of who wants them and reaches nothing but its questions. */
class LuaThread implements ScriptHost {
  readonly #port: MessagePort;
  readonly #data: LuaThreadData;
  readonly #output: SharedOutput;
  #next: ScriptVm;

  constructor(port: MessagePort, data: LuaThreadData) {
    this.#port = port;
    this.#data = data;
    this.#output = new SharedOutput(data.output);
    this.#next = this.#fresh();
    this.#tell({ kind: 'ready' });
  }

  run(script: Script): void {
    const begun = threadMilliseconds();
    const outcome = this.#next.run(script);
    this.#tell({ kind: 'end', outcome, spent: threadMilliseconds() - begun });
    // Made ahead, so that nobody waits for it.
    this.#next = this.#fresh();
  }

  print(bytes: Uint8Array): void {
    if (this.#output.append(bytes)) return;
    this.#output.expectAnswer();
    this.#tell({ kind: 'full' });
    this.#output.sleep();
  }

  call(name: string, argument: string): string {
    return this.#ask({ kind: 'call', name, argument });
  }

  writeFile(name: string, bytes: Uint8Array): string {
    return this.#ask({ kind: 'write', name, bytes });
  }

  #ask(question: Question): string {
    this.#output.expectAnswer();
    this.#tell({ kind: 'question', question });
    this.#output.sleep();
    // Nobody else writes to this port.
    const received: { message: ThreadRequest } | undefined = receiveMessageOnPort(this.#port);
    if (!received || !('answer' in received.message)) throw new Error('woken without an answer');
    const { answer } = received.message;
    if ('refusal' in answer) throw new ScriptError(answer.refusal);
    return answer.value;
  }

  #tell(message: ThreadMessage): void {
    this.#port.postMessage(message);
  }

  #fresh(): ScriptVm {
    return new ScriptVm(this.#data.lua, { maxBytes: this.#data.maxBytes, host: this });
  }
}

if (!parentPort) throw new Error('this runs in a thread');
// What is given to a thread has lost its type.
const thread = new LuaThread(parentPort, workerData as LuaThreadData);
parentPort.on('message', (request: ThreadRequest) => {
  if ('script' in request) thread.run(request.script);
});
