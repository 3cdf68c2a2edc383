import type uPlot from 'uplot';
import { type ChartLook, isWholeDays } from './chart-look.ts';
import classes from './time-chart.module.css';

/** A small card next to the pointer, with the time and the values there. */
export function chartReadout({ series, interval, write, format }: ChartLook): uPlot.Plugin {
  const card = document.createElement('div');
  card.className = classes['readout'] ?? '';
  card.hidden = true;
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(card);
        plot.over.addEventListener('mouseleave', () => {
          card.hidden = true;
        });
      },
      setCursor: (plot) => {
        const { idx, left = -1 } = plot.cursor;
        const at = idx === null || idx === undefined ? undefined : plot.data[0][idx];
        if (left < 0 || at === undefined || idx === null || idx === undefined) {
          card.hidden = true;
          return;
        }
        card.replaceChildren(head(isWholeDays(interval) ? format.date(at * 1000) : format.dateTime(at * 1000)));
        for (const [index, one] of series.entries()) {
          const value = plot.data[index + 1]?.[idx];
          card.append(line(one.label, value === null || value === undefined ? '–' : write(value), one.color ?? 1));
        }
        card.hidden = false;
        const isLeft = left > plot.over.clientWidth / 2;
        card.style.left = isLeft ? '' : `${left + 16}px`;
        card.style.right = isLeft ? `${plot.over.clientWidth - left + 16}px` : '';
      },
    },
  };
}

function head(text: string): HTMLElement {
  const element = document.createElement('div');
  element.className = classes['readoutHead'] ?? '';
  element.textContent = text;
  return element;
}

function line(label: string, value: string, color: string | number): HTMLElement {
  const element = document.createElement('div');
  element.className = classes['readoutLine'] ?? '';
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
