// Copy buttons: hidden in the page, shown here, so that nobody sees a button that does nothing.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = 'Copied';
    } catch {
      // No permission, or no https: select it, so that the keyboard can copy it.
      getSelection().selectAllChildren(source);
      button.textContent = 'Press Ctrl+C';
    }
    setTimeout(() => (button.textContent = label), 2000);
  });
}

// Of links that scroll sideways, the one of this page is in sight.
for (const link of document.querySelectorAll('nav a[aria-current]')) {
  const nav = link.parentElement;
  const start = link.offsetLeft - nav.offsetLeft;
  if (start + link.offsetWidth > nav.clientWidth) nav.scrollLeft = start - nav.clientWidth / 3;
}

// The button for the theme goes from that of the system to light and dark, and back.
for (const button of document.querySelectorAll('[data-theme-switch]')) {
  const themes = ['system', 'light', 'dark'];
  const { dataset } = document.documentElement;
  const show = () => {
    const theme = dataset.theme ?? 'system';
    button.textContent = { system: '◐', light: '☀', dark: '☾' }[theme];
    button.title = `Theme: ${theme}`;
    button.setAttribute('aria-label', `Theme: ${theme}`);
  };
  button.hidden = false;
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(dataset.theme ?? 'system') + 1) % themes.length];
    if (next === 'system') delete dataset.theme;
    else dataset.theme = next;
    localStorage.setItem('theme', next);
    show();
  });
  show();
}

// A slash puts the cursor into the search box, as people expect of places to look for code. Narrow screens have no room for one.
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select, [contenteditable]')) return;
  const box = [...document.querySelectorAll('input[type="search"]')].find((one) => one.checkVisibility());
  if (!box) return;
  event.preventDefault();
  box.focus();
  box.select();
  // An empty one shows what was searched before.
  if (box.value === '') box.click();
});

// What the page did not wait for: last commits of files, what stands beside them, how far branches are apart.
for (const old of document.querySelectorAll('nav[data-part], aside[data-part], section[data-part]'))
  void replacePart(old);

async function replacePart(old) {
  const response = await fetch(old.dataset.part);
  const template = document.createElement('template');
  if (response.ok) template.innerHTML = await response.text();
  const part = template.content.querySelector(old.localName);
  if (!part) return;
  old.replaceWith(part);
  part.dispatchEvent(new Event('part', { bubbles: true }));
}

// Code did not wait for all of its colours: they come with the same lines, which are put into their places.
addEventListener('part', ({ target }) => void colourLater(target));
void colourLater(document);

async function colourLater(part) {
  const late = part.querySelector('[data-coloured]');
  if (!late) return;
  const template = document.createElement('template');
  try {
    const response = await fetch(late.dataset.coloured);
    if (response.ok) template.innerHTML = await response.text();
  } catch {
    // The lines stay plain.
  }
  const [lines, coloured] = [late, template.content].map((parent) => [
    ...parent.querySelectorAll(':is(.lines, .uses, .diff tbody) code'),
  ]);
  // Lines that were shown since stand between them; the others are in the same order.
  for (const line of lines) if (line.textContent === coloured[0]?.textContent) line.replaceWith(coloured.shift());
}

// What shows work that goes on is read again while it does, but not under the hands of someone who chooses in it.
for (const section of document.querySelectorAll('section[data-live]')) renewLater(section);

function renewLater(section) {
  setTimeout(() => void renew(section), 5000);
}

async function renew(old) {
  const text = isInUse(old) ? undefined : await pageNow();
  if (text === undefined || isInUse(old)) return renewLater(old);
  const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById(old.id);
  if (!fresh) return;
  const [before, after] = [old, fresh].map((section) => section.querySelector('details'));
  if (before && after) after.open = before.open;
  showChoosers(fresh);
  old.replaceWith(fresh);
  if (fresh.matches('[data-live]')) renewLater(fresh);
}

const isInUse = (section) =>
  document.hidden ||
  section.contains(document.activeElement) ||
  section.querySelector('input:checked') !== null ||
  [...section.querySelectorAll('input[type="search"]')].some(({ value, defaultValue }) => value !== defaultValue);

async function pageNow() {
  try {
    const response = await fetch(location.href);
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

// Boxes that choose all rows of a form do nothing without a script.
function showChoosers(root) {
  for (const box of root.querySelectorAll('[data-chooses]')) box.hidden = false;
}
showChoosers(document);

addEventListener('change', ({ target }) => {
  // Fields that send their form when they change; without JavaScript the form has its button.
  if (target.matches('[data-submits]')) target.form.requestSubmit();
  if (!target.matches('[data-chooses]')) return;
  for (const row of document.querySelectorAll(`input[type="checkbox"][form="${target.dataset.chooses}"]`))
    row.checked = target.checked;
});

// The keys that do something on this page.
const keys = [
  ['/', 'Search', 'input[type="search"]'],
  ['t', 'Go to a file of the repository', '[data-files]'],
  ['b', 'Choose a branch or tag', '[data-refs]'],
  ['f', 'Find in the file', '[data-find]'],
  ['w', 'Wrap long lines', '[data-wrap]'],
  ['j k', 'Next and previous line', '.code[data-lines]'],
  ['s S', 'Next and previous name of the line', '[data-symbols]'],
  ['Enter', 'Definition and uses of the name', '[data-symbols]'],
  ['y', 'Address that means the same for ever', '[data-permalink]'],
  ['c', 'Copy a link to the chosen lines', '.code[data-lines]'],
  ['j k', 'Next and previous result', '[data-result]'],
  ['p', 'Preview of the file, and away again', '.found-file .code'],
  ['x X', 'Fold the lines of the result, or of all', '.found-file .code'],
  ['Tab', 'Complete the word', '[data-suggest]'],
  ['?', 'This help', 'body'],
];
addEventListener('keydown', (event) => {
  if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select, dialog[open]')) return;
  const dialog = document.createElement('dialog');
  dialog.className = 'keys';
  dialog.setAttribute('aria-label', 'Keys');
  const list = document.createElement('dl');
  for (const [key, meaning, needed] of keys) {
    if (!document.querySelector(needed)) continue;
    const [term, text, box] = ['dt', 'dd', 'kbd'].map((name) => document.createElement(name));
    box.textContent = key;
    text.textContent = meaning;
    term.append(box);
    list.append(term, text);
  }
  dialog.append(list);
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', () => dialog.close());
  // At once: the key that follows may already be meant for the page.
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    dialog.close();
  });
  dialog.showModal();
});
