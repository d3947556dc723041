/** Each from 0 to 1, the best of all files having 1. */
export type Signals = Readonly<Record<SignalName, number>>;
export type SignalName = keyof typeof signalWeights;

// Tuned on past commits; see docs/research.md.
export const signalWeights = {
  words: 1,
  past: 0.9,
  names: 0.5,
  paths: 1,
  phrases: 1,
  scope: 0.7,
  recency: 0.2,
  name: 0.2,
};
