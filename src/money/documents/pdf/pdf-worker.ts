import { parentPort } from 'node:worker_threads';
import type { PdfAnswer, PdfWork } from './pdf-thread.ts';
import { renderPdf } from './render-pdf.ts';

parentPort?.on('message', (work: PdfWork) => void answer(work).then((result) => parentPort?.postMessage(result)));
parentPort?.postMessage('ready');

async function answer({ document, language }: PdfWork): Promise<PdfAnswer> {
  try {
    return { pdf: await renderPdf(document, language) };
  } catch (error) {
    return { failed: String(error) };
  }
}
