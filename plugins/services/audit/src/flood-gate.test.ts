import type { AuditEvent } from '@sextant/contracts';
import { describe, expect, it } from 'vitest';
import { FloodGate } from './flood-gate.ts';

const refused = (changes: Partial<AuditEvent> = {}): AuditEvent => ({
  action: 'call.refused',
  outcome: 'failure',
  address: '192.0.2.1',
  detail: 'forbidden',
  ...changes,
});

describe('a flood', () => {
  it('of one refusal is two events a minute: the first, and how many more there were', () => {
    const gate = new FloodGate();
    const admitted = Array.from({ length: 1000 }, () => gate.admits(refused())).filter(Boolean);
    expect([admitted.length, gate.end()]).toEqual([1, [refused({ detail: '999 more within a minute: forbidden' })]]);
    expect([gate.admits(refused()), gate.end()]).toEqual([true, []]);
  });

  it('of different failures from one address is a hundred events and their number; other addresses are told as ever', () => {
    const gate = new FloodGate();
    const guess = (index: number): AuditEvent => refused({ action: 'sign-in.failed', target: `user ${index}` });
    const admitted = Array.from({ length: 250 }, (_, index) => gate.admits(guess(index))).filter(Boolean);
    expect([admitted.length, gate.admits(refused({ address: '192.0.2.2' }))]).toEqual([100, true]);
    expect(gate.end()).toEqual([
      {
        action: 'failures.counted',
        outcome: 'failure',
        address: '192.0.2.1',
        detail: '150 more of different kinds within a minute',
      },
    ]);
  });

  it('from any number of addresses stays bounded', () => {
    const gate = new FloodGate();
    const events = Array.from({ length: 20_000 }, (_, index) => refused({ address: `address ${index}` }));
    expect(events.filter((event) => gate.admits(event)).length).toBe(1000);
    const told = gate.end();
    expect(told.length).toBe(1001);
    expect(told.at(-1)).toMatchObject({ detail: '18000 more of different kinds within a minute' });
  });

  it('holds back nothing that people achieved, but the same client’s next tokens', () => {
    const gate = new FloodGate();
    const added = refused({ action: 'user.added', outcome: 'success' });
    expect([gate.admits(added), gate.admits(added)]).toEqual([true, true]);
    const issued = refused({ action: 'token.issued', outcome: 'success' });
    expect([gate.admits(issued), gate.admits(issued)]).toEqual([true, false]);
  });
});
