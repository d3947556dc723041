// While a question is worked on the server sends the changed part of the page; the address says from which version on.
const part = document.getElementById('conversation');
if (part?.dataset.live) {
  const events = new EventSource(part.dataset.live);
  events.addEventListener('change', ({ data }) => {
    const isOpen = part.querySelector('.working details')?.open;
    part.innerHTML = JSON.parse(data);
    const steps = part.querySelector('.working details');
    if (steps && isOpen) steps.open = true;
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
