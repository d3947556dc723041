// Changes: the lines between hunks, a line that an address names, and where one is in the list of files.
const most = 20;
showBetweenHunks(document);
followFiles();
chooseChangedLine();
showNamedChange();
// Changes may come after the page.
addEventListener('part', ({ target }) => {
  if (!target.querySelector('.change')) return;
  followFiles();
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
  showNamedChange();
});

/** Buttons for the lines before a hunk, and after the last one. */
function showBetweenHunks(part) {
  for (const row of part.querySelectorAll('.diff [data-between]')) {
    const table = row.closest('.diff');
    if (!table.dataset.lines) continue;
    row.hidden = false;
    offer(row);
  }
}

function offer(row) {
  const [from, to] = row.dataset.between.split('-').map(Number);
  row.querySelector('button')?.remove();
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'button plain small' });
  const all = to ? to - from + 1 : most;
  button.textContent =
    to && all <= most ? `Show ${all === 1 ? 'the line' : `${all} lines`} between` : `Show ${most} lines`;
  button.addEventListener('click', () => void show(row));
  (row.querySelector('td > div') ?? row.firstElementChild).prepend(button);
}

/** Those next to the hunk; those after the last one from above. */
async function show(row) {
  const table = row.closest('.diff');
  const [from, to] = row.dataset.between.split('-').map(Number);
  const [first, last] = to ? [Math.max(from, to - most + 1), to] : [from, from + most - 1];
  const response = await fetch(`${table.dataset.lines}?from=${first}&to=${last}`);
  if (!response.ok) return;
  const template = document.createElement('template');
  template.innerHTML = await response.text();
  const shift = Number(row.dataset.shift);
  const lines = [...template.content.querySelectorAll('.block > div')].map((line, index) =>
    contextRow([first + index + shift, first + index], line.querySelector('code'), table.classList.contains('split')),
  );
  if (to) row.after(...lines);
  else row.before(...lines);
  row.dataset.between = to ? `${from}-${first - 1}` : `${from + lines.length}-`;
  if (to ? first > from : lines.length === most) offer(row);
  else row.querySelector('button').remove();
}

function contextRow([before, after], code, isSplit) {
  const row = document.createElement('tr');
  code.prepend(' ');
  const cells = isSplit ? [before, code.cloneNode(true), after, code] : [before, after, code];
  row.append(
    ...cells.map((content) => {
      const cell = document.createElement('td');
      cell.append(content);
      return cell;
    }),
  );
  return row;
}

/** The list of files marks the one that is read. */
function followFiles() {
  const list = document.querySelector('.changed-files');
  const links = [...(list?.querySelectorAll('a[href^="#file-"]') ?? [])];
  if (!matchMedia('(min-width: 80rem)').matches && list) list.open = false;
  if (links.length === 0) return;
  const seen = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) seen[isIntersecting ? 'add' : 'delete'](target.id);
      const current = links.find(({ hash }) => seen.has(hash.slice(1)));
      if (!current) return;
      list.querySelector('[aria-current]')?.removeAttribute('aria-current');
      current.setAttribute('aria-current', 'true');
      const box = list.getBoundingClientRect();
      const { top, bottom } = current.getBoundingClientRect();
      if (top < box.top || bottom > box.bottom) list.scrollTop += top - box.top - box.height / 3;
    },
    { rootMargin: '0px 0px -70% 0px' },
  );
  for (const { hash } of links) observer.observe(document.getElementById(hash.slice(1)));
}

/** A click on a number gives the line an address: `#file-3R45`, with L for the side before. */
function chooseChangedLine() {
  addEventListener('click', ({ target }) => {
    const cell = target.closest('.change[id] .diff td');
    if (!cell || !/^\d+$/.test(cell.textContent)) return;
    const isAfter = [...cell.parentElement.cells].indexOf(cell) > 0;
    history.replaceState(null, '', `#${cell.closest('.change').id}${isAfter ? 'R' : 'L'}${cell.textContent}`);
    markChanged(cell.parentElement);
  });
}

/** The line that the address names. */
function showNamedChange() {
  const [, file, side, number] = /^#(file-\d+)([LR])(\d+)$/.exec(location.hash) ?? [];
  const section = file && document.getElementById(file);
  if (!section) return;
  for (const folded of section.querySelectorAll('details')) folded.open = true;
  const rows = [...section.querySelectorAll('.diff tr:not(.hunk)')];
  const isSplit = section.querySelector('.diff.split') !== null;
  const row = rows.find(({ cells }) => cells[side === 'L' ? 0 : isSplit ? 2 : 1]?.textContent === number);
  if (!row) return;
  markChanged(row);
  row.scrollIntoView({ block: 'center' });
}

function markChanged(row) {
  document.querySelector('.diff tr.m')?.classList.remove('m');
  row.classList.add('m');
}
