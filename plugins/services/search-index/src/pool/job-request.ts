import { newBudget } from '../show/budget.ts';
import { noScores } from '../rank/top-files.ts';
import type { Job } from './protocol.ts';

export type JobRequest = Omit<Job, 'id' | 'deadline' | 'threshold' | 'budget'>;

/** A job that has so many milliseconds from now on. */
export function beginJob(request: JobRequest, milliseconds: number): Omit<Job, 'id'> {
  const { files } = request.limits;
  return { ...request, threshold: noScores(files), budget: newBudget(files), deadline: Date.now() + milliseconds };
}
