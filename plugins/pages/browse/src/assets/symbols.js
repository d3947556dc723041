// Where names are defined and used: a panel below the code, which stays while the reader goes on.
if (code?.dataset.symbols) lookNamesUp();

function lookNamesUp() {
  const panel = document.createElement('div');
  panel.className = 'symbol';
  panel.hidden = true;
  panel.tabIndex = -1;
  panel.setAttribute('role', 'dialog');
  panel.setAttribute('aria-label', 'Definition and uses');
  document.body.append(panel);
  let last;
  code.addEventListener('click', (event) => {
    if (event.target.closest('a, .c, .s, .k, .n') || !getSelection().isCollapsed) return;
    const found = nameAt(event.clientX, event.clientY);
    if (found) void lookUp(found);
  });
  panel.addEventListener('click', (event) => event.target.closest('[data-close]') && close());
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) close();
    if (isTyping(event)) return;
    if (event.key === 's' || event.key === 'S') selectName(event);
    const name = getSelection().toString();
    if (event.key === 'Enter' && isName(name) && code.contains(getSelection().anchorNode)) {
      event.preventDefault();
      void lookUp({ name, line: lineOf(getSelection().anchorNode) }).then(() => panel.focus());
    }
  });

  async function lookUp({ name, line }) {
    last?.abort();
    last = new AbortController();
    try {
      const query = new URLSearchParams({ name, part: '', ...(line && { at: line }) });
      const response = await fetch(`${code.dataset.symbols}?${query}`, { signal: last.signal });
      if (!response.ok) return;
      panel.innerHTML = await response.text();
      panel.hidden = false;
      document.body.classList.add('has-panel');
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  }

  function close() {
    panel.hidden = true;
    document.body.classList.remove('has-panel');
  }
}

/** The next name of the chosen line (with Shift the one before) becomes the selection. */
function selectName(event) {
  const text = code.querySelector('.m code');
  if (!text) return;
  event.preventDefault();
  const ranges = namesIn(text);
  const selected = getSelection().rangeCount > 0 ? getSelection().getRangeAt(0) : undefined;
  const at = ranges.findIndex((range) => selected && range.compareBoundaryPoints(Range.START_TO_START, selected) === 0);
  const step = event.key === 'S' ? -1 : 1;
  const next = ranges[at < 0 ? 0 : (at + step + ranges.length) % ranges.length];
  if (!next) return;
  getSelection().removeAllRanges();
  getSelection().addRange(next);
}

function isName(text) {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(text);
}

/** The ranges of names in a line that are neither keywords, texts, numbers nor comments. */
function namesIn(line) {
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement.closest('.c, .s, .k, .n')) continue;
    for (const match of node.data.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      found.push(range);
    }
  }
  return found;
}

function lineOf(node) {
  const row = node.parentElement.closest('.block > div');
  return numberOf(row?.querySelector('a'));
}

/** The name below a point, and the line it stands in. */
function nameAt(x, y) {
  const caret = document.caretPositionFromPoint?.(x, y);
  const fallback = caret ? undefined : document.caretRangeFromPoint?.(x, y);
  const node = caret?.offsetNode ?? fallback?.startContainer;
  const offset = caret?.offset ?? fallback?.startOffset;
  if (node?.nodeType !== Node.TEXT_NODE || !node.parentElement.closest('code')) return undefined;
  let [start, end] = [offset, offset];
  while (start > 0 && isPart(node.data[start - 1])) start -= 1;
  while (end < node.data.length && isPart(node.data[end])) end += 1;
  const name = node.data.slice(start, end);
  return isName(name) ? { name, line: lineOf(node) } : undefined;
}

function isPart(character) {
  return /[\p{L}\p{N}_$]/u.test(character ?? '');
}
