// What the pages with code do besides being read: choose lines, load what is scrolled to, look names up where they stand.
const code = document.querySelector('.code[data-lines]');
/** Of a long file: brings a line that is not there yet. */
// oxlint-disable-next-line no-unused-vars -- the part that finds in the file follows in the same file
let loadLine = async () => undefined;
/** A dialog that was closed has the focus until the next frame. */
const isTyping = (event) =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  event.target.closest('input, textarea, select, dialog[open]') !== null;
if (code) {
  showMarked();
  chooseLines();
  colourLater();
  loadWhatIsScrolledTo();
  void outlineLater().then(followOutline);
  wrapLines();
}

function showMarked() {
  const marked = code.querySelector('.m');
  marked?.scrollIntoView({ block: 'center' });
}

/** A click on a number chooses the line, with Shift the lines up to it; the address follows. */
function chooseLines() {
  const permalink = document.querySelector('[data-permalink]');
  let first = numberOf(code.querySelector('.m a'));
  code.addEventListener('click', (event) => {
    const link = event.target.closest('a[id^="L"]');
    if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const number = numberOf(link);
    if (!event.shiftKey || first === undefined) first = number;
    choose(Math.min(first, number), Math.max(first, number));
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'y' || isTyping(event)) return;
    history.replaceState(null, '', permalink.href);
  });
  copyLinkOf(permalink);
  // j and k move the chosen line.
  addEventListener('keydown', (event) => {
    if (!['j', 'k'].includes(event.key) || isTyping(event)) return;
    const number = (first ?? Number(code.dataset.from) - 1) + (event.key === 'j' ? 1 : -1);
    const line = document.getElementById(`L${number}`);
    if (!line) return;
    first = number;
    choose(number, number);
    line.scrollIntoView({ block: 'nearest' });
  });
  // What leads to lines of this very file needs no new page.
  addEventListener('click', (event) => {
    const link = event.target.closest('a[href]');
    if (!link || link.closest('.code[data-lines]') || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const [, from, to = from] = /^\?L(\d+)(?:-(\d+))?$/.exec(link.search) ?? [];
    if (from === undefined || link.pathname !== location.pathname || !document.getElementById(`L${from}`)) return;
    event.preventDefault();
    first = Number(from);
    choose(first, Number(to));
    document.getElementById(`L${from}`).scrollIntoView({ block: 'center' });
  });

  function choose(from, to) {
    mark(from, to);
    const query = from === to ? `?L${from}` : `?L${from}-${to}`;
    history.replaceState(null, '', location.pathname + query);
    permalink.href = permalink.dataset.permalink + query;
    for (const link of document.querySelectorAll('[data-with-lines]')) link.href = link.dataset.withLines + query;
  }
}

/** A button that copies the link that means the same for ever, with the chosen lines. */
function copyLinkOf(permalink) {
  const button = document.createElement('button');
  const label = 'Copy link';
  Object.assign(button, {
    type: 'button',
    className: 'button small',
    textContent: label,
    title: 'Copy a link to the chosen lines that means the same for ever (c)',
  });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(permalink.href);
      button.textContent = 'Copied';
    } catch {
      // No permission, or no https: the address of the page is to be copied.
      history.replaceState(null, '', permalink.href);
      button.textContent = 'Copy the address';
    }
    setTimeout(() => (button.textContent = label), 2000);
  };
  button.addEventListener('click', copy);
  addEventListener('keydown', (event) => event.key === 'c' && !isTyping(event) && void copy());
  permalink.after(button);
}

function numberOf(link) {
  return link ? Number(link.textContent) : undefined;
}

function mark(from, to) {
  for (const line of code.querySelectorAll('.m')) line.classList.remove('m');
  for (let number = from; number <= to; number += 1)
    document.getElementById(`L${number}`)?.parentElement.classList.add('m');
}

async function fetchLines(from, to) {
  const response = await fetch(`${code.dataset.lines}?from=${from}&to=${to}`);
  if (!response.ok) throw new Error(`lines: ${response.status}`);
  const template = document.createElement('template');
  template.innerHTML = await response.text();
  return { lines: template.content, isComplete: response.headers.get('x-complete') === 'true' };
}

/** The page did not wait for all colours. */
async function colourLater() {
  if (code.dataset.plain !== 'true') return;
  const rows = [...code.querySelectorAll('.lines .block > div')];
  const from = Number(code.dataset.from);
  const { lines } = await fetchLines(from, from + rows.length - 1);
  const coloured = lines.querySelectorAll('code');
  for (const [index, row] of rows.entries()) row.querySelector('code').replaceWith(coloured[index]);
}

