// Boxes for searches, of which every page has one: suggestions below them, and what this browser searched before.
for (const box of document.querySelectorAll('input[data-suggest]')) {
  rememberSearch(box);
  suggestSearches(box);
}

function kept(key) {
  try {
    const list = JSON.parse(localStorage.getItem(key));
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** The last searches, and those that were saved, are kept in this browser alone. */
function rememberSearch(box) {
  const query = box.getAttribute('value')?.trim();
  if (!query) return;
  const mostRecent = 20;
  localStorage.setItem(
    'recent-searches',
    JSON.stringify([query, ...kept('recent-searches').filter((one) => one !== query)].slice(0, mostRecent)),
  );
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button plain';
  const isSaved = () => kept('saved-searches').includes(query);
  const show = () => {
    button.textContent = isSaved() ? 'Saved' : 'Save';
    button.setAttribute('aria-pressed', isSaved());
    button.title = isSaved() ? 'Forget this search' : 'Keep this search in the list below the box';
  };
  button.addEventListener('click', () => {
    const others = kept('saved-searches').filter((one) => one !== query);
    localStorage.setItem('saved-searches', JSON.stringify(isSaved() ? others : [query, ...others]));
    show();
  });
  show();
  box.form.append(button);
}

/** Filters, values, repositories, names and files for the last word; searches that are kept for an empty box. */
function suggestSearches(box) {
  // The cursor stands behind what is there already. The browser may focus the box after this script ran.
  const toEnd = () => box.setSelectionRange(box.value.length, box.value.length);
  if (document.activeElement === box) toEnd();
  else if (box.autofocus) box.addEventListener('focus', toEnd, { once: true });
  const titles = { filter: 'Filter', value: 'Value', repository: 'Repository', symbol: 'Symbol', file: 'File' };
  const list = suggestions(box, { ask, take });
  box.addEventListener('click', () => list.isOpen() || list.open());
  box.addEventListener('keydown', (event) => {
    if (list.isOpen() && event.key === 'Escape') {
      event.preventDefault();
      list.close();
    }
    if (!list.isOpen() && event.key === 'ArrowDown') list.open();
  });

  async function* ask(text, signal) {
    if (text.trim() === '') return yield remembered();
    const known = remembered().filter(({ search }) => search !== text && search.startsWith(text));
    const names = suggested({ q: text, of: 'symbols' }, signal).catch(() => []);
    const quick = [...(await suggested({ q: text }, signal)), ...known.slice(0, 3)];
    yield quick;
    yield [...quick, ...(await names)];
  }

  async function suggested(query, signal) {
    const response = await fetch(`/search/suggest?${new URLSearchParams(query)}`, { signal });
    if (!response.ok) return [];
    const { word, suggestions: found } = await response.json();
    const start = query.q.length - word.length;
    return found.map((item) => ({ ...item, kind: titles[item.kind], start }));
  }

  function take({ start, insert, href, search }) {
    if (href !== undefined) return location.assign(href);
    if (search !== undefined) return location.assign(`/search?${new URLSearchParams({ q: search })}`);
    const end = box.selectionStart ?? box.value.length;
    box.value = box.value.slice(0, start) + insert + box.value.slice(end);
    box.setSelectionRange(start + insert.length, start + insert.length);
    void list.open();
  }
}

function remembered() {
  const saved = kept('saved-searches');
  const recent = kept('recent-searches').filter((search) => !saved.includes(search));
  return [
    ...saved.map((search) => ({ kind: 'Saved', title: search, search })),
    ...recent.slice(0, 8).map((search) => ({ kind: 'Recent', title: search, search })),
  ];
}
