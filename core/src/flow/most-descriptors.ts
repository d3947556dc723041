import { z } from 'zod';

let known: number | undefined;

/** Files and connections that the process may have open at once; Node raises its limit as far as it may when it starts. */
export function mostDescriptors(): number {
  if (known !== undefined) return known;
  // Looking up host names of peers is slow.
  Object.assign(process.report, { excludeNetwork: true });
  const limit = report.safeParse(process.report.getReport()).data?.userLimits.open_files.soft;
  return (known = typeof limit === 'number' ? limit : Infinity);
}

/** Whether a file could not be opened because too many are open: of this process, or of the machine. Others will be closed. */
export const isOutOfDescriptors = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');

/** The part of Node's report on the process that has the limits; systems without them have no such part. */
const report = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }) }),
});
