/**
 * A box with suggestions below it: a combobox of the ARIA practices. `ask` yields, for the text before the cursor, the
 * items as `{ kind, title, detail }`, and once more when there are others; `take` gets the one that was chosen. Enter
 * sends the form unless one is chosen.
 */
// oxlint-disable-next-line no-unused-vars -- the modules of pages that use it follow in the same file
function suggestions(box, { ask, take, takesFirst = false }) {
  const list = document.createElement('ul');
  list.id = `${box.id || 'box'}-suggestions`;
  list.className = 'suggestions';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  list.hidden = true;
  box.after(list);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': list.id,
    'aria-expanded': 'false',
  }))
    box.setAttribute(name, value);

  let items = [];
  /** What stood before the cursor when these were asked for. */
  let shownFor = '';
  /** Whether the first item of the list that is on its way is taken. */
  let isAwaited = false;
  let chosen = -1;
  let last;
  let timer;
  let askedAt = -Infinity;
  // The first sign is answered at once, those of someone who types fast together.
  const leastMs = 60;
  const self = { open, close, isOpen: () => !list.hidden };

  box.addEventListener('input', () => {
    isAwaited = false;
    clearTimeout(timer);
    timer = setTimeout(open, Math.max(0, askedAt + leastMs - performance.now()));
  });
  box.addEventListener('blur', close);
  box.addEventListener('keydown', (event) => {
    if (list.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowDown') choose(event, chosen + 1);
    if (event.key === 'ArrowUp') choose(event, Math.max(chosen, 0) - 1);
    if ((event.key === 'Enter' || event.key === 'Tab') && chosen >= 0) pick(event, chosen);
    // A word is completed by Tab as in a shell; one that was typed faster than its list comes waits for it.
    else if (event.key === 'Tab' && items[0]?.insert !== undefined && !event.shiftKey) {
      if (shownFor === typed()) pick(event, 0);
      else {
        event.preventDefault();
        isAwaited = true;
      }
    } else if (event.key === 'Enter' && takesFirst) pick(event, 0);
  });
  // Before the box loses the focus.
  list.addEventListener('pointerdown', (event) => {
    const option = event.target.closest('[role=option]');
    if (option) pick(event, Number(option.dataset.index));
  });
  return self;

  async function open() {
    askedAt = performance.now();
    last?.abort();
    last = new AbortController();
    const { signal } = last;
    try {
      const text = typed();
      let isFirst = true;
      for await (const found of ask(text, signal)) {
        if (signal.aborted) return;
        show(found, isFirst);
        if (isFirst) shownFor = text;
        isFirst = false;
        if (isAwaited && items[0]?.insert !== undefined) return takeItem(0);
      }
    } catch {
      if (!signal.aborted) close();
    }
  }

  function typed() {
    return box.value.slice(0, box.selectionStart ?? box.value.length);
  }

  /** Later items of one text come below those that are there, of which one may be chosen. */
  function show(found, isFirst) {
    const kept = isFirst ? 0 : items.length;
    items = found;
    const lines = items.slice(kept).map((item, index) => option(item, kept + index));
    if (isFirst) {
      chosen = -1;
      list.replaceChildren(...lines);
      box.removeAttribute('aria-activedescendant');
    } else list.append(...lines);
    list.hidden = items.length === 0 || document.activeElement !== box;
    box.setAttribute('aria-expanded', String(!list.hidden));
  }

  function option({ kind, title, detail }, index) {
    const line = document.createElement('li');
    line.id = `${list.id}-${index}`;
    line.dataset.index = index;
    line.setAttribute('role', 'option');
    line.setAttribute('aria-selected', 'false');
    for (const [name, text] of [
      ['small', kind],
      ['code', title],
      ['span', detail ?? ''],
    ]) {
      const part = document.createElement(name);
      part.textContent = text;
      line.append(part);
    }
    return line;
  }

  function choose(event, index) {
    event.preventDefault();
    list.children[chosen]?.setAttribute('aria-selected', 'false');
    chosen = (index + items.length) % items.length;
    const line = list.children[chosen];
    line.setAttribute('aria-selected', 'true');
    line.scrollIntoView({ block: 'nearest' });
    box.setAttribute('aria-activedescendant', line.id);
  }

  function pick(event, index) {
    event.preventDefault();
    takeItem(index);
  }

  function takeItem(index) {
    close();
    take(items[index]);
  }

  function close() {
    isAwaited = false;
    clearTimeout(timer);
    last?.abort();
    list.hidden = true;
    box.setAttribute('aria-expanded', 'false');
  }
}
