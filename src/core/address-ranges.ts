import { BlockList, isIP } from 'node:net';

/** A set of addresses of both families. */
export interface AddressRanges {
  has(address: string): boolean;
}

/** Takes addresses and ranges such as `10.1.0.0/16`. One list a family: a list of both would take IPv4 addresses for their form inside IPv6. */
export function addressRanges(ranges: readonly string[]): AddressRanges {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    lists[family].addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return {
    has(address) {
      const [plain = ''] = address.split('%', 1);
      return isIP(plain) === 4 ? lists.ipv4.check(plain, 'ipv4') : lists.ipv6.check(plain, 'ipv6');
    },
  };
}
