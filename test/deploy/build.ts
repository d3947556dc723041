import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../.workspace/release/build-release.ts', import.meta.url));

/** Where `npm run test:packages` has just built the packages of the same sources, they need not be built again. */
const options = process.env['PACKED'] === '1' ? ['--packed'] : [];

/** Before the tests: the archive and the image. */
export const setup = (): void => void execFileSync(process.execPath, [script, ...options], { stdio: 'inherit' });
