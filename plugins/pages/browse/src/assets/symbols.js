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
  const hover = declarations();
  restore();
  code.addEventListener('click', (event) => {
    if (event.target.closest('a, .c, .s, .k, .n') || !getSelection().isCollapsed) return;
    const found = nameAt(event.clientX, event.clientY);
    hover.hide();
    if (found) void lookUp({ name: found.toString(), line: lineOf(found.startContainer) });
  });
  panel.addEventListener('click', (event) => {
    if (event.target.closest('[data-close]')) return close();
    if (!event.target.closest('a')) return;
    const { address } = JSON.parse(sessionStorage.getItem('panel') ?? '{}');
    sessionStorage.setItem('panel', JSON.stringify({ address, top: panel.scrollTop }));
    // After the address has changed, where the line is on this page.
    setTimeout(markHere);
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) close();
    if (isTyping(event)) return;
    if ((event.key === 's' || event.key === 'S') && selectName(event)) hover.show(rangeOfSelection());
    const name = getSelection().toString();
    if (event.key === 'Enter' && isName(name) && code.contains(getSelection().anchorNode)) {
      event.preventDefault();
      hover.hide();
      void lookUp({ name, line: lineOf(getSelection().anchorNode) });
      panel.focus();
    }
  });

  function lookUp({ name, line }) {
    const query = new URLSearchParams({ name, part: '', shown: code.dataset.revision, ...(line && { at: line }) });
    return show(`${code.dataset.symbols}?${query}`);
  }

  /** Opens at once: an answer from files that nobody looked at before takes seconds. */
  async function show(address) {
    last?.abort();
    const { signal } = (last = new AbortController());
    tell('Looking for where it is defined and used …', address);
    panel.hidden = false;
    document.body.classList.add('has-panel');
    try {
      const response = await fetch(address, { signal });
      if (!response.ok) return tell('The server has no answer now. Choose the name again later.', address);
      panel.innerHTML = await response.text();
      panel.dispatchEvent(new Event('part', { bubbles: true }));
      markHere();
      sessionStorage.setItem('panel', JSON.stringify({ address, top: 0 }));
    } catch {
      if (!signal.aborted) tell('The server cannot be reached. Choose the name again later.', address);
    }
  }

  /** What there is to say of a name instead of its places. */
  function tell(text, address) {
    const bar = document.createElement('div');
    bar.className = 'panel-bar';
    const name = document.createElement('h2');
    name.className = 'mono';
    name.textContent = new URL(address, location.href).searchParams.get('name');
    const status = document.createElement('span');
    status.className = 'quiet';
    status.setAttribute('role', 'status');
    status.textContent = text;
    const button = document.createElement('button');
    button.className = 'button small';
    button.type = 'button';
    button.dataset.close = '';
    button.textContent = 'Close';
    bar.append(name, status, button);
    panel.replaceChildren(bar);
  }

  function close() {
    last?.abort();
    panel.hidden = true;
    document.body.classList.remove('has-panel');
    sessionStorage.removeItem('panel');
  }

  /** It stays while its links are followed from file to file. */
  function restore() {
    const { address, top } = JSON.parse(sessionStorage.getItem('panel') ?? '{}');
    if (address) void show(address).then(() => (panel.scrollTop = top));
  }

  /** The use that the reader came by. */
  function markHere() {
    panel.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const here = [...panel.querySelectorAll('.uses a')].find(({ href }) => href === location.href);
    here?.setAttribute('aria-current', 'true');
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
  return next;
}

function rangeOfSelection() {
  return getSelection().getRangeAt(0);
}

/** How the name below the pointer is declared, in a box beside it; its other places in the file are marked. */
function declarations() {
  const box = document.createElement('div');
  box.className = 'declaration';
  box.hidden = true;
  box.setAttribute('role', 'status');
  document.body.append(box);
  const known = new Map();
  let timer;
  let wanted;
  code.addEventListener('pointermove', ({ clientX, clientY, pointerType, buttons, target }) => {
    clearTimeout(timer);
    if (pointerType !== 'mouse' || buttons > 0) return;
    timer = setTimeout(() => {
      const range = target.closest('a, .c, .s, .k, .n') ? undefined : nameAt(clientX, clientY);
      if (range) void show(range);
      else hide();
    }, 150);
  });
  code.addEventListener('pointerleave', () => (clearTimeout(timer), hide()));
  addEventListener('scroll', hide, { passive: true });
  addEventListener('keydown', ({ key }) => key === 'Escape' && hide());
  return { show, hide };

  async function show(range) {
    const [name, line] = [range.toString(), lineOf(range.startContainer)];
    const key = `${name} ${line}`;
    if (wanted === key) return;
    hide();
    wanted = key;
    markPlaces(name);
    if (!known.has(key)) known.set(key, declarationOf(name, line));
    const content = await known.get(key);
    if (wanted !== key || !content) return;
    box.replaceChildren(content.cloneNode(true));
    box.hidden = false;
    const { left, top, bottom } = range.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    const isBelow = bottom + height + 8 < innerHeight;
    box.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    box.style.top = `${isBelow ? bottom + 4 : Math.max(8, top - height - 4)}px`;
  }

  function hide() {
    wanted = undefined;
    box.hidden = true;
    globalThis.CSS?.highlights?.delete('name');
  }
}

async function declarationOf(name, line) {
  const query = new URLSearchParams({ name, part: 'declaration', ...(line && { at: line }) });
  const response = await fetch(`${code.dataset.symbols}?${query}`);
  const template = document.createElement('template');
  if (response.ok) template.innerHTML = await response.text();
  const content = template.content.firstElementChild;
  return content?.textContent.trim() ? content : undefined;
}

/** Marks a name wherever it stands in the lines that are near, without touching them. */
function markPlaces(name) {
  if (!globalThis.CSS?.highlights) return;
  const near = [...code.querySelectorAll('.block')].filter((block) => {
    const { top, bottom } = block.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  const lines = near.flatMap((block) => [...block.querySelectorAll('code')]);
  const ranges = lines
    .filter((line) => line.textContent.includes(name))
    .flatMap((line) => namesIn(line).filter((range) => range.toString() === name));
  CSS.highlights.set('name', new Highlight(...ranges));
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

/** The range of the name below a point. */
function nameAt(x, y) {
  const caret = document.caretPositionFromPoint?.(x, y);
  const fallback = caret ? undefined : document.caretRangeFromPoint?.(x, y);
  const node = caret?.offsetNode ?? fallback?.startContainer;
  const offset = caret?.offset ?? fallback?.startOffset;
  if (node?.nodeType !== Node.TEXT_NODE || !node.parentElement.closest('code')) return undefined;
  let [start, end] = [offset, offset];
  while (start > 0 && isPart(node.data[start - 1])) start -= 1;
  while (end < node.data.length && isPart(node.data[end])) end += 1;
  if (!isName(node.data.slice(start, end))) return undefined;
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range;
}

function isPart(character) {
  return /[\p{L}\p{N}_$]/u.test(character ?? '');
}
