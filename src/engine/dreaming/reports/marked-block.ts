import { ownBlockMarks } from '../../memory/sources/own-writing.js';

/** The parts of notes that dreaming writes, between comments of their own. */
export type DreamBlock = 'diary' | 'light' | 'rem' | 'deep';

/** Puts content between the marks of a block; the block is added at the end when it is not there. */
export function withBlock(text: string, block: DreamBlock, content: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const [opening, closing] = ownBlockMarks(block);
  const body = [opening, ...content.trim().split('\n'), closing].join(end);
  const place = placeOf(text, block);
  if (place !== undefined) return text.slice(0, place.start) + body + text.slice(place.end);
  const gap = text === '' || text.endsWith(end + end) ? '' : text.endsWith('\n') ? end : end + end;
  return text + gap + body + end;
}

/** What stands between the marks of a block; undefined when there is none. */
export function blockContent(text: string, block: DreamBlock): string | undefined {
  const place = placeOf(text, block);
  if (place === undefined) return undefined;
  const [opening, closing] = ownBlockMarks(block);
  const inside = text.slice(place.start + opening.length, place.end - closing.length);
  return inside.replaceAll('\r\n', '\n').trim();
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** From the opening mark that is nearest above a closing one: what stands between others is a person's. */
function placeOf(text: string, block: DreamBlock): Place | undefined {
  const [opening, closing] = ownBlockMarks(block);
  const first = text.indexOf(opening);
  const at = first === -1 ? -1 : text.indexOf(closing, first);
  return at === -1 ? undefined : { start: text.lastIndexOf(opening, at), end: at + closing.length };
}
