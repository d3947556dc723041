const firstBeyondAscii = 0x80;
/** No character beyond has another case. */
const lastWithCase = 0x1_ffff;

let all: readonly (readonly string[])[] | undefined;

/**
 * Groups of characters that are the same in any case: Unicode's simple folding, except that ASCII letters have only ASCII
 * letters as other cases (no Kelvin sign for k, no long s for s).
 */
export function caseGroups(): readonly (readonly string[])[] {
  all ??= [
    ...[...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter, letter.toUpperCase()]),
    ...groupsBeyondAscii(),
  ];
  return all;
}

let byMember: ReadonlyMap<string, readonly string[]> | undefined;

/** The character in all its cases, itself among them. */
export function casesOf(character: string): readonly string[] {
  byMember ??= new Map(caseGroups().flatMap((group) => group.map((member) => [member, group])));
  return byMember.get(character) ?? [character];
}

function groupsBeyondAscii(): string[][] {
  const byKey = new Map<string, string[]>();
  for (let code = firstBeyondAscii; code <= lastWithCase; code += 1) {
    const character = String.fromCodePoint(code);
    const key = foldingKey(character);
    const group = byKey.get(key);
    if (group) group.push(character);
    else byKey.set(key, [character]);
  }
  return [...byKey.values()].filter(({ length }) => length > 1);
}

/** The lower case of the upper case, where both are one character beyond ASCII. */
function foldingKey(character: string): string {
  const upper = character.toUpperCase();
  const lower = (isOneBeyondAscii(upper) ? upper : character).toLowerCase();
  return isOneBeyondAscii(lower) ? lower : character;
}

const isOneBeyondAscii = (text: string): boolean => {
  const code = text.codePointAt(0) ?? 0;
  return code >= firstBeyondAscii && text.length === (code > 0xffff ? 2 : 1);
};
