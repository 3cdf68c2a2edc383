import { BlockList, isIP, SocketAddress } from 'node:net';

export interface AddressRanges {
  has(address: string): boolean;
}

/** One list per family: a combined list would match IPv4 addresses against their form inside IPv6. */
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

/** An IPv4-mapped IPv6 range counts as IPv4, because lookups use the IPv4 form. */
function subnetOf(range: string): Subnet {
  const [address = '', prefixLength] = range.split('/');
  if (isIP(address) === 4) return { address, bits: Number(prefixLength ?? 32), family: 'ipv4' };
  const bits = Number(prefixLength ?? 128);
  const [, mapped] = /^::ffff:(\d+\..*)$/.exec(shortest(address)) ?? [];
  if (mapped !== undefined && bits > mappedBits) return { address: mapped, bits: bits - mappedBits, family: 'ipv4' };
  return { address, bits, family: 'ipv6' };
}

/** The prefix length of IPv4-mapped IPv6 addresses. */
const mappedBits = 96;

function shortest(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}
