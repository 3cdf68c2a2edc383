import { BlockList, isIP, SocketAddress } from 'node:net';

/** A set of addresses of both families. */
export interface AddressRanges {
  has(address: string): boolean;
}

/** Takes addresses and ranges such as `10.1.0.0/16`. One list a family: a list of both would take IPv4 addresses for their form inside IPv6. */
export function addressRanges(ranges: readonly string[]): AddressRanges {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const { address, bits, family } = subnetOf(range);
    lists[family].addSubnet(address, bits, family);
  }
  return {
    has(address) {
      const [plain = ''] = address.split('%', 1);
      return isIP(plain) === 4 ? lists.ipv4.check(plain, 'ipv4') : lists.ipv6.check(plain, 'ipv6');
    },
  };
}

interface Subnet {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** IPv4 that is written inside IPv6 is meant as IPv4, in which form addresses are asked for. */
function subnetOf(range: string): Subnet {
  const [address = '', said] = range.split('/');
  if (isIP(address) === 4) return { address, bits: Number(said ?? 32), family: 'ipv4' };
  const bits = Number(said ?? 128);
  const [, mapped] = /^::ffff:(\d+\..*)$/.exec(shortest(address)) ?? [];
  if (mapped !== undefined && bits > mappedBits) return { address: mapped, bits: bits - mappedBits, family: 'ipv4' };
  return { address, bits, family: 'ipv6' };
}

/** How much of an address says that it is IPv4 inside IPv6. */
const mappedBits = 96;

function shortest(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}
