import type { StoredRepository } from '@sextant/contracts';

/** Whether the history of a repository is cut, as in a shallow clone. */
export async function isShallow(repository: StoredRepository, signal: AbortSignal): Promise<boolean> {
  let answer = '';
  const args = ['rev-parse', '--is-shallow-repository'];
  for await (const chunk of repository.stream({ args, signal })) answer += Buffer.from(chunk).toString();
  return answer.trim() === 'true';
}
