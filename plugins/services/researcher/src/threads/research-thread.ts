import { answerRequests } from '@sextant/library-workers/thread';
import type { IsCanceled } from '@sextant/library-workers/thread';
import { chooseSymbols } from '../answer/symbols.ts';
import { chooseRanges } from '../locate/ranges.ts';
import { rank } from '../ranking/rank.ts';
import { readTask } from '../task/read-task.ts';
import { namedRepositories } from '../task/repository-names.ts';
import type { StepAnswer, StepRequest } from './research-steps.ts';

function answer(request: StepRequest, isCanceled: IsCanceled): StepAnswer {
  const { step } = request;
  if (step === 'read') return { step, answer: readTask(request.asked) };
  if (step === 'names') return { step, answer: namedRepositories(request.asked.text, request.asked.names) };
  if (step === 'rank') return { step, answer: rank(request.asked, isCanceled) };
  if (step === 'symbols') return { step, answer: chooseSymbols(request.asked, isCanceled) };
  return { step, answer: chooseRanges(request.asked, isCanceled) };
}

answerRequests<StepRequest, StepAnswer>(async (request, isCanceled) => answer(request, isCanceled));
