import { emptyRoom } from '../show/answer-room.ts';
import { noScores } from '../rank/best-scores.ts';
import type { Job } from './protocol.ts';

export type JobRequest = Omit<Job, 'id' | 'deadline' | 'scores' | 'room'>;

/** A job that has so many milliseconds from now on. */
export function beginJob(request: JobRequest, milliseconds: number): Omit<Job, 'id'> {
  const { files } = request.limits;
  return { ...request, scores: noScores(files), room: emptyRoom(files), deadline: Date.now() + milliseconds };
}
