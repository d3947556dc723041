/** Nobody means the files without a number or a letter; code has `return -1` and `ls -l`. */
const mayBeText = /^(?:[\d.]+|..?)$/u;

/** A remark on an excluded word that may have been meant as text. */
export const exclusionRemark = (word: string): string | undefined =>
  mayBeText.test(word) ? `-${word} left out what has "${word}"; quote it to search for it: "-${word}".` : undefined;
