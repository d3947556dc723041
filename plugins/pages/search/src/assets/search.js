// j and k go through the results, as people expect of places to look for code; Enter opens the one with the cursor.
let results = [];
const box = document.querySelector('main input[data-suggest]');

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  if (event.key === 'j') go(event, results.indexOf(document.activeElement) + 1);
  if (event.key === 'k') go(event, results.indexOf(document.activeElement) - 1);
});

// From the box: Escape, and the arrow while the box still has what was asked. What the list below the box took is taken.
box?.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || box.getAttribute('aria-expanded') === 'true') return;
  const isUnchanged = box.value === box.getAttribute('value') && results.length > 0;
  if (event.key === 'Escape' || (event.key === 'ArrowDown' && isUnchanged)) go(event, 0);
});

function go(event, index) {
  const result = results[Math.max(0, Math.min(index, results.length - 1))];
  if (!result) return;
  event.preventDefault();
  result.focus();
  result.scrollIntoView({ block: 'nearest' });
  if (isPreviewing()) void preview(result);
}

// p shows the file of a result below the page, x folds its lines, X those of all.
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  const result = results.find((one) => one === document.activeElement) ?? results[0];
  if (event.key === 'Escape' && isPreviewing()) closePreview();
  if (!result) return;
  if (event.key === 'p') void (isPreviewing() ? closePreview() : preview(result));
  if (event.key === 'x') fold([result]);
  if (event.key === 'X') fold(results);
});
/** What results have once they are in the page. */
function takeResults() {
  results = [...document.querySelectorAll('[data-result]')];
  for (const result of results) {
    const bar = result.closest('.found-file')?.querySelector('.panel-bar');
    if (!bar?.parentElement.querySelector('.code')) continue;
    const actions = bar.querySelector('.actions') ?? bar.appendChild(document.createElement('span'));
    actions.classList.add('actions');
    actions.append(
      actionOf('Preview', 'Show the file below (p)', () => preview(result)),
      actionOf('Fold', 'Hide the lines, or show them again (x)', () => fold([result])),
    );
  }
}

/** On a narrow screen the results come first. */
function foldFacets() {
  const facets = document.querySelector('.facets');
  if (facets && matchMedia('(max-width: 48rem)').matches) facets.open = false;
}

function actionOf(text, title, act) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'button plain small', textContent: text, title });
  button.addEventListener('click', act);
  return button;
}

/** Where one of them shows its lines all hide them, else all show them. */
function fold(some) {
  const pieces = some.flatMap((result) => [...(result.closest('.found-file')?.querySelectorAll('.code') ?? [])]);
  const isFolded = pieces.some((piece) => !piece.hidden);
  for (const piece of pieces) piece.hidden = isFolded;
}

function isPreviewing() {
  return document.body.classList.contains('has-panel');
}

function closePreview() {
  document.querySelector('.symbol')?.remove();
  document.body.classList.remove('has-panel');
}

/** The lines around the first match of a result, in a panel below the page. */
async function preview(result) {
  const { pathname, search } = new URL(result.href);
  const around = 40;
  const line = Number(/L(\d+)/.exec(search)?.[1] ?? 1);
  const from = Math.max(1, line - around);
  const response = await fetch(`${pathname.replace('/-/blob/', '/-/lines/')}?from=${from}&to=${line + around}`);
  if (!response.ok) return;
  const panel = document.createElement('div');
  panel.className = 'symbol';
  panel.setAttribute('role', 'region');
  panel.setAttribute('aria-label', 'Preview');
  const inner = document.createElement('div');
  const bar = document.createElement('div');
  bar.className = 'panel-bar';
  const title = document.createElement('h2');
  title.textContent = result.getAttribute('aria-label');
  bar.append(title, actionOf('Close', 'Close (Escape)', closePreview));
  const code = document.createElement('div');
  code.className = 'code';
  code.tabIndex = 0;
  code.setAttribute('role', 'group');
  code.setAttribute('aria-label', 'Lines of the file');
  const lines = document.createElement('div');
  lines.className = 'lines';
  lines.innerHTML = await response.text();
  for (const link of lines.querySelectorAll('a')) link.href = pathname + new URL(link.href).search;
  code.append(lines);
  inner.append(bar, code);
  panel.append(inner);
  closePreview();
  document.body.append(panel);
  document.body.classList.add('has-panel');
  const marked = lines.querySelector(`#L${line}`)?.parentElement;
  marked?.classList.add('m');
  if (marked) panel.scrollTop = marked.offsetTop - panel.clientHeight / 2;
}

takeResults();
foldFacets();
void later();

/** Results, and what they can be narrowed by, that took longer than the page waited. */
async function later() {
  for (const part of ['results', 'facets']) {
    const place = document.querySelector(`[data-${part}]`);
    if (!place) continue;
    const template = document.createElement('template');
    try {
      const response = await fetch(place.dataset[part]);
      if (response.ok) template.innerHTML = await response.text();
    } catch {
      // The network is gone: as an answer that is none.
    }
    const found = [...(template.content.firstElementChild?.childNodes ?? [])];
    if (part === 'results')
      place.replaceWith(
        ...(found.length > 0 ? found : ['The search was stopped before it ended. Ask for less, or again.']),
      );
    else if (found.length > 0) place.replaceWith(...found);
    if (part === 'results') takeResults();
    foldFacets();
    if (part === 'results') document.querySelector('main').dispatchEvent(new Event('part', { bubbles: true }));
  }
}
