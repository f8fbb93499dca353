/**
 * Takes blocks `<tag …>…</tag>` out of a text; one that is never closed goes to the text's end.
 * Linear, whatever the text is.
 */
export function withoutBlocks(text: string, tags: readonly string[]): string {
  if (!text.includes('<')) return text;
  return tags.reduce(withoutBlock, text);
}

function withoutBlock(text: string, tag: string): string {
  const opening = `<${tag}`;
  const closing = `</${tag}>`;
  let start = indexOfTag(text, opening, 0);
  if (start === -1) return text;
  const kept: string[] = [];
  let from = 0;
  while (start !== -1) {
    kept.push(text.slice(from, start));
    const end = text.indexOf(closing, start);
    from = end === -1 ? text.length : end + closing.length;
    start = indexOfTag(text, opening, from);
  }
  kept.push(text.slice(from));
  return kept.join('');
}

/** The tag itself, and none whose name only begins like it. */
function indexOfTag(text: string, opening: string, from: number): number {
  let at = text.indexOf(opening, from);
  while (at !== -1 && !/[\s/>]/u.test(text.charAt(at + opening.length))) {
    at = text.indexOf(opening, at + 1);
  }
  return at;
}

/**
 * What is put before a message by machines: memory that was recalled for it, and notes of the
 * surroundings. Remembering them again would make every recall an echo of the last.
 */
const INJECTED_TAGS = [
  'active_memory_plugin',
  'active_memory',
  'active-memory',
  'memory-context',
  'memory_context',
  'relevant-memories',
  'relevant_memories',
  'recalled-memory',
  'recalled_memory',
  'svc-memory',
  'svc_memory',
  'system-reminder',
];

/** The line that announces injected memory: it says that what follows is no instruction. */
const INJECTION_LABEL =
  /^.{0,80}\buntrusted\b.{0,120}\b(?:not|never|no)\b.{0,40}\binstructions?\b.{0,120}$/imu;

/** A text without memory that was injected into it. */
export function withoutInjections(text: string): string {
  const cleaned = withoutBlocks(text, INJECTED_TAGS);
  return cleaned === text ? text : cleaned.replace(INJECTION_LABEL, '').trim();
}

/** `Sender (untrusted metadata):` and its like, each with a fenced JSON block after it. */
const METADATA_HEADER = /^[A-Z][\w ,'-]{0,80} \(untrusted[ ,\w]{0,40}\):[ \t]*$/u;

/** A message of a chat channel without the notes on sender and surroundings that stand around it. */
export function withoutMetadata(text: string): string {
  if (!text.includes('(untrusted')) return text;
  const kept: string[] = [];
  let state: 'fence' | 'header' | 'text' = 'text';
  for (const line of text.split('\n')) {
    if (state === 'fence') {
      if (line.trim() === '```') state = 'text';
    } else if (METADATA_HEADER.test(line.trimEnd())) {
      state = 'header';
    } else if (state === 'header' && line.trimStart().startsWith('```')) {
      state = 'fence';
    } else {
      state = 'text';
      kept.push(line);
    }
  }
  return kept.join('\n').trim();
}
