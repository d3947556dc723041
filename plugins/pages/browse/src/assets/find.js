// Find in file: the server looks through all lines, because of a long file the page has some only.
if (code) findInFile();

function findInFile() {
  const bar = document.querySelector('[data-find]');
  const [input, position] = [bar.querySelector('input'), bar.querySelector('output')];
  let found = [];
  let at = -1;
  let last;
  let timer;
  bar.addEventListener('submit', (event) => event.preventDefault());
  document.querySelector('[data-open-find]').hidden = false;
  document.querySelector('[data-open-find]').addEventListener('click', open);
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(find, 100);
  });
  bar.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') void go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') close();
  });
  bar.addEventListener('click', ({ target }) => {
    const step = target.closest('[data-step]')?.dataset.step;
    if (step) void go(Number(step));
    if (target.closest('[data-close]')) close();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'f' || isTyping(event)) return;
    event.preventDefault();
    open();
  });
  addEventListener('scroll', () => !bar.hidden && markFound(), { passive: true });

  function open() {
    bar.hidden = false;
    const chosen = getSelection().toString();
    if (chosen && !chosen.includes('\n')) input.value = chosen;
    input.select();
    input.focus();
    void find();
  }

  function close() {
    bar.hidden = true;
    globalThis.CSS?.highlights?.delete('found');
    globalThis.CSS?.highlights?.delete('found-here');
  }

  async function find() {
    last?.abort();
    last = new AbortController();
    const text = input.value;
    try {
      const query = new URLSearchParams({ find: text });
      const response = text && (await fetch(`${code.dataset.lines}?${query}`, { signal: last.signal }));
      const answer = response ? await response.json() : { places: [], hasMore: false };
      found = answer.places;
      found.hasMore = answer.hasMore;
      const first = firstVisibleLine() ?? 1;
      at =
        Math.max(
          0,
          found.findIndex(([line]) => line >= first),
        ) - 1;
      await go(1);
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  }

  async function go(step) {
    at = found.length === 0 ? -1 : (at + step + found.length) % found.length;
    const total = `${found.length.toLocaleString()}${found.hasMore ? '+' : ''}`;
    position.textContent = input.value === '' ? '' : found.length === 0 ? 'None' : `${at + 1} of ${total}`;
    const [line] = found[at] ?? [];
    if (line !== undefined) {
      await loadLine(line);
      document.getElementById(`L${line}`)?.scrollIntoView({ block: 'center' });
    }
    markFound();
  }

  /** In the lines that are near; the one that was gone to apart. */
  function markFound() {
    if (!globalThis.CSS?.highlights) return;
    const near = new Set(
      [...code.querySelectorAll('.block')]
        .filter((block) => {
          const { top, bottom } = block.getBoundingClientRect();
          return bottom > 0 && top < innerHeight;
        })
        .flatMap((block) => [...block.querySelectorAll('a')].map(numberOf)),
    );
    const ranges = (places) => places.filter(([line]) => near.has(line)).flatMap((place) => rangeOf(place) ?? []);
    CSS.highlights.set('found', new Highlight(...ranges(found)));
    CSS.highlights.set('found-here', new Highlight(...ranges(found.slice(at, at + 1))));
  }
}

/** Characters of a line, which may be in several elements. */
function rangeOf([line, start, length]) {
  const text = document.getElementById(`L${line}`)?.parentElement.querySelector('code');
  if (!text) return undefined;
  const range = document.createRange();
  const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let passed = 0;
  let isBegun = false;
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const end = passed + node.data.length;
    if (!isBegun && start < end) {
      range.setStart(node, start - passed);
      isBegun = true;
    }
    if (isBegun && start + length <= end) {
      range.setEnd(node, start + length - passed);
      return range;
    }
    passed = end;
  }
  return undefined;
}
