// The tree beside a file, and the way to any file by a part of its path.
for (const tree of document.querySelectorAll('.file-tree')) {
  const current = tree.querySelector('[aria-current]');
  if (current) tree.scrollTop = current.offsetTop - tree.clientHeight / 2;
  tree.addEventListener('click', async (event) => {
    const folder = event.target.closest('[data-part]');
    if (!folder || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const below = folder.parentElement.querySelector(':scope > ul');
    const isOpen = folder.dataset.open !== 'true';
    folder.dataset.open = String(isOpen);
    if (below) return (below.hidden = !isOpen);
    const response = await fetch(folder.dataset.part);
    const template = document.createElement('template');
    if (response.ok) template.innerHTML = await response.text();
    const list = template.content.querySelector('ul');
    if (list && !folder.parentElement.querySelector(':scope > ul')) folder.after(list);
  });
}

const place = document.querySelector('[data-files]');
if (place) goToFile();
const refs = document.querySelector('[data-refs]');
if (refs) chooseRevision();
for (const input of document.querySelectorAll('[data-refs-for]')) {
  // What is typed takes the place of what was chosen.
  input.addEventListener('focus', () => input.select());
  suggestions(input, {
    ask: (text, signal) => refsNamed(input.dataset.refsFor, text, signal),
    take: ({ title }) => (input.value = title),
  });
}

/** A box that a key opens, for a part of a name. */
function finder({ label, key, ask }) {
  const dialog = document.createElement('dialog');
  dialog.className = 'finder';
  dialog.setAttribute('aria-label', label);
  const form = document.createElement('form');
  form.className = 'search-box';
  form.method = 'dialog';
  const input = document.createElement('input');
  Object.assign(input, {
    type: 'search',
    id: `finder-${key}`,
    placeholder: label,
    autocomplete: 'off',
    spellcheck: false,
  });
  input.setAttribute('aria-label', label);
  form.append(input);
  dialog.append(form);
  document.body.append(dialog);
  const list = suggestions(input, { takesFirst: true, ask, take: ({ href }) => href && location.assign(href) });
  const open = () => {
    dialog.showModal();
    input.select();
    void list.open();
  };
  addEventListener('keydown', (event) => {
    if (event.key !== key || isTyping(event)) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return open;
}

function goToFile() {
  const open = finder({
    label: 'Part of a path',
    key: 't',
    async *ask(text, signal) {
      const response = await fetch(`${place.dataset.files}?${new URLSearchParams({ q: text })}`, { signal });
      if (!response.ok) return;
      const { files } = await response.json();
      const found = files.map(({ path, href }) => ({ kind: 'File', title: path, href }));
      yield found.length > 0 || text.trim() === '' ? found : [{ kind: 'None', title: 'No file has this in its path' }];
    },
  });
  const button = document.createElement('button');
  Object.assign(button, {
    type: 'button',
    className: 'button plain small',
    textContent: 'Go to file',
    title: 'Go to file (t)',
  });
  button.addEventListener('click', open);
  place.querySelector('.actions')?.prepend(button);
}

/** The same path at another branch or tag. */
function chooseRevision() {
  const open = finder({ label: 'Branch or tag', key: 'b', ask: (text, signal) => refsNamed(refs.href, text, signal) });
  refs.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
}

async function* refsNamed(address, text, signal) {
  const response = await fetch(`${address}?${new URLSearchParams({ suggest: text })}`, { signal });
  if (!response.ok) return;
  const all = (await response.json()).refs;
  const found = all.map(({ name, type, date, href }) => ({
    kind: type === 'tag' ? 'Tag' : 'Branch',
    title: name,
    detail: date,
    href,
  }));
  yield address === refs?.href ? [...found, { kind: 'All', title: 'Branches and tags', href: address }] : found;
}

// What the page did not wait for is there.
addEventListener('part', (event) => showBetweenHunks(event.target));
