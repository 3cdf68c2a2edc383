export { type FigureField, figureFields } from 'chat-gateway-figures/invoice/invoice-columns.ts';
