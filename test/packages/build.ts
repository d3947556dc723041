import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../.workspace/packaging/build-packages.ts', import.meta.url));

/** Before the tests: every package as it is published, and its tarball. */
export const setup = (): void => void execFileSync(process.execPath, [script, '--pack'], { stdio: 'inherit' });
