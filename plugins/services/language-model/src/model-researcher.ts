import type {
  Localisation,
  ResearchAnswer,
  ResearchQuestion,
  ResearchTask,
  ResearchWork,
  Researcher,
} from '@sextant/contracts';
import { messageOf, toJsonSchema } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { jsonSchema, tool } from 'ai';
import { z } from 'zod';
import type { AnswerTool } from './agent.ts';
import { FailedResearch, failureNote } from './failures.ts';
import { answering, locating, questionPrompt, reportName, taskPrompt } from './instructions.ts';
import { keepOwnLinks } from './own-links.ts';
import { ResearchRun } from './research-run.ts';
import type { RunSurroundings } from './research-run.ts';

/** Of a failure in the log. Never the error as it is: the library's errors hold the request, and with it code. */
const longestMessage = 300;

export interface ModelResearcherOptions extends RunSurroundings {
  readonly researcher: Researcher;
}

const report = z.object({
  summary: z.string().max(20_000).describe('What was found, in a few sentences'),
  locations: z
    .array(
      z.object({
        repo: z.string(),
        path: z.string(),
        startLine: z.int().min(1),
        endLine: z.int().min(1),
        reason: z.string().max(2000).describe('Why it must change, in one short sentence'),
      }),
    )
    .max(100),
});

const reportTool = tool({
  description: 'Reports the locations and ends the work.',
  inputSchema: jsonSchema(toJsonSchema(report, 'input')),
  execute: () => 'Reported.',
});
const answerTool: AnswerTool = { name: reportName, tools: { [reportName]: reportTool } };

/** The built-in researcher goes first: it refuses what cannot be asked, gives the model a start, and is there when it fails. */
export class ModelResearcher implements Researcher {
  readonly #options: ModelResearcherOptions;

  constructor(options: ModelResearcherOptions) {
    this.#options = options;
  }

  get model(): string {
    return this.#options.settings.model;
  }

  async locate(caller: Caller, task: ResearchTask, work: ResearchWork): Promise<Localisation> {
    const found = await this.#options.researcher.locate(caller, task, work);
    try {
      return await this.#locate(new ResearchRun(this.#options, { caller, work }), { task, found });
    } catch (error) {
      return { ...found, summary: `${this.#noteOn(error, work)}\n\n${found.summary}` };
    }
  }

  async answer(caller: Caller, question: ResearchQuestion, work: ResearchWork): Promise<ResearchAnswer> {
    const found = await this.#options.researcher.answer(caller, question, work);
    try {
      return await answerBy(new ResearchRun(this.#options, { caller, work }), { question, found });
    } catch (error) {
      const note = `> ${this.#noteOn(error, work)}`;
      // Readers of a conversation see its parts.
      const parts = found.parts && { parts: [{ markdown: note, sources: [] }, ...found.parts] };
      return { ...found, markdown: `${note}\n\n${found.markdown}`, ...parts };
    }
  }

  async #locate(run: ResearchRun, { task, found }: { task: ResearchTask; found: Localisation }): Promise<Localisation> {
    const prompt = taskPrompt(task, { found, data: run.data });
    const { reported } = await run.ask({ instructions: locating(run.data), prompt, answerTool });
    const parsed = report.safeParse(reported);
    if (!parsed.success) throw new FailedResearch('it did not report its locations in the form that was asked for');
    const { summary, locations: claims } = parsed.data;
    const locations = await run.located(claims, task.revision);
    if (locations.length === 0) throw new FailedResearch('no location that it named is there');
    const dropped = noteOnDropped(claims.length - locations.length);
    return { summary: keepOwnLinks(summary, this.#options.externalURL) + dropped, locations };
  }

  /** Throws again what ended the whole work rather than the model's part of it. */
  #noteOn(error: unknown, { signal }: ResearchWork): string {
    signal.throwIfAborted();
    this.#options.log.warn({}, `the language model failed: ${messageOf(error).slice(0, longestMessage)}`);
    return failureNote(error);
  }
}

async function answerBy(
  run: ResearchRun,
  { question, found }: { question: ResearchQuestion; found: ResearchAnswer },
): Promise<ResearchAnswer> {
  const prompt = questionPrompt(question, { found, data: run.data });
  const { text } = await run.ask({ instructions: answering(run.data), prompt });
  const repos = [...(question.scope ?? []), ...found.sources.map(({ repo }) => repo)];
  const { markdown, sources, dropped } = await run.cited(text, repos);
  if (sources.length === 0) throw new FailedResearch('its answer cites no lines that are there');
  const { title, notes = [] } = found;
  return { title, markdown: [markdown + noteOnDropped(dropped), ...notes].join('\n\n'), sources };
}

const noteOnDropped = (count: number): string =>
  count === 0
    ? ''
    : `\n\n${count} ${count === 1 ? 'citation' : 'citations'} of the model left out: there are no such lines.`;