/** What the file defines took longer than the page waited. */
async function outlineLater() {
  const place = document.querySelector('[data-outline]');
  if (!place) return;
  const response = await fetch(place.dataset.outline);
  const template = document.createElement('template');
  if (response.ok) template.innerHTML = await response.text();
  const outline = template.content.querySelector('.outline');
  if (!outline) return;
  place.parentElement.classList.add('with-side');
  place.replaceWith(outline);
}

/** The outline marks what the first visible line belongs to, and keeps it in sight. */
function followOutline() {
  const links = [...document.querySelectorAll('.outline a[data-line]')];
  if (links.length === 0) return;
  const outline = links[0].closest('.outline');
  // Where there is no room beside the file it stands above it.
  if (matchMedia('(max-width: 76rem)').matches) outline.open = false;
  let isWaiting = false;
  const follow = () => {
    isWaiting = false;
    const line = firstVisibleLine();
    const current = line && links.findLast((link) => Number(link.dataset.line) <= line);
    const before = outline.querySelector('[aria-current]');
    if (current === before) return;
    before?.removeAttribute('aria-current');
    if (!current) return;
    current.setAttribute('aria-current', 'true');
    const [place, box] = [current.getBoundingClientRect(), outline.getBoundingClientRect()];
    if (place.top < box.top || place.bottom > box.bottom) outline.scrollTop += place.top - box.top - box.height / 3;
  };
  const later = () => {
    if (!isWaiting) requestAnimationFrame(follow);
    isWaiting = true;
  };
  addEventListener('scroll', later, { passive: true });
  later();
}

/** The number of the line below the bar of the file. */
function firstVisibleLine() {
  const { left } = code.getBoundingClientRect();
  const bar = document.querySelector('.file .panel-bar').getBoundingClientRect();
  const row = document.elementFromPoint(left + 20, Math.max(bar.bottom, code.getBoundingClientRect().top) + 14);
  return numberOf(row?.closest('.block > div')?.querySelector('a'));
}

/** Long lines go on below, as this browser was told last time. */
function wrapLines() {
  const button = document.querySelector('[data-wrap]');
  const set = (isOn) => {
    code.classList.toggle('wrapped', isOn);
    button.setAttribute('aria-pressed', String(isOn));
  };
  const toggle = () => {
    const line = firstVisibleLine();
    const isOn = !code.classList.contains('wrapped');
    set(isOn);
    localStorage.setItem('wrap', isOn ? '1' : '');
    if (line > 1) document.getElementById(`L${line}`)?.scrollIntoView();
  };
  button.hidden = false;
  button.addEventListener('click', toggle);
  addEventListener('keydown', (event) => event.key === 'w' && !isTyping(event) && toggle());
  if (localStorage.getItem('wrap')) set(true);
}

/** Of a long file the page has some lines; gaps of the same height stand for the others until they are near. */
function loadWhatIsScrolledTo() {
  const total = Number(code.dataset.total);
  const from = Number(code.dataset.from);
  const lines = code.querySelector('.lines');
  const rows = lines.querySelectorAll('.block > div');
  const to = from + rows.length - 1;
  if (rows.length === 0 || (from === 1 && to === total)) return;
  const height = rows[0].getBoundingClientRect().height;
  const observer = new IntersectionObserver(fill, { rootMargin: '2000px' });
  loadLine = async (number) => {
    const gap = [...lines.querySelectorAll('.gap')].find(
      ({ dataset: { from, to } }) => Number(from) <= number && number <= Number(to),
    );
    if (gap) await replace(gap);
  };
  lines.prepend(...gaps(1, from - 1, height));
  lines.append(...gaps(to + 1, total, height));
  for (const gap of lines.querySelectorAll('.gap')) observer.observe(gap);
  document.querySelector('.windows')?.remove();
  showMarked();

  function fill(entries) {
    for (const { target, isIntersecting } of entries) if (isIntersecting) void replace(target);
  }

  async function replace(gap) {
    observer.unobserve(gap);
    try {
      const { lines } = await fetchLines(gap.dataset.from, gap.dataset.to);
      gap.replaceWith(lines);
    } catch {
      // Looked at again, it is asked for again.
      setTimeout(() => observer.observe(gap), 1000);
    }
  }
}

function gaps(from, to, height) {
  const linesPerGap = 500;
  const made = [];
  for (let start = from; start <= to; start += linesPerGap) {
    const end = Math.min(to, start + linesPerGap - 1);
    const gap = document.createElement('div');
    gap.className = 'gap';
    gap.dataset.from = start;
    gap.dataset.to = end;
    gap.style.height = `${(end - start + 1) * height}px`;
    made.push(gap);
  }
  return made;
}
