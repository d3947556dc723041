// j and k go through the results, as people expect of places to look for code; Enter opens the one with the cursor.
const results = [...document.querySelectorAll('[data-result]')];
const box = document.querySelector('input[type="search"]');

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === box) {
    if (event.key === 'Escape' || event.key === 'ArrowDown') go(event, 0);
  } else if (!event.target.closest('input, textarea, select')) {
    if (event.key === 'j') go(event, results.indexOf(document.activeElement) + 1);
    if (event.key === 'k') go(event, results.indexOf(document.activeElement) - 1);
  }
});

function go(event, index) {
  const result = results[Math.max(0, Math.min(index, results.length - 1))];
  if (!result) return;
  event.preventDefault();
  result.focus();
  result.scrollIntoView({ block: 'nearest' });
}
