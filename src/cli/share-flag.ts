import { SvcError } from '../engine/errors/index.js';

/** A flag's value from 0 to 1. @throws SvcError USAGE for anything else */
export function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() !== '' && share >= 0 && share <= 1) return share;
  throw new SvcError('USAGE', `a number from 0 to 1 is wanted, not "${text}"`);
}
