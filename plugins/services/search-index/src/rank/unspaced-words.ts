/** What has a character of a script that is written without spaces. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const oneHan = /^\p{Script=Han}$/u;
/** Particles and endings of Japanese; what has a meaning of its own is longer, or has other characters. */
const ending = /^\p{Script=Hiragana}{1,3}$/u;
/** Words that questions have and code is not found by. */
const stopWords = new Set(
  `的 是 了 在 和 与 或 给 把 被 吗 呢 吧 我 你 它 有 会 要 能 到 从 对 为 这 那 哪 何 如何 怎么 怎样 什么 哪里 哪儿 哪个 哪些 为什么
为何 是否 可以 何处 いつも どうやって について どうして どのように ください できます しています します されます`.split(
    /\s+/,
  ),
);
/** Its dictionary takes 15 ms to be opened: who starts does not wait for it. */
let segmenter: Intl.Segmenter | undefined;

/** The words of what may be written without spaces (`正規表現でマッチする` has 正規, 表現 and マッチ); of another script the text itself. */
export function unspacedWords(text: string): string[] {
  if (!unspaced.test(text)) return [text];
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return joined([...segmenter.segment(text)].map(({ segment }) => segment));
}

/** Characters that are no word of the dictionary by themselves are one together: 鉴 and 权 are 鉴权. */
function joined(segments: readonly string[]): string[] {
  const words = [''];
  let isOpen = false;
  for (const segment of segments.map((text) => (stopWords.has(text) || ending.test(text) ? '' : text))) {
    const isOne = oneHan.test(segment);
    words.push(isOne && isOpen ? `${words.pop()}${segment}` : segment);
    isOpen = isOne;
  }
  return words.filter((word) => word !== '');
}
