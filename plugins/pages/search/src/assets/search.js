// j and k go through the results, as people expect of places to look for code; Enter opens the one with the cursor.
const results = [...document.querySelectorAll('[data-result]')];
const box = document.querySelector('input[data-suggest]');

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === box) return;
  if (event.target.closest('input, textarea, select')) return;
  if (event.key === 'j') go(event, results.indexOf(document.activeElement) + 1);
  if (event.key === 'k') go(event, results.indexOf(document.activeElement) - 1);
});

function go(event, index) {
  const result = results[Math.max(0, Math.min(index, results.length - 1))];
  if (!result) return;
  event.preventDefault();
  result.focus();
  result.scrollIntoView({ block: 'nearest' });
}

// On a phone the results come first.
const facets = document.querySelector('.facets');
if (facets && matchMedia('(max-width: 64rem)').matches) facets.open = false;

facetsLater();
rememberSearch();
suggest();

/** Counting took longer than the page waited. */
async function facetsLater() {
  const place = document.querySelector('[data-facets]');
  if (!place) return;
  const response = await fetch(place.dataset.facets);
  const template = document.createElement('template');
  if (response.ok) template.innerHTML = await response.text();
  const counted = template.content.querySelector('.facets');
  if (counted) place.replaceWith(counted);
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
function rememberSearch() {
  const query = box?.getAttribute('value');
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

/** Suggestions below the box: a combobox of the ARIA practices. Enter searches unless one of them is chosen. */
function suggest() {
  if (!box) return;
  const list = document.createElement('ul');
  list.id = 'suggestions';
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

  const titles = { filter: 'Filter', value: 'Value', repository: 'Repository', symbol: 'Symbol', file: 'File' };
  let items = [];
  let chosen = -1;
  let last;
  let timer;

  box.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 60);
  });
  box.addEventListener('click', () => list.hidden && ask());
  box.addEventListener('blur', close);
  box.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowDown' && list.hidden && box.value === box.getAttribute('value') && results.length > 0)
      return go(event, 0);
    if (event.key === 'Escape') return list.hidden ? go(event, 0) : (event.preventDefault(), close());
    if (list.hidden) return event.key === 'ArrowDown' ? (event.preventDefault(), ask()) : undefined;
    if (event.key === 'ArrowDown') choose(event, chosen + 1);
    if (event.key === 'ArrowUp') choose(event, chosen - 1);
    if ((event.key === 'Enter' || event.key === 'Tab') && chosen >= 0) take(event, items[chosen]);
    // A filter is completed by Tab as in a shell.
    else if (event.key === 'Tab' && items[0]?.insert !== undefined && !event.shiftKey) take(event, items[0]);
  });
  // Before the box loses the focus.
  list.addEventListener('pointerdown', (event) => {
    const option = event.target.closest('[role=option]');
    if (option) take(event, items[Number(option.dataset.index)]);
  });

  async function ask() {
    last?.abort();
    last = new AbortController();
    const text = box.value.slice(0, box.selectionStart ?? box.value.length);
    if (text.trim() === '') return show('', remembered());
    try {
      const response = await fetch(`/search/suggest?${new URLSearchParams({ q: text })}`, { signal: last.signal });
      if (!response.ok) return close();
      const { word, suggestions } = await response.json();
      const known = remembered().filter(({ search }) => search !== text && search.startsWith(text));
      show(word, [...suggestions, ...known.slice(0, 3)]);
    } catch (error) {
      if (error.name !== 'AbortError') close();
    }
  }

  function show(word, found) {
    items = found.map((item) => ({ ...item, word }));
    chosen = -1;
    list.replaceChildren(...items.map(option));
    list.hidden = items.length === 0 || document.activeElement !== box;
    box.setAttribute('aria-expanded', String(!list.hidden));
    box.removeAttribute('aria-activedescendant');
  }

  function option({ kind, title, detail }, index) {
    const line = document.createElement('li');
    line.id = `suggestion-${index}`;
    line.dataset.index = index;
    line.setAttribute('role', 'option');
    line.setAttribute('aria-selected', 'false');
    for (const [name, text] of [
      ['small', titles[kind] ?? kind],
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

  function take(event, { word, insert, href, search }) {
    event.preventDefault();
    if (href !== undefined) return location.assign(href);
    if (search !== undefined) return location.assign(`/search?${new URLSearchParams({ q: search })}`);
    const end = box.selectionStart ?? box.value.length;
    const start = end - word.length;
    box.value = box.value.slice(0, start) + insert + box.value.slice(end);
    box.setSelectionRange(start + insert.length, start + insert.length);
    close();
    void ask();
  }

  function close() {
    last?.abort();
    list.hidden = true;
    box.setAttribute('aria-expanded', 'false');
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
