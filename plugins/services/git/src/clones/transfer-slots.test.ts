import { expect, it } from 'vitest';
import { TransferSlots } from './transfer-slots.ts';

const { signal } = new AbortController();

it('gives the slot of a transfer that takes long to another, and not every slot to those that failed', async () => {
  const slots = new TransferSlots(2, 10);
  const endless = await Promise.all(Array.from({ length: 4 }, () => slots.take(signal, 'new')));
  // Each of the first two went on beside those that follow.
  const next = await slots.take(AbortSignal.timeout(10_000), 'new');
  for (const release of [...endless, next]) release();
  const patient = new TransferSlots(2, 60_000);
  const failed = await patient.take(signal, 'failed');
  await expect(patient.take(AbortSignal.timeout(50), 'failed')).rejects.toThrow();
  const fresh = await patient.take(signal, 'new');
  for (const release of [failed, fresh]) release();
});
