import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../.workspace/release/build-release.ts', import.meta.url));

/** Before the tests: the archive and the image. */
export const setup = (): void => void execFileSync(process.execPath, [script], { stdio: 'inherit' });
