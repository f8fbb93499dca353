import { isRecord } from '../../../config/config-path.js';
import type { LineMeaning, LineRecord, TurnRole } from './transcript-reader.js';

/** A field that is an object. */
export function objectField(record: LineRecord, name: string): LineRecord | undefined {
  const value = record[name];
  return isRecord(value) ? value : undefined;
}

/** A field that is a text. */
export function stringField(record: LineRecord, name: string): string | undefined {
  const value = record[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The text of a message's content: a text, or parts of which those of these types have one. Parts of
 * other types are tool calls, results, pictures, thinking.
 */
export function textOfContent(content: unknown, types: ReadonlySet<string>): string {
  if (typeof content === 'string') return content;
  const parts = isRecord(content) ? [content] : Array.isArray(content) ? content : [];
  return parts
    .flatMap((part: unknown) => {
      if (typeof part === 'string') return [part];
      if (!isRecord(part)) return [];
      const type = stringField(part, 'type') ?? '';
      const text = types.has(type) ? stringField(part, 'text') : undefined;
      return text === undefined ? [] : [text];
    })
    .join('\n');
}

/** A time as ISO 8601, from that or from milliseconds since the epoch; undefined for anything else. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The role that the wire's word names; undefined for system, tool, developer and the like. */
export function roleOf(word: string | undefined): TurnRole | undefined {
  return word === 'user' || word === 'assistant' ? word : undefined;
}

/** A turn, or noise where nothing was said. */
export function turnOrNoise(
  role: TurnRole | undefined,
  text: string,
  at: string | undefined,
  key?: string | undefined,
): LineMeaning {
  const said = text.trim();
  if (role === undefined || said === '') return NOISE;
  return { type: 'turn', turn: { role, text: said, at }, ...(key === undefined ? {} : { key }) };
}

/** A line that says nothing to remember. */
export const NOISE: LineMeaning = { type: 'noise' };
