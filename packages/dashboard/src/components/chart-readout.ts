import type uPlot from 'uplot';
import type { ChartLook } from './chart-look.ts';
import classes from './time-chart.module.css';

/** Marks the point under the pointer and shows its time and exact values. A click on it calls `onPick`. */
export function chartReadout(look: ChartLook): uPlot.Plugin {
  const { times, series, shape, onPick } = look;
  const card = part('readout');
  const slot = part('slot');
  let picked: number | undefined;
  const show = (isShown: boolean) => {
    card.hidden = !isShown;
    slot.hidden = !isShown || shape === 'lines';
  };
  show(false);
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(slot, card);
        plot.over.addEventListener('mouseleave', () => show(false));
        if (!onPick) return;
        plot.over.classList.add(classes['pickable'] ?? '');
        plot.over.addEventListener('click', (event) => {
          const index = plot.posToIdx(event.offsetX);
          // The first tap on a touch screen shows the values, because there is no pointer that could.
          const isFirstTap = event.pointerType === 'touch' && picked !== index;
          picked = index;
          if (!isFirstTap && times[index] !== undefined) onPick(index);
        });
      },
      setCursor: (plot) => {
        const { idx, left = -1 } = plot.cursor;
        if (left < 0 || idx === null || idx === undefined || times[idx] === undefined) return show(false);
        const width = plot.over.clientWidth;
        card.replaceChildren(part('readoutHead', look.spanOf(idx)));
        for (const one of series) {
          const value = one.values[idx];
          card.append(line(one.label, value === null || value === undefined ? '–' : look.exact(value), one.color ?? 1));
        }
        slot.style.left = `${(idx / times.length) * width}px`;
        slot.style.width = `${width / times.length}px`;
        show(true);
        const isLeft = left > width / 2;
        card.style.left = isLeft ? '' : `${left + 16}px`;
        card.style.right = isLeft ? `${width - left + 16}px` : '';
      },
    },
  };
}

function part(name: string, text = ''): HTMLElement {
  const element = document.createElement('div');
  element.className = classes[name] ?? '';
  element.textContent = text;
  return element;
}

function line(label: string, value: string, color: string | number): HTMLElement {
  const element = part('readoutLine');
  const dot = document.createElement('span');
  dot.className = classes['dot'] ?? '';
  dot.style.background = `var(--chart-${color})`;
  const name = document.createElement('span');
  name.textContent = label;
  const number = document.createElement('strong');
  number.textContent = value;
  element.append(dot, name, number);
  return element;
}
