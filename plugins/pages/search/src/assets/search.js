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

/** Filters, values, repositories, names and files for the last word; searches that are kept for an empty box. */
function suggest() {
  if (!box) return;
  const titles = { filter: 'Filter', value: 'Value', repository: 'Repository', symbol: 'Symbol', file: 'File' };
  const list = suggestions(box, { ask, take });
  box.addEventListener('click', () => list.isOpen() || list.open());
  box.addEventListener('keydown', (event) => {
    if (list.isOpen()) return event.key === 'Escape' ? (event.preventDefault(), list.close()) : undefined;
    const isUnchanged = box.value === box.getAttribute('value') && results.length > 0;
    if (event.key === 'Escape' || (event.key === 'ArrowDown' && isUnchanged)) go(event, 0);
    else if (event.key === 'ArrowDown') list.open();
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
    return found.map((item) => ({ ...item, kind: titles[item.kind], word }));
  }

  function take({ word, insert, href, search }) {
    if (href !== undefined) return location.assign(href);
    if (search !== undefined) return location.assign(`/search?${new URLSearchParams({ q: search })}`);
    const end = box.selectionStart ?? box.value.length;
    const start = end - word.length;
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
