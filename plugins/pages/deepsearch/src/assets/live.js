// While a question is worked on the server sends its part of the page; the address says from which version on.
const part = document.getElementById('conversation');
if (part?.dataset.live) {
  const events = new EventSource(part.dataset.live);
  events.addEventListener('change', ({ data }) => {
    const last = part.lastElementChild;
    const isOpen = last.querySelector('.working details')?.open;
    const hadFocus = last.contains(document.activeElement) && document.activeElement.localName;
    const text = JSON.parse(data);
    // A follow-up was asked elsewhere.
    if (!text.includes(`id="${last.id}"`)) return location.reload();
    last.outerHTML = text;
    const steps = part.lastElementChild.querySelector('.working details');
    if (steps && isOpen) steps.open = true;
    if (hadFocus) part.lastElementChild.querySelector(hadFocus)?.focus();
  });
  // The form to follow up appears with the answer.
  events.addEventListener('end', () => {
    events.close();
    location.reload();
  });
}

const question = document.querySelector('[data-submits-with-enter]');
question?.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) question.form.requestSubmit();
});

// Names of repositories, with commas between them: the last one is completed.
const named = document.querySelector('input[name="repositories"]');
if (named) {
  const offered = [...(named.list?.options ?? [])].map(({ value }) => value);
  named.removeAttribute('list');
  const most = 12;
  suggestions(named, {
    takesFirst: false,
    async *ask(text) {
      const part = text
        .slice(text.lastIndexOf(',') + 1)
        .trim()
        .toLowerCase();
      const found = offered.filter((name) => name.toLowerCase().includes(part));
      yield found.slice(0, most).map((title) => ({ kind: 'Repository', title, insert: title }));
    },
    take({ title }) {
      const before = named.value.slice(0, named.value.lastIndexOf(',') + 1);
      named.value = `${before}${before && ' '}${title}, `;
    },
  });
}

// The number of a source in the text unfolds its lines beside it.
part?.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-source]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const source = link.closest('.turn').querySelector(`.sources > li:nth-child(${link.dataset.source})`);
  if (!source) return;
  event.preventDefault();
  const lines = source.querySelector('details');
  if (lines) lines.open = true;
  source.scrollIntoView({ block: 'center' });
  for (const other of document.querySelectorAll('.sources .shown')) other.classList.remove('shown');
  source.classList.add('shown');
});
