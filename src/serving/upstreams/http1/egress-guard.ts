import { isIP, type LookupFunction } from 'node:net';
import { addressRanges } from '../../../core/address-ranges.ts';

export interface EgressGuard {
  /** Throws an `EgressError` unless a connection for this host may go to this address. */
  check(host: string, address: string): void;
}

/** A connection that was refused because its address is not on the public internet. */
export class EgressError extends Error {
  constructor(host: string, address: string) {
    const subject = host === address ? address : `${host} is at ${address}, which`;
    super(`${subject} is not a public address; \`egress.allow\` in the configuration file can permit it`);
    this.name = 'EgressError';
  }
}

/** Creates a guard that allows public addresses, and the hosts, addresses and ranges that the operator lists. */
export function egressGuard(allow: readonly string[]): EgressGuard {
  const hosts = new Set(allow.map(hostName));
  const allowed = addressRanges(allow.filter((entry) => isIP(entry.split('/', 1)[0] ?? '') !== 0));
  return {
    check(host, address) {
      if (!isPublicAddress(address) && !allowed.has(address) && !hosts.has(hostName(host))) {
        throw new EgressError(host, address);
      }
    },
  };
}

/** Returns the error if a connection for this host may not go to this address, otherwise `undefined`. */
export function refusalFor(guard: EgressGuard, host: string, address: string): EgressError | undefined {
  try {
    guard.check(host, address);
    return undefined;
  } catch (error) {
    return error as EgressError;
  }
}

/** The connection uses the checked result, so a name that resolves differently the next time gains nothing. */
export function guardedLookup(lookup: LookupFunction, guard: EgressGuard): LookupFunction {
  return (host, options, callback) => {
    lookup(host, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      try {
        for (const address of Array.isArray(found) ? found.map((each) => each.address) : [found]) {
          guard.check(host, address);
        }
      } catch (refused) {
        return callback(refused as EgressError, '', 0);
      }
      callback(null, found, family);
    });
  };
}

export function isPublicAddress(address: string): boolean {
  return !forbidden.has(address);
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

const forbidden = addressRanges([
  '0.0.0.0/8', // unspecified: this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, metadata of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16', // public, but metadata of a cloud
  '169.254.0.0/16', // link-local, metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, metadata of a cloud
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays to IPv6
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  // In IPv6 only 2000::/3 is the public internet. Outside of it: loopback, IPv4-mapped, NAT64, private (fc00::/7, with
  // metadata at fd00:ec2::254), link-local, multicast.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23', // protocol assignments, tunnels that carry IPv4
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries IPv4
  '3fff::/20', // documentation
]);
