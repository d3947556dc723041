/** Ascending, separate, inclusive ranges of code points, flat: from, to, from, to … */
export type CodePoints = readonly number[];

/** A byte that belongs to no well-formed character counts as a character of its own, written as this code point. */
export const INVALID = 0x11_0000;

export type Border = 'lineStart' | 'lineEnd' | 'word' | 'notWord';

/** A regular expression over the characters of one line. Groups leave no trace: nobody asks for what they matched. */
export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CodePoints }
  | { readonly kind: 'border'; readonly at: Border }
  | { readonly kind: 'concat'; readonly parts: readonly Node[] }
  | { readonly kind: 'alternate'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly body: Node;
      readonly min: number;
      readonly max: number;
      readonly isGreedy: boolean;
    };
