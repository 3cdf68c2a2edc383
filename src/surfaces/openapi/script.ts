/** The script of the documentation page: copy buttons, and a mark on the current section. The page works without it. */
export const docsScript = `
const status = document.querySelector('[role=status]');
for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    status.textContent = button.textContent;
    setTimeout(() => { button.textContent = 'Copy'; status.textContent = ''; }, 1500);
  });
  figure.querySelector('figcaption').append(button);
}

const links = new Map([...document.querySelectorAll('.side a')].map((link) => [link.hash.slice(1), link]));
const sections = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
function mark() {
  const read = sections.findLast((section) => section.getBoundingClientRect().top < innerHeight / 3) ?? sections[0];
  for (const [id, link] of links) {
    if (id === read?.id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}
addEventListener('scroll', mark, { passive: true });
mark();
`;
