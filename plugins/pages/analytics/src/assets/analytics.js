// What a pointer on a chart shows: the numbers of that day in every chart, and a period that is drawn over it.
const charts = [...document.querySelectorAll('.chart')].map((chart) => ({
  chart,
  names: [...chart.querySelectorAll('thead th')].slice(1).map((cell) => cell.textContent),
  rows: [...chart.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)),
  // The drawing that is shown at this width has the margins that its axes leave.
  drawings: [...chart.querySelectorAll('.drawing')].map((drawing) => {
    const { plotLeft, plotRight, plotWidth } = drawing.dataset;
    const cursor = document.createElement('div');
    cursor.className = 'cursor';
    cursor.hidden = true;
    drawing.append(cursor);
    return { drawing, cursor, left: plotLeft / plotWidth, right: plotRight / plotWidth };
  }),
}));
const days = (charts[0]?.rows ?? []).map(([date]) => Date.parse(date));
const end = Date.parse(document.querySelector('[data-end]')?.dataset.end ?? '');
const edges = [...days, end];

const hint = document.createElement('div');
hint.className = 'hint';
hint.hidden = true;
// Readers of a screen have the table below each chart.
hint.setAttribute('aria-hidden', 'true');
document.body.append(hint);

/** The span below a pointer. */
function spanAt({ drawing, left, right }, clientX) {
  const box = drawing.getBoundingClientRect();
  const share = ((clientX - box.left) / box.width - left) / (right - left);
  const time = edges[0] + share * (end - edges[0]);
  const after = edges.findIndex((edge) => edge > time);
  return Math.min(Math.max(after < 0 ? days.length - 1 : after - 1, 0), days.length - 1);
}

const shareOf = (at) => (edges[at] - edges[0]) / (end - edges[0]);

/** Marks spans in every chart. */
function mark(first, last) {
  for (const { drawings } of charts)
    for (const { cursor, left, right } of drawings) {
      cursor.hidden = false;
      cursor.style.left = `${(left + shareOf(first) * (right - left)) * 100}%`;
      cursor.style.width = `${(shareOf(last + 1) - shareOf(first)) * (right - left) * 100}%`;
    }
}

function unmark() {
  hint.hidden = true;
  for (const { drawings } of charts) for (const { cursor } of drawings) cursor.hidden = true;
}

function tell({ names, rows, chart }, at, { clientX, clientY }) {
  const [date, ...values] = rows[at];
  const list = document.createElement('dl');
  names.forEach((name, index) => {
    const term = document.createElement('dt');
    const swatch = document.createElement('span');
    swatch.className = `swatch series-${index + 1}`;
    term.append(swatch, name);
    const value = document.createElement('dd');
    value.textContent = values[index];
    list.append(term, value);
  });
  const title = document.createElement('strong');
  title.textContent = date;
  hint.replaceChildren(title, list);
  hint.classList.toggle('errors', chart.classList.contains('errors'));
  hint.hidden = false;
  const { width, height } = hint.getBoundingClientRect();
  const beside = clientX + 16 + width < innerWidth ? clientX + 16 : clientX - 16 - width;
  hint.style.left = `${Math.max(4, beside)}px`;
  hint.style.top = `${Math.max(4, Math.min(clientY + 16, innerHeight - height - 4))}px`;
}

const dayOf = (time) => new Date(time).toISOString().slice(0, 10);

/** The page of the period from one span to the end of another. */
function narrow(first, last) {
  const address = new URL(location.href);
  address.searchParams.set('startDate', dayOf(edges[first]));
  address.searchParams.set('endDate', dayOf(edges[last + 1] - 86_400_000));
  address.searchParams.delete('span');
  location.assign(address);
}

for (const one of charts)
  for (const place of one.drawings) {
    const { drawing } = place;
    let from;
    // The names of single columns would lie over the numbers of all.
    for (const title of drawing.querySelectorAll('svg :not(svg) > title')) title.remove();
    drawing.addEventListener('pointermove', (event) => {
      const at = spanAt(place, event.clientX);
      mark(Math.min(from ?? at, at), Math.max(from ?? at, at));
      tell(one, at, event);
    });
    drawing.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'mouse' || event.button !== 0) return;
      event.preventDefault();
      drawing.setPointerCapture(event.pointerId);
      from = spanAt(place, event.clientX);
    });
    drawing.addEventListener('pointerup', (event) => {
      if (from === undefined) return;
      const [start, at] = [from, spanAt(place, event.clientX)];
      from = undefined;
      if (start !== at) narrow(Math.min(start, at), Math.max(start, at));
    });
    drawing.addEventListener('pointercancel', () => {
      from = undefined;
      unmark();
    });
    drawing.addEventListener('pointerleave', () => from === undefined && unmark());
  }
addEventListener('scroll', unmark, { passive: true });
