const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands inside an element or a quoted attribute. The only way of code into a page. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? character);

/** Longest line that is shown whole. */
export const longestLine = 5000;

/** A line without colours. */
export const plainLine = (line: string): string =>
  line.length > longestLine
    ? `${escapeText(line.slice(0, longestLine))}<span class="cut"> … ${line.length - longestLine} more characters</span>`
    : escapeText(line);
