/** What is wrong with one model of many that were to be added together. */
export interface BatchRefusal {
  readonly model: string;
  readonly message: string;
}

const beginning = /\bmodels\[\d+\] \((.*?)\): (?=This model cannot be added)/g;

/** A refusal of many models, model by model: by their names, for nobody who chose them has counted them. */
export function batchRefusals(message: string): readonly BatchRefusal[] {
  const begins = [...message.matchAll(beginning)];
  return begins.map((begin, index) => ({
    model: begin[1] ?? '',
    message: message.slice(begin.index + begin[0].length, begins[index + 1]?.index).trim(),
  }));
}

/** The same refusal with models by their names. */
export function withModelNames(message: string): string {
  return message.replace(beginning, '$1: ');
}
