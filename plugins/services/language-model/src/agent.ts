import { hasToolCall, isStepCount, streamText } from 'ai';
import type { LanguageModel, StepResult, ToolSet } from 'ai';
import type { ModelSettings } from './config.ts';
import type { ModelTools } from './model-tools.ts';

/** One task for the model, with everything that bounds it. */
export interface AgentTask {
  readonly model: LanguageModel;
  readonly settings: ModelSettings;
  readonly instructions: string;
  readonly prompt: string;
  readonly available: ModelTools;
  /** A tool whose call with the answer ends the work. Absent: the answer is text. */
  readonly answerTool?: AnswerTool;
  readonly signal: AbortSignal;
  /** Gets what the model said before it called a tool; unchecked. */
  readonly tell: (thought: string) => void;
  /** Gets the text that the model writes, as far as it is written; empty when a tool is called instead. Unchecked. */
  readonly draft: (text: string) => void;
}

export interface AnswerTool {
  readonly name: string;
  readonly tools: ToolSet;
}

export interface AgentAnswer {
  /** Of the last step. */
  readonly text: string;
  /** What the model gave to the tool that ends the work; unchecked. */
  readonly reported: unknown;
}

/** Lets a model call tools until it answers or a limit is reached. Throws what the provider or the connection failed with. */
export async function runAgent(task: AgentTask): Promise<AgentAnswer> {
  const { settings, available, answerTool } = task;
  let failure: unknown;
  const written = new WrittenText(task);
  const result = streamText({
    model: task.model,
    instructions: task.instructions,
    prompt: task.prompt,
    tools: { ...available.tools, ...answerTool?.tools },
    stopWhen: [
      isStepCount(settings.maxCalls + 2),
      ({ steps }) => tokensOf(steps) > settings.maxTokens,
      ...(answerTool ? [hasToolCall(answerTool.name)] : []),
    ],
    prepareStep: ({ steps }) => (mustEnd(task, steps) ? ending(task) : {}),
    abortSignal: task.signal,
    timeout: { firstChunkMs: settings.stallSeconds * 1000, chunkMs: settings.stallSeconds * 1000 },
    maxRetries: 1,
    onChunk: ({ chunk }) => {
      if (chunk.type === 'text-delta') written.add(chunk.text);
      if (chunk.type === 'tool-call') written.endThought();
    },
    onError: ({ error }) => {
      failure ??= error;
    },
  });
  try {
    const [text, calls] = await Promise.all([result.text, result.toolCalls]);
    task.signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    return { text, reported: calls.findLast(({ toolName }) => toolName === answerTool?.name)?.input };
  } catch (error) {
    task.signal.throwIfAborted();
    throw failure ?? error;
  }
}

/** Of a text that grows by less than this share nothing is told: who reads it reads it whole each time. */
const leastGrowth = 1 / 128;

/** What the model writes between two calls of tools: a thought when a tool is called after it, else the answer. */
class WrittenText {
  readonly #task: Pick<AgentTask, 'tell' | 'draft'>;
  #text = '';
  #told = 0;

  constructor(task: Pick<AgentTask, 'tell' | 'draft'>) {
    this.#task = task;
  }

  add(piece: string): void {
    this.#text += piece;
    if (this.#text.length - this.#told <= this.#text.length * leastGrowth) return;
    this.#told = this.#text.length;
    this.#task.draft(this.#text);
  }

  endThought(): void {
    const thought = this.#text.trim();
    if (thought !== '') this.#task.tell(thought);
    if (this.#told > 0) this.#task.draft('');
    this.#text = '';
    this.#told = 0;
  }
}

/** A fifth of the tokens is kept for the answer. */
const mustEnd = ({ settings, available }: AgentTask, steps: readonly StepResult<ToolSet>[]): boolean =>
  available.isSpent() || tokensOf(steps) > settings.maxTokens * 0.8;

const ending = ({ answerTool }: AgentTask) =>
  answerTool
    ? { activeTools: [answerTool.name], toolChoice: { type: 'tool' as const, toolName: answerTool.name } }
    : { toolChoice: 'none' as const };

/** The last step's input holds all earlier ones; providers that do not count are taken to have used none. */
const tokensOf = (steps: readonly StepResult<ToolSet>[]): number =>
  steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0);
