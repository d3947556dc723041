import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { ToolCalls } from './tool-calls.ts';

test('calls of a tool are counted for each user and in all, and told when they are refused', () => {
  const told: string[] = [];
  const calls = new ToolCalls((message) => told.push(message));
  const limits = { callsPerCaller: 1, callsPerServer: 2 };
  const [ann, bob, carol] = [callerOf('ann', { id: 1 }), callerOf('bob', { id: 2 }), callerOf('carol', { id: 3 })];
  const leave = calls.enter('evaluator', ann, limits);
  expect(() => calls.enter('evaluator', ann, limits)).toThrow(
    'you have 1 calls of evaluator in flight, the most that one user may have; wait for one to end',
  );
  calls.enter('evaluator', bob, limits);
  expect(() => calls.enter('evaluator', carol, limits)).toThrow('the server has 2 calls of evaluator in flight');
  calls.enter('list_repos', ann, undefined);
  leave();
  calls.enter('evaluator', carol, limits);
  expect(told).toHaveLength(2);
});
