/**
 * An address without the name and password that may stand in it, for messages and for identities: a
 * changed password gives no other vectors. What is no address is given back as it is.
 */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/iu, '$1');
}
