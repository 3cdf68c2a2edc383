import { drive } from './load-drive.ts';
import { HeldStreams } from './load-hold.ts';
import type { LoadOrder } from './load-order.ts';
import { obeyOrders } from './order-channel.ts';

const held = new HeldStreams();

obeyOrders((said) => {
  const order = said as LoadOrder;
  switch (order.kind) {
    case 'drive':
      return drive(order);
    case 'hold':
      return held.open(order.to, order.count);
    case 'collect':
      return held.collect();
    default:
      return order satisfies never;
  }
});
