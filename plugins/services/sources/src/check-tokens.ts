import { missingHelper } from '@sextant/contracts';
import type { RepositorySource } from '@sextant/contracts';
import { clockDiagnosis, isSextantError, operatorReason } from '@sextant/core';
import type { ConfigMistake, Diagnosis } from '@sextant/core';
import type { ConfiguredSource } from './config.ts';

const checkMs = 15_000;

/** Asks each host once what its token is good for, and looks for the programs that git asks for logins. */
export async function checkTokens(sources: readonly ConfiguredSource[]): Promise<ConfigMistake[]> {
  const found = await Promise.all(
    sources.map(async ({ source, settings }, index) => {
      const helper = settings.credentialHelper;
      const missing = helper === undefined ? undefined : await missingHelper(helper);
      return [
        ...(await problemsOf(source, settings)).map(({ key, text }) => ({ path: ['sources', index, ...key], text })),
        ...(missing === undefined ? [] : [{ path: ['sources', index, 'credentialHelper'], text: missing }]),
      ];
    }),
  );
  return found.flat();
}

async function problemsOf(
  source: ConfiguredSource['source'],
  settings: ConfiguredSource['settings'],
): Promise<readonly { readonly key: readonly string[]; readonly text: string }[]> {
  try {
    const { problems } = await source.check(AbortSignal.timeout(checkMs));
    // What it cannot tell of others matters only where it is asked for that.
    return settings.permissions === 'sync' ? problems.map(ofToken) : [];
  } catch (error) {
    const text = operatorReason(error);
    const isRefused = isSextantError(error) && (error.code === 'unauthenticated' || error.code === 'forbidden');
    return [isRefused ? ofToken(text) : { key: [], text }];
  }
}

const ofToken = (text: string) => ({ key: ['token'], text });

const diagnoseMs = 8000;

/** Whether the host answers, what the token is good for, and whether the clocks agree. */
export async function diagnoseSource({ name, source, settings }: ConfiguredSource): Promise<readonly Diagnosis[]> {
  const what = `source ${name}`;
  const signal = AbortSignal.timeout(diagnoseMs);
  const [clock, state] = await Promise.all([
    clockOf(source, signal),
    source.check(signal).then(
      ({ account, problems }): Diagnosis =>
        problems.length > 0 && settings.permissions === 'sync'
          ? { what, state: 'wrong', text: problems.join('; ') }
          : { what, state: 'fine', text: `${source.host} answers; the token is that of ${account}` },
      (error: unknown): Diagnosis => ({
        what,
        state: 'wrong',
        text: `${operatorReason(error)}; what is known of it is served, and nothing of it is brought up to date`,
      }),
    ),
  ]);
  return [state, ...clock];
}

/** Nothing is said of a host that does not answer: its token tells why. */
async function clockOf({ host, cloneOrigins: [origin] }: RepositorySource, signal: AbortSignal): Promise<Diagnosis[]> {
  if (origin === undefined) return [];
  try {
    const answer = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal });
    return [clockDiagnosis(host, answer)].filter((found) => found !== undefined);
  } catch {
    return [];
  }
}
